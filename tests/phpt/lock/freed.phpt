--TEST--
Freed = given back: variables, arrays, properties, cycles, statics, exceptions
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/freed.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
function taken(string $name): FileLock\Lock
{
    $lock = $GLOBALS['store']->lock($name, INF);
    $lock->tryAcquire() || exit('not taken');
    return $lock;
}
function is_free(string $name): string
{
    return $GLOBALS['store']->status($name) === null ? 'free' : 'held';
}
$lock = taken('a');
$same = $lock;
unset($lock);
echo 'one of two: ', is_free('a');
$same = null;
echo ', both: ', is_free('a'), "\n";
(function () { $lock = taken('a'); })();
echo 'function: ', is_free('a'), "\n";
$array = [[taken('a')]];
$array[0] = null;
echo 'array: ', is_free('a'), "\n";
$object = new stdClass();
$object->self = $object;
$object->lock = taken('a');
unset($object);
echo 'cycle: ', is_free('a');
gc_collect_cycles();
echo ', collected: ', is_free('a'), "\n";
try {
    (function () { $lock = taken('a'); throw new Exception(); })();
} catch (Exception $e) {
    echo 'exception: ', is_free('a'), "\n";
}
final class HalfMade
{
    private FileLock\Lock $lock;
    public function __construct() { $this->lock = taken('a'); throw new Exception(); }
    public function __destruct() { echo 'never called'; }
}
try {
    new HalfMade();
} catch (Exception $e) {
    unset($e);
    echo 'half-constructed: ', is_free('a'), "\n";
}
$generator = (function () { $lock = taken('a'); yield; })();
$generator->current();
unset($generator);
echo 'generator: ', is_free('a'), "\n";
$lock = taken('a');
$lock = taken('b');
echo 'overwritten: ', is_free('a'), ' ', is_free('b'), "\n";
// The store may go before its locks.
$store2 = new FileLock\Store('table:' . store_directory() . '?mode=0640');
$lock = $store2->lock('c');
$store2 = null;
var_dump($lock->tryAcquire(), is_free('c'));
$lock = null;
var_dump(is_free('c'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
one of two: held, both: free
function: free
array: free
cycle: held, collected: free
exception: free
half-constructed: free
generator: free
overwritten: free held
bool(true)
string(4) "held"
string(4) "free"
