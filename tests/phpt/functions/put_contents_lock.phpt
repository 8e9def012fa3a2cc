--TEST--
filelock_put_contents() inside a lock: no count is lost, and killed writers leave a whole file
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/put_contents_lock.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$file = store_directory() . '/counter';
$count = '
    $count = fn () => filelock_run("counter", function () {
        $n = (int) @file_get_contents("' . $file . '") + 1;
        filelock_put_contents("' . $file . '", (string) $n);
        return $n;
    }, timeout: INF);';
$others = [];
for ($i = 0; $i < 3; $i++) {
    $others[] = new Other($count . 'fgets(STDIN); for ($i = 0; $i < 100; $i++) $count(); echo "done\n"; fgets(STDIN);');
}
array_map(fn (Other $other) => $other->say('go'), $others);
array_map(fn (Other $other) => $other->hear(), $others);
array_map(fn (Other $other) => $other->end(), $others);
var_dump(file_get_contents($file));

// Each says what it has counted after it has done so: at most one more than that is there.
for ($i = 0; $i < 5; $i++) {
    $other = new Other($count . 'while (true) echo $count(), "\n";');
    for ($said = 0; $said < 300 * ($i + 1) + $i * 20; ) {
        $said = (int) $other->hear();
    }
    $other->kill();
    $there = (int) file_get_contents($file);
    if ($there < $said) {
        echo "$there after $said\n";
    }
}
eval($count);
var_dump($count() > 1500);
?>
--CLEAN--
<?php
array_map('unlink', glob(preg_replace('/\.clean\.php$/', '.store', $_SERVER['SCRIPT_FILENAME']) . '/.filelock-put-*'));
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
string(3) "300"
bool(true)
