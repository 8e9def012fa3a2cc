--TEST--
filelock.label in php.ini, with bytes that are not printable
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/label_error.store"
filelock.label="cron\job"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a');
var_dump(filelock_status('a')->label);
ini_set('filelock.label', "line\nbreak");
echo filelock_status('a'), "\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
string(8) "cron\job"
a: held by line\x0Abreak (pid %d, uid %d on %s) for %d %s, %d min left
