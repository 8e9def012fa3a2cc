--TEST--
filelock_list(): bad arguments
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/list_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_list([]));
show(fn () => filelock_list('a', 'b'));
show(fn () => filelock_list(str_repeat('x', 255)));
show(fn () => filelock_list(str_repeat('x', 256)));
show(fn () => (new FileLock\Store())->list(str_repeat('x', 256)));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
TypeError: filelock_list(): Argument #1 ($prefix) must be of type string, array given
ArgumentCountError: filelock_list() expects at most 1 argument, 2 given
array(0) {
}
ValueError: filelock_list(): Argument #1 ($prefix) must be at most 255 bytes long, as names are; it has 256
ValueError: FileLock\Store::list(): Argument #1 ($prefix) must be at most 255 bytes long, as names are; it has 256
