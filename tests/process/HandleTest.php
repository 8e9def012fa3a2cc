<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Handles of several processes: order, readers and writers, permits. */
final class HandleTest extends ProcessTestCase
{
    private const LOCK = '$lock = (new FileLock\Store())->lock("x", 60); return ';
    private const PERMIT = '$permit = (new FileLock\Store())->semaphore("x", 2, 60); return ';

    /** @return list<Agent> that wait for x with $code, each started when the one before is seen in `waiters` */
    private function queue(Agent $observer, int $length, string $code): array
    {
        $queue = [];
        for ($i = 1; $i <= $length; ++$i) {
            $queue[] = $agent = $this->agent();
            $agent->send($code);
            $this->untilWaiting($observer, 'x', $i);
        }
        return $queue;
    }

    public function testFirstComeFirstServed(): void
    {
        $holder = $this->agent();
        $this->assertTrue($holder->run(self::LOCK . '$lock->tryAcquire();'));
        $queue = $this->queue($holder, 5, self::LOCK . '$lock->acquire(60.0);');
        $newcomer = $this->agent();
        foreach ($queue as $i => $next) {
            $this->assertSame(count($queue) - $i, $holder->filelock_status('x')['waiters']);
            $this->assertTrue(($i === 0 ? $holder : $queue[$i - 1])->run('return $lock->release();'));
            $this->assertFalse($newcomer->filelock_try('x'), 'nobody overtakes');
            $this->assertTrue($next->receive());
            foreach (array_slice($queue, $i + 1) as $later) {
                $this->assertFalse($later->hasAnswered(), 'in order');
            }
        }
        $this->assertSame($next->pid, $holder->filelock_status('x')['pid']);
    }

    public function testTheDeadAndThoseWhoGaveUpAreSkipped(): void
    {
        $holder = $this->agent();
        $holder->run(self::LOCK . '$lock->tryAcquire();');
        [$dead, $impatient, $last] = [...$this->queue($holder, 1, self::LOCK . '$lock->acquire(60.0);'), $this->agent(), $this->agent()];
        $impatient->send(self::LOCK . '$lock->acquire(0.2);');
        $this->untilWaiting($holder, 'x', 2);
        $last->send(self::LOCK . '$lock->acquire(60.0);');
        $this->untilWaiting($holder, 'x', 3);
        $dead->kill();
        $this->assertFalse($impatient->receive());
        $this->assertTrue($holder->run('return $lock->release();'));
        $this->assertTrue($last->receive());
    }

    public function testFunctionsAndHandlesStandInOneQueue(): void
    {
        $holder = $this->agent();
        $holder->run(self::LOCK . '$lock->tryAcquire();');
        [$byName] = $this->queue($holder, 1, 'return filelock_acquire("x", 60.0);');
        $byHandle = $this->agent();
        $byHandle->send(self::LOCK . '$lock->acquire(60.0);');
        $this->untilWaiting($holder, 'x', 2);
        $holder->run('unset($lock);');
        $this->assertTrue($byName->receive());
        $this->assertFalse($byHandle->hasAnswered());
        $byName->filelock_release('x');
        $this->assertTrue($byHandle->receive());
    }

    public function testADeadHolderIsFollowed(): void
    {
        foreach (['$lock->tryAcquire();', '$lock->tryAcquireShared();'] as $take) {
            [$holder, $waiter] = $this->agents(2);
            $this->assertTrue($holder->run('$lock = (new FileLock\Store())->lock("x", INF); return ' . $take));
            $waiter->send(self::LOCK . '$lock->acquire(60.0);');
            $this->untilWaiting($holder, 'x');
            $holder->kill();
            $this->assertTrue($waiter->receive());
            $waiter->run('$lock->release();');
        }
    }

    public function testManyReadersOrOneWriter(): void
    {
        [$a, $b, $writer] = $this->agents(3);
        $this->assertTrue($a->run(self::LOCK . '$lock->tryAcquireShared();'));
        $this->assertTrue($b->run(self::LOCK . '$lock->acquireShared(5.0);'));
        $this->assertFalse($writer->run(self::LOCK . '$lock->tryAcquire();'));
        $this->assertSame([true, 2], [$writer->filelock_status('x')['shared'], $writer->filelock_status('x')['holders']]);
        $writer->send('return $lock->acquire(60.0);');
        $this->untilWaiting($a, 'x');
        $newcomer = $this->agent();
        $this->assertFalse($newcomer->run(self::LOCK . '$lock->tryAcquireShared();'), 'the writer is not starved');
        $newcomer->send('return $lock->acquireShared(60.0);');
        $this->untilWaiting($a, 'x', 2);
        $a->run('$lock->release();');
        $this->assertFalse($writer->hasAnswered());
        $b->run('$lock->release();');
        $this->assertTrue($writer->receive());
        $this->assertFalse($newcomer->hasAnswered());
        $writer->run('$lock->release();');
        $this->assertTrue($newcomer->receive());
    }

