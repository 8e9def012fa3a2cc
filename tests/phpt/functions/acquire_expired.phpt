--TEST--
filelock_acquire(): takes over when the holder's ttl is over
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire_expired.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$other = other_holds('theirs', '0.2');
$start = hrtime(true);
var_dump(filelock_acquire('theirs', 30));
var_dump(hrtime(true) - $start < 5e9);
var_dump(filelock_status('theirs')->mine);
$other->say('go');
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
