--TEST--
FileLock\Store: the store of the functions, and another one
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/construct.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$mine = new FileLock\Store();
filelock_try('a') or exit(1);
var_dump($mine->status('a')->mine);
var_dump((new FileLock\Store(null))->status('a')->mine);
var_dump((new FileLock\Store(dsn: 'table:' . store_directory()))->status('a')->name);
var_dump((new FileLock\Store('table:' . store_directory() . '/?mode=0640&capacity=1024'))->status('a')->name);

// Another directory is another store. Nobody has used it yet, and looking does not create it.
mkdir(store_directory() . '/other');
$other = new FileLock\Store('table:' . store_directory() . '/other');
var_dump($other->status('a'), $other->list(), $other->break('a', 1), scandir(store_directory() . '/other'));
rmdir(store_directory() . '/other');

// Many of them.
for ($i = 0; $i < 100; $i++) {
    $stores[] = new FileLock\Store('table:' . store_directory() . '?capacity=' . 1024 + $i);
}
var_dump($stores[99]->status('a')->name, $stores[0]->status('a')->name);
$stores = null;
var_dump($mine->status('a')->mine);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
string(1) "a"
string(1) "a"
NULL
array(0) {
}
bool(false)
array(2) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
}
string(1) "a"
string(1) "a"
bool(true)
