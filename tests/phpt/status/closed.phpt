--TEST--
FileLock\Status: readonly, and made by nobody else
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/closed.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try('a') or exit(1);
$status = filelock_status('a');
show(fn () => new FileLock\Status());
show(fn () => (new ReflectionClass('FileLock\Status'))->newInstanceWithoutConstructor());
show(fn () => clone $status);
show(fn () => serialize($status));
show(fn () => unserialize('O:15:"FileLock\Status":0:{}'));
show(fn () => $status->pid = 1);
show(function () use ($status) {
    unset($status->pid);
});
show(fn () => $status->property = 1);
$class = new ReflectionClass($status);
var_dump($class->isFinal(), $class->isCloneable());
foreach ($class->getProperties() as $property) {
    echo $property->isReadOnly() ? 'readonly ' : '', $property->getType(), ' $', $property->getName(), "\n";
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
Error: Call to private FileLock\Status::__construct() from %s
ReflectionException: Class FileLock\Status is an internal class marked as final that cannot be instantiated without invoking its constructor
Error: Trying to clone an uncloneable object of class FileLock\Status
Exception: Serialization of 'FileLock\Status' is not allowed
Exception: Unserialization of 'FileLock\Status' is not allowed
Error: Cannot modify readonly property FileLock\Status::$pid
Error: Cannot unset readonly property FileLock\Status::$pid
Error: Cannot create dynamic property FileLock\Status::$property
bool(true)
bool(false)
readonly string $name
readonly bool $shared
readonly int $holders
readonly int $waiters
readonly bool $mine
readonly ?int $token
readonly ?int $pid
readonly ?int $uid
readonly ?string $host
readonly string $label
readonly ?float $since
readonly ?float $remaining
