--TEST--
A forked child's copy of a handle holds nothing, gives nothing back, and says nothing
--EXTENSIONS--
filelock
pcntl
posix
--INI--
filelock.store="table:{PWD}/fork.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
function child(callable $work): void
{
    if (($pid = pcntl_fork()) === 0) {
        $work();
        exit;
    }
    pcntl_waitpid($pid, $status);
    echo pcntl_wifexited($status) ? '' : "killed\n";
}
$lock = $store->lock('a', 60);
$left = $store->lock('b', 60, false);
$permit = $store->semaphore('c', 1, INF);
$shared = $store->lock('d', 60);
var_dump($lock->tryAcquire(), $left->tryAcquire(), $permit->tryAcquire(), $shared->tryAcquireShared());
child(fn () => null);
child(function () { unset($GLOBALS['lock'], $GLOBALS['left'], $GLOBALS['permit'], $GLOBALS['shared']); });
child(fn () => posix_kill(getmypid(), SIGKILL));
child(fn () => var_dump($lock->isAcquired(), $lock->getToken(), $lock->release(), $left->refresh(), $permit->release(), $shared->tryAcquire()));
child(fn () => show(fn () => $left->getKey()));
child(fn () => var_dump($lock->tryAcquire(), $lock->acquire(0.01), $store->status('a')->mine));
child(function () { $own = $GLOBALS['store']->lock('own'); var_dump($own->tryAcquire()); });
// Nor of what the parent has lost.
$short = $store->lock('short', 0.02);
$noticed = $store->lock('noticed', 0.02);
var_dump($short->tryAcquire(), $noticed->tryAcquire());
usleep(60000);
var_dump($noticed->isAcquired());
child(fn () => null);
child(function () { unset($GLOBALS['short'], $GLOBALS['noticed']); });
var_dump($short->release(), $noticed->release());
var_dump($lock->isAcquired(), $left->isAcquired(), $permit->isAcquired(), $shared->isAcquired());
var_dump($lock->release(), $left->release(), $permit->release(), $shared->release(), $store->list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
killed
bool(false)
NULL
bool(false)
bool(false)
bool(false)
bool(false)
FileLock\LockError: "b" has no key: it is not held by this object
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(0) {
}
