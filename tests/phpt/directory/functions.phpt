--TEST--
dir: as the store of the functions
--EXTENSIONS--
filelock
--INI--
filelock.store="dir:{PWD}/functions.store"
filelock.label=somebody
--FILE--
<?php
require __DIR__ . '/directory.inc';

// Looking makes nothing.
var_dump(filelock_status('import'), filelock_list(), scandir(directory()));
var_dump(filelock_try('import', 600), filelock_try('import'), filelock_refresh('import'));
echo filelock_status('import'), "\n";
var_dump(filelock_release('import'), filelock_release('import'), filelock_status('import'));

// A name is any bytes, and who waits for himself is told so.
$store = new FileLock\Store();
$name = "a/../b\0";
$lock = $store->lock($name, 60);
var_dump($lock->tryAcquire(), filelock_acquire($name, 0, 60), bin2hex(filelock_list()[0]->name));
show(fn () => filelock_acquire($name, 1, 60));
unset($lock);

// In a function, and given back also when it throws.
var_dump(filelock_run($name, fn () => count(filelock_list("a/")), timeout: 1));
show(fn () => filelock_run($name, fn () => throw new Exception('of the callback')));
var_dump(filelock_list());

// Between two jobs of a worker.
var_dump(filelock_try('a'), filelock_try('b'), count(filelock_list()));
filelock_release_all();
var_dump(count(filelock_list()));
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
NULL
array(0) {
}
array(2) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
}
bool(true)
bool(false)
bool(true)
import: held by somebody (pid %d, uid %d on %s) for %d %s, 10 min left
bool(true)
bool(false)
NULL
bool(true)
bool(false)
string(14) "612f2e2e2f6200"
FileLock\LockError: "a/../b\x00" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
int(1)
Exception: of the callback
array(0) {
}
bool(true)
bool(true)
int(2)
int(0)
