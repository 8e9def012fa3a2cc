--TEST--
FileLock\Store: not to be cloned, serialized, compared, or extended
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/closed.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
show(fn () => clone $store);
show(fn () => serialize($store));
show(fn () => unserialize('O:14:"FileLock\Store":0:{}'));
show(fn () => $store == new FileLock\Store());
show(fn () => $store->property = 1);
$class = new ReflectionClass($store);
var_dump($class->isFinal(), $class->isCloneable());
var_dump($class->getConstructor()->getParameters()[0]->getAttributes()[0]->getName());
var_dump($store);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
Error: Trying to clone an uncloneable object of class FileLock\Store
Exception: Serialization of 'FileLock\Store' is not allowed
Exception: Unserialization of 'FileLock\Store' is not allowed
bool(false)
Error: Cannot create dynamic property FileLock\Store::$property
bool(true)
bool(false)
string(18) "SensitiveParameter"
object(FileLock\Store)#%d (0) {
}
