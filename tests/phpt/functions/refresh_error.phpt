--TEST--
filelock_refresh(): bad arguments leave the lease as it was
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/refresh_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a', 100) or exit(1);
show(fn () => filelock_refresh(''));
show(fn () => filelock_refresh(str_repeat('x', 256)));
foreach ([0, -1, NAN, -INF, 241 * 86400] as $ttl) {
    show(fn () => filelock_refresh('a', $ttl));
}
show(fn () => filelock_refresh('not mine', 0));
show(fn () => filelock_refresh());
var_dump(about(filelock_status('a')->remaining), filelock_release('a'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_refresh(): Argument #1 ($name) must not be empty
ValueError: filelock_refresh(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ValueError: filelock_refresh(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_refresh(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_refresh(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_refresh(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_refresh(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_refresh(): Argument #2 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ArgumentCountError: filelock_refresh() expects at least 1 argument, 0 given
float(100)
bool(true)
