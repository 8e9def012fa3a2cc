--TEST--
FileLock\Semaphore: bad timeouts, waiting for oneself, two who disagree
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$a = $store->semaphore('a', 2);
show(fn () => $a->acquire(-1));
show(fn () => $a->acquire(NAN));
show(fn () => $a->acquire());
show(fn () => $a->tryAcquire(1));
var_dump($a->acquire(5));
show(fn () => $a->acquire(-1));
show(fn () => $a->acquire(1));
var_dump($a->acquire(0));
show(fn () => $a->refresh(0));
show(fn () => $a->refresh('x'));
$b = $store->semaphore('a', 2);
$c = $store->semaphore('a', 2);
var_dump($b->acquire(5));
show(fn () => $c->acquire(1));
$more = $store->semaphore('a', 3);
show(fn () => $more->tryAcquire());
show(fn () => $more->acquire(1));
var_dump($more->isAcquired(), $a->release(), $b->release(), $more->tryAcquire());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: FileLock\Semaphore::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ValueError: FileLock\Semaphore::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
ArgumentCountError: FileLock\Semaphore::acquire() expects exactly 1 argument, 0 given
ArgumentCountError: FileLock\Semaphore::tryAcquire() expects exactly 0 arguments, 1 given
bool(true)
ValueError: FileLock\Semaphore::acquire(): Argument #1 ($timeout) must be a number of seconds >= 0, or INF
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
bool(false)
ValueError: FileLock\Semaphore::refresh(): Argument #1 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
TypeError: FileLock\Semaphore::refresh(): Argument #1 ($ttl) must be of type ?float, string given
bool(true)
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockException: filelock: this semaphore is in use with 2 permits elsewhere, and with 3 here; all who use a name must give the same number
FileLock\LockException: filelock: this semaphore is in use with 2 permits elsewhere, and with 3 here; all who use a name must give the same number
bool(false)
bool(true)
bool(true)
bool(true)
