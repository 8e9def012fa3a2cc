<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** A lease goes from one process to another by its key. */
final class HandOverTest extends ProcessTestCase
{
    private const TAKE = '$lock = (new FileLock\Store())->lock("x", 60, autoRelease: false);
        return $lock->tryAcquire() ? $lock->getKey() : null;';

    private static function restore(string $key): string
    {
        return '$lock = (new FileLock\Store())->restore("' . $key . '"); return $lock?->getToken();';
    }

    public function testFromALivingProcess(): void
    {
        [$giver, $taker] = $this->agents(2);
        $key = $giver->run(self::TAKE);
        $token = $giver->run('return $lock->getToken();');
        $this->assertSame($token, $taker->run(self::restore($key)), 'with the token that it had');
        $this->assertSame($taker->pid, $giver->filelock_status('x')['pid']);
        $this->assertFalse($giver->run('return $lock->isAcquired();'));
        $this->assertFalse($giver->run('return $lock->release();'), 'the giver has lost it');
        $this->assertTrue($taker->run('return $lock->refresh();'));
        $this->assertNull($giver->run(self::restore($key)), 'a key is good for one time');
        $this->assertTrue($taker->run('return $lock->isAcquired();'));
    }

    public function testWithNobodyAttachedInBetween(): void
    {
        $giver = $this->agent();
        $key = $giver->run(self::TAKE);
        $this->assertSame(0, $giver->finish());
        $taker = $this->agent();
        $status = $taker->filelock_status('x');
        $this->assertSame([false, 1], [$status['mine'], $status['holders']]);
        $this->assertFalse($taker->filelock_try('x'), 'left, not free');
        $this->assertNotNull($taker->run(self::restore($key)));
        $this->assertTrue($taker->filelock_status('x')['mine']);
        $taker->run('unset($lock);');
        $this->assertNull($taker->filelock_status('x'), 'the new handle gives back when it is freed');
    }

    public function testASignalBeforeTheEndFreesIt(): void
    {
        foreach ([SIGKILL, SIGTERM] as $signal) {
            [$giver, $taker] = $this->agents(2);
            $key = $giver->run(self::TAKE);
            $giver->signal($signal);
            $giver->wait();
            $this->assertNotNull($taker->run('return take_when_free("x");'));
            $this->assertNull($taker->run(self::restore($key)));
            $taker->filelock_release_all();
        }
    }

    public function testALeftLockEndsAtItsDeadline(): void
    {
        $giver = $this->agent();
        $key = $giver->run(str_replace('60', '0.5', self::TAKE));
        $giver->finish();
        $next = $this->agent();
        $this->assertTrue($next->run('return filelock_acquire("x", 20.0);'));
        $this->assertNull($next->run(self::restore($key)), 'expired');
        $this->assertTrue($next->filelock_release('x'), 'and the successor was not touched');
    }

    public function testOfTwoWhoHaveTheKeyOneWins(): void
    {
        for ($round = 0; $round < 10; ++$round) {
            [$giver, $a, $b] = $this->agents(3);
            $key = $giver->run(self::TAKE);
            $a->send(self::restore($key));
            $b->send(self::restore($key));
            $tokens = [$a->receive(), $b->receive()];
            $this->assertCount(1, array_filter($tokens));
            foreach ([$giver, $a, $b] as $agent) {
                $agent->run('unset($lock);');
                $agent->finish();
            }
        }
    }

    /** Its end comes when the job was done already: no warning, since the key was given away. */
    public function testTheGiversEndIsSilent(): void
    {
        [$giver, $taker] = $this->agents(2);
        $key = $giver->run(self::TAKE);
        $taker->run(self::restore($key));
        $taker->run('$lock->release();');
        $giver->run('unset($lock);');
        $this->assertSame([], $giver->warnings);
        $this->assertSame(0, $giver->finish());
        $this->assertSame('', $giver->errors());
    }

    public function testAWaiterGoesOnWaitingAndGetsItInTheEnd(): void
    {
        [$giver, $waiter, $taker] = $this->agents(3);
        $key = $giver->run(self::TAKE);
        $waiter->send('return filelock_acquire("x", 60.0);');
        $this->untilWaiting($giver, 'x');
        $giver->finish();
        $this->assertNotNull($taker->run(self::restore($key)));
        $this->assertFalse($waiter->hasAnswered(0.05));
        $taker->run('unset($lock);');
        $this->assertTrue($waiter->receive());
    }

    public function testToAnotherUser(): void
    {
        $this->needRoot('processes of two users');
        chgrp($this->storeDirectory, 'www-data');
        chmod($this->storeDirectory, 02770);
        $store = $this->store('?mode=0660');
        $web = $this->agent($store, [], ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups', '--']);
        $key = $web->run(self::TAKE);
        $web->finish();
        $worker = $this->agent($store, [], self::asUser('nobody', 'www-data'));
        $this->assertNotNull($worker->run(self::restore($key)));
        $this->assertSame(posix_getpwnam('nobody')['uid'], $worker->filelock_status('x')['uid']);
    }

    public function testNoKeyIsShown(): void
    {
        [$giver, $other] = $this->agents(2);
        $key = $giver->run(self::TAKE);
        $shown = serialize([$other->filelock_status('x'), $other->filelock_list(), $giver->filelock_status('x'),
            $giver->run('ob_start(); var_dump($lock); print_r($lock); phpinfo(); return ob_get_clean();')]);
        $this->assertStringNotContainsString($key, $shown);
        $this->assertStringNotContainsString(substr($key, -32), $shown);
        $this->assertStringNotContainsString(substr($key, -48, 16), $shown);
    }
}
