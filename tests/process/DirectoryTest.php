<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** A shared directory as the store of processes that end in all ways, fork, and hand over. */
final class DirectoryTest extends ProcessTestCase
{
    protected function store(string $options = ''): string
    {
        return "dir:$this->storeDirectory$options";
    }

    public function testTheLockOfAKilledProcessIsFreeAtOnce(): void
    {
        [$holder, $other] = $this->agents(2);
        $this->assertTrue($holder->filelock_try('x', 1000.0));
        $before = $holder->run('$s = new FileLock\Store(); return $s->status("x")->token;');
        $this->assertFalse($other->filelock_try('x', 1000.0));
        $this->assertSame($holder->pid, $other->filelock_status('x')['pid']);
        $holder->kill();
        $this->assertNull($other->filelock_status('x'));
        $this->assertTrue($other->filelock_try('x', 1000.0));
        $this->assertGreaterThan($before, $other->run('$s = new FileLock\Store(); return $s->status("x")->token;'));
    }

    public function testAStoppedHolderKeepsItAndStopsNobodyElse(): void
    {
        [$holder, $other] = $this->agents(2);
        $this->assertTrue($holder->filelock_try('x', 1000.0));
        $holder->signal(SIGSTOP);
        $this->assertFalse($other->filelock_try('x', 1000.0));
        $this->assertTrue($other->filelock_try('y', 1000.0));
        $holder->signal(SIGCONT);
        $this->assertTrue($holder->filelock_release('x'));
        $this->assertTrue($other->filelock_try('x', 1000.0));
    }

    public function testAForkedChildOwnsNothingAndTakesItsOwn(): void
    {
        [$parent, $other] = $this->agents(2);
        $this->assertTrue($parent->filelock_try('x', 1000.0));
        $endings = ['exit(0);', 'filelock_try("own", 1000) || exit(1);', 'exit(filelock_release("x") ? 1 : 0);',
            'filelock_release_all();', 'posix_kill(getmypid(), SIGKILL);'];
        foreach ($endings as $ending) {
            $parent->run("\$child = pcntl_fork(); if (\$child === 0) { $ending exit(0); }
                pcntl_waitpid(\$child, \$status); return \$status;");
            $this->assertFalse($other->filelock_try('x', 1000.0), $ending);
            $this->assertTrue($other->filelock_try('own', 1000.0), $ending);
            $this->assertTrue($other->filelock_release('own'));
            $this->assertTrue($parent->filelock_refresh('x'), $ending);
        }
        $this->assertTrue($parent->filelock_release('x'));
    }

    public function testALockOutlivesItsProcessAndGoesToAnother(): void
    {
        [$giver, $other] = $this->agents(2);
        $key = $giver->run('$lock = (new FileLock\Store())->lock("x", 1000, autoRelease: false);
            return $lock->tryAcquire() ? $lock->getKey() : null;');
        $token = $giver->run('return $lock->getToken();');
        $this->assertSame(0, $giver->finish());
        $this->assertFalse($other->filelock_try('x', 1000.0), 'left, not free, although its process has ended');
        $taker = $this->agent();
        $restore = '$lock = (new FileLock\Store())->restore("' . $key . '"); return $lock?->getToken();';
        $this->assertSame($token, $taker->run($restore));
        $this->assertNull($other->run($restore), 'a key is good for one time');
        $this->assertSame($taker->pid, $other->filelock_status('x')['pid']);
        $this->assertTrue($taker->run('return $lock->release();'));
        $this->assertTrue($other->filelock_try('x', 1000.0));
    }

    public function testWhoWaitsGetsItWhenItIsGivenBack(): void
    {
        [$holder, $waiter] = $this->agents(2);
        $this->assertTrue($holder->filelock_try('x', 1000.0));
        $this->assertFalse($waiter->filelock_acquire('x', 0.05, 1000.0));
        $waiter->send('return filelock_acquire("x", INF, 1000);');
        $this->assertFalse($waiter->hasAnswered(0.1));
        $this->assertTrue($holder->filelock_release('x'));
        $this->assertTrue($waiter->receive());
    }

    /** Not made anew: where the share was mounted is another directory now, in which others do not see the lock. */
    public function testAShareThatIsGoneIsAnException(): void
    {
        $agent = $this->agent();
        $this->assertTrue($agent->filelock_try('x', 1000.0));
        rename($this->storeDirectory, "$this->directory/elsewhere");
        mkdir($this->storeDirectory, 0700);
        $this->assertFalse($agent->filelock_refresh('x'));
        try {
            $agent->filelock_try('y', 1000.0);
            $this->fail('taken where nobody looks');
        } catch (AgentException $e) {
            $this->assertSame('FileLock\LockException', $e->class);
            $this->assertStringContainsString($this->storeDirectory, $e->getMessage());
            $this->assertStringContainsString('not mounted any more', $e->getMessage());
        }
        $this->assertSame(['.', '..'], scandir($this->storeDirectory));
    }

    public function testPhpinfoSaysWhereAndForWhom(): void
    {
        $info = fn (): string => $this->agent()->run('ob_start(); phpinfo(INFO_MODULES); return ob_get_clean();');
        $before = $info();
        $this->assertStringContainsString('dir:', $before);
        $this->assertStringContainsString($this->storeDirectory, $before);
        $this->assertSame(['.', '..'], scandir($this->storeDirectory), 'looking makes nothing');
        $this->assertTrue($this->agent()->filelock_try('x', 1000.0));
        $this->assertMatchesRegularExpression('/Shared with => uid \d+.* on all machines that mount it/', $info());
        rename($this->storeDirectory, "$this->directory/elsewhere");
        $this->assertStringContainsString('is the share mounted?', $info());
    }
}
