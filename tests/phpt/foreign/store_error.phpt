--TEST--
file: directories, files and options that are refused
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/store_error.store?method=link"
--FILE--
<?php
require __DIR__ . '/foreign.inc';

$base = directory();
foreach (['file:', 'file:?method=link', 'file:locks?method=link', "file:$base", "file:$base?method=fcntl", "file:$base?method=link&mode=0600",
    "file:$base?method=link&stale=0", "file:$base?method=link&stale=x", "file:$base?method=link&stale=315360001",
    "file:$base?method=flock&stale=5", "file:$base?method=link&suffix=a/b", "file:$base?method=link&suffix=.a-very-long-suffix"] as $dsn) {
    show(fn () => new FileLock\Store($dsn));
}
show(fn () => new FileLock\Store("file:$base?suffix=.pid&stale=60&method=exclusive"));

// What is not there, or is something else.
show(fn () => try_once("file:$base/missing?method=link"));
show(fn () => (new FileLock\Store("file:$base/missing?method=link"))->status('a'));
touch("$base/file");
show(fn () => try_once("file:$base/file?method=link"));
show(fn () => try_once("file:$base/one.lock?method=link", 'two'));
show(fn () => try_once('file:/proc/self?method=link'));

// Never followed, never waited for, never emptied.
file_put_contents("$base/precious", 'precious');
symlink("$base/precious", "$base/linked.lock");
exec("mkfifo " . escapeshellarg("$base/fifo.lock"));
mkdir("$base/directory.lock");
foreach (['link', 'exclusive', 'touch', 'flock'] as $method) {
    foreach (['linked', 'fifo', 'directory'] as $name) {
        show(fn () => try_once("file:$base?method=$method", $name));
        show(fn () => (new FileLock\Store("file:$base?method=$method"))->status($name));
    }
}
show(fn () => try_once("file:$base?method=mkdir", 'linked'));
show(fn () => try_once("file:$base?method=symlink", 'directory'));
var_dump(file_get_contents("$base/precious"), readlink("$base/linked.lock") === "$base/precious");
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must name a directory or a file, as in file:/var/lock?method=link
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must name a directory or a file, as in file:/var/lock?method=link
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have an absolute path, "locks" is relative: two scripts with different working directories would not share a lock; write it as in file:/run/app
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must say how the other programs lock, as in file:/var/lock?method=link
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has a method "fcntl" that file: does not know; there are link, mkdir, exclusive, touch, symlink, flock
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has an option "mode" that file: does not know; there are method, suffix, stale
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have stale between 1 and 315360000, not "0"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have stale between 1 and 315360000, not "x"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have stale between 1 and 315360000, not "315360001"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must not have a stale age with method=flock: the kernel sees who lives
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have a suffix of at most 15 bytes without a slash
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have a suffix of at most 15 bytes without a slash
object(FileLock\Store)#%d (0) {
}
FileLock\LockException: filelock: cannot lock in $base/missing: No such file or directory; make the directory first; a path that ends in ".lock" is one lock
FileLock\LockException: filelock: cannot lock in $base/missing: No such file or directory; make the directory first; a path that ends in ".lock" is one lock
FileLock\LockException: filelock: cannot lock in $base/file: Not a directory; make the directory first; a path that ends in ".lock" is one lock
ValueError: FileLock\Store::lock(): Argument #1 ($name) must be "one": the store is the one lock $base/one.lock
FileLock\LockException: filelock: cannot lock by link in /proc/self: on its file system (unknown) it may not be seen what others do; dir: is for shared directories, and method=link is for NFS
FileLock\LockException: filelock: cannot take the lock $base/linked.lock: it is a symbolic link, and with method=link a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/linked.lock: it is a symbolic link, and with method=link a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=link a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=link a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/directory.lock: it is a directory, and with method=link a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/directory.lock: it is a directory, and with method=link a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/linked.lock: it is a symbolic link, and with method=exclusive a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/linked.lock: it is a symbolic link, and with method=exclusive a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=exclusive a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=exclusive a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/directory.lock: it is a directory, and with method=exclusive a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/directory.lock: it is a directory, and with method=exclusive a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/linked.lock: it is a symbolic link, and with method=touch a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/linked.lock: it is a symbolic link, and with method=touch a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=touch a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=touch a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/directory.lock: it is a directory, and with method=touch a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/directory.lock: it is a directory, and with method=touch a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/linked.lock: it is a symbolic link, and with method=flock a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/linked.lock: it is a symbolic link, and with method=flock a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=flock a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/fifo.lock: it is a pipe, a socket or a device, and with method=flock a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/directory.lock: it is a directory, and with method=flock a lock is a file
FileLock\LockException: filelock: cannot see who has the lock $base/directory.lock: it is a directory, and with method=flock a lock is a file
FileLock\LockException: filelock: cannot take the lock $base/linked.lock: it is a symbolic link, and with method=mkdir a lock is a directory
FileLock\LockException: filelock: cannot take the lock $base/directory.lock: it is a directory, and with method=symlink a lock is a symbolic link
string(8) "precious"
bool(true)
