--TEST--
FileLock\Lock::refresh(): starts the ttl again
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/refresh.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
var_dump($lock->refresh(), $lock->tryAcquire(), $lock->refresh(100), about($lock->getRemainingLifetime()));
var_dump($lock->refresh(null), about($lock->getRemainingLifetime()), $lock->refresh(ttl: INF), $lock->getRemainingLifetime());
var_dump($lock->refresh(60), about($store->status('a')->remaining), $lock->release(), $lock->refresh());
// Shared.
var_dump($lock->tryAcquireShared(), $lock->refresh(100), about($lock->getRemainingLifetime()));
// Lost: told once, and silent from then on.
$short = $store->lock('b', 0.02);
$short->tryAcquire() || exit('not taken');
usleep(60000);
var_dump($short->refresh(), $short->refresh(), $short->release());
unset($short);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
bool(true)
float(100)
bool(true)
float(100)
bool(true)
NULL
bool(true)
float(60)
bool(true)
bool(false)
bool(true)
bool(true)
float(100)
bool(false)
bool(false)
bool(false)
