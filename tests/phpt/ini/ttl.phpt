--TEST--
filelock.ttl: the ttl of a lease that is taken without one
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/ttl.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

function ttl(): ?float
{
    filelock_try('a') || print("busy\n");
    $remaining = filelock_status('a')->remaining;
    filelock_release('a');
    return about($remaining);
}

var_dump(ini_get('filelock.ttl'), ttl());
var_dump(ini_set('filelock.ttl', '60'), ttl());
var_dump(ini_set('filelock.ttl', 90), ttl());
var_dump(ini_set('filelock.ttl', '1.2e3'), ttl());
var_dump(ini_set('filelock.ttl', INF), ttl());
var_dump(ini_set('filelock.ttl', 'inf'), ttl());
ini_restore('filelock.ttl');
var_dump(ttl());

// A ttl of its own.
filelock_try('b', 30) or exit(1);
var_dump(about(filelock_status('b')->remaining));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
string(4) "1800"
float(1800)
string(4) "1800"
float(60)
string(2) "60"
float(90)
string(2) "90"
float(1200)
string(5) "1.2e3"
NULL
string(3) "INF"
NULL
float(1800)
float(30)