    public function testOneReleaseLetsAllReadersIn(): void
    {
        $writer = $this->agent();
        $writer->run(self::LOCK . '$lock->tryAcquire();');
        $readers = $this->queue($writer, 3, self::LOCK . '$lock->acquireShared(60.0);');
        $writer->run('$lock->release();');
        foreach ($readers as $reader) {
            $this->assertTrue($reader->receive());
        }
        $this->assertSame(3, $writer->filelock_status('x')['holders']);
    }

    public function testAnUpgraderOvertakesTheWriterThatWaitsForIt(): void
    {
        [$reader, $other, $writer] = $this->agents(3);
        $reader->run(self::LOCK . '$lock->tryAcquireShared();');
        $other->run(self::LOCK . '$lock->tryAcquireShared();');
        $writer->send(self::LOCK . '$lock->acquire(60.0);');
        $this->untilWaiting($reader, 'x');
        $reader->send('return $lock->acquire(60.0);');
        $this->assertFalse($reader->hasAnswered(0.1), 'another one reads');
        $this->assertFalse($other->run('return $lock->acquire(60.0);'), 'of two upgraders the later gets false at once');
        $this->assertTrue($other->run('return $lock->isAcquired();'), 'and reads on');
        $other->run('$lock->release();');
        $this->assertTrue($reader->receive());
        $this->assertFalse($writer->hasAnswered());
        $this->assertFalse($writer->hasAnswered(0.05));
        $reader->run('$lock->release();');
        $this->assertTrue($writer->receive());
    }

    public function testAnUpgradeThatFailsLeavesTheReadLock(): void
    {
        [$a, $b] = $this->agents(2);
        $a->run(self::LOCK . '$lock->tryAcquireShared();');
        $b->run(self::LOCK . '$lock->tryAcquireShared();');
        $this->assertFalse($a->run('return $lock->tryAcquire();'));
        $this->assertFalse($a->run('return $lock->acquire(0.1);'));
        $this->assertTrue($a->run('return $lock->isAcquired() && $lock->refresh();'));
        $this->assertTrue($b->run('return $lock->release();'));
        $this->assertFalse($b->run('return $lock->tryAcquire();'), 'a reads');
        $this->assertTrue($a->run('return $lock->tryAcquire();'));
    }

    public function testADowngradeLetsReadersInAndNoWriter(): void
    {
        [$writer, $other] = $this->agents(2);
        $writer->run(self::LOCK . '$lock->tryAcquire();');
        $other->send(self::LOCK . '$lock->acquireShared(60.0);');
        $this->untilWaiting($writer, 'x');
        $this->assertTrue($writer->run('return $lock->tryAcquireShared();'));
        $this->assertTrue($other->receive());
        $this->assertFalse($this->agent()->filelock_try('x'));
        $this->assertTrue($writer->run('return $lock->release();'));
    }

    public function testNeverMoreHoldersThanPermits(): void
    {
        $agents = $this->agents(3);
        $this->assertTrue($agents[0]->run(self::PERMIT . '$permit->tryAcquire();'));
        $this->assertTrue($agents[1]->run(self::PERMIT . '$permit->acquire(5.0);'));
        $this->assertFalse($agents[2]->run(self::PERMIT . '$permit->tryAcquire();'));
        $this->assertFalse($agents[2]->filelock_try('x'), 'a lock and a semaphore of one name exclude each other');
        $agents[2]->send('return $permit->acquire(60.0);');
        $this->untilWaiting($agents[0], 'x');
        $agents[1]->kill();
        $this->assertTrue($agents[2]->receive(), 'a dead holder\'s permit comes back');
        $this->assertSame(2, $agents[0]->filelock_status('x')['holders']);
    }

    public function testTwoWhoDisagreeAboutThePermits(): void
    {
        [$a, $b] = $this->agents(2);
        $a->run(self::PERMIT . '$permit->tryAcquire();');
        $e = $this->assertThrows('FileLock\\LockException', $b,
            '$permit = (new FileLock\Store())->semaphore("x", 5); return $permit->tryAcquire();');
        $this->assertStringContainsString('2 permits', $e->getMessage());
        $this->assertStringContainsString('5', $e->getMessage());
    }

    /** A wait for each kind of handle: how it ends, and that nothing is left behind. @return list<array{string}> */
    public static function waits(): array
    {
        return [
            'exclusive' => ['$h = (new FileLock\Store())->lock("x", INF);', '$h->acquire'],
            'shared' => ['$h = (new FileLock\Store())->lock("x", INF);', '$h->acquireShared'],
            'permit' => ['$h = (new FileLock\Store())->semaphore("x", 3);', '$h->acquire'],
        ];
    }

