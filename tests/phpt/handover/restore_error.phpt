--TEST--
FileLock\Store::restore(): no key is null, whatever is wrong with it
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/restore_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
$lock->tryAcquire() || exit('not taken');
$key = $lock->getKey();
$wrong = ['', 'x', "\0", substr($key, 0, -1), $key . '0', " $key", strtoupper($key), str_repeat('x', 10000), str_replace('-', '_', $key)];
for ($i = 0; $i < strlen($key); $i++) {
    $wrong[] = substr_replace($key, $key[$i] === '0' ? '1' : '0', $i, 1);
}
foreach ($wrong as $forged) {
    if ($forged !== $key && $store->restore($forged) !== null) {
        echo "taken with $forged\n";
    }
}
var_dump($lock->isAcquired());
// Another store's.
mkdir(store_directory() . '/other');
$other = new FileLock\Store('table:' . store_directory() . '/other');
$same = $other->lock('a', 60);
$same->tryAcquire() || exit('not taken');
var_dump($other->restore($key), $store->restore($same->getKey()), $lock->isAcquired(), $same->isAcquired());
// Given back, broken, expired.
$lock->release();
var_dump($store->restore($key));
$lock->tryAcquire() || exit('not taken');
var_dump($store->restore($key), $lock->getKey() !== $key);
[$key, $token] = [$lock->getKey(), $lock->getToken()];
$store->break('a', $token);
var_dump($store->restore($key));
$short = $store->lock('b', 0.02);
$short->tryAcquire() || exit('not taken');
$key = $short->getKey();
usleep(60000);
var_dump($store->restore($key), $short->release(), $lock->release());
show(fn () => $store->restore());
show(fn () => $store->restore([]));
unset($same);
array_map('unlink', glob(store_directory() . '/other/*'));
rmdir(store_directory() . '/other');
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
NULL
NULL
bool(true)
bool(true)
NULL
NULL
bool(true)
NULL
NULL
bool(false)
bool(false)
ArgumentCountError: FileLock\Store::restore() expects exactly 1 argument, 0 given
TypeError: FileLock\Store::restore(): Argument #1 ($key) must be of type string, array given
