--TEST--
autoRelease off: an orderly end leaves the lock to its deadline, death by a signal frees it
--EXTENSIONS--
filelock
posix
--INI--
filelock.store="table:{PWD}/auto_release.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$endings = [
    'freed' => 'unset($lock);',
    'freed with the store' => 'unset($lock, $store);',
    'return' => 'return;',
    'exit' => 'exit(1);',
    'exception' => 'throw new Exception();',
    'fatal error' => 'no_such_function();',
    'memory limit' => 'str_repeat("x", PHP_INT_MAX >> 20);',
    'cycle' => '$o = new stdClass(); $o->o = $o; $o->lock = $lock; exit;',
    'SIGKILL' => 'posix_kill(getmypid(), 9);',
    'SIGTERM' => 'posix_kill(getmypid(), 15);',
    'released' => '$lock->release();',
    'shared' => '$lock->tryAcquireShared();',
];
foreach ($endings as $title => $code) {
    $other = new Other('
        ini_set("display_errors", "0");
        ini_set("log_errors", "0");
        $store = new FileLock\Store();
        $lock = $store->lock("a", 60, autoRelease: false);
        echo $lock->tryAcquire() ? $lock->getKey() : "busy", "\n";
        fgets(STDIN);
        ' . $code);
    $key = $other->hear();
    $other->say('go');
    $other->end();
    $status = $store->status('a');
    echo $title, ': ', $status === null ? 'free' : 'held by ' . ($status->mine ? 'me' : 'nobody here') . ', ' . about($status->remaining) . ' s left';
    var_dump(filelock_try('a'));
    $restored = $store->restore($key);
    echo $restored === null ? "not restored\n" : 'restored, mine: ' . var_export($store->status('a')->mine, true) . "\n";
    unset($restored);
    filelock_release('a');
}
var_dump($store->list());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
freed: held by nobody here, 60 s leftbool(false)
restored, mine: true
freed with the store: held by nobody here, 60 s leftbool(false)
restored, mine: true
return: held by nobody here, 60 s leftbool(false)
restored, mine: true
exit: held by nobody here, 60 s leftbool(false)
restored, mine: true
exception: held by nobody here, 60 s leftbool(false)
restored, mine: true
fatal error: held by nobody here, 60 s leftbool(false)
restored, mine: true
memory limit: held by nobody here, 60 s leftbool(false)
restored, mine: true
cycle: held by nobody here, 60 s leftbool(false)
restored, mine: true
SIGKILL: freebool(true)
not restored
SIGTERM: freebool(true)
not restored
released: freebool(true)
not restored
shared: freebool(true)
not restored
array(0) {
}