    /** @dataProvider waits */
    public function testATimeoutIsKept(string $make, string $acquire): void
    {
        [$holder, $waiter] = $this->agents(2);
        $holder->filelock_try('x');
        $waiter->run($make);
        $this->assertWithin(370.0, function () use ($waiter, $acquire): float {
            [$result, $ns] = $waiter->run("\$t = hrtime(true); \$r = $acquire(0.35); return [\$r, hrtime(true) - \$t];");
            $this->assertFalse($result);
            $this->assertGreaterThanOrEqual(0.35e9, $ns);
            return $ns / 1e6;
        });
        $this->assertSame(0, $holder->filelock_status('x')['waiters']);
        $this->assertFalse($waiter->run('return $h->isAcquired();'));
    }

    /** @dataProvider waits */
    public function testHandlersRunAndTheWaitGoesOn(string $make, string $acquire): void
    {
        [$holder, $waiter] = $this->agents(2);
        $holder->filelock_try('x');
        $waiter->run("$make pcntl_async_signals(true); pcntl_signal(SIGUSR1, fn () => reply('handler'));");
        $waiter->send("return $acquire(INF);");
        $this->untilWaiting($holder, 'x');
        foreach ([1, 2, 3] as $round) {
            $waiter->signal(SIGUSR1);
            $this->assertSame('handler', $waiter->receive());
        }
        $this->assertFalse($waiter->hasAnswered());
        $holder->filelock_release('x');
        $this->assertTrue($waiter->receive());
        $this->assertTrue($waiter->run('return $h->isAcquired();'));
    }

    /** @dataProvider waits */
    public function testAThrownExceptionAndAnExitEndTheWait(string $make, string $acquire): void
    {
        foreach (['throw new DomainException("from the handler");', 'exit(7);'] as $how) {
            [$holder, $waiter] = $this->agents(2);
            $holder->filelock_try('x');
            $waiter->run("$make pcntl_async_signals(true); pcntl_signal(SIGUSR1, function () { $how });");
            $waiter->send("return $acquire(60.0);");
            $this->untilWaiting($holder, 'x');
            $waiter->signal(SIGUSR1);
            try {
                $waiter->receive();
                $this->fail('it did not end');
            } catch (AgentException $e) {
                $this->assertSame($how[0] === 't' ? 'DomainException' : '', $e->class);
            }
            $this->assertSame(0, $holder->filelock_status('x')['waiters']);
            $this->assertTrue($holder->filelock_release('x'));
            $this->assertNull($holder->filelock_status('x'), 'nothing is held afterwards');
            $how[0] === 't' ? $this->assertTrue($waiter->run("return $acquire(5.0) && \$h->release();")) : $this->assertSame(7, $waiter->wait());
        }
    }

    public function testTwoHandlesOnOneNameInTwoStores(): void
    {
        mkdir("$this->directory/second", 0700);
        [$a, $b] = $this->agents(2);
        $code = '$stores = [new FileLock\Store(), new FileLock\Store("table:' . $this->directory . '/second")];
            $locks = array_map(fn ($store) => $store->lock("x"), $stores);
            return array_map(fn ($lock) => $lock->tryAcquire(), $locks);';
        $this->assertSame([true, true], $a->run($code));
        $this->assertSame([false, false], $b->run($code));
        $a->run('unset($locks[1]);');
        $this->assertSame([false, true], $b->run('return array_map(fn ($lock) => $lock->tryAcquire(), $locks);'));
    }

    /** A worker of PHP-FPM that has used a store in one request does not keep it mapped for the next. */
    public function testUnusedStoresAreUnmappedAtTheEndOfARequest(): void
    {
        $other = "$this->directory/other";
        mkdir($other);
        chmod($other, 0777);
        $fpm = new Fpm($this->directory, $this->storeDirectory, ['filelock.store' => $this->store()], ['pm.max_children' => '1']);
        $this->atEnd($fpm->stop(...));
        $maps = 'echo substr_count(file_get_contents("/proc/self/maps"), "' . $other . '/") > 0 ? "mapped" : "not mapped";';
        $use = '$lock = (new FileLock\Store("table:' . $other . '"))->lock("x"); $lock->tryAcquire() || exit("busy");';
        $this->assertSame('mapped', $fpm->request($use . $maps));
        $this->assertSame('not mapped', $fpm->request($maps));
        $this->assertSame('mapped', $fpm->request("final class Kept { static \$lock; } $use Kept::\$lock = \$lock; $maps"));
        $this->assertSame('not mapped', $fpm->request($maps));
        $this->assertSame('mapped', $fpm->request($use . $maps), 'it was given back');
    }
}
