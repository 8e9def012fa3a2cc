--TEST--
filelock_try(): a name is any bytes, and never a file name
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try_any_bytes.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$names = ["\0", "a\0b", "a\0c", 'a', '../../etc/passwd', '/', '.', "\xff\xfe", 'Köln', str_repeat('x', 255), str_repeat('x', 254),
    str_repeat('y', 47), str_repeat('y', 48), str_repeat('y', 48) . "\0"];
foreach ($names as $name) {
    var_dump(filelock_try($name, 60) && !filelock_try($name) && filelock_status($name)->name === $name);
}
var_dump(count(filelock_list()) === count($names));
var_dump(count(scandir(store_directory()))); // ., .., the table
var_dump(filelock_release_all() === count($names));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(3)
bool(true)
