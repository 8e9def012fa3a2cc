--TEST--
filelock_try(): a lock whose ttl is over is free, and its holder has lost it
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/try_expired.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_try('import', 0.02));
usleep(60000);
var_dump(filelock_status('import'));
var_dump(filelock_try('import'));
var_dump(filelock_release('import'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
bool(true)
NULL
bool(true)
bool(true)

Warning: filelock: "import" %s another process may have run at the same time%S in Unknown on line 0
