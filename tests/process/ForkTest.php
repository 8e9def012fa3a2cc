<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** A forked child owns nothing of its parent's, and what it takes is its own. */
final class ForkTest extends ProcessTestCase
{
    private const ENDINGS = [
        'exit' => 'exit(0);',
        'exception' => 'throw new Exception("in the child");',
        'fatal' => 'eval("abstract class A { abstract function f(); } class B extends A {}");',
        'memory' => 'ini_set("memory_limit", "8M"); $a = []; while (true) { $a[] = str_repeat("x", 100000); }',
        'exit in a shutdown function' => 'register_shutdown_function(fn () => exit(1)); exit(0);',
        'SIGTERM' => 'posix_kill(getmypid(), SIGTERM); sleep(60);',
        'SIGKILL' => 'posix_kill(getmypid(), SIGKILL); sleep(60);',
        'exec' => 'pcntl_exec("/bin/true");',
    ];

    /** A step that forks, runs $code in the child, and returns when the child has ended. */
    private static function inChild(string $code): string
    {
        return "\$child = pcntl_fork(); if (\$child === 0) { $code } pcntl_waitpid(\$child, \$status); return \$status;";
    }

    private function assertParentKeeps(string $before): void
    {
        $other = $this->agent();
        foreach (self::ENDINGS as $how => $ending) {
            $parent = $this->agent();
            $this->assertTrue($parent->filelock_try('x'));
            $this->assertTrue($parent->filelock_try('for ever', INF));
            $parent->run(self::inChild("$before $ending"));
            $this->assertFalse($other->filelock_try('x'), "x after $how");
            $this->assertFalse($other->filelock_try('for ever'), "for ever after $how");
            $this->assertSame($parent->pid, $other->filelock_status('x')['pid']);
            $this->assertTrue($parent->filelock_refresh('x'), $how);
            $this->assertTrue($parent->filelock_release('x'), $how);
            $this->assertTrue($parent->filelock_release('for ever'), $how);
            $this->assertSame([], $other->filelock_list(), "nothing left behind after $how");
            $this->assertSame(0, $parent->finish());
        }
    }

    public function testEveryEndingOfAChildLeavesTheParentsLock(): void
    {
        $this->assertParentKeeps('');
    }

    public function testAlsoAfterTheChildHasMadeALockOfItsOwn(): void
    {
        $this->assertParentKeeps('filelock_try("own", INF) || exit(1);');
    }

    public function testAlsoAfterTheChildHasMadeAndReleasedALockOfItsOwn(): void
    {
        $this->assertParentKeeps('filelock_try("own", INF) || exit(1); filelock_release("own");');
    }

    public function testTheChildsCallsDoNotTouchTheParentsLock(): void
    {
        [$parent, $other] = $this->agents(2);
        $parent->filelock_try('x');
        $results = "$this->directory/results";
        $parent->run(self::inChild('
            $results = [
                filelock_release("x"), filelock_refresh("x"), filelock_try("x"), filelock_release_all(),
                filelock_status("x")->mine, filelock_acquire("x", 0.01),
            ];
            file_put_contents(' . var_export($results, true) . ', json_encode($results));
            exit;'));
        $this->assertSame('[false,false,false,0,false,false]', file_get_contents($results));
        $this->assertFalse($other->filelock_try('x'));
        $this->assertTrue($parent->filelock_release('x'));
    }

    public function testTheChildsLockIsItsOwn(): void
    {
        [$parent, $other] = $this->agents(2);
        $parent->filelock_try('parent');
        [$up, $down] = ["$this->directory/up", "$this->directory/down"];
        posix_mkfifo($up, 0600);
        posix_mkfifo($down, 0600);
        $child = $parent->run('$child = pcntl_fork();
            if ($child === 0) {
                filelock_try("child", INF) || exit(1);
                file_put_contents("' . $up . '", "taken");
                file_get_contents("' . $down . '");
                exit(0);
            }
            return $child;');
        $this->assertSame('taken', file_get_contents($up));
        $this->assertSame($child, $other->filelock_status('child')['pid']);
        $this->assertFalse($parent->filelock_try('child'), 'not the parent\'s');
        $this->assertFalse($parent->filelock_release('child'));
        $this->assertSame(1, $parent->filelock_release_all());
        $this->assertNotNull($other->filelock_status('child'), 'the parent\'s release_all() is not the child\'s');
        file_put_contents($down, 'end');
        $parent->run('pcntl_waitpid(-1, $status);');
        $this->assertNull($other->filelock_status('child'));
    }

    public function testTheParentDiesWhileTheChildLives(): void
    {
        [$parent, $other] = $this->agents(2);
        $parent->filelock_try('x', INF);
        $go = "$this->directory/go";
        posix_mkfifo($go, 0600);
        $child = $parent->run('$child = pcntl_fork();
            if ($child === 0) {
                fclose(STDOUT); // the agent has ended when its output ends
                file_get_contents("' . $go . '");
                exit(0);
            }
            return $child;');
        $parent->kill();
        $this->assertNotNull($other->run('return take_when_free("x");'));
        $this->assertTrue(posix_kill($child, 0), 'the child lives');
        file_put_contents($go, 'end');
    }

    public function testTheParentReleasesWhileTheChildLives(): void
    {
        [$parent, $other] = $this->agents(2);
        $parent->filelock_try('x', INF);
        $go = "$this->directory/go";
        posix_mkfifo($go, 0600);
        $parent->run('if (($child = pcntl_fork()) === 0) { fclose(STDOUT); file_get_contents("' . $go . '"); exit(0); }');
        $this->assertTrue($parent->filelock_release('x'));
        $this->assertTrue($other->filelock_try('x'));
        file_put_contents($go, 'end');
    }

    /** A program on the way to a daemon: two forks, the middle one ends. */
    public function testGrandchildren(): void
    {
        [$parent, $other] = $this->agents(2);
        $parent->filelock_try('x');
        $parent->run(self::inChild('filelock_try("own") or exit(1);
            if (($grandchild = pcntl_fork()) === 0) { filelock_try("own, too") or exit(1); exit; }
            pcntl_waitpid($grandchild, $status);
            exit;'));
        $this->assertSame(['x'], array_column($other->filelock_list(), 'name'));
        $this->assertTrue($parent->filelock_release('x'));
    }

    public function testChildrenOfAWaiter(): void
    {
        [$holder, $waiter] = $this->agents(2);
        $holder->filelock_try('x');
        $waiter->run('pcntl_async_signals(true); pcntl_signal(SIGUSR1, function () {
            if (($child = pcntl_fork()) === 0) { exit(0); }
            pcntl_waitpid($child, $status);
        });');
        $waiter->send('return filelock_acquire("x", 60.0);');
        $this->untilWaiting($holder, 'x');
        $waiter->signal(SIGUSR1);
        $this->assertFalse($waiter->hasAnswered(0.05), 'still waiting');
        $holder->filelock_release('x');
        $this->assertTrue($waiter->receive());
        $this->assertTrue($waiter->filelock_release('x'));
    }
}
