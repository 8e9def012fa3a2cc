--TEST--
filelock_acquire(): signal handlers run during the wait, and their exceptions end it
--EXTENSIONS--
filelock
pcntl
posix
--INI--
filelock.store="table:{PWD}/acquire_signal.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

pcntl_async_signals(true);

// A handler that only counts, of a signal that comes when this process waits: the wait goes on.
$handled = 0;
pcntl_signal(SIGALRM, function () use (&$handled) {
    $handled++;
});
$other = new Other('
    echo filelock_try("theirs", INF) ? "holds\n" : "busy\n";
    while (filelock_status("theirs")->waiters < 1) {
        usleep(1000);
    }
    posix_kill(' . getmypid() . ', ' . SIGALRM . ');
    usleep(100000);
');
$other->hear();
var_dump(filelock_acquire('theirs', 60), $handled);
$other->end();
filelock_release('theirs');

// One that throws.
$other = other_holds('theirs');
pcntl_signal(SIGALRM, fn () => throw new Exception('enough'));
pcntl_alarm(1);
$start = hrtime(true);
show(fn () => filelock_acquire('theirs', 60));
var_dump(hrtime(true) - $start < 30e9);

// One that takes and gives back in the middle of the wait, and lets the other process go.
pcntl_signal(SIGALRM, function () use ($other) {
    for ($i = 0; $i < 100; $i++) {
        filelock_try("handler $i") or exit(1);
    }
    echo "in the handler: ", filelock_release_all(), "\n";
    filelock_try('taken by the handler') or exit(1);
    $other->say('go');
});
filelock_try('mine') or exit(1);
pcntl_alarm(1);
var_dump(filelock_acquire('theirs', 60));
$held = array_map(fn ($status) => $status->name, filelock_list());
sort($held);
echo implode(', ', $held), "\n";
$other->end();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
int(1)
Exception: enough
bool(true)
in the handler: 101
bool(true)
taken by the handler, theirs
