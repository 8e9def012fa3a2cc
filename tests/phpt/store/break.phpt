--TEST--
FileLock\Store::break(): takes exactly the lease that was seen
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/break.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$other = new Other('
    filelock_try("a") or exit(1);
    echo "holds\n";
    fgets(STDIN);
    var_dump(filelock_release("a"));
    fgets(STDIN);
');
$other->hear();

$token = $store->status('a')->token;
var_dump($store->break('a', $token + 1), $store->break('b', $token));
var_dump($store->status('a')->token === $token);
var_dump($store->break(name: 'a', token: $token), $store->break('a', $token), $store->status('a'));

// The next token is larger, and the old one breaks nothing.
filelock_try('a') or exit(1);
var_dump($store->status('a')->token > $token, $store->break('a', $token), $store->status('a')->mine);

// The old holder is told, and the new one keeps it.
$other->say('release');
var_dump($other->hear(), filelock_release('a'));
$other->say('go');
$other->end();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(false)
bool(true)
bool(true)
bool(false)
NULL
bool(true)
bool(false)
bool(true)
string(11) "bool(false)"
bool(true)
