--TEST--
filelock_status(): bad arguments
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/status_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_status(''));
show(fn () => filelock_status(str_repeat('x', 256)));
show(fn () => filelock_status());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_status(): Argument #1 ($name) must not be empty
ValueError: filelock_status(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ArgumentCountError: filelock_status() expects exactly 1 argument, 0 given
