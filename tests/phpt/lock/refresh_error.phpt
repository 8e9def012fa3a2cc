--TEST--
FileLock\Lock::refresh(): bad ttls leave the lock as it was
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/refresh_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
$lock->tryAcquire() || exit('not taken');
foreach ([0, -1, NAN, -INF, 20736001, 'long'] as $ttl) {
    show(fn () => $lock->refresh($ttl));
}
var_dump(about($lock->getRemainingLifetime()));
$left = $store->lock('b', 60, false);
$left->tryAcquire() || exit('not taken');
show(fn () => $left->refresh(INF));
var_dump(about($left->getRemainingLifetime()), $left->release());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
TypeError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be of type ?float, string given
float(60)
ValueError: FileLock\Lock::refresh(): Argument #1 ($ttl) must be finite where autoRelease is off: nothing else would end the lock
float(60)
bool(true)
