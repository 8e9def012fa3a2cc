--TEST--
FileLock\Store::status() and list()
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/status_list.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
filelock_try('import.a') or exit(1);
filelock_try('import.b') or exit(1);
$other = other_holds('export');
var_dump($store->status(name: 'export')->mine, $store->status('import.a')->mine, $store->status('free'));
var_dump(count($store->list()), count($store->list(prefix: 'import.')), $store->list('x'));
var_dump($store->list('export')[0] == $store->status('export')->name);
$other->kill();
show(fn () => $store->status(''));
show(fn () => $store->status(str_repeat('x', 256)));
show(fn () => $store->status());
show(fn () => $store->list([]));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
NULL
int(3)
int(2)
array(0) {
}
bool(false)
ValueError: FileLock\Store::status(): Argument #1 ($name) must not be empty
ValueError: FileLock\Store::status(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ArgumentCountError: FileLock\Store::status() expects exactly 1 argument, 0 given
TypeError: FileLock\Store::list(): Argument #1 ($prefix) must be of type string, array given
