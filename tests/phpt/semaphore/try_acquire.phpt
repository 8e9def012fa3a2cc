--TEST--
FileLock\Semaphore: never more than its permits
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try_acquire.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$all = array_map(fn () => $store->semaphore('a', 3, 60), range(1, 4));
var_dump(array_map(fn ($s) => $s->tryAcquire(), $all), $all[0]->tryAcquire(), $all[3]->isAcquired());
$status = $store->status('a');
var_dump($status->shared, $status->holders, $status->mine, about($status->remaining));
var_dump($all[1]->release(), $all[1]->release(), $all[1]->isAcquired(), $all[3]->tryAcquire(), $all[1]->tryAcquire());
// Freed = given back.
unset($all[0]);
var_dump($all[1]->tryAcquire(), $all[1]->refresh(), $all[1]->refresh(ttl: 100));
// A Lock of the same name.
$lock = $store->lock('a');
var_dump($lock->tryAcquire(), $lock->tryAcquireShared(), filelock_try('a'));
$all = [];
var_dump($lock->tryAcquire(), $store->semaphore(name: 'b', permits: 1, ttl: 5)->isAcquired());
$permit = $store->semaphore('a', 3);
var_dump($permit->tryAcquire(), $lock->tryAcquireShared(), $permit->tryAcquire(), $lock->release(), $permit->tryAcquire());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
array(4) {
  [0]=>
  bool(true)
  [1]=>
  bool(true)
  [2]=>
  bool(true)
  [3]=>
  bool(false)
}
bool(false)
bool(false)
bool(true)
int(3)
bool(true)
float(60)
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
