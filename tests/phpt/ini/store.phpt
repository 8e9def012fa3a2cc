--TEST--
filelock.store: not for scripts
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/store.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(ini_set('filelock.store', 'table:/elsewhere'));
var_dump(ini_get('filelock.store') === 'table:' . store_directory());
filelock_try('a') or exit(1);
var_dump(array_diff(scandir(store_directory()), ['.', '..']));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
array(1) {
  [2]=>
  string(14) "filelock.table"
}
