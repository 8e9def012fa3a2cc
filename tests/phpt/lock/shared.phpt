--TEST--
FileLock\Lock::tryAcquireShared(), acquireShared(): readers beside readers, and no writer
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/shared.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
[$a, $b, $c] = [$store->lock('a', 60), $store->lock('a', 60), $store->lock('a')];
var_dump($a->tryAcquireShared(), $b->acquireShared(5), $a->isAcquired(), about($a->getRemainingLifetime()));
$status = $store->status('a');
var_dump($status->shared, $status->holders, $status->mine);
echo preg_replace('/by .*\) for .*, \d+/', 'by … for …, 60', $status), "\n";
var_dump($c->tryAcquire(), filelock_try('a'), $a->tryAcquireShared());
$other = new Other('
    $lock = (new FileLock\Store())->lock("a");
    echo $lock->tryAcquire() ? "writes" : "busy", " ", $lock->tryAcquireShared() ? "reads" : "busy", "\n";
    fgets(STDIN);
    echo $lock->release() ? "gave back" : "lost", "\n";
    fgets(STDIN);
');
var_dump($other->hear(), $store->status('a')->holders, $a->release(), $b->release(), $c->tryAcquire());
$other->say('release');
var_dump($other->hear(), $store->status('a'), $c->tryAcquire(), $a->tryAcquireShared());
$other->say('end');
$other->end();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
float(60)
bool(true)
int(2)
bool(true)
a: shared by … for …, 60 s left%S
bool(false)
bool(false)
bool(false)
string(10) "busy reads"
int(3)
bool(true)
bool(true)
bool(false)
string(9) "gave back"
NULL
bool(true)
bool(false)
