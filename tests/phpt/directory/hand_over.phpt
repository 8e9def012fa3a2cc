--TEST--
dir: keys, restore, tokens, break
--EXTENSIONS--
filelock
--INI--
filelock.store="dir:{PWD}/hand_over.store"
--FILE--
<?php
require __DIR__ . '/directory.inc';

$store = new FileLock\Store();
$lock = $store->lock("b\0\xff", 100, false);
var_dump($lock->tryAcquire());
[$key, $token] = [$lock->getKey(), $lock->getToken()];
var_dump($key === $lock->getKey(), (bool) preg_match('/^d1-[0-9a-f]{32}-[0-9a-f]{32}$/', $key));
// Left to its deadline.
unset($lock);
var_dump($store->status("b\0\xff")->mine, $store->status("b\0\xff")->token === $token);
$other = $store->lock("b\0\xff");
var_dump($other->tryAcquire());
// The secret is in no name below the directory.
$names = shell_exec('find ' . escapeshellarg(directory()));
var_dump(str_contains($names, 'b%00%ff'), str_contains($names, substr($key, 36)));

$new = $store->restore($key);
var_dump($new->isAcquired(), $new->getToken() === $token, $new->getRemainingLifetime() > 0, $store->status("b\0\xff")->mine);
var_dump($store->restore($key), $store->restore('d1-' . str_repeat('0', 32) . '-' . str_repeat('0', 32)), $store->restore('x'));

// A broken one has lost it, and the next has a larger token.
var_dump($store->break("b\0\xff", $token + 1), $store->break("b\0\xff", $token), $store->status("b\0\xff"));
var_dump($new->isAcquired(), $new->release());
$again = $store->lock("b\0\xff");
var_dump($again->tryAcquire(), $again->getToken() > $token, $again->release());
?>
--CLEAN--
<?php
require __DIR__ . '/clean.inc';
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
NULL
NULL
NULL
bool(false)
bool(true)
NULL
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
