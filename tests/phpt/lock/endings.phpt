--TEST--
However a script ends, what its handles hold is free when the process is gone
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
    'killed' => 'posix_kill(getmypid(), 9);',
];
$places = [
    'variable' => '$x = $lock;',
    'static' => 'final class Last { public static $lock; } Last::$lock = $lock;',
    'cycle' => '$o = new stdClass(); $o->o = $o; $o->lock = $lock;',
    'array' => '$a = [[$lock]];',
    'constant' => 'define("LAST", $lock);',
    'exception' => 'set_exception_handler(fn () => null); $e = new Exception(); $e->lock = $lock;',
];
$store = new FileLock\Store();
[$a, $b] = [$store->lock('a'), $store->semaphore('b', 1)];
foreach ($endings as $title => $code) {
    echo "$title:";
    foreach ($places as $place => $keep) {
        $other = new Other('
            ini_set("display_errors", "0");
            ini_set("log_errors", "0");
            $store = new FileLock\Store();
            [$lock, $permit] = [$store->lock("a", INF), $store->semaphore("b", 1, INF)];
            echo $lock->tryAcquire() && $permit->tryAcquire() ? "holds\n" : "busy\n";
            fgets(STDIN);
            ' . $keep . str_replace('$lock', '$permit', str_replace('Last', 'Last2', str_replace('LAST', 'LAST2', $keep)))
            . 'unset($lock, $permit);' . $code);
        $other->hear() === 'holds' || exit('not taken');
        $other->say('go');
        $other->end();
        echo $a->acquire(10) && $b->acquire(10) ? ' free' : " still held ($place)";
        $a->release();
        $b->release();
    }
    echo "\n";
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
return: free free free free free free
exit: free free free free free free
exit in a shutdown function: free free free free free free
exception: free free free free free free
fatal error: free free free free free free
memory limit: free free free free free free
killed: free free free free free free
