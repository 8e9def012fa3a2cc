--TEST--
filelock_acquire(): takes over when the holder is killed
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire_killed.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$other = other_holds('theirs', 'INF');
$other->kill();
$start = hrtime(true);
var_dump(filelock_acquire('theirs', 30));
var_dump(hrtime(true) - $start < 5e9);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
