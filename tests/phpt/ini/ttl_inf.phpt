--TEST--
filelock.ttl=INF in php.ini
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/ttl_inf.store"
filelock.ttl=INF
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(ini_get('filelock.ttl'), filelock_try('a'), filelock_status('a')->remaining);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
string(3) "INF"
bool(true)
NULL
