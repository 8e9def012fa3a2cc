--TEST--
A lock on a handle that nothing keeps is a LockError; in no way of calling is there a false alarm
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/temporary.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';
require __DIR__ . '/kept.inc';

judge_forms(3);
show(fn () => make()->tryAcquire());

// What is left to its deadline need not be kept.
var_dump(store()->lock('left', 60, autoRelease: false)->tryAcquire(), store()->status('left')->mine);
// The other methods do no harm.
var_dump(make()->isAcquired(), make()->release(), make()->refresh(), make()->getToken());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
80 + 26 forms, 0 judged wrongly
FileLock\LockError: Nothing keeps this object, so the lock would be given back before the next statement; assign what the store returned to a variable first
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
NULL
