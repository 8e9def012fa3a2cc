--TEST--
filelock_try(): bad arguments
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_try(''));
show(fn () => filelock_try(str_repeat('x', 256)));
foreach ([0, -1, NAN, -INF, 241 * 86400] as $ttl) {
    show(fn () => filelock_try('a', $ttl));
}
show(fn () => filelock_try('a', 240 * 86400));
show(fn () => filelock_try());
show(fn () => filelock_try([]));
show(fn () => filelock_try('a', 'soon'));
show(fn () => count(filelock_list()));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_try(): Argument #1 ($name) must not be empty
ValueError: filelock_try(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ValueError: filelock_try(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_try(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_try(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_try(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_try(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
bool(true)
ArgumentCountError: filelock_try() expects at least 1 argument, 0 given
TypeError: filelock_try(): Argument #1 ($name) must be of type string, array given
TypeError: filelock_try(): Argument #2 ($ttl) must be of type ?float, string given
int(1)
