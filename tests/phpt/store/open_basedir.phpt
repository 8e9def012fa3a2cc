--TEST--
FileLock\Store: open_basedir holds for a path from a script, not for the setting's
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/open_basedir.store"
open_basedir="{PWD}/.."
--FILE--
<?php
require __DIR__ . '/../store.inc';

// Inside.
show(fn () => (new FileLock\Store('table:' . store_directory()))->list());
// Outside, in every spelling.
$outside = dirname(__DIR__, 2);
foreach (["table:$outside", 'table:' . __DIR__ . '/../..', 'table:' . __DIR__ . '/%2e%2e/%2E%2E', 'table:', 'table:/'] as $dsn) {
    try {
        new FileLock\Store($dsn);
        echo "allowed: $dsn\n";
    } catch (FileLock\LockException $e) {
        echo strstr($e->getMessage(), ' path', true), strstr($e->getMessage(), ';'), ' ', $e->getCode(), "\n";
    }
}
// The setting is the administrator's: he may go wherever he wants.
ini_set('open_basedir', __DIR__);
show(fn () => filelock_try('a'));
show(fn () => (new FileLock\Store())->status('a')->name);
show(fn () => (new FileLock\Store(ini_get('filelock.store')))->status('a')->name);
show(fn () => new FileLock\Store('table:' . store_directory()));
show(fn () => new FileLock\Store('table:' . dirname(__DIR__)));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
array(0) {
}
open_basedir does not allow the store's; take a directory that it allows, or name this one in the setting filelock.store 1
open_basedir does not allow the store's; take a directory that it allows, or name this one in the setting filelock.store 1
open_basedir does not allow the store's; take a directory that it allows, or name this one in the setting filelock.store 1
open_basedir does not allow the store's; take a directory that it allows, or name this one in the setting filelock.store 1
open_basedir does not allow the store's; take a directory that it allows, or name this one in the setting filelock.store 1
bool(true)
string(1) "a"
string(1) "a"
object(FileLock\Store)#%d (0) {
}
FileLock\LockException: open_basedir does not allow the store's path %s; take a directory that it allows, or name this one in the setting filelock.store
