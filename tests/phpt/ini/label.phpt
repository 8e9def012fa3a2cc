--TEST--
filelock.label: who this is, else SAPI and script
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/label.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a') or exit(1);
var_dump(filelock_status('a')->label === PHP_SAPI . ' ' . $_SERVER['argv'][0]);

// A change holds for what is held already, too.
ini_set('filelock.label', 'worker 7');
var_dump(filelock_status('a')->label);
filelock_try('b') or exit(1);
var_dump(filelock_status('b')->label);
ini_set('filelock.label', str_repeat('x', 1000));
var_dump(strlen(filelock_status('a')->label));
ini_restore('filelock.label');
var_dump(filelock_status('a')->label === PHP_SAPI . ' ' . $_SERVER['argv'][0]);

// The first argument is part of it, the others are not.
$command = escapeshellarg(PHP_BINARY) . ' ' . getenv('TEST_PHP_EXTRA_ARGS') . ' -r '
    . escapeshellarg('filelock_try("c") or exit(1); echo filelock_status("c")->label, "\n";') . ' -- app:import --verbose';
echo shell_exec($command);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
bool(true)
string(8) "worker 7"
string(8) "worker 7"
int(119)
bool(true)
cli %Sapp:import
