--TEST--
dir: directories and options that are refused
--EXTENSIONS--
filelock
--INI--
filelock.store="dir:{PWD}/store_error.store"
--FILE--
<?php
require __DIR__ . '/directory.inc';

$base = directory();
show(fn () => new FileLock\Store('dir:'));
show(fn () => new FileLock\Store('dir:locks'));
show(fn () => new FileLock\Store("dir:$base?capacity=1024"));
show(fn () => new FileLock\Store("dir:$base?mode=0777"));
show(fn () => new FileLock\Store("dir:$base?mode=abc"));
show(fn () => new FileLock\Store("dir:$base?keep=1"));
show(fn () => new FileLock\Store("dir:$base?keep=86400&mode=0660"));

// The directory itself is never made: an unmounted share is no store.
$try = function (string $dsn) {
    $lock = (new FileLock\Store($dsn))->lock('a');
    return $lock->tryAcquire();
};
show(fn () => $try("dir:$base/missing"));
show(fn () => (new FileLock\Store("dir:$base/missing"))->status('a'));
touch("$base/file");
show(fn () => $try("dir:$base/file"));
mkdir("$base/sticky");
chmod("$base/sticky", 01777);
show(fn () => $try("dir:$base/sticky"));
show(fn () => $try('dir:/proc/self'));
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must name the shared directory, as in dir:/mnt/shared/locks
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have an absolute path, "locks" is relative: two scripts with different working directories would not share a lock; write it as in dir:/run/app
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) has an option "capacity" that dir: does not know; there are mode and keep
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have mode between 0600 and 0666, not "0777"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have mode between 0600 and 0666, not "abc"
ValueError: FileLock\Store::__construct(): Argument #1 ($dsn) must have keep between 7200 and 315360000, not "1"
object(FileLock\Store)#%d (0) {
}
FileLock\LockException: filelock: cannot use the directory $base/missing: No such file or directory; is the share mounted? A dir: store never makes its directory: mkdir -m 2770 $base/missing
FileLock\LockException: filelock: cannot use the directory $base/missing: No such file or directory; is the share mounted? A dir: store never makes its directory: mkdir -m 2770 $base/missing
FileLock\LockException: filelock: $base/file: Not a directory
FileLock\LockException: filelock: $base/sticky is sticky (mode 1777): whoever may write there can put a store of his own in the place, and nobody may rename the files of others; make a directory for the locks below it: mkdir -m 2770 $base/sticky/locks
FileLock\LockException: filelock: /proc/self lies on a file system (%s) where a rename is not known to be one step for all clients; export the directory by NFS, or use a table: store on one machine
