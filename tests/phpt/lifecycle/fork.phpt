--TEST--
A forked child owns nothing, and says nothing
--EXTENSIONS--
filelock
pcntl
posix
--INI--
filelock.store="table:{PWD}/fork.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

function child(callable $work): void
{
    if (($pid = pcntl_fork()) === 0) {
        $work();
        exit;
    }
    pcntl_waitpid($pid, $status);
    echo pcntl_wifexited($status) ? '' : "killed\n";
}

filelock_try('a', 60) or exit(1);
filelock_run('b', function () {
    child(fn () => null);
    child(fn () => posix_kill(getmypid(), SIGKILL));
    child(fn () => var_dump(filelock_status('a')->mine, filelock_release('a'), filelock_refresh('b')));
    child(fn () => var_dump(filelock_try('a'), filelock_try('c'), filelock_status('c')->mine));
    child(fn () => var_dump(filelock_release_all()));
    child(fn () => filelock_try('c') && throw new Exception('thrown in the child'));
    var_dump(filelock_status('a')->mine, filelock_status('b')->mine, filelock_status('c'));
});
var_dump(filelock_release('a'), filelock_list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
killed
bool(false)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
int(0)
%AUncaught Exception: thrown in the child%A
bool(true)
bool(true)
NULL
bool(true)
array(0) {
}
