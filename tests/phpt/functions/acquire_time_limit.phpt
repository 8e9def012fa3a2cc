--TEST--
filelock_acquire(): the time limit ends the wait and the script
--EXTENSIONS--
filelock
posix
--SKIPIF--
<?php
if (PHP_ZTS) die('skip a threaded PHP may use another signal for its time limit');
?>
--INI--
filelock.store="table:{PWD}/acquire_time_limit.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

// Waits until this process waits, then does what the timer does.
$other = new Other('
    echo filelock_try("theirs", INF) ? "holds\n" : "busy\n";
    while (filelock_status("theirs")->waiters < 1) {
        usleep(1000);
    }
    posix_kill(' . getmypid() . ', 27 /* SIGPROF */);
    fgets(STDIN);
');
$other->hear();
register_shutdown_function(function () use ($other) {
    set_time_limit(0);
    var_dump(filelock_status('theirs')->waiters, filelock_status('mine')->mine);
    $other->kill();
    var_dump(filelock_acquire('theirs', 30));
});
filelock_try('mine') or exit(1);
set_time_limit(1000);
filelock_acquire('theirs', INF) or exit(1);
echo "not reached\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AFatal error: Maximum execution time of 1000 seconds exceeded in %s on line %d
%Aint(0)
bool(true)
bool(true)
