--TEST--
FileLock\Status: who, since when, for how long
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/properties.store"
filelock.label="label of the test"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$before = microtime(true);
filelock_try('a', 100) or exit(1);
$status = filelock_status('a');
var_dump($status);
var_dump($status->pid === getmypid(), $status->host === gethostname());
var_dump($status->since > $before - 1 && $status->since < microtime(true) + 1);
var_dump($status->remaining > 99 && $status->remaining <= 100);

filelock_try('b', INF) or exit(1);
var_dump(filelock_status('b')->remaining);

$other = other_holds('c');
$status = filelock_status('c');
var_dump($status->mine, $status->pid === getmypid());
$other->kill();
echo json_encode($status), "\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
object(FileLock\Status)#%d (12) {
  ["name"]=>
  string(1) "a"
  ["shared"]=>
  bool(false)
  ["holders"]=>
  int(1)
  ["waiters"]=>
  int(0)
  ["mine"]=>
  bool(true)
  ["token"]=>
  int(%d)
  ["pid"]=>
  int(%d)
  ["uid"]=>
  int(%d)
  ["host"]=>
  string(%d) "%s"
  ["label"]=>
  string(17) "label of the test"
  ["since"]=>
  float(%f)
  ["remaining"]=>
  float(%f)
}
bool(true)
bool(true)
bool(true)
bool(true)
NULL
bool(false)
bool(false)
{"name":"c","shared":false,"holders":1,"waiters":0,"mine":false,"token":%d,"pid":%d,"uid":%d,"host":"%s","label":"label of the test","since":%f,"remaining":%f}
