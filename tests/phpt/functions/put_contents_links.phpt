--TEST--
filelock_put_contents() replaces the file to which a symbolic link leads, not the link; open_basedir holds for both
--EXTENSIONS--
filelock
--FILE--
<?php
require __DIR__ . '/../put.inc';

chdir(directory());
mkdir('in');
mkdir('out');
symlink('in/file', 'link');
symlink('../out/file', 'in/escape');
symlink('../out', 'in/out');
symlink('link', 'second');

var_dump(filelock_put_contents('second', 'made'), is_link('second'), is_link('link'), file_get_contents('in/file'));
var_dump(filelock_put_contents('in/escape', 'made, too'), file_get_contents('out/file'));

$outside = directory() . '/out';
ini_set('open_basedir', directory() . '/in');
show_put(fn () => filelock_put_contents('in/file', 'allowed'));
show_put(fn () => filelock_put_contents("$outside/file", 'x'));
show_put(fn () => filelock_put_contents('in/escape', 'x'));
show_put(fn () => filelock_put_contents('in/out/file', 'x'));
show_put(fn () => filelock_put_contents('in/out/new', 'x'));
show_put(fn () => filelock_put_contents('in/../out/file', 'x'));
show_put(fn () => filelock_put_contents('link/../../out/file', 'x'));
// Whether there is such a place is not said.
show_put(fn () => filelock_put_contents("$outside/missing/x", 'x'));
show_put(fn () => filelock_put_contents('/etc/passwd/x', 'x'));
echo file_get_contents('in/file'), "\n";
?>
--CLEAN--
<?php
$directory = preg_replace('/\.clean\.php$/', '.store', $_SERVER['SCRIPT_FILENAME']);
echo @file_get_contents("$directory/out/file") === 'made, too' ? '' : "written outside\n";
array_map('unlink', [...glob("$directory/in/*"), ...glob("$directory/out/*")]);
array_map('rmdir', ["$directory/in", "$directory/out"]);
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
int(4)
bool(true)
bool(true)
string(4) "made"
int(9)
string(9) "made, too"
int(7)
FileLock\LockException (1): open_basedir does not allow DIR/out/file, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow in/escape, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow in/out/file, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow in/out/new, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow in/../out/file, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow link/../../out/file, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow DIR/out/missing/x, or not the place to which its links lead; take a directory that it allows
FileLock\LockException (1): open_basedir does not allow /etc/passwd/x, or not the place to which its links lead; take a directory that it allows
allowed
