--TEST--
filelock_acquire(): bad arguments, and waiting for oneself
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_acquire('', 1));
show(fn () => filelock_acquire(str_repeat('x', 256), 1));
foreach ([-1, -0.001, NAN, -INF] as $timeout) {
    show(fn () => filelock_acquire('a', $timeout));
}
foreach ([0, -1, NAN, 241 * 86400] as $ttl) {
    show(fn () => filelock_acquire('a', 1, $ttl));
}
show(fn () => filelock_acquire('a'));

var_dump(filelock_try("my\nown"));
show(fn () => filelock_acquire("my\nown", 0.001));
show(fn () => filelock_acquire("my\nown", INF));
show(fn () => count(filelock_list()));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_acquire(): Argument #1 ($name) must not be empty
ValueError: filelock_acquire(): Argument #1 ($name) must be at most 255 bytes long, it has 256; hash longer names
ValueError: filelock_acquire(): Argument #2 ($timeout) must be a number of seconds >= 0, or INF
ValueError: filelock_acquire(): Argument #2 ($timeout) must be a number of seconds >= 0, or INF
ValueError: filelock_acquire(): Argument #2 ($timeout) must be a number of seconds >= 0, or INF
ValueError: filelock_acquire(): Argument #2 ($timeout) must be a number of seconds >= 0, or INF
ValueError: filelock_acquire(): Argument #3 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_acquire(): Argument #3 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_acquire(): Argument #3 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ValueError: filelock_acquire(): Argument #3 ($ttl) must be a number of seconds > 0 and at most 20736000 (240 days), or INF
ArgumentCountError: filelock_acquire() expects at least 2 arguments, 1 given
bool(true)
FileLock\LockError: "my\x0Aown" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
FileLock\LockError: "my\x0Aown" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
int(1)
