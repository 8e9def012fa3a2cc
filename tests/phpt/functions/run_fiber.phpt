--TEST--
filelock_run(): in Fibers that end in any order
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run_fiber.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$first = new Fiber(fn () => filelock_run('first', fn () => Fiber::suspend()));
$second = new Fiber(fn () => filelock_run('second', fn () => Fiber::suspend()));
$first->start();
$second->start();
var_dump(count(filelock_list()));
$first->resume();
var_dump(filelock_list()[0]->name);
unset($second); // a Fiber that never ends is unwound
var_dump(filelock_list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
int(2)
string(6) "second"
array(0) {
}
