--TEST--
filelock_list(): one Status per held name that starts with a prefix
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/list.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

function names(string ...$prefix): string
{
    $list = filelock_list(...$prefix);
    assert(array_is_list($list));
    $names = array_map(fn (FileLock\Status $status) => $status->name, $list);
    sort($names);
    return implode(' ', $names) . "\n";
}

echo names(), implode(' ', scandir(store_directory())), "\n"; // nobody has used the store yet
foreach (['import.a', 'import.b', 'import', 'export', "\0import"] as $name) {
    filelock_try($name) or exit(1);
}
filelock_try('expired', 0.02) or exit(1);
usleep(60000);
$other = other_holds('import.c');
echo names('import');
echo names('import.');
echo names(prefix: 'x');
var_dump(count(filelock_list("\0")), count(filelock_list()), count(filelock_list('')));
$other->kill();
filelock_release('expired');
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--

. ..
import import.a import.b import.c
import.a import.b import.c

int(1)
int(6)
int(6)
