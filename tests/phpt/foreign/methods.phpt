--TEST--
file: what each method makes, tells and leaves
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/methods.store?method=link"
filelock.label=somebody
--FILE--
<?php
require __DIR__ . '/foreign.inc';

function shape(string $path): string
{
    clearstatcache();
    return match (true) {
        is_link($path) => 'link to ' . readlink($path),
        is_dir($path) => 'directory of ' . (count(scandir($path)) - 2),
        is_file($path) => 'file with ' . json_encode(file_get_contents($path)),
        default => 'nothing',
    };
}

$mine = [gethostname() . '-' . getmypid() => 'HOST-PID', '"' . getmypid() . '\n"' => 'PID',
    '/filelock [0-9a-f]{16} \d+ \d+ \d+ \S+/' => ''];
foreach (array_diff(METHODS, ['flock']) as $method) { // flock.phpt
    $store = new FileLock\Store('file:' . directory() . "?method=$method");
    $path = directory() . "/$method.lock";
    $lock = $store->lock($method, 60);
    var_dump($lock->tryAcquire());
    echo "$method: ", preg_replace('/filelock [0-9a-f]{16} \d+ \d+ \d+ \S+/', 'LINE', strtr(preg_replace('/:[0-9a-f]{16}-/', '-', shape($path)), $mine)), "\n";
    $status = $store->status($method);
    var_dump($status->mine, $status->pid === getmypid(), $status->label, round($status->remaining, -1), $lock->getToken(),
        abs($status->since - time()) < 60, $lock->getRemainingLifetime() > 50);
    var_dump(array_map(fn ($s) => $s->name, iterator_to_array($store->list())));
    var_dump($lock->refresh(600), round($lock->getRemainingLifetime(), -1), $lock->release(), $lock->release());
    echo shape($path), "\n";
    var_dump($store->status($method));
}
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECT--
bool(true)
link: file with "0\nLINE somebody\n"
bool(true)
bool(true)
string(8) "somebody"
float(60)
NULL
bool(true)
bool(true)
array(1) {
  [0]=>
  string(4) "link"
}
bool(true)
float(600)
bool(true)
bool(false)
nothing
NULL
bool(true)
mkdir: directory of 0
bool(true)
bool(true)
string(8) "somebody"
float(60)
NULL
bool(true)
bool(true)
array(1) {
  [0]=>
  string(5) "mkdir"
}
bool(true)
float(600)
bool(true)
bool(false)
nothing
NULL
bool(true)
exclusive: file with PID
bool(true)
bool(true)
string(8) "somebody"
float(60)
NULL
bool(true)
bool(true)
array(1) {
  [0]=>
  string(9) "exclusive"
}
bool(true)
float(600)
bool(true)
bool(false)
nothing
NULL
bool(true)
touch: file with ""
bool(true)
bool(true)
string(8) "somebody"
float(60)
NULL
bool(true)
bool(true)
array(1) {
  [0]=>
  string(5) "touch"
}
bool(true)
float(600)
bool(true)
bool(false)
nothing
NULL
bool(true)
symlink: link to HOST-PID
bool(true)
bool(true)
string(8) "somebody"
float(60)
NULL
bool(true)
bool(true)
array(1) {
  [0]=>
  string(7) "symlink"
}
bool(true)
float(600)
bool(true)
bool(false)
nothing
NULL
