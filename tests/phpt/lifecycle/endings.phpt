--TEST--
However a script ends, its locks are free when the process is gone
--EXTENSIONS--
filelock
posix
--INI--
filelock.store="table:{PWD}/endings.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$endings = [
    'return' => 'return;',
    'exit' => 'exit(1);',
    'exit in a shutdown function' => 'register_shutdown_function(fn () => exit(1));',
    'exception' => 'throw new Exception();',
    'fatal error' => 'no_such_function();',
    'memory limit' => 'str_repeat("x", PHP_INT_MAX >> 20);',
    'memory limit in run' => 'filelock_run("b", fn () => str_repeat("x", PHP_INT_MAX >> 20));',
    'killed' => 'posix_kill(getmypid(), 9);',
];
foreach ($endings as $title => $code) {
    $other = new Other('
        ini_set("display_errors", "0");
        ini_set("log_errors", "0");
        echo filelock_try("a", INF) ? "holds\n" : "busy\n";
        fgets(STDIN);
        ' . $code);
    echo "$title: ", $other->hear();
    $other->say('go');
    $other->end();
    echo filelock_acquire('a', 10) && filelock_acquire('b', 10) ? ", free\n" : ", still held\n";
    filelock_release_all();
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
return: holds, free
exit: holds, free
exit in a shutdown function: holds, free
exception: holds, free
fatal error: holds, free
memory limit: holds, free
memory limit in run: holds, free
killed: holds, free
