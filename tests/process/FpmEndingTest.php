<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** A PHP-FPM worker that ends by a signal while it holds: recovered within 100 ms, long before the ttl is over. */
final class FpmEndingTest extends ProcessTestCase
{
    private const HOLD = '(filelock_try("x") && filelock_try("y", INF)) || exit("busy");
        echo str_pad(getmypid(), 10); flush(); while (true) { sleep(60); }';
    private const LIMIT_MS = 100.0;

    private function fpm(array $pool = []): Fpm
    {
        $fpm = new Fpm($this->directory, $this->storeDirectory, ['filelock.store' => $this->store()], $pool);
        $this->atEnd($fpm->stop(...));
        return $fpm;
    }

    /** The agent's step: [when that process was first seen dead, when x and y were taken]. */
    private function watch(int $pid): string
    {
        return '$dead = null;
            $until = hrtime(true) + 20_000_000_000;
            foreach (["x", "y"] as $name) {
                do {
                    $taken = filelock_try($name);
                    $now = hrtime(true);
                    $stat = @file_get_contents("/proc/' . $pid . '/stat");
                    if ($dead === null && ($stat === false || preg_match("/\) [ZX] /", $stat))) { $dead = $now; }
                } while (!$taken && $now < $until);
            }
            while ($dead === null && $now < $until) {
                $stat = @file_get_contents("/proc/' . $pid . '/stat");
                $now = hrtime(true);
                if ($stat === false || preg_match("/\) [ZX] /", $stat)) { $dead = $now; }
            }
            return [$taken, $dead, $now];';
    }

    private function assertRecovered(Fpm $fpm, Agent $other, callable $end): float
    {
        $request = $fpm->start(self::HOLD);
        $pid = (int) $request->body(10);
        $this->assertGreaterThan(0, $pid, $fpm->log());
        $this->assertFalse($other->filelock_try('x'), 'held');
        $other->send($this->watch($pid));
        $end($pid);
        [$taken, $dead, $at] = $other->receive();
        $this->assertTrue($taken, 'recovered at all');
        $this->assertNotNull($dead, 'the worker died');
        $this->assertSame(2, $other->filelock_release_all());
        return ($at - $dead) / 1e6;
    }

    private function assertRecoveredAfterSignal(int $signal): void
    {
        $fpm = $this->fpm();
        $other = $this->agent();
        $this->assertWithin(self::LIMIT_MS,
            fn (): float => $this->assertRecovered($fpm, $other, fn (int $pid) => posix_kill($pid, $signal)));
    }

    public function testSigterm(): void
    {
        $this->assertRecoveredAfterSignal(SIGTERM);
    }

    public function testSigkill(): void
    {
        $this->assertRecoveredAfterSignal(SIGKILL);
    }

    public function testRequestTerminateTimeout(): void
    {
        $fpm = $this->fpm(['request_terminate_timeout' => '1s']);
        $other = $this->agent();
        $this->assertWithin(self::LIMIT_MS, fn (): float => $this->assertRecovered($fpm, $other, fn () => null));
        $this->assertStringContainsString('execution timed out', $fpm->log());
    }

    /** Reloading or stopping FPM while a request holds and waits. */
    public function testStoppedPool(): void
    {
        $fpm = $this->fpm();
        $other = $this->agent();
        $request = $fpm->start(self::HOLD);
        $this->assertNotSame('', $request->body(10));
        $fpm->stop();
        $this->assertNotNull($other->run('return take_when_free("y");'));
    }

    public function testFatalErrorsAndLimitsInAWorkerThatLivesOn(): void
    {
        $fpm = $this->fpm(['pm.max_children' => '1']);
        $other = $this->agent();
        $pid = $fpm->request('echo getmypid();');
        $endings = [
            'exit' => 'exit;',
            'exception' => 'throw new Exception();',
            'fatal' => 'eval("abstract class A { abstract function f(); } class B extends A {}");',
            'memory' => 'ini_set("memory_limit", "8M"); $a = []; while (true) { $a[] = str_repeat("x", 100000); }',
            'time' => 'set_time_limit(1); while (true);',
            'client gone' => 'ignore_user_abort(false); fastcgi_finish_request(); exit;',
        ];
        foreach ($endings as $ending => $code) {
            $fpm->request("filelock_try('x', INF) || exit('busy'); $code");
            $this->assertNotNull($other->run('return take_when_free("x");'), $ending);
            $this->assertTrue($other->filelock_release('x'));
            $this->assertSame($pid, $fpm->request('echo getmypid();'), "the same worker after $ending");
        }
    }
}
