--TEST--
A permit that is found lost when it is freed is a warning
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$permit = $store->semaphore('a', 2, 0.02);
$permit->tryAcquire() || exit('not taken');
usleep(60000);
var_dump($permit->isAcquired());
unset($permit);
$permit = $store->semaphore('a', 2, 0.02);
$permit->tryAcquire() || exit('not taken');
usleep(60000);
var_dump($permit->release());
unset($permit);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
bool(false)

Warning: %s"a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
bool(false)
