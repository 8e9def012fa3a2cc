--TEST--
file: break takes the lock that was seen, theirs and ours, and no other
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/break.store?method=link"
--FILE--
<?php
require __DIR__ . '/foreign.inc';

$theirs = [
    'link' => fn ($path) => file_put_contents($path, "0\n"),
    'mkdir' => fn ($path) => mkdir($path),
    'exclusive' => fn ($path) => file_put_contents($path, getmypid() . "\n"),
    'touch' => fn ($path) => touch($path),
    'symlink' => fn ($path) => symlink(gethostname() . '-' . getmypid(), $path),
];
foreach ($theirs as $method => $make) {
    $store = new FileLock\Store('file:' . directory() . "?method=$method");
    $make(directory() . '/a.lock');
    $token = $store->status('a')->token;
    var_dump($store->break('a', $token + 1), $store->status('a') !== null, $store->break('a', $token), $store->status('a'));
    $lock = $store->lock('a');
    var_dump($store->break('a', $token), $lock->tryAcquire(), $store->break('a', $store->status('a')->token));
    var_dump($lock->isAcquired(), $lock->release(), file_exists(directory() . '/a.lock'));
}
var_dump(array_slice(scandir(directory()), 2));
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECT--
bool(false)
bool(true)
bool(true)
NULL
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
NULL
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
NULL
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
NULL
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
NULL
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
array(1) {
  [0]=>
  string(15) ".filelock-guard"
}
