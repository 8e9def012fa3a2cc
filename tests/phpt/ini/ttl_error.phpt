--TEST--
filelock.ttl: a bad value is refused with a warning
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/ttl_error.store"
filelock.ttl=600
--FILE--
<?php
require __DIR__ . '/../store.inc';

foreach (['0', '-1', '', 'soon', '30 min', 'NAN', '20736001', '1e999', "5\0junk", "5\0", ' 5', "\t5", '5 ', '+5', '.', ' INF', "INF\0", str_repeat('9', 500)] as $ttl) {
    var_dump(ini_set('filelock.ttl', $ttl));
}
var_dump(ini_get('filelock.ttl'));
filelock_try('a') or exit(1);
var_dump(about(filelock_status('a')->remaining));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "0" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "-1" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "soon" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "30 min" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "NAN" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "20736001" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "1e999" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "5\x00junk" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "5\x00" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not " 5" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "\x095" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "5 " in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "+5" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "." in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not " INF" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "INF\x00" in %s on line %d
bool(false)

Warning: ini_set(): filelock.ttl must be a number of seconds > 0 and at most 20736000 (240 days), or INF, not "9%S" in %s on line %d
bool(false)
string(3) "600"
float(600)
