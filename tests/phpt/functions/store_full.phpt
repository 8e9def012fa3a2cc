--TEST--
A full table is a LockException that says so
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/store_full.store?capacity=64"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$taken = 0;
try {
    while (filelock_try("lock $taken")) {
        $taken++;
    }
} catch (FileLock\LockException $e) {
    echo $e->getCode(), ' ', $e->getMessage(), "\n";
}
var_dump($taken >= 0.95 * 64, count(filelock_list()) === $taken);

// A place becomes free, and is used.
var_dump(filelock_release('lock 0'), filelock_try('another'), filelock_release_all() === $taken);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%i %sfull%s
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
