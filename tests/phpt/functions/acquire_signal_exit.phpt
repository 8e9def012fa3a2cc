--TEST--
filelock_acquire(): exit in a signal handler ends the wait and the script
--EXTENSIONS--
filelock
pcntl
--INI--
filelock.store="table:{PWD}/acquire_signal_exit.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

pcntl_async_signals(true);
$other = other_holds('theirs');
pcntl_signal(SIGALRM, fn () => exit("bye\n"));
register_shutdown_function(function () use ($other) {
    var_dump(filelock_status('theirs')->waiters);
    $other->kill();
});
pcntl_alarm(1);
filelock_acquire('theirs', INF) or exit(1);
echo "not reached\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bye
int(0)
