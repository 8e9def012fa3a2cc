--TEST--
FileLock\Status: how many wait
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/waiters.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a') or exit(1);
$others = [];
for ($i = 0; $i < 3; $i++) {
    $others[] = new Other('echo filelock_acquire("a", 60) ? "got it\n" : "timed out\n";');
}
$end = hrtime(true) + 50e9;
while (filelock_status('a')->waiters < 3 && hrtime(true) < $end) {
    usleep(1000);
}
var_dump(filelock_status('a')->waiters, filelock_status('a')->holders);
filelock_release('a');
foreach ($others as $other) {
    echo $other->hear(), "\n";
    $other->end();
}
var_dump(filelock_try('a'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
int(3)
int(1)
got it
got it
got it
bool(true)
