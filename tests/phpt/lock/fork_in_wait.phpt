--TEST--
A signal handler that runs while a method waits may fork: the child ends, or goes on, and the parent waits on
--EXTENSIONS--
filelock
pcntl
posix
--INI--
filelock.store="table:{PWD}/fork_in_wait.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

function how(int $child): string
{
    pcntl_waitpid($child, $status);
    return pcntl_wifexited($status) ? 'exit ' . pcntl_wexitstatus($status) : 'signal ' . pcntl_wtermsig($status);
}

/** Prints what $wait returns, and how the child ended that was forked while it waited and then did $inChild. */
function forking(callable $wait, callable $inChild): void
{
    $child = -1;
    pcntl_signal(SIGUSR1, function () use (&$child, $inChild) {
        if (($child = pcntl_fork()) === 0) {
            $inChild();
        }
    });
    $raiser = pcntl_fork();
    if ($raiser === 0) {
        while (filelock_status('busy')->waiters === 0);
        posix_kill(posix_getppid(), SIGUSR1);
        posix_kill(getmypid(), SIGKILL);
    }
    $result = $wait();
    if ($child === 0) {
        exit($result === false ? 7 : 1);
    }
    echo var_export($result, true), ', ', how($child), "\n";
    how($raiser);
}

pcntl_async_signals(true);
$other = other_holds('busy');
$store = new FileLock\Store();
$lock = $store->lock('busy');
$slot = $store->semaphore('busy', 2);
$waits = [fn () => $lock->acquire(0.3), fn () => $lock->acquireShared(0.3), fn () => $slot->acquire(0.3),
    fn () => filelock_acquire('busy', 0.3)];
foreach ($waits as $wait) {
    foreach ([fn () => exit(5), fn () => null, fn () => filelock_try("the child's") && exit(6)] as $inChild) {
        forking($wait, $inChild);
    }
}
var_dump(filelock_status('busy')->waiters, filelock_status("the child's"));
$other->kill();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
false, exit 5
false, exit 7
false, exit 6
false, exit 5
false, exit 7
false, exit 6
false, exit 5
false, exit 7
false, exit 6
false, exit 5
false, exit 7
false, exit 6
int(0)
NULL
