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

filelock_try('a') or exit(1);
var_dump(filelock_status('a')->label);
ini_set('filelock.label', "line\nbreak");
echo filelock_status('a'), "\n";
// A 0 byte would cut it silently.
var_dump(ini_set('filelock.label', "cron\0job"), ini_get('filelock.label') === "line\nbreak");
echo filelock_status('a'), "\n";
// As long as a status can show it.
ini_set('filelock.label', str_repeat('x', 119));
var_dump(filelock_status('a')->label === str_repeat('x', 119));
ini_set('filelock.label', str_repeat('y', 5000));
var_dump(filelock_status('a')->label === str_repeat('y', 119));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
string(8) "cron\job"
a: held by line\x0Abreak (pid %d, uid %d on %s) for %d %s, %d min left

Warning: ini_set(): filelock.label must not contain any null bytes in %s on line %d
bool(false)
bool(true)
a: held by line\x0Abreak (pid %d, uid %d on %s) for %d %s, %d min left
bool(true)
bool(true)
