--TEST--
phpinfo() and php --ri: the store in use, and whom it is shared with
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/info.store"
filelock.label=labelled
--FILE--
<?php
require __DIR__ . '/../store.inc';

function info(): string
{
    ob_start();
    (new ReflectionExtension('filelock'))->info();
    [$rows, $settings] = explode("\nDirective", str_replace(store_directory(), '<store>', ob_get_clean()));
    $settings = explode("\n", trim($settings));
    sort($settings);
    return $rows . implode("\n", $settings) . "\n";
}

echo info();
filelock_try('a') or exit(1);
filelock_try('b') or exit(1);
filelock_try('b') and exit(1);
echo info();
var_dump((new ReflectionExtension('filelock'))->getVersion() === phpversion('filelock'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
filelock

filelock => enabled
Version => %d.%d.%d
Stores compiled in => table:, dir:, file:
Path in use => <store>/filelock.table (not created yet: the first lock creates it)
Shared with => %s
Mode => 0600
Capacity => 16384 names
Size => %f MiB
Attached => 0 processes and threads
Locks held => 0
Waiting => 0
Leases granted => 0
Busy => 0
Waited => 0 times, 0.000 s
Expired => 0
Recovered from the dead => 0
Broken => 0
Lost => 0
=> Local Value => Master Value
filelock.label => labelled => labelled
filelock.store => table:<store> => table:<store>
filelock.ttl => 1800 => 1800

filelock

filelock => enabled
Version => %d.%d.%d
Stores compiled in => table:, dir:, file:
Path in use => <store>/filelock.table
Shared with => %s
Mode => 0600
Capacity => 16384 names
Size => %f MiB
Attached => 1 processes and threads
Locks held => 2
Waiting => 0
Leases granted => 2
Busy => 1
Waited => 0 times, 0.000 s
Expired => 0
Recovered from the dead => 0
Broken => 0
Lost => 0
=> Local Value => Master Value
filelock.label => labelled => labelled
filelock.store => table:<store> => table:<store>
filelock.ttl => 1800 => 1800
bool(true)
