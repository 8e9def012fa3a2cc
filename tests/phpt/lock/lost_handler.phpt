--TEST--
The user's error handler during the freeing of a handle: it uses locks, throws, and leaves a thrown exception alone
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost_handler.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
function lose(string $name): FileLock\Lock
{
    $lock = $GLOBALS['store']->lock($name, 0.02);
    $lock->tryAcquire() || exit('not taken');
    usleep(60000);
    return $lock;
}
set_error_handler(function (int $type, string $text) use ($store) {
    $lock = $store->lock('a');
    echo 'handler: ', strstr(strstr($text, '"'), ' expired', true), ', can take it: ', var_export($lock->tryAcquire(), true), "\n";
    try {
        throw new LogicException('caught in the handler');
    } catch (LogicException $e) {
    }
    return true;
});
$lock = lose('a');
unset($lock);
// An exception is on its way while the handle is freed.
function throws(): void
{
    $lock = lose('a');
    try {
        throw new DomainException('on its way');
    } finally {
        echo "finally\n";
    }
}
try {
    throws();
} catch (DomainException $e) {
    echo get_class($e), ': ', $e->getMessage(), ', ', var_export($e->getPrevious(), true), "\n";
}
// The handler throws.
set_error_handler(fn (int $type, string $text) => throw new ErrorException('from the handler'));
foreach (['unset' => function () { $lock = lose('a'); unset($lock); echo "never\n"; }, 'assigned' => function () { $lock = lose('a'); $lock = null; echo "never\n"; },
    'returned' => function () { $lock = lose('a'); return 1; }, 'taken again' => function () { $lock = lose('a'); $lock->tryAcquire() && print "never\n"; },
    'array' => function () { $a = [lose('a')]; $a = []; echo "never\n"; }, 'on its way' => 'throws'] as $title => $call) {
    try {
        $call();
        echo "$title: nothing thrown\n";
    } catch (Exception $e) {
        echo $title, ': ', get_class($e), ' ', $e->getMessage(), ', before it: ', $e->getPrevious()?->getMessage() ?? 'nothing', "\n";
    }
    var_dump($store->status('a'));
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
handler: "a", can take it: true
finally
handler: "a", can take it: true
DomainException: on its way, NULL
unset: ErrorException from the handler, before it: nothing
NULL
assigned: ErrorException from the handler, before it: nothing
NULL
returned: ErrorException from the handler, before it: nothing
NULL
taken again: ErrorException from the handler, before it: nothing
NULL
array: ErrorException from the handler, before it: nothing
NULL
finally
on its way: ErrorException from the handler, before it: on its way
NULL
