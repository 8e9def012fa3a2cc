--TEST--
filelock.store: a directory that is not there is a LockException with errno
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/no such directory/locks"
--FILE--
<?php
foreach ([fn () => filelock_try('a'), fn () => filelock_acquire('a', 1), fn () => filelock_run('a', 'time')] as $call) {
    try {
        var_dump($call());
    } catch (FileLock\LockException $e) {
        echo $e->getCode(), ' ', $e->getMessage(), "\n";
    }
}
var_dump(filelock_release('a'), filelock_status('a'), filelock_list());
?>
--EXPECTF--
2 %sno such directory%s
2 %sno such directory%s
2 %sno such directory%s
bool(false)
NULL
array(0) {
}
