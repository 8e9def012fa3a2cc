--TEST--
A fatal error in a signal handler leaves the queue of the handle that waits
--EXTENSIONS--
filelock
pcntl
posix
--INI--
filelock.store="table:{PWD}/bailout.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$mine = $store->lock('a');
$mine->tryAcquire() || exit('not taken');
foreach (['exit' => 'exit(3);', 'fatal' => 'eval("abstract class A { abstract function f(); } class B extends A {}");',
    'memory' => 'str_repeat("x", PHP_INT_MAX >> 20);', 'exception' => 'throw new Exception();'] as $title => $code) {
    $other = new Other('
        ini_set("display_errors", "0");
        ini_set("log_errors", "0");
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () { ' . $code . ' });
        echo getmypid(), "\n";
        $lock = (new FileLock\Store())->lock("a", INF);
        var_dump($lock->acquire(60));
    ');
    $pid = (int) $other->hear();
    while ($store->status('a')->waiters === 0) {
        usleep(1000);
    }
    posix_kill($pid, SIGUSR1);
    $other->end();
    echo $title, ': ', $store->status('a')->waiters, ' waiting, ', $mine->release() ? 'mine, ' : 'lost, ', $mine->tryAcquire() ? 'free' : 'busy', "\n";
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
exit: 0 waiting, mine, free
fatal: 0 waiting, mine, free
memory: 0 waiting, mine, free
exception: 0 waiting, mine, free
