--TEST--
An error handler that throws at the end of the request: the others are still given back
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost_handler_throws.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

set_error_handler(fn ($type, $text) => throw new ErrorException($text));
filelock_try('a', 0.02) or exit(1);
filelock_try('b', 0.02) or exit(1);
filelock_try('kept', 60) or exit(1);
usleep(60000);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AUncaught ErrorException: filelock: "%s" expired %f s before it was given back%A
