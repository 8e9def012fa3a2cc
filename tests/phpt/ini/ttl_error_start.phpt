--TEST--
filelock.ttl: a bad value in php.ini is warned of, and the default is taken
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/ttl_error_start.store"
filelock.ttl=soon
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_try('a'), about(filelock_status('a')->remaining));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AWarning: PHP Startup: filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "soon" in Unknown on line 0
%Abool(true)
float(1800)
