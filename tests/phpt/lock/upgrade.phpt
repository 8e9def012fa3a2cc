--TEST--
From reader to writer and back, with one handle
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/upgrade.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
$lock->tryAcquireShared() || exit('not taken');
$token = $lock->getToken();
var_dump($lock->tryAcquire(), $store->status('a')->shared, $lock->getToken() > $token);
// Back, at once, by either method.
$token = $lock->getToken();
var_dump($lock->tryAcquireShared(), $store->status('a')->shared, $lock->getToken() === $token, $lock->acquire(5));
var_dump($lock->acquireShared(0), $store->status('a')->shared);
// Another reader is in the way: the read lock stays as it was.
$other = $store->lock('a');
var_dump($other->tryAcquireShared(), $lock->tryAcquire(), $lock->acquire(0), $lock->isAcquired(), $store->status('a')->holders);
var_dump($other->release(), $lock->tryAcquire(), $lock->release(), $store->status('a'));
// Another process's reader: waiting ends with nothing lost.
$process = new Other('
    $lock = (new FileLock\Store())->lock("a");
    echo $lock->tryAcquireShared() ? "reads\n" : "busy\n";
    fgets(STDIN);
    $lock->release();
    fgets(STDIN);
');
$process->hear();
var_dump($lock->tryAcquireShared(), $lock->acquire(0.05), $lock->isAcquired(), $store->status('a')->holders);
$process->say('release');
var_dump($lock->acquire(10), $store->status('a')->shared);
$process->end();
// A read lock that is lost is no way to write: false, and the next call starts anew.
$short = $store->lock('b', 0.02);
var_dump($short->tryAcquireShared());
usleep(60000);
var_dump($short->isAcquired(), @$short->tryAcquire(), error_get_last()['type'] === E_WARNING);
$short->release(); // by then it may have expired again
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
int(2)
bool(true)
bool(true)
bool(true)
NULL
bool(true)
bool(false)
bool(true)
int(2)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
