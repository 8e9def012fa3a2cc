--TEST--
FileLock\Store::check(): what is unsafe here, in sentences
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/check.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a');
$findings = (new FileLock\Store())->check();
var_dump(array_is_list($findings), array_filter($findings, fn ($finding) => !is_string($finding)));
show(fn () => (new FileLock\Store())->check(1));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
array(0) {
}
ArgumentCountError: FileLock\Store::check() expects exactly 0 arguments, 1 given
