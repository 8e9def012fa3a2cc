--TEST--
filelock_list(): the memory limit in the middle of a listing
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/list_memory_limit.store"
memory_limit=8M
--FILE--
<?php
require __DIR__ . '/../store.inc';

for ($i = 0; $i < 11000; $i++) {
    filelock_try("lock $i") or exit(1);
}
register_shutdown_function(function () {
    ini_set('memory_limit', '16M');
    var_dump(count(filelock_list('lock 777')), filelock_try('another'), filelock_release('lock 7'), filelock_release_all());
});
filelock_list();
echo "not reached\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AFatal error: Allowed memory size of 8388608 bytes exhausted%A
int(11)
bool(true)
bool(true)
int(11000)
