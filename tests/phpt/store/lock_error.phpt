--TEST--
FileLock\Store::lock(), semaphore(): bad arguments
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lock_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
foreach ([['', 1], [str_repeat('x', 256), 1], ['a', 0], ['a', -1], ['a', NAN], ['a', 20736001], ['a', INF, false], [[], 1], ['a', []]] as $arguments) {
    show(fn () => $store->lock(...$arguments));
}
show(fn () => $store->lock());
ini_set('filelock.ttl', 'INF');
show(fn () => $store->lock('a', null, false));
foreach ([['', 1], [str_repeat('x', 256), 1], ['a', 0], ['a', -1], ['a', 65536], ['a', PHP_INT_MAX], ['a', 1, 0], ['a', 1, -INF], ['a', 'x']] as $arguments) {
    show(fn () => $store->semaphore(...$arguments));
}
show(fn () => $store->semaphore('a'));
var_dump(is_object($store->semaphore('a', 65535)), is_object($store->lock(str_repeat("\0", 255))), $store->list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: FileLock\Store::lock(): Argument #1 ($name) must not be empty
ValueError: FileLock\Store::lock(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be finite if $autoRelease is false: nothing else would end the lock
TypeError: FileLock\Store::lock(): Argument #1 ($name) must be of type string, array given
TypeError: FileLock\Store::lock(): Argument #2 ($ttl) must be of type ?float, array given
ArgumentCountError: FileLock\Store::lock() expects at least 1 argument, 0 given
ValueError: FileLock\Store::lock(): Argument #2 ($ttl) must be finite if $autoRelease is false: nothing else would end the lock
ValueError: FileLock\Store::semaphore(): Argument #1 ($name) must not be empty
ValueError: FileLock\Store::semaphore(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ValueError: FileLock\Store::semaphore(): Argument #2 ($permits) must be between 1 and 65535
ValueError: FileLock\Store::semaphore(): Argument #2 ($permits) must be between 1 and 65535
ValueError: FileLock\Store::semaphore(): Argument #2 ($permits) must be between 1 and 65535
ValueError: FileLock\Store::semaphore(): Argument #2 ($permits) must be between 1 and 65535
ValueError: FileLock\Store::semaphore(): Argument #3 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: FileLock\Store::semaphore(): Argument #3 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
TypeError: FileLock\Store::semaphore(): Argument #2 ($permits) must be of type int, string given
ArgumentCountError: FileLock\Store::semaphore() expects at least 2 arguments, 1 given
bool(true)
bool(true)
array(0) {
}
