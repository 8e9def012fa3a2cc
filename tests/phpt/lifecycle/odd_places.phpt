--TEST--
Locks that are taken in odd places are given back like others: destructors, output callbacks, generators, fibers, cycles, traces
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/odd_places.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$take = 'function take($name) { $lock = (new FileLock\Store())->lock($name); $GLOBALS["kept"][] = $lock;
    return $lock->tryAcquire() && filelock_try("$name, by name") && filelock_run("$name, run", fn () => true); }
    class Last { public $self; function __destruct() { echo take("destructor") ? "taken" : "not", "\n"; } }';
$places = [
    'a destructor at the end' => '$last = new Last();',
    'a destructor in a cycle' => '$a = new Last(); $a->self = $a; unset($a);',
    'a destructor in a static' => 'function f() { static $a; $a = new Last(); } f();',
    'a destructor that exits' => '$a = new class { function __destruct() { echo take("d") ? "taken" : "not", "\n"; exit; } };',
    'a shutdown function' => 'register_shutdown_function(function () { echo take("s") ? "taken" : "not", "\n"; exit; });',
    'an output callback' => 'ob_start(fn ($text) => $text . (take("o") ? "taken" : "not") . "\n"); echo "";',
    'an output callback that throws' => 'ob_start(function () { take("o"); throw new Exception("taken\n"); });
        try { ob_end_flush(); } catch (Exception $e) { echo $e->getMessage(); }',
    'an abandoned generator' => '$g = (function () { yield take("g"); yield 2; })(); echo $g->current() ? "taken" : "not", "\n";',
    'an abandoned fiber' => '$f = new Fiber(fn () => filelock_run("f", function () { take("f2"); Fiber::suspend(); })); $f->start(); echo "taken\n";',
    'a fiber that exits' => '(new Fiber(fn () => filelock_run("f", function () { take("f2"); echo "taken\n"; exit; })))->start();',
    'a trace' => 'try { (function ($lock) { $lock->tryAcquire() && print("taken\n"); throw new Exception(); })((new FileLock\Store())->lock("t")); } catch (Exception $e) { }',
    'a constant' => 'define("LOCK", (new FileLock\Store())->lock("c")); echo LOCK->tryAcquire() ? "taken" : "not", "\n";',
    'a nested run that exits' => 'filelock_run("a", fn () => filelock_run("b", function () { take("c"); echo "taken\n"; exit; }));',
    'an error handler of a loss' => 'set_error_handler(function () { echo take("h") ? "taken" : "not", "\n"; exit; });
        $lock = (new FileLock\Store())->lock("l", 0.001); $lock->tryAcquire() || exit("not"); usleep(30000); unset($lock);',
    'a memory limit' => 'ini_set("memory_limit", "4M"); ini_set("display_errors", "0"); take("m"); echo "taken\n"; while (true) { $all[] = filelock_list(); }',
];
foreach ($places as $place => $code) {
    $other = new Other($take . $code);
    $said = $other->hear();
    $other->end();
    $left = array_map('strval', filelock_list());
    echo "$place: $said", $left ? ', left: ' . implode(' ', $left) : '', "\n";
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
a destructor at the end: taken
a destructor in a cycle: taken
a destructor in a static: taken
a destructor that exits: taken
a shutdown function: taken
an output callback: taken
an output callback that throws: taken
an abandoned generator: taken
an abandoned fiber: taken
a fiber that exits: taken
a trace: taken
a constant: taken
a nested run that exits: taken
an error handler of a loss: taken
a memory limit: taken
