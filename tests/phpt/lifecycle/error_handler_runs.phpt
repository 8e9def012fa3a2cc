--TEST--
An error handler that uses the functions while losses are told
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/error_handler_runs.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

set_error_handler(function ($type, $text) {
    echo strstr($text, ' before', true), "\n";
    var_dump(filelock_try('taken by the handler', 0.02));
    usleep(60000);
    return true;
});
filelock_try('a', 0.02) or exit(1);
usleep(60000);
var_dump(filelock_release_all());
var_dump(filelock_release_all());
restore_error_handler();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
filelock_release_all(): "a" expired %f s
bool(true)
int(0)
filelock_release_all(): "taken by the handler" expired %f s
bool(true)
int(0)

Warning: filelock: "taken by the handler" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in Unknown on line 0
