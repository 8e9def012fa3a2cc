--TEST--
filelock_try(): a lock whose holder was killed is free
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try_killed.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$other = other_holds('import', 'INF');
var_dump(filelock_try('import'));
$other->kill();
$end = hrtime(true) + 10e9; // the kernel may take a moment to clear up after a process
while (!($got = filelock_try('import')) && hrtime(true) < $end) {
    usleep(1000);
}
var_dump($got);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
