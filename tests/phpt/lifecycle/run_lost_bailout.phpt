--TEST--
What filelock_run() lost before a fatal error is a warning, too
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run_lost_bailout.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_run('a', function () {
    usleep(60000);
    trigger_error('fatal', E_USER_ERROR);
}, ttl: 0.02);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AFatal error: fatal in %s on line %d

Warning: filelock: "a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in Unknown on line 0
