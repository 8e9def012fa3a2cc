--TEST--
FileLock\Lock: bad timeouts, and waiting for oneself
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a');
foreach (['acquire', 'acquireShared'] as $method) {
    foreach (['free', 'shared', 'exclusive'] as $state) {
        $lock->release();
        $state === 'free' || ($state === 'shared' ? $lock->tryAcquireShared() : $lock->tryAcquire()) || exit('not taken');
        foreach ([-1, NAN, -INF] as $timeout) {
            show(fn () => $lock->$method($timeout));
        }
    }
}
show(fn () => $lock->acquire());
show(fn () => $lock->acquire('soon'));
// Held exclusively by this handle.
show(fn () => $lock->acquire(1));
show(fn () => $lock->acquire(INF));
$other = $store->lock('a');
show(fn () => $other->acquire(1));
show(fn () => $other->acquireShared(1));
show(fn () => filelock_acquire('a', 1));
var_dump($lock->isAcquired(), $other->isAcquired(), $lock->release());
// By a function.
filelock_try('a') || exit('not taken');
show(fn () => $lock->acquire(1));
filelock_release('a');
// Held shared by this handle, and by another one of the same process.
var_dump($lock->tryAcquireShared());
show(fn () => $lock->acquireShared(1));
var_dump($lock->tryAcquireShared(), $lock->acquireShared(0), $other->acquireShared(1));
show(fn () => $lock->acquire(1));
var_dump($lock->tryAcquire(), $lock->isAcquired(), $other->release(), $lock->acquire(1));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Lock::acquireShared(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ArgumentCountError: FileLock\Lock::acquire() expects exactly 1 argument, 0 given
TypeError: FileLock\Lock::acquire(): Argument #1 ($timeout) must be of type float, string given
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
bool(true)
bool(false)
bool(true)
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
bool(true)
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
bool(false)
bool(false)
bool(true)
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
bool(false)
bool(true)
bool(true)
bool(true)
