--TEST--
FileLock\Store::break(): bad arguments
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/break_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
show(fn () => $store->break('', 1));
show(fn () => $store->break(str_repeat('x', 256), 1));
show(fn () => $store->break('a', 0));
show(fn () => $store->break('a', -1));
show(fn () => $store->break('a', PHP_INT_MIN));
show(fn () => $store->break('a', PHP_INT_MAX));
show(fn () => $store->break('a'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: FileLock\Store::break(): Argument #1 ($name) must not be empty
ValueError: FileLock\Store::break(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ValueError: FileLock\Store::break(): Argument #2 ($token) must be a token as seen in a status, which is > 0
ValueError: FileLock\Store::break(): Argument #2 ($token) must be a token as seen in a status, which is > 0
ValueError: FileLock\Store::break(): Argument #2 ($token) must be a token as seen in a status, which is > 0
bool(false)
ArgumentCountError: FileLock\Store::break() expects exactly 2 arguments, 1 given
