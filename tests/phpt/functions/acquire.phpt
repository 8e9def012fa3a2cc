--TEST--
filelock_acquire(): waits for a name up to a timeout
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_acquire('free', 0));
var_dump(filelock_acquire('free too', 10, 60));
var_dump(filelock_acquire('free forever', INF, INF));
var_dump(filelock_acquire('free', 0)); // mine, but it does not wait

$other = other_holds('theirs');
var_dump(filelock_acquire('theirs', 0));
$start = hrtime(true);
var_dump(filelock_acquire('theirs', 0.05));
var_dump(hrtime(true) - $start >= 50e6);
var_dump(filelock_status('theirs')->waiters);

$other->say('release it by your end');
var_dump(filelock_acquire('theirs', 30));
$other->end();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(true)
int(0)
bool(true)
