--TEST--
The user's error handler is told of a loss at the end of the request
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost_handler.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

set_error_handler(function (int $type, string $text) {
    echo $type === E_WARNING ? 'handler: ' : 'other type: ', $text, "\n";
    var_dump(filelock_try('in the handler'));
    return true;
});
filelock_try('a', 0.02) or exit(1);
usleep(60000);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
handler: filelock: "a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it
bool(true)
