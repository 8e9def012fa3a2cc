--TEST--
dir: what it cannot do is refused, with the store that can
--EXTENSIONS--
filelock
--INI--
filelock.store="dir:{PWD}/not_offered.store"
--FILE--
<?php
require __DIR__ . '/directory.inc';

$store = new FileLock\Store();
show(fn () => filelock_try('a', INF));
show(fn () => filelock_acquire('a', 1, INF));
show(fn () => filelock_run('a', fn () => exit('ran'), ttl: INF));
show(fn () => $store->lock('a', INF));
$lock = $store->lock('a');
show(fn () => $lock->tryAcquireShared());
show(fn () => $lock->acquireShared(1));
$semaphore = $store->semaphore('a', 2);
show(fn () => $semaphore->tryAcquire());
show(fn () => $semaphore->acquire(1));
show(fn () => $store->stats());
// No trace of it.
var_dump($store->list(), $lock->tryAcquire());
var_dump($lock->isAcquired(), $lock->release());
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
ValueError: filelock_try(): Argument #2 ($ttl) must be finite: a dir: store cannot see whether a holder lives; a table: store can
ValueError: filelock_acquire(): Argument #3 ($ttl) must be finite: a dir: store cannot see whether a holder lives; a table: store can
ValueError: filelock_run(): Argument #4 ($ttl) must be finite: a dir: store cannot see whether a holder lives; a table: store can
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be finite: a dir: store cannot see whether a holder lives; a table: store can
FileLock\LockException: a dir: store offers no shared locks; a table: store does
FileLock\LockException: a dir: store offers no shared locks; a table: store does
FileLock\LockException: a dir: store offers no semaphores; a table: store does
FileLock\LockException: a dir: store offers no semaphores; a table: store does
FileLock\LockException: a dir: store offers no counters; a table: store does
array(0) {
}
bool(true)
bool(true)
bool(true)
