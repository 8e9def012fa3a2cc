--TEST--
FileLock\Lock::getRemainingLifetime(): 0.0 = not mine, null = no expiry, never more than the ttl
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lifetime.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
var_dump($lock->getRemainingLifetime(), $lock->tryAcquire(), about($lock->getRemainingLifetime()));
$most = 0.0;
for ($i = 0; $i < 10000; $i++) {
    $lock->refresh();
    $most = max($most, $lock->getRemainingLifetime());
}
var_dump($most <= 60.0, $most > 59.0, $lock->release(), $lock->getRemainingLifetime());
$forever = $store->lock('b', INF);
var_dump($forever->getRemainingLifetime(), $forever->tryAcquire(), $forever->getRemainingLifetime());
$short = $store->lock('c', 0.02);
$short->tryAcquire() || exit('not taken');
usleep(60000);
var_dump($short->getRemainingLifetime(), $short->isAcquired(), $short->getToken(), $short->release());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
float(0)
bool(true)
float(60)
bool(true)
bool(true)
bool(true)
float(0)
float(0)
bool(true)
NULL
float(0)
bool(false)
NULL
bool(false)
