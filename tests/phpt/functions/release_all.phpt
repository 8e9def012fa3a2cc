--TEST--
filelock_release_all(): gives back all, and counts what was still mine
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/release_all.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_release_all());
for ($i = 0; $i < 1000; $i++) {
    filelock_try("lock $i") or exit(1);
}
filelock_release('lock 7');
var_dump(count(filelock_list('lock ')), filelock_release_all(), filelock_list(), filelock_release_all());

// Lost meanwhile: a warning, and it does not count.
filelock_try('kept') or exit(1);
filelock_try('lost', 0.02) or exit(1);
usleep(60000);
var_dump(filelock_release_all());
show(fn () => filelock_release_all(1));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
int(0)
int(999)
int(999)
array(0) {
}
int(0)

Warning: filelock_release_all(): "lost" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
int(1)
ArgumentCountError: filelock_release_all() expects exactly 0 arguments, 1 given
