--TEST--
What is found lost at the end of a request is a warning
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('kept', 60) or exit(1);
filelock_try('expired', 0.02) or exit(1);
filelock_try('broken') or exit(1);
filelock_try('told by release', 0.02) or exit(1);
filelock_try('told by refresh', 0.02) or exit(1);
(new FileLock\Store())->break('broken', filelock_status('broken')->token);
usleep(60000);
var_dump(filelock_release('told by release'), filelock_refresh('told by refresh'));
echo "end\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
bool(false)
bool(false)
end

Warning: filelock: "%s" %s before it was given back; another process may have run at the same time%S in Unknown on line 0

Warning: filelock: "%s" %s before it was given back; another process may have run at the same time%S in Unknown on line 0
