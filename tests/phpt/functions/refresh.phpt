--TEST--
filelock_refresh(): starts the ttl again; false = lost
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/refresh.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_refresh('never taken'));

// Without a ttl: the lease's own, which is that of the last refresh.
filelock_try('a', 100) or exit(1);
var_dump(filelock_refresh('a'), about(filelock_status('a')->remaining));
var_dump(filelock_refresh('a', 500), about(filelock_status('a')->remaining));
var_dump(filelock_refresh('a'), about(filelock_status('a')->remaining));
var_dump(filelock_refresh('a', INF), filelock_status('a')->remaining);
var_dump(filelock_refresh('a', 0.02));
usleep(60000);
var_dump(filelock_refresh('a', 60), filelock_refresh('a'), filelock_status('a'));

// Work that is longer than the ttl.
filelock_try('b', 2) or exit(1);
for ($i = 0; $i < 5; $i++) {
    usleep(500000);
    filelock_refresh('b') or print("lost\n");
}
var_dump(filelock_release('b'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
float(100)
bool(true)
float(500)
bool(true)
float(500)
bool(true)
NULL
bool(true)
bool(false)
bool(false)
NULL
bool(true)
