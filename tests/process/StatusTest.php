<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Looking changes nothing, needs next to nothing, and tells the truth. */
final class StatusTest extends ProcessTestCase
{
    public function testLookingNeverMakesATryFail(): void
    {
        [$looker, $taker] = $this->agents(2);
        $this->assertTrue($taker->filelock_try('x'));
        $this->assertTrue($taker->filelock_release('x'));
        $stop = var_export("$this->directory/stop", true);
        $looker->send("for (\$i = 0; !file_exists($stop); ++\$i) {
            for (\$j = 0; \$j < 1000; ++\$j) { filelock_status('x'); }
            \$i === 0 && reply(true);
        }
        return \$i;");
        $this->assertTrue($looker->receive());
        $failures = $taker->run('for ($failures = $i = 0; $i < 200000; ++$i) {
            filelock_try("x") ? filelock_release("x") : ++$failures;
        }
        return $failures;');
        touch("$this->directory/stop");
        $this->assertGreaterThan(10, $looker->receive(), 'thousands of looks');
        $this->assertSame(0, $failures);
    }

    public function testLookingAtAStoreThatNobodyUsedCreatesNothing(): void
    {
        $agent = $this->agent("table:$this->directory/none/of/these");
        $this->assertNull($agent->filelock_status('x'));
        $this->assertSame([], $agent->filelock_list());
        $this->assertFileDoesNotExist("$this->directory/none");

        $agent = $this->agent();
        $this->assertNull($agent->filelock_status('x'));
        $this->assertSame([], $agent->filelock_list());
        $this->assertSame(['.', '..'], scandir($this->storeDirectory));
    }

    public function testLookingChangesNoByte(): void
    {
        [$holder, $looker] = $this->agents(2);
        $holder->filelock_try('held');
        $look = fn (): array => [glob("$this->storeDirectory/*"), md5_file("$this->storeDirectory/filelock.table"),
            filemtime("$this->storeDirectory/filelock.table")];
        $before = $look();
        for ($i = 0; $i < 20; ++$i) {
            $this->assertNull($looker->filelock_status("free $i"));
            $this->assertNotNull($looker->filelock_status('held'));
            $this->assertCount(1, $looker->filelock_list());
        }
        clearstatcache();
        $this->assertSame($before, $look());
    }

    public function testLookingNeedsReadPermissionAlone(): void
    {
        chmod($this->storeDirectory, 0755);
        $holder = $this->agent($this->store('?mode=0644'));
        $holder->filelock_try('x');
        if (!Php::isRoot()) {
            chmod("$this->storeDirectory/filelock.table", 0444);
        }
        $looker = $this->agent($this->store('?mode=0644'), [], Php::isRoot() ? self::asUser('nobody') : []);
        $this->assertSame($holder->pid, $looker->filelock_status('x')['pid']);
        $this->assertSame(['x'], array_column($looker->filelock_list(), 'name'));
        $this->assertThrows('FileLock\\LockException', $looker, 'return filelock_try("y");');
    }

    public function testStatusIsNullExactlyWhenATrySucceeds(): void
    {
        [$holder, $other] = $this->agents(2);
        $check = function (bool $free, string $when) use ($other): void {
            $this->assertSame($free, $other->filelock_status('x') === null, "status $when");
            $this->assertSame($free, $other->filelock_try('x'), "try $when");
            $this->assertSame($free, $other->filelock_release('x'), "release $when");
        };
        $check(true, 'at the beginning');
        $holder->filelock_try('x');
        $check(false, 'when held');
        $holder->filelock_release('x');
        $check(true, 'when given back');
        $holder->filelock_try('x', INF);
        $check(false, 'when held for ever');
        $holder->kill();
        $check(true, 'when the holder is dead');
    }

    public function testWhatAStatusTells(): void
    {
        $before = microtime(true);
        $holder = $this->agent(null, ['filelock.label' => 'nightly import']);
        [$other, $waiter] = $this->agents(2);
        $holder->filelock_try('x', 60.0);
        $waiter->send('return filelock_acquire("x", 30.0);');
        $this->untilWaiting($other, 'x');

        $status = $other->filelock_status('x');
        $this->assertSame('x', $status['name']);
        $this->assertFalse($status['shared']);
        $this->assertSame(1, $status['holders']);
        $this->assertSame(1, $status['waiters']);
        $this->assertFalse($status['mine']);
        $this->assertSame($holder->pid, $status['pid']);
        $this->assertSame(posix_geteuid(), $status['uid']);
        $this->assertSame(gethostname(), $status['host']);
        $this->assertSame('nightly import', $status['label']);
        $this->assertGreaterThan($before - 0.05, $status['since']);
        $this->assertLessThan(microtime(true) + 0.05, $status['since']);
        $this->assertLessThanOrEqual(60.0, $status['remaining']);
        $this->assertGreaterThan(0.0, $status['remaining']);
        $this->assertStringStartsWith('x: held by nightly import (pid ' . $holder->pid . ', uid ' . posix_geteuid() . ' on ',
            $status['text']);
        $this->assertStringEndsWith(', 1 waiting', $status['text']);
        $this->assertTrue($holder->filelock_status('x')['mine']);

        $holder->filelock_release('x');
        $this->assertTrue($waiter->receive());
        $next = $other->filelock_status('x');
        $this->assertSame($waiter->pid, $next['pid']);
        $this->assertGreaterThan($status['token'], $next['token']);
    }

    public function testForEverHasNoRemainingTime(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', INF);
        $this->assertNull($other->filelock_status('x')['remaining']);
        $this->assertStringNotContainsString('left', $other->filelock_status('x')['text']);
    }

    public function testListKnowsPrefixes(): void
    {
        [$a, $b, $other] = $this->agents(3);
        $a->filelock_try('import/1');
        $b->filelock_try('import/2');
        $b->filelock_try('export');
        $names = function (string $prefix) use ($other): array {
            $names = array_column($other->filelock_list($prefix), 'name');
            sort($names);
            return $names;
        };
        $this->assertSame(['export', 'import/1', 'import/2'], $names(''));
        $this->assertSame(['import/1', 'import/2'], $names('import/'));
        $this->assertSame([], $names('none'));
        $b->kill();
        $this->assertSame(['import/1'], $names(''), 'what the dead held is free');
    }

    public function testTheStoreObjectSeesTheSame(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x');
        $dsn = var_export($this->store(), true);
        $this->assertSame($holder->pid, $other->run("return (new FileLock\\Store($dsn))->status('x')->pid;"));
        $this->assertSame($holder->pid, $other->run('return (new FileLock\\Store())->status("x")->pid;'));
        $this->assertSame(1, $other->run('return count((new FileLock\\Store())->list());'));
    }
}
