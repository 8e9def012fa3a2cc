--TEST--
What is found lost when it is given back without asking is a warning, once
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
function lose(string $name, string $take = 'tryAcquire', bool $autoRelease = true): FileLock\Lock
{
    $lock = $GLOBALS['store']->lock($name, 0.02, $autoRelease);
    $lock->$take() || exit('not taken');
    usleep(60000);
    return $lock;
}
echo "freed:\n";
$lock = lose('a');
unset($lock);
echo "freed, shared:\n";
$lock = lose('a', 'tryAcquireShared');
unset($lock);
echo "freed, after a look:\n";
$lock = lose('a');
$lock->isAcquired();
$lock = null;
echo "taken again:\n";
$lock = lose('a');
var_dump($lock->tryAcquire());
$lock->release();
echo "autoRelease off:\n";
$lock = lose('a', 'tryAcquire', false);
unset($lock);
echo "broken:\n";
$lock = $store->lock('a');
$lock->tryAcquire() && $store->break('a', $lock->getToken()) || exit('not broken');
unset($lock);
echo "silent:\n";
$lock = lose('a');
var_dump($lock->release());
unset($lock);
$lock = lose('a');
var_dump($lock->refresh());
unset($lock);
$lock = lose('a');
var_dump($lock->release(), $lock->tryAcquire(), $lock->release());
unset($lock);
$lock = lose('a');
var_dump($lock->refresh(), $lock->tryAcquire(), $lock->release());
unset($lock);
echo "at the end:\n";
final class Last { public static $lock; }
Last::$lock = lose('static');
$global = lose('global');
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
freed:

Warning: %s"a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
freed, shared:

Warning: %s"a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
freed, after a look:

Warning: %s"a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
taken again:

Warning: FileLock\Lock::tryAcquire(): "a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
bool(true)
autoRelease off:

Warning: %s"a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
broken:

Warning: %s"a" was broken, or its storage vanished, before it was given back; another process may have run at the same time in %s on line %d
silent:
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)
at the end:

Warning: filelock: "global" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in Unknown on line 0

Warning: filelock: "static" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in Unknown on line 0
