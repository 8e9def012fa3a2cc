--TEST--
FileLock\Status::__toString(): the status in one line
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/sentence.store"
filelock.label="the test"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('import', 1800) or exit(1);
filelock_try("bad\nbytes\0", INF) or exit(1);
echo filelock_status('import'), "\n", filelock_status("bad\nbytes\0"), "\n";
var_dump(filelock_status('import') instanceof Stringable);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
import: held by the test (pid %d, uid %d on %s) for %d %s, %d min left
bad\x0Abytes\x00: held by the test (pid %d, uid %d on %s) for %d %s
bool(true)
