--TEST--
filelock_status(): null = a try would succeed; creates nothing
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/status.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

var_dump(filelock_status('a'), scandir(store_directory())); // nobody has used the store yet

filelock_try('a', 60) or exit(1);
$status = filelock_status('a');
var_dump($status->name, $status->mine, filelock_status('b'));
filelock_release('a');
var_dump(filelock_status('a'), $status->mine); // a snapshot stays as it was

$other = other_holds('theirs');
var_dump(filelock_status('theirs')->mine, filelock_status('theirs')->pid === getmypid());
$other->kill();
filelock_acquire('theirs', 30) or exit(1);
filelock_release('theirs');
var_dump(filelock_status('theirs'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
NULL
array(2) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
}
string(1) "a"
bool(true)
NULL
NULL
bool(true)
bool(false)
bool(false)
NULL
