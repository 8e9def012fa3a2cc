--TEST--
filelock_run(): gives back when the callable throws or exits
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run_throws.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

show(fn () => filelock_run('a', fn () => throw new LogicException('thrown')));
var_dump(filelock_status('a'));

// Out of two levels at once.
show(fn () => filelock_run('a', fn () => filelock_run('b', fn () => throw new LogicException('thrown'))));
var_dump(filelock_list());

register_shutdown_function(fn () => var_dump(filelock_list()));
filelock_run('a', function () {
    exit("exit\n");
});
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
LogicException: thrown
NULL
LogicException: thrown
array(0) {
}
exit
array(0) {
}
