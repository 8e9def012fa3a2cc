--TEST--
filelock_release(): bad arguments
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/release_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_release(''));
show(fn () => filelock_release(str_repeat('x', 256)));
show(fn () => filelock_release());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_release(): Argument #1 ($name) must not be empty
ValueError: filelock_release(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ArgumentCountError: filelock_release() expects exactly 1 argument, 0 given
