--TEST--
FileLock\Lock::getToken(): grows over every change of holder
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/token.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
var_dump($lock->getToken());
$tokens = [];
foreach ([1, 2, 3] as $i) {
    $lock->tryAcquire() || exit('not taken');
    $tokens[] = $lock->getToken();
    $lock->refresh();
    $tokens[] = $lock->getToken();
    $lock->release();
    filelock_try('a') || exit('not taken');
    $tokens[] = $store->status('a')->token;
    filelock_release('a');
    $lock->tryAcquireShared() || exit('not taken');
    $tokens[] = $lock->getToken();
    $lock->release();
}
// Also over the table's end.
unlink(store_directory() . '/filelock.table');
usleep(50000);
$lock->tryAcquire() || exit('not taken');
$tokens[] = $lock->getToken();
$sorted = $tokens;
sort($sorted);
var_dump($sorted === $tokens, count(array_unique($tokens)), $lock->getToken() === $store->status('a')->token);
$lock->release();
var_dump($lock->getToken());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
NULL
bool(true)
int(10)
bool(true)
NULL
