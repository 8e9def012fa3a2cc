--TEST--
FileLock\Lock::getKey(): only of an exclusive lock with an expiry that is mine
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/key_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock("a\n", 60);
show(fn () => $lock->getKey());
$lock->tryAcquireShared() || exit('not taken');
show(fn () => $lock->getKey());
var_dump($lock->tryAcquire(), strlen($lock->getKey()) > 0, $lock->refresh(INF));
show(fn () => $lock->getKey());
var_dump($lock->refresh(60), strlen($lock->getKey()) > 0, $lock->release());
show(fn () => $lock->getKey());
show(fn () => $lock->getKey(1));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
FileLock\LockError: "a\x0A" has no key: it is not held by this object
FileLock\LockError: "a\x0A" has no key: it is held shared, and only an exclusive lock can be handed over
bool(true)
bool(true)
bool(true)
FileLock\LockError: "a\x0A" has no key: it has no expiry, so it lasts as long as this process; take it with a finite ttl
bool(true)
bool(true)
bool(true)
FileLock\LockError: "a\x0A" has no key: it is not held by this object
ArgumentCountError: FileLock\Lock::getKey() expects exactly 0 arguments, 1 given
