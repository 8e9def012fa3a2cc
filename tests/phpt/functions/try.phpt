--TEST--
filelock_try(): takes a free name, at once; busy is false
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_try('import'));
var_dump(filelock_try('import')); // not re-entrant
var_dump(filelock_try('export', 60));
var_dump(filelock_try('forever', INF));
var_dump(filelock_try('as long as can be', 240 * 86400));

$other = other_holds('theirs');
var_dump(filelock_try('theirs'));
$other->say('go');
$other->end();
var_dump(filelock_try('theirs'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
