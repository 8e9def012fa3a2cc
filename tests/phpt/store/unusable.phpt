--TEST--
A file that is no table is a LockException from every call, and left alone
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/unusable.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$file = store_directory() . '/filelock.table';
file_put_contents($file, $garbage = str_repeat('garbage', 10000));
function message(callable $call): void
{
    try {
        var_dump($call());
    } catch (FileLock\LockException $e) {
        echo $e->getCode(), ' ', str_replace(store_directory(), '<store>', $e->getMessage()), "\n";
    }
}

$store = new FileLock\Store();
message(fn () => $store->status('a'));
message(fn () => $store->list());
message(fn () => $store->break('a', 1));
message(fn () => $store->check());
message(fn () => filelock_try('a'));
message(fn () => filelock_acquire('a', 1));
message(fn () => filelock_run('a', 'time'));
message(fn () => filelock_status('a'));
message(fn () => filelock_list());
message(fn () => filelock_release('a'));
message(fn () => filelock_refresh('a'));
message(fn () => filelock_release_all());
(new ReflectionExtension('filelock'))->info();
var_dump(file_get_contents($file) === $garbage);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
0 %s<store>/filelock.table is not a filelock table%s
bool(false)
bool(false)
int(0)
%AStore is unusable => %s is not a filelock table%A
bool(true)
