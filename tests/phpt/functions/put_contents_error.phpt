--TEST--
filelock_put_contents(): bad arguments, and what is no file that can be replaced
--EXTENSIONS--
filelock
--FILE--
<?php
require __DIR__ . '/../put.inc';

$directory = directory();
show_put(fn () => filelock_put_contents('', 'x'));
show_put(fn () => filelock_put_contents("$directory/a\0b", 'x'));
foreach (['http://localhost/x', 'php://stdout', 'PHP://memory', 'data:,x', 'data://text/plain,x', "phar://$directory/x.phar/x",
    'compress.zlib://x', 'no-such-wrapper://x', "file://$directory/x"] as $url) {
    show_put(fn () => filelock_put_contents($url, 'x'));
}
show_put(fn () => filelock_put_contents('x'));
show_put(fn () => filelock_put_contents('x', []));

mkdir("$directory/sub");
file_put_contents("$directory/file", 'old');
show_put(fn () => filelock_put_contents("$directory/sub", 'x'));
show_put(fn () => filelock_put_contents("$directory/sub/", 'x'));
show_put(fn () => filelock_put_contents("$directory/new/", 'x'));
show_put(fn () => filelock_put_contents("$directory/missing/x", 'x'));
show_put(fn () => filelock_put_contents("$directory/file/x", 'x'));
show_put(fn () => filelock_put_contents('/dev/null', 'x'));
try {
    filelock_put_contents("$directory/" . str_repeat('n', 256), 'x');
} catch (FileLock\LockException $e) {
    var_dump($e->getCode());
}
chdir("$directory/sub");
foreach (['', '/'] as $start) {
    try {
        filelock_put_contents($start . str_repeat('n/', 2100), 'x');
    } catch (FileLock\LockException $e) {
        var_dump($e->getCode());
    }
}
rmdir("$directory/sub");
show_put(fn () => filelock_put_contents('x', 'x'));
echo file_get_contents("$directory/file"), ' ', implode(' ', array_diff(scandir($directory), ['.', '..'])), "\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
ValueError: filelock_put_contents(): Argument #1 ($filename) must not be empty
ValueError: filelock_put_contents(): Argument #1 ($filename) must not contain any null bytes
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ValueError: filelock_put_contents(): Argument #1 ($filename) must be the path of a file, not a URL: only a file on this machine can be replaced
ArgumentCountError: filelock_put_contents() expects exactly 2 arguments, 1 given
TypeError: filelock_put_contents(): Argument #2 ($data) must be of type string, array given
FileLock\LockException (21): filelock: cannot write DIR/sub: it is no file: Is a directory
FileLock\LockException (21): filelock: cannot write DIR/sub/: it is no file: Is a directory
FileLock\LockException (21): filelock: cannot write DIR/new/: it is no file: Is a directory
FileLock\LockException (2): filelock: cannot write DIR/missing/x: its directory: No such file or directory
FileLock\LockException (20): filelock: cannot write DIR/file/x: it cannot be looked at: Not a directory
FileLock\LockException (22): filelock: cannot write /dev/null: it is a device, a pipe or a socket: Invalid argument; only regular files can be replaced; write to this one with file_put_contents()
int(36)
int(36)
int(36)
FileLock\LockException (2): filelock: cannot write x: the working directory is gone
old file
