--TEST--
file: check() tells what is unsafe or surprising about a method and a directory
--EXTENSIONS--
filelock
--INI--
filelock.store="file:{PWD}/check.store?method=link"
--FILE--
<?php
require __DIR__ . '/foreign.inc';

function tell(string $dsn): void
{
    echo strstr($dsn, 'method='), ":\n";
    foreach ((new FileLock\Store($dsn))->check() as $finding) {
        echo '  ', str_replace(directory(), '$base', $finding), "\n";
    }
}

foreach (METHODS as $method) {
    tell('file:' . directory() . "?method=$method");
}
tell('file:' . directory() . '?method=mkdir&stale=60');
chmod(directory(), 01777);
tell('file:' . directory() . '?method=link');
tell('file:' . directory() . '/one.lock?method=flock');
var_dump(scandir(directory()));
show(fn () => (new FileLock\Store('file:' . directory() . '/missing?method=link'))->check());
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECT--
method=link:
method=mkdir:
  no lock expires for others: method=mkdir has no usual age; the option stale=SECONDS gives it one
method=exclusive:
  no lock expires for others: method=exclusive has no usual age; the option stale=SECONDS gives it one
  other programs' PIDs mean what they say only if no container shares $base; inside of one they are not believed
method=touch:
  programs that look first and touch afterwards can both take one lock: this is their convention's fault
method=symlink:
  no lock expires for others: method=symlink has no usual age; the option stale=SECONDS gives it one
  other programs' PIDs mean what they say only if no container shares $base; inside of one they are not believed
method=flock:
  a time to live tells only its holder: others get the lock when it is given back or its process ends
method=mkdir&stale=60:
method=link:
  every user can make, and forge, locks in $base (mode 1777)
  $base is sticky (mode 1777): the stale lock of another user cannot be taken away there
method=flock:
  a time to live tells only its holder: others get the lock when it is given back or its process ends
  every user can make, and forge, locks in $base (mode 1777)
array(2) {
  [0]=>
  string(1) "."
  [1]=>
  string(2) ".."
}
FileLock\LockException: filelock: cannot lock in $base/missing: No such file or directory; make the directory first; a path that ends in ".lock" is one lock
