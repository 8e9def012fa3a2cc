--TEST--
file: as the store of the functions, with awkward names
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/functions.store?method=exclusive"
--FILE--
<?php
require __DIR__ . '/foreign.inc';

var_dump(filelock_status('import'), filelock_list(), scandir(directory()));
var_dump(filelock_try('import', 600), filelock_try('import'), filelock_refresh('import'), filelock_status('import')->mine);
var_dump(filelock_release('import'), filelock_release('import'), filelock_status('import'));

foreach (["a/../b\0", '..', '.filelock-guard', 'ä ö', '%41', '~', str_repeat('long ', 50)] as $name) {
    var_dump(filelock_try($name), filelock_status($name)->name === $name, filelock_refresh($name));
}
echo implode("\n", array_map(fn ($file) => strlen($file) > 100 ? 'long' : $file, array_diff(scandir(directory()), ['.', '..']))), "\n";
filelock_release_all();
var_dump(array_slice(scandir(directory()), 2));

// One that waits for itself, and one in a function.
var_dump(filelock_try('a'));
show(fn () => filelock_acquire('a', 1, 60));
var_dump(filelock_release('a'), filelock_run('a', fn () => filelock_status('a')->mine, timeout: 1));
var_dump(filelock_try('b'));
filelock_release_all();
var_dump(filelock_list());
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECT--
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
bool(true)
bool(true)
bool(false)
NULL
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
%2541.lock
%2e..lock
%2efilelock-guard.lock
%7e.lock
%c3%a4%20%c3%b6.lock
.filelock-guard
a%2f..%2fb%00.lock
long
array(1) {
  [0]=>
  string(15) ".filelock-guard"
}
bool(true)
FileLock\LockError: "a" is held by this very request, which would wait for itself; release it first, or pass a timeout of 0
bool(true)
bool(true)
bool(true)
array(0) {
}
