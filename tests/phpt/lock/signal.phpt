--TEST--
Signal handlers while a handle waits: release it, use it, drop it, throw
--EXTENSIONS--
filelock
pcntl
posix
--INI--
filelock.store="table:{PWD}/signal.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
pcntl_async_signals(true);
$parent = getmypid();
/** Runs $handler as soon as somebody waits for $name. */
function when_waiting(string $name, callable $handler): void
{
    pcntl_signal(SIGUSR1, fn () => $handler());
    if (pcntl_fork() === 0) {
        $store = new FileLock\Store();
        while (($store->status($name)->waiters ?? 0) === 0) {
            usleep(1000);
        }
        posix_kill($GLOBALS['parent'], SIGUSR1);
        posix_kill(getmypid(), SIGKILL);
    }
}
$other = other_holds('a');
$lock = $store->lock('a', 60);
echo "release() ends the wait:\n";
when_waiting('a', fn () => var_dump($lock->release(), $lock->isAcquired()));
var_dump($lock->acquire(60), $lock->isAcquired(), $store->status('a')->waiters);
echo "to take with it is an error, and ends the wait as any exception does:\n";
when_waiting('a', fn () => $lock->tryAcquire());
show(fn () => $lock->acquire(60));
var_dump($lock->isAcquired(), $store->status('a')->waiters);
echo "the others look:\n";
when_waiting('a', function () use ($lock) {
    var_dump($lock->refresh(), $lock->getRemainingLifetime(), $lock->getToken());
    show(fn () => $lock->getKey());
    show(fn () => $lock->acquire(1));
    $lock->release();
});
var_dump($lock->acquire(60));
echo "dropped:\n";
when_waiting('a', function () use ($other) { unset($GLOBALS['lock']); echo "unset\n"; $other->say('end'); });
var_dump($lock->acquire(60), isset($lock), $store->status('a'));
echo "dropped, kept by the callable alone:\n";
$other = other_holds('a');
$call = [$store->lock('a', 60), 'acquire'];
when_waiting('a', function () use ($other) { $GLOBALS['call'] = null; echo "unset\n"; $other->say('end'); });
var_dump(call_user_func($call, 60), $store->status('a'));
echo "an upgrade:\n";
$other = new Other('$lock = (new FileLock\Store())->lock("b"); echo $lock->tryAcquireShared() ? "reads\n" : "busy\n"; fgets(STDIN); $lock->release(); fgets(STDIN);');
$other->hear();
$lock = $store->lock('b', 60);
$lock->tryAcquireShared() || exit('not taken');
pcntl_signal(SIGALRM, function () use ($lock) {
    var_dump($lock->isAcquired(), $lock->refresh(), $lock->getToken() > 0, $lock->getRemainingLifetime() > 50, $lock->release());
    show(fn () => $lock->getKey());
    show(fn () => $lock->tryAcquireShared());
});
pcntl_alarm(1);
var_dump($lock->acquire(60), $lock->isAcquired(), $store->status('b')->holders);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
release() ends the wait:
bool(false)
bool(false)
bool(false)
bool(false)
int(0)
to take with it is an error, and ends the wait as any exception does:
FileLock\LockError: This very object waits at the moment, further up in the call stack; use another one in a handler
bool(false)
int(0)
the others look:
bool(false)
float(0)
NULL
FileLock\LockError: "a" has no key: it is not held by this object
FileLock\LockError: This very object waits at the moment, further up in the call stack; use another one in a handler
bool(false)
dropped:
unset
bool(true)
bool(false)
NULL
dropped, kept by the callable alone:
unset
bool(true)
NULL
an upgrade:
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
FileLock\LockError: "b" has no key: it is not held by this object
FileLock\LockError: This very object waits at the moment, further up in the call stack; use another one in a handler
bool(false)
bool(false)
int(1)
