--TEST--
filelock_run(): bad arguments, and waiting for oneself
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_run('', 'time'));
show(fn () => filelock_run(str_repeat('x', 256), 'time'));
show(fn () => filelock_run('a', 'no such function'));
show(fn () => filelock_run('a', 'time', -1));
show(fn () => filelock_run('a', 'time', NAN));
show(fn () => filelock_run('a', 'time', 0, 0));
show(fn () => filelock_run('a', 'time', 0, NAN));
show(fn () => filelock_run('a', 'time', 0, 241 * 86400));
show(fn () => filelock_run('a'));
show(fn () => filelock_run('a', fn () => filelock_run('a', 'time', 1)));
show(fn () => filelock_run('a', fn () => filelock_acquire('a', 1)));
show(fn () => filelock_list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_run(): Argument #1 ($name) must not be empty
ValueError: filelock_run(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
TypeError: filelock_run(): Argument #2 ($work) must be a valid callback, function "no such function" not found or invalid function name
ValueError: filelock_run(): Argument #3 ($timeout) must be a number of seconds >= 0, or INF
ValueError: filelock_run(): Argument #3 ($timeout) must be a number of seconds >= 0, or INF
ValueError: filelock_run(): Argument #4 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_run(): Argument #4 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_run(): Argument #4 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ArgumentCountError: filelock_run() expects at least 2 arguments, 1 given
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
array(0) {
}
