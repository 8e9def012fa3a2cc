--TEST--
FileLock\Lock::tryAcquire(): at once, or not at all; handles and functions exclude each other
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try_acquire.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
var_dump($lock->isAcquired(), $lock->tryAcquire(), $lock->isAcquired());
var_dump($store->status('a')->mine, $store->status('a')->shared, about($store->status('a')->remaining));
// Not re-entrant: neither by this handle, nor by another one, nor by a function.
$second = $store->lock(name: 'a');
var_dump($lock->tryAcquire(), $second->tryAcquire(), filelock_try('a'), filelock_run('a', fn () => 'called'));
// The function's lock is not the handle's.
var_dump(filelock_release('a'), filelock_release_all(), $second->release(), $lock->isAcquired());
var_dump($lock->release(), filelock_try('a'), $lock->tryAcquire(), $lock->isAcquired(), filelock_release('a'));
// Once more with the same handle, and beside others.
$other = $store->lock('b', ttl: INF);
var_dump($lock->tryAcquire(), $other->tryAcquire(), count($store->list()));
// Another process.
$process = other_holds('c');
$third = $store->lock('c');
var_dump($third->tryAcquire());
$process->say('end');
$process->end();
var_dump($third->tryAcquire());
var_dump(($store->lock('a'))->getToken());
show(fn () => $third->tryAcquire(1));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
float(60)
bool(false)
bool(false)
bool(false)
NULL
bool(false)
int(0)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
int(2)
bool(false)
bool(true)
NULL
ArgumentCountError: FileLock\Lock::tryAcquire() expects exactly 0 arguments, 1 given
