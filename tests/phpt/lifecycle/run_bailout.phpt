--TEST--
A fatal error in filelock_run() leaves the lease to the end of the request
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run_bailout.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

register_shutdown_function(fn () => var_dump(
    array_map(fn ($status) => $status->name, filelock_list()),
    filelock_try('a'),
    filelock_run('b', fn () => filelock_status('b')->mine),
));
filelock_run('a', fn () => trigger_error('fatal', E_USER_ERROR));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AFatal error: fatal in %s on line %d
%Aarray(1) {
  [0]=>
  string(1) "a"
}
bool(false)
bool(true)
