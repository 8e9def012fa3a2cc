--TEST--
FileLock\Lock::release(): true if it was mine until now
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/release.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a');
var_dump($lock->release(), $lock->tryAcquire(), $lock->release(), $lock->release(), $store->status('a'));
// Expired, and taken by a successor, who is not touched.
$short = $store->lock('a', 0.02);
$short->tryAcquire() || exit('not taken');
usleep(60000);
var_dump($lock->tryAcquire(), $short->release(), $lock->isAcquired(), $lock->release());
// Broken.
$lock->tryAcquire() || exit('not taken');
var_dump($store->break('a', $lock->getToken()), $lock->isAcquired(), $lock->release());
// Shared, broken.
$lock->tryAcquireShared() || exit('not taken');
var_dump($store->break('a', $store->status('a')->token), $lock->release());
// autoRelease off: release() gives back all the same.
$left = $store->lock('left', 60, false);
var_dump($left->tryAcquire(), $left->release(), $store->status('left'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
bool(true)
bool(false)
NULL
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
NULL
