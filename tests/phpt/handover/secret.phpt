--TEST--
Keys appear in no dump, status, list or trace
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/secret.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock('a', 60);
$lock->tryAcquire() || exit('not taken');
$key = $lock->getKey();
ob_start();
var_dump($lock, $store, $store->status('a'), $store->list(), (array) $lock, get_object_vars($lock));
print_r($lock);
var_export([(array) $lock, $store->stats()]);
echo $store->status('a'), json_encode([$lock, $store]), (new ReflectionExtension('filelock'))->info();
try {
    $store->restore($key, 2);
} catch (ArgumentCountError $e) {
    echo $e, print_r($e->getTrace(), true);
}
$text = ob_get_clean();
var_dump(str_contains($text, $key), str_contains($text, substr($key, -32)), str_contains($text, 'SensitiveParameterValue'));
$parameter = (new ReflectionMethod($store, 'restore'))->getParameters()[0];
var_dump($parameter->getAttributes()[0]->getName());
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(false)
bool(false)
bool(true)
string(18) "SensitiveParameter"
