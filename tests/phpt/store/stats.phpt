--TEST--
FileLock\Store::stats(): counters of all processes
--EXTENSIONS--
filelock
pcntl
--INI--
filelock.store="table:{PWD}/stats.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
var_dump($store->stats());
show(fn () => $store->stats(1));
$before = $store->stats();
$lock = $store->lock('a', 60);
$lock->tryAcquire() && !$lock->tryAcquire() || exit('not taken');
$lock->release();
$other = other_holds('b', 'INF');
filelock_try('b') && exit('taken');
$other->kill();
filelock_acquire('b', 10) || exit('not taken');
$store->break('b', $store->status('b')->token);
var_dump(filelock_release('b'));
$short = $store->lock('c', 0.02);
$short->tryAcquire() || exit('not taken');
usleep(60000);
filelock_try('c') || exit('not taken');
var_dump($short->release());
$stats = $store->stats();
var_dump($stats['acquired'], $stats['busy'] >= 1, $stats['expired'], $stats['recovered'], $stats['broken'], $stats['lost']);
// Waiting.
$other = other_holds('d');
$other->say('end');
filelock_acquire('d', 10) || exit('not taken');
$other->end();
$other = other_holds('e');
pcntl_async_signals(true);
pcntl_signal(SIGALRM, fn () => $other->say('end'));
pcntl_alarm(1);
filelock_acquire('e', 10) || exit('not taken');
$stats2 = $store->stats();
var_dump($stats2['waited'] - $stats['waited'] >= 1, $stats2['waited_seconds'] >= 0.5, $stats2['acquired'] - $stats['acquired']);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
array(8) {
  ["acquired"]=>
  int(0)
  ["busy"]=>
  int(0)
  ["waited"]=>
  int(0)
  ["waited_seconds"]=>
  float(0)
  ["expired"]=>
  int(0)
  ["recovered"]=>
  int(0)
  ["broken"]=>
  int(0)
  ["lost"]=>
  int(0)
}
ArgumentCountError: FileLock\Store::stats() expects exactly 0 arguments, 1 given
bool(false)
bool(false)
int(5)
bool(true)
int(1)
int(1)
int(1)
int(2)
bool(true)
bool(true)
int(4)
