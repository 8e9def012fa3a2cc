--TEST--
FileLock\Lock::acquire(): waits for the holder
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
var_dump($lock->acquire(0), $lock->acquire(0), $lock->release(), $lock->acquire(timeout: 5), $lock->release());
$other = other_holds('a');
$started = hrtime(true);
var_dump($lock->acquire(0.0), $lock->acquire(0.1), hrtime(true) - $started >= 1e8, $lock->isAcquired());
$other->say('end');
var_dump($lock->acquire(INF), $lock->isAcquired(), $store->status('a')->mine, $store->status('a')->waiters);
$other->end();
// A holder that is killed.
$other = other_holds('b', 'INF');
$other->kill();
$second = $store->lock('b', INF);
var_dump($second->acquire(10));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
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
bool(true)
int(0)
bool(true)
