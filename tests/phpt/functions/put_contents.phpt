--TEST--
filelock_put_contents() makes and replaces a file, keeps its mode, leaves nothing else
--EXTENSIONS--
filelock
--FILE--
<?php
require __DIR__ . '/../put.inc';

$file = directory() . '/file';
umask(027);
var_dump(filelock_put_contents($file, "any\0bytes\n"), file_get_contents($file) === "any\0bytes\n");
printf("%o\n", fileperms($file) & 07777);
chmod($file, 0604);
var_dump(filesize($file));
var_dump(filelock_put_contents(filename: $file, data: str_repeat('x', 1 << 20)));
var_dump(filesize($file)); // what PHP remembers of a file is forgotten with it
printf("%o\n", fileperms($file) & 07777);
var_dump(filelock_put_contents($file, ''), file_get_contents($file));
var_dump(filelock_put_contents($file, 12.5), file_get_contents($file));

// Who has it open keeps the old contents.
$reader = fopen($file, 'r');
filelock_put_contents($file, 'new');
var_dump(fread($reader, 100), file_get_contents($file));

// Relative paths are those of the script.
chdir(directory());
mkdir('sub');
var_dump(filelock_put_contents('sub/../relative', 'r'), filelock_put_contents('./relative:2', 'r'));
var_dump(file_get_contents('relative'));
rmdir('sub');
echo implode(' ', array_diff(scandir('.'), ['.', '..'])), "\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
int(10)
bool(true)
640
int(10)
int(1048576)
int(1048576)
604
int(0)
string(0) ""
int(4)
string(4) "12.5"
string(4) "12.5"
string(3) "new"
int(1)
int(1)
string(1) "r"
file relative relative:2
