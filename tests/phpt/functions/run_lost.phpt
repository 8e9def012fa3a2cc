--TEST--
filelock_run(): a lease that was lost by the end of the call is a warning
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run_lost.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

function outlive(mixed $result): mixed
{
    usleep(60000);
    return $result instanceof Throwable ? throw $result : $result;
}

var_dump(filelock_run('expired', fn () => outlive('result'), ttl: 0.02));
show(fn () => filelock_run('expired and thrown', fn () => outlive(new Exception('thrown')), ttl: 0.02));

$store = new FileLock\Store();
var_dump(filelock_run('broken', fn () => $store->break('broken', $store->status('broken')->token)));

set_error_handler(fn ($type, $text) => throw new ErrorException($text, 0, $type));
try {
    filelock_run('expired', fn () => outlive(new Exception('thrown')), ttl: 0.02);
} catch (ErrorException $e) {
    echo get_class($e), ' after ', get_class($e->getPrevious()), ': ', $e->getPrevious()->getMessage(), "\n";
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
Warning: filelock_run(): "expired" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
string(6) "result"

Warning: filelock_run(): "expired and thrown" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in %s on line %d
Exception: thrown

Warning: filelock_run(): "broken" was broken, or its storage vanished, before it was given back; another process may have run at the same time in %s on line %d
bool(true)
ErrorException after Exception: thrown
