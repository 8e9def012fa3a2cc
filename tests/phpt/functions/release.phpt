--TEST--
filelock_release(): gives back; false = it was not mine any more
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/release.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_release('never taken'));

filelock_try('a') or exit(1);
var_dump(filelock_release('a'), filelock_release('a'), filelock_status('a'));

// Expired, and nobody has taken it.
filelock_try('a', 0.02) or exit(1);
usleep(60000);
var_dump(filelock_release('a'));

// Broken, and somebody else has it now: he keeps it.
filelock_try('a') or exit(1);
(new FileLock\Store())->break('a', filelock_status('a')->token);
$other = other_holds('a');
var_dump(filelock_release('a'), filelock_status('a')->mine);
$other->kill();

// Somebody else's.
$other = other_holds('b');
var_dump(filelock_release('b'), filelock_status('b')->mine);
$other->kill();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
bool(false)
NULL
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
