--TEST--
filelock_run(): an exception during the wait; a signal handler that waits itself
--EXTENSIONS--
filelock
pcntl
--INI--
filelock.store="table:{PWD}/run_signal.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

pcntl_async_signals(true);
$first = other_holds('first');
$second = other_holds('second');

pcntl_signal(SIGALRM, fn () => throw new Exception('enough'));
pcntl_alarm(1);
show(fn () => filelock_run('first', fn () => print("called\n"), INF));

pcntl_signal(SIGALRM, function () use ($first, $second) {
    $second->say('go');
    echo filelock_run('second', fn () => 'inner call', 60), "\n";
    $first->say('go');
});
pcntl_alarm(1);
echo filelock_run('first', fn () => 'outer call', 60), "\n";
$first->end();
$second->end();
var_dump(filelock_list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
Exception: enough
inner call
outer call
array(0) {
}
