--TEST--
file: open_basedir holds for a path from a script
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/open_basedir.store?method=link"
open_basedir="{PWD}"
--FILE--
<?php
require __DIR__ . '/foreign.inc';

var_dump(try_once('file:' . directory() . '?method=mkdir'), try_once('file:' . directory() . '/one.lock?method=flock', 'one'));
foreach (['', '/one.lock'] as $end) {
    show(fn () => try_once('file:' . dirname(__DIR__) . "$end?method=mkdir", 'one'));
}
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
bool(true)
bool(true)
FileLock\LockException: open_basedir does not allow the store's path %s; take a directory that it allows, or name this one in the setting filelock.store
FileLock\LockException: open_basedir does not allow the store's path %s/one.lock; take a directory that it allows, or name this one in the setting filelock.store
