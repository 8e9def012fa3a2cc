--TEST--
file: who has a flock, as the kernel says it
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/flock.store?method=flock"
filelock.label=somebody
--SKIPIF--
<?php
if (@readlink('/proc/self/ns/pid') !== 'pid:[4026531836]') {
    exit('skip a container: not all processes are seen');
}
?>
--FILE--
<?php
require __DIR__ . '/foreign.inc';

$path = directory() . '/import.lock';
var_dump(filelock_status('import'), file_exists($path));
var_dump(filelock_try('import', 60), file_get_contents($path));
$status = filelock_status('import');
var_dump($status->mine, $status->pid === getmypid(), $status->label, round($status->remaining, -1), abs($status->since - time()) < 60);
echo preg_replace('/pid \d+/', 'pid PID', preg_replace('/, uid.*/', '', $status)), "\n";

// Another one, of which nothing is known but its process; a script's own flock is another one, too.
$file = fopen(directory() . '/theirs.lock', 'c');
flock($file, LOCK_EX);
$status = filelock_status('theirs');
var_dump(filelock_try('theirs'), $status->mine, $status->pid === getmypid(), $status->uid, $status->since, $status->remaining, $status->label);
$names = array_map(fn ($one) => $one->name, filelock_list());
sort($names);
var_dump($names);
flock($file, LOCK_UN);
flock($file, LOCK_SH);
var_dump(filelock_status('theirs')->shared, filelock_try('theirs'));
fclose($file);
var_dump(filelock_status('theirs'), filelock_release('import'), file_get_contents($path));
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECT--
NULL
bool(false)
bool(true)
string(0) ""
bool(true)
bool(true)
string(8) "somebody"
float(60)
bool(true)
import: held by somebody (pid PID
bool(false)
bool(false)
bool(true)
NULL
NULL
NULL
string(0) ""
array(2) {
  [0]=>
  string(6) "import"
  [1]=>
  string(6) "theirs"
}
bool(true)
bool(false)
NULL
bool(true)
string(0) ""
