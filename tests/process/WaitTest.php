<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** filelock_acquire() with a timeout: how a wait ends, and what may happen meanwhile. */
final class WaitTest extends ProcessTestCase
{
    /** @return array{Agent, Agent} a holder of x, and an agent that waits for x with $code */
    private function waiting(string $code, string $setUp = '', ?float $ttl = null): array
    {
        [$holder, $waiter] = $this->agents(2);
        $this->assertTrue($holder->filelock_try('x', $ttl));
        $waiter->run("pcntl_async_signals(true); $setUp");
        $waiter->send($code);
        $this->untilWaiting($holder, 'x');
        return [$holder, $waiter];
    }

    public function testAReleaseEndsTheWait(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);');
        $this->assertFalse($waiter->hasAnswered());
        $this->assertTrue($holder->filelock_release('x'));
        $this->assertTrue($waiter->receive());
        $this->assertFalse($holder->filelock_try('x'));
        $this->assertSame(0, $holder->filelock_status('x')['waiters']);
    }

    public function testWaitingForEver(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", INF, INF);');
        $holder->filelock_release('x');
        $this->assertTrue($waiter->receive());
    }

    public function testADyingHolderEndsTheWait(): void
    {
        $this->assertWithin(100.0, function (): float {
            [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0) ? hrtime(true) : null;', '', INF);
            $killed = hrtime(true);
            $holder->kill();
            $taken = $waiter->receive();
            $this->assertNotNull($taken);
            $this->assertTrue($waiter->filelock_release('x'));
            return ($taken - $killed) / 1e6;
        });
    }

    public function testAnExpiryEndsTheWait(): void
    {
        [$holder, $waiter] = $this->agents(2);
        $asked = hrtime(true);
        $holder->filelock_try('x', 0.4);
        $taken = $waiter->run('return filelock_acquire("x", 60.0) ? hrtime(true) : null;');
        $this->assertNotNull($taken);
        // The coarse clock of the kernel lags up to 10 ms.
        $this->assertGreaterThanOrEqual(0.39, ($taken - $asked) / 1e9);
        $this->assertFalse($holder->filelock_release('x'));
        $this->assertTrue($waiter->filelock_release('x'));
    }

    public function testAShorterRefreshEndsTheWaitEarlier(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);', '', 1000.0);
        $this->assertTrue($holder->filelock_refresh('x', 0.05));
        $this->assertTrue($waiter->receive());
    }

    public function testABreakEndsTheWait(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);');
        $this->assertTrue($holder->run('return (new FileLock\Store())->break("x", filelock_status("x")->token);'));
        $this->assertTrue($waiter->receive());
        $this->assertFalse($holder->filelock_release('x'));
    }

    public function testATimeoutIsNeverShort(): void
    {
        [$holder, $waiter] = $this->agents(2);
        $holder->filelock_try('x');
        foreach ([0.35, 0.003, 0.02] as $timeout) {
            [$result, $ns] = $waiter->run("\$t = hrtime(true); \$r = filelock_acquire('x', $timeout);
                return [\$r, hrtime(true) - \$t];");
            $this->assertFalse($result);
            $this->assertGreaterThanOrEqual($timeout, $ns / 1e9);
            $this->assertLessThan($timeout + 5.0, $ns / 1e9);
        }
        $this->assertSame(0, $holder->filelock_status('x')['waiters'], 'who gave up waits no longer');
        $this->assertFalse($waiter->run('return filelock_acquire("x", 0.0);'), 'no wait at all');
        $holder->filelock_release('x');
        $this->assertTrue($waiter->run('return filelock_acquire("x", 0.0);'));
    }

    public function testASignalHandlerRunsAtItsTimeAndTheWaitGoesOn(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);',
            'pcntl_signal(SIGUSR1, function () { reply("handler: " . filelock_status("x")->pid); });');
        foreach ([1, 2, 3] as $round) {
            $waiter->signal(SIGUSR1);
            $this->assertSame("handler: $holder->pid", $waiter->receive(), "round $round");
        }
        $this->untilWaiting($holder, 'x');
        $this->assertFalse($waiter->hasAnswered());
        $holder->filelock_release('x');
        $this->assertTrue($waiter->receive());
        $this->assertTrue($waiter->filelock_release('x'));
    }

    public function testSignalsDoNotMakeATimeoutLonger(): void
    {
        [$holder, $waiter] = $this->waiting('$t = hrtime(true); return [filelock_acquire("x", 0.3), hrtime(true) - $t];',
            'pcntl_signal(SIGUSR1, function () { $GLOBALS["handled"]++; }); $handled = 0;');
        for ($sent = 0; !$waiter->hasAnswered(0.01); ++$sent) {
            $waiter->signal(SIGUSR1);
        }
        [$result, $ns] = $waiter->receive();
        $this->assertFalse($result);
        $this->assertGreaterThanOrEqual(0.3, $ns / 1e9);
        $this->assertGreaterThan(0, $waiter->run('return $handled;'));
        // Each signal may cost what it costs; starting the 0.3 s again with each would never end.
        $this->assertLessThan(200, $sent);
    }

    public function testAThrowingHandlerEndsTheWait(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);',
            'pcntl_signal(SIGUSR1, function () { throw new DomainException("from the handler"); });');
        $waiter->signal(SIGUSR1);
        try {
            $waiter->receive();
            $this->fail('the exception was swallowed');
        } catch (AgentException $e) {
            $this->assertSame('DomainException', $e->class);
        }
        $this->assertSame(0, $holder->filelock_status('x')['waiters']);
        $this->assertTrue($holder->filelock_release('x'));
        $this->assertNull($holder->filelock_status('x'), 'nothing is held afterwards');
        $this->assertSame(0, $waiter->filelock_release_all());
        $this->assertTrue($waiter->run('return filelock_acquire("x", 1.0);'), 'and it can wait again');
    }

    public function testAHandlerMayEndTheRequest(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);',
            'pcntl_signal(SIGUSR1, function () { exit(7); });');
        $waiter->signal(SIGUSR1);
        $this->assertSame(7, $waiter->wait(), $waiter->errors());
        $holder->filelock_release('x');
        $this->assertNull($holder->filelock_status('x'));
        $this->assertTrue($holder->filelock_try('x'));
    }

    /** A handler that takes and gives back other names while its own process waits. */
    public function testAHandlerMayUseLocks(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);', 'pcntl_signal(SIGUSR1, function () {
            reply([filelock_try("y"), filelock_acquire("z", 1.0), filelock_release("y")]);
        });');
        $waiter->signal(SIGUSR1);
        $this->assertSame([true, true, true], $waiter->receive());
        $this->assertNotNull($holder->filelock_status('z'));
        $holder->filelock_release('x');
        $this->assertTrue($waiter->receive());
        $this->assertSame(2, $waiter->filelock_release_all());
    }

    public function testAKilledWaiterIsForgotten(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);');
        $second = $this->agent();
        $second->send('return filelock_acquire("x", 60.0);');
        $this->untilWaiting($holder, 'x', 2);
        $waiter->kill();
        $holder->filelock_release('x');
        $this->assertTrue($second->receive());
    }

    public function testAStoppedWaiterDoesNotBlockTheOthers(): void
    {
        [$holder, $waiter] = $this->waiting('return filelock_acquire("x", 60.0);');
        $waiter->signal(SIGSTOP);
        $second = $this->agent();
        $second->send('return filelock_acquire("x", 60.0);');
        $this->untilWaiting($holder, 'x', 2);
        $holder->filelock_release('x');
        $this->assertTrue($second->receive(), 'the stopped one is passed over');
        $second->filelock_release('x');
        $waiter->signal(SIGCONT);
        $this->assertTrue($waiter->receive());
    }

    public function testWaitingForOneselfIsAnErrorOfTheProgram(): void
    {
        $agent = $this->agent();
        $agent->filelock_try('x');
        $started = hrtime(true);
        $e = $this->assertThrows('FileLock\\LockError', $agent, 'return filelock_acquire("x", 10.0);');
        $this->assertLessThan(5.0, (hrtime(true) - $started) / 1e9);
        $this->assertStringContainsString('x', $e->getMessage());
        $this->assertThrows('FileLock\\LockError', $agent, 'return filelock_run("x", fn () => 1, 10.0);');
        $this->assertThrows('FileLock\\LockError', $agent, 'return filelock_acquire("x", INF);');
        $this->assertFalse($agent->run('return filelock_acquire("x", 0.0);'), 'that is a try');
        $this->assertTrue($agent->filelock_release('x'), 'and it still holds it');
    }
}
