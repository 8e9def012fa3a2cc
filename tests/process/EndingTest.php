<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** However a request ends, what it took is free for another process within 10 ms. */
final class EndingTest extends ProcessTestCase
{
    private const LIMIT_MS = 10.0;

    /**
     * @param string $ending  code that ends the request; it calls reply(hrtime(true)) as its last sign of life
     * @param array<string, string> $ini
     */
    private function assertFreeAfter(string $ending, int $exitCode, array $ini = []): void
    {
        $other = $this->agent();
        $this->assertWithin(self::LIMIT_MS, function () use ($other, $ending, $exitCode, $ini): float {
            $holder = $this->agent(null, $ini);
            $this->assertTrue($holder->filelock_try('x'));
            $this->assertTrue($holder->filelock_try('y', INF));
            $other->send('$x = take_when_free("x"); return [$x, take_when_free("y")];');
            $holder->send($ending);
            $end = $holder->receive();
            [$x, $y] = $other->receive();
            $this->assertNotNull($y, 'free at all');
            $this->assertGreaterThan($end, $x, 'not free before the end');
            $this->assertSame($exitCode, $holder->wait(), $holder->errors());
            $other->filelock_release_all();
            return ($y - $end) / 1e6;
        });
    }

    public function testReturn(): void
    {
        // Leaves the agent's loop, and with it the script, by the way that a script ends.
        $this->assertFreeAfter('$__last = true; return hrtime(true);', 0);
    }

    public function testExit(): void
    {
        $this->assertFreeAfter('reply(hrtime(true)); exit(3);', 3);
    }

    public function testExitInAFunctionCalledByRun(): void
    {
        $this->assertFreeAfter('filelock_run("z", function () { reply(hrtime(true)); exit(4); });', 4);
    }

    public function testUncaughtException(): void
    {
        $this->assertFreeAfter('$__uncaught = true; reply(hrtime(true)); throw new Exception("nobody catches it");', 255);
    }

    public function testFatalError(): void
    {
        $this->assertFreeAfter('register_shutdown_function(fn () => reply(hrtime(true)));
            eval("abstract class A { abstract function f(); } class B extends A {}");', 255);
    }

    public function testMemoryLimit(): void
    {
        $this->assertFreeAfter('register_shutdown_function(fn () => reply(hrtime(true)));
            $all = []; while (true) { $all[] = str_repeat("x", 100000); }', 255, ['memory_limit' => '16M']);
    }

    public function testTimeLimit(): void
    {
        $this->assertFreeAfter('register_shutdown_function(fn () => reply(hrtime(true)));
            set_time_limit(1); while (true);', 255);
    }

    public function testExitInAShutdownFunction(): void
    {
        $this->assertFreeAfter('register_shutdown_function(function () { reply(hrtime(true)); exit(5); });
            register_shutdown_function(fn () => print("never"));
            exit(6);', 5);
    }

    /** SIGTERM ends PHP without a request end; the kernel tells the next comer. */
    public function testSigterm(): void
    {
        $this->assertRecoveredAfter('posix_kill(getmypid(), SIGTERM);');
    }

    public function testSigkill(): void
    {
        $this->assertRecoveredAfter('posix_kill(getmypid(), SIGKILL);');
    }

    private function assertRecoveredAfter(string $ending): void
    {
        $other = $this->agent();
        $this->assertWithin(100.0, function () use ($other, $ending): float {
            $holder = $this->agent();
            $this->assertTrue($holder->filelock_try('x', INF));
            $other->send('return take_when_free("x");');
            $holder->send("reply(hrtime(true)); $ending");
            $end = $holder->receive();
            $taken = $other->receive();
            $this->assertNotNull($taken);
            $this->assertGreaterThan($end, $taken);
            $other->filelock_release_all();
            return ($taken - $end) / 1e6;
        });
    }

    public function testALockIsHeldUntilTheSessionHandlerHasWritten(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->run('
            class Handler implements SessionHandlerInterface {
                function open(string $path, string $name): bool { return true; }
                function close(): bool { return true; }
                function read(string $id): string { return ""; }
                function destroy(string $id): bool { return true; }
                function gc(int $seconds): int { return 0; }
                function write(string $id, string $data): bool {
                    $status = filelock_status("x");
                    usleep(50000); // time for the other one to take a lock that was given back too early
                    reply([$status?->mine, hrtime(true)]);
                    return true;
                }
            }
            ini_set("session.use_cookies", "0");
            ini_set("session.cache_limiter", "");
            session_set_save_handler(new Handler(), false);
            session_id("abc");
            if (!session_start()) { throw new Exception("no session"); }
            $_SESSION["changed"] = 1;
            if (!filelock_try("x")) { throw new Exception("busy"); }
        ');
        $other->send('return take_when_free("x");');
        $holder->send('exit;');
        [$mine, $written] = $holder->receive();
        $this->assertTrue($mine, 'held while the session handler writes');
        $this->assertGreaterThan($written, $other->receive(), 'free only afterwards');
    }

    public function testHeldInShutdownFunctionsAndDestructors(): void
    {
        $holder = $this->agent();
        $holder->filelock_try('x');
        $holder->send('register_shutdown_function(fn () => reply(filelock_status("x")?->mine)); exit;');
        $this->assertTrue($holder->receive());
        $holder->wait();
        $this->assertSame('', $holder->errors());
    }

    public function testReleaseAllIsTheEndOfAJob(): void
    {
        [$worker, $other] = $this->agents(2);
        $worker->run('foreach (range(1, 100) as $i) { filelock_try("job $i") || throw new Exception("busy"); }');
        $this->assertCount(100, $other->filelock_list('job'));
        $this->assertSame(100, $worker->filelock_release_all());
        $this->assertSame(0, $worker->filelock_release_all());
        $this->assertSame([], $other->filelock_list());
    }

    public function testRunGivesBackWhenTheCallableThrows(): void
    {
        [$worker, $other] = $this->agents(2);
        $e = $this->assertThrows('DomainException', $worker,
            'filelock_run("x", function () { throw new DomainException(filelock_status("x")->mine ? "held" : "not held"); });');
        $this->assertSame('held', $e->getMessage());
        $this->assertTrue($other->filelock_try('x'));
        $this->assertNull($worker->run('return filelock_run("x", fn () => "called");'), 'busy: not called');
        $other->filelock_release('x');
        $this->assertSame('called', $worker->run('return filelock_run("x", fn () => "called");'));
        $this->assertNull($other->filelock_status('x'));
    }

    /** A worker whose ttl is INF and who is idle between two requests holds nothing: only its requests do. */
    public function testAnEndedRequestIsNotALivingHolder(): void
    {
        $fpm = $this->fpm(['pm.max_children' => '1']);
        $other = $this->agent();
        $first = $fpm->request('filelock_try("x", INF) or exit(1); echo getmypid();');
        $this->assertNotNull($other->run('return take_when_free("x");'));
        $this->assertSame($first, $fpm->request('echo getmypid();'), 'the same worker, alive');
    }

    private function fpm(array $pool): Fpm
    {
        $fpm = new Fpm($this->directory, $this->storeDirectory, ['filelock.store' => $this->store()], $pool);
        $this->atEnd($fpm->stop(...));
        return $fpm;
    }
}
