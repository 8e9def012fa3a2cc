--TEST--
FileLock\Lock, FileLock\Semaphore: not to be made, cloned, serialized, compared, or extended
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/closed.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
foreach ([$store->lock('a'), $store->semaphore('a', 2)] as $handle) {
    $class = $handle::class;
    show(fn () => clone $handle);
    show(fn () => serialize($handle));
    show(fn () => unserialize('O:' . strlen($class) . ":\"$class\":0:{}"));
    var_dump($handle == ($handle instanceof FileLock\Lock ? $store->lock('a') : $store->semaphore('a', 2)), $handle == $handle);
    show(fn () => $handle->property = 1);
    show(fn () => new $class());
    $reflection = new ReflectionClass($handle);
    show(fn () => $reflection->newInstanceWithoutConstructor());
    var_dump($reflection->isFinal(), $reflection->isCloneable(), $reflection->isInstantiable());
    var_dump($handle);
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
Error: Trying to clone an uncloneable object of class FileLock\Lock
Exception: Serialization of 'FileLock\Lock' is not allowed
Exception: Unserialization of 'FileLock\Lock' is not allowed
bool(false)
bool(true)
Error: Cannot create dynamic property FileLock\Lock::$property
Error: Call to private FileLock\Lock::__construct() from %s
ReflectionException: Class FileLock\Lock is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(true)
bool(false)
bool(false)
object(FileLock\Lock)#%d (0) {
}
Error: Trying to clone an uncloneable object of class FileLock\Semaphore
Exception: Serialization of 'FileLock\Semaphore' is not allowed
Exception: Unserialization of 'FileLock\Semaphore' is not allowed
bool(false)
bool(true)
Error: Cannot create dynamic property FileLock\Semaphore::$property
Error: Call to private FileLock\Semaphore::__construct() from %s
ReflectionException: Class FileLock\Semaphore is an internal class marked as final that cannot be instantiated without invoking its constructor
bool(true)
bool(false)
bool(false)
object(FileLock\Semaphore)#%d (0) {
}
