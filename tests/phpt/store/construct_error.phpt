--TEST--
FileLock\Store: bad DSNs
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/construct_error.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

foreach (['import', '/run/app', 'mysql:/run/app', 'table:run/app', "table:/run\0/app", 'table:/run/app?mode=0660&size=3',
    'table:/run/app?mode=rw', 'table:/run/app?capacity=0', 'table:/run/app?mode',
    'table:/run/app?mode=0660&capacity=64&mode=0600', 'table:/run/app?mode=0660&mode=0660', 'table:/run/%+1', 'table:/' . str_repeat('x', 600)] as $dsn) {
    show(fn () => new FileLock\Store($dsn));
}
show(fn () => new FileLock\Store([]));
show(fn () => new FileLock\Store('table:', 1));

// A directory that is not there is the world's fault, and found out when it is needed.
$store = new FileLock\Store('table:' . store_directory() . '/none');
show(fn () => $store->status('a'));

$store = new FileLock\Store();
show(fn () => $store->__construct());
$store = (new ReflectionClass(FileLock\Store::class));
show(fn () => $store->newInstanceWithoutConstructor());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must start with the kind of the store, "import" does not; write it as in table:/run/app?mode=0660
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must start with the kind of the store, "/run/app" does not; write it as in table:/run/app?mode=0660
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) names a kind of store, "mysql", that is not compiled in; there are table:, dir: and file:
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have an absolute path, "run/app" is relative: %s
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must not contain any null bytes
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has an option "size" that table: does not know; there are mode and capacity
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have mode between %s, not "rw"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have capacity between %s, not "0"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has an option "mode" that is not key=value; %s
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has the option "mode" twice; %s
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has the option "mode" twice; %s
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has a path that is longer than %s
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has a path that is longer than %s
TypeError: FileLock\Store::__construct(): Argument #1 ($dsn) must be of type ?string, array given
ArgumentCountError: FileLock\Store::__construct() expects at most 1 argument, 2 given
NULL
Error: Cannot call the constructor of FileLock\Store twice
ReflectionException: Class FileLock\Store is an internal class marked as final that cannot be instantiated without invoking its constructor
