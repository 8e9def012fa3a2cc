--TEST--
FileLock\Store::check(): what is unsafe here, in sentences
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/check.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a') or exit(1);
$findings = (new FileLock\Store())->check();
var_dump(array_is_list($findings), array_filter($findings, fn ($finding) => !is_string($finding)));

chmod(store_directory(), 0777);
$findings = (new FileLock\Store('table:' . store_directory() . '?mode=0640&capacity=4096'))->check();
foreach (['writable for all', '0640 is asked for', '4096 are asked for'] as $part) {
    var_dump(count(array_filter($findings, fn ($finding) => str_contains($finding, $part))));
}
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
int(1)
int(1)
int(1)
ArgumentCountError: FileLock\Store::check() expects exactly 0 arguments, 1 given
