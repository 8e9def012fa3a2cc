--TEST--
file: what it cannot do is refused, with the store that can
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/not_offered.store?method=link"
--FILE--
<?php
require __DIR__ . '/foreign.inc';

$store = new FileLock\Store();
show(fn () => filelock_try('a', INF));
show(fn () => $store->lock('a', INF));
$lock = $store->lock('a');
show(fn () => $lock->tryAcquireShared());
$semaphore = $store->semaphore('a', 2);
show(fn () => $semaphore->tryAcquire());
show(fn () => $store->stats());
show(fn () => $store->lock('a', 60, autoRelease: false));
var_dump($lock->tryAcquire());
show(fn () => $lock->getToken());
show(fn () => $lock->getKey());
show(fn () => $store->restore('x'));
var_dump($lock->release());

// The kernel keeps a flock for its process: for ever, and nobody else can end it.
$store = new FileLock\Store('file:' . directory() . '?method=flock');
$lock = $store->lock('b', INF);
var_dump($lock->tryAcquire(), $lock->getRemainingLifetime());
show(fn () => $store->break('b', 1));
var_dump($lock->isAcquired());
show(fn () => $lock->tryAcquireShared());
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
ValueError: filelock_try(): Argument #2 ($ttl) must be finite: a file: store cannot see whether a holder lives; a table: store can
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be finite: a file: store cannot see whether a holder lives; a table: store can
FileLock\LockException: a file: store offers no shared locks; a table: store does
FileLock\LockException: a file: store offers no semaphores; a table: store does
FileLock\LockException: a file: store offers no counters; a table: store does
object(FileLock\Lock)#%d (0) {
}
bool(true)
NULL
FileLock\LockException: a file: store offers no leases that outlive their owner, and keys; a table: store does
FileLock\LockException: a file: store offers no keys; a table: store does
bool(true)
bool(true)
NULL
FileLock\LockException: a file: store with method=flock cannot take a lock from its holder: the kernel gives it back when that process ends; a table: store can
bool(true)
FileLock\LockException: a file: store offers no shared locks; a table: store does
