--TEST--
filelock_acquire(): a fatal error in a signal handler ends the wait and the script
--EXTENSIONS--
filelock
pcntl
--INI--
filelock.store="table:{PWD}/acquire_signal_fatal.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

pcntl_async_signals(true);
$other = other_holds('theirs');
pcntl_signal(SIGALRM, fn () => trigger_error('fatal', E_USER_ERROR));
register_shutdown_function(function () use ($other) {
    var_dump(filelock_status('theirs')->waiters);
    $other->kill();
    var_dump(filelock_acquire('theirs', 30));
});
pcntl_alarm(1);
filelock_acquire('theirs', INF) or exit(1);
echo "not reached\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
%AFatal error: fatal in %s on line %d
%Aint(0)
bool(true)
