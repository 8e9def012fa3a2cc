--TEST--
A loss that is found when a fiber ends is told, and an error handler may take with the very handle that is told of
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost_fiber.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

echo "the fiber's function returns:\n";
$fiber = new Fiber(function () {
    $lock = (new FileLock\Store())->lock('x', 0.02);
    $lock->tryAcquire() || exit('not taken');
    usleep(60000);
});
$fiber->start();

echo "a suspended fiber goes, the handler throws:\n";
set_error_handler(fn($number, $text) => throw new ErrorException($text));
$fiber = new Fiber(function () {
    $lock = (new FileLock\Store())->lock('y', 0.02);
    $lock->tryAcquire() || exit('not taken');
    Fiber::suspend();
});
$fiber->start();
usleep(60000);
try {
    unset($fiber);
} catch (ErrorException $e) {
    echo preg_replace('/[0-9.]+ s/', 'N s', $e->getMessage()), "\n";
}

echo "the handler takes the same:\n";
$store = new FileLock\Store();
$lock = $store->lock('z', 0.02);
$lock->tryAcquire() || exit('not taken');
usleep(60000);
$other = null;
set_error_handler(function () use ($lock, $store, &$other) {
    restore_error_handler();
    $other = $lock->tryAcquire();
    return true;
});
$again = $lock->tryAcquire();
var_dump($other, $again);
var_dump($store->status('z') === null || $lock->isAcquired() || $lock->release() === false);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
the fiber's function returns:

Warning: %Sfilelock: "x" expired %f s before it was given back; %s
a suspended fiber goes, the handler throws:
filelock: "y" expired N s before it was given back; %s
the handler takes the same:
bool(true)
bool(false)
bool(true)
