--TEST--
FileLock\Store::restore(): the lock goes on as it is, and the old handle has lost it
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/restore.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
$lock->tryAcquire() || exit('not taken');
[$key, $token] = [$lock->getKey(), $lock->getToken()];
var_dump($key === $lock->getKey(), strlen($key) < 96, (bool) preg_match('/^[a-z0-9-]+$/', $key));
$new = $store->restore(key: $key);
var_dump($new, $new->isAcquired(), $new->getToken() === $token, about($new->getRemainingLifetime()), $store->status('a')->mine);
var_dump($lock->isAcquired(), $lock->refresh(), $lock->release(), $lock->tryAcquire());
// Once.
var_dump($store->restore($key));
// It gives back, whatever the old one would have done, and it can be handed on, and taken again.
$key = $new->getKey();
$third = $store->restore($key);
var_dump($new->isAcquired(), $third->refresh(), about($third->getRemainingLifetime()));
unset($new, $third);
var_dump($store->status('a'), $store->restore($key));
$left = $store->lock("b\0\xff", 100, false);
$left->tryAcquire() || exit('not taken');
$new = $store->restore($left->getKey());
var_dump(bin2hex($store->list("b")[0]->name), $new->release(), $new->tryAcquire(), about($new->getRemainingLifetime()));
// The handle that was robbed says nothing: it had given the key away.
unset($left);
var_dump($new->isAcquired());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
object(FileLock\Lock)#%d (0) {
}
bool(true)
bool(true)
float(60)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
NULL
bool(false)
bool(true)
float(60)
NULL
NULL
string(6) "6200ff"
bool(true)
bool(true)
float(100)
bool(true)
