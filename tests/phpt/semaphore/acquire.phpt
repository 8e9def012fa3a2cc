--TEST--
FileLock\Semaphore::acquire(): waits for a permit; a dead holder's comes back
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/acquire.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$others = [];
for ($i = 0; $i < 2; $i++) {
    $others[] = $other = new Other('$s = (new FileLock\Store())->semaphore("a", 2, INF); echo $s->tryAcquire() ? "holds\n" : "busy\n"; fgets(STDIN);');
    echo $other->hear(), "\n";
}
$mine = $store->semaphore('a', 2, INF);
var_dump($mine->tryAcquire(), $mine->acquire(0), $mine->acquire(0.05));
$others[0]->kill();
var_dump($mine->acquire(10), $mine->release());
$third = $store->semaphore('a', 2);
var_dump($mine->acquire(timeout: 10), $third->tryAcquire());
$others[1]->say('end');
var_dump($third->acquire(INF));
$others[1]->end();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
holds
holds
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
