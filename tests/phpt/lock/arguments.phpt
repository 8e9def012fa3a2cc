--TEST--
The methods' parameters, by name and by reflection
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/arguments.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
$lock = $store->lock(name: 'a', ttl: 60, autoRelease: true);
$permit = $store->semaphore(name: 'b', permits: 2, ttl: 60);
var_dump($lock->acquire(timeout: 0), $lock->refresh(ttl: 60), $lock->release(), $lock->acquireShared(timeout: 0));
var_dump($permit->acquire(timeout: 0), $permit->refresh(ttl: 60), $store->restore(key: 'x'));
foreach ([FileLock\Store::class, FileLock\Lock::class, FileLock\Semaphore::class] as $class) {
    foreach ((new ReflectionClass($class))->getMethods() as $method) {
        $parameters = array_map(fn ($p) => $p->getType() . ' $' . $p->getName()
            . ($p->isOptional() ? ' = ' . var_export($p->getDefaultValue(), true) : '')
            . ($p->getAttributes() ? ' #' . $p->getAttributes()[0]->getName() : ''), $method->getParameters());
        echo strstr($class, '\\'), '::', $method->getName(), '(', implode(', ', $parameters), ")\n";
        // The attribute exists from PHP 8.5 on.
        $discard = array_map(fn ($a) => $a->getName(), $method->getAttributes()) !== ['NoDiscard'];
        if ($discard === (PHP_VERSION_ID >= 80500 && str_contains(strtolower($method->getName()), 'acquire') && $method->getName() !== 'isAcquired')) {
            echo "NoDiscard is wrong\n";
        }
    }
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
NULL
\Store::__construct(?string $dsn = NULL #SensitiveParameter)
\Store::lock(string $name, ?float $ttl = NULL, bool $autoRelease = true)
\Store::semaphore(string $name, int $permits, ?float $ttl = NULL)
\Store::restore(string $key #SensitiveParameter)
\Store::status(string $name)
\Store::list(string $prefix = '')
\Store::break(string $name, int $token)
\Store::stats()
\Store::check()
\Lock::__construct()
\Lock::tryAcquire()
\Lock::acquire(float $timeout)
\Lock::tryAcquireShared()
\Lock::acquireShared(float $timeout)
\Lock::refresh(?float $ttl = NULL)
\Lock::release()
\Lock::isAcquired()
\Lock::getRemainingLifetime()
\Lock::getToken()
\Lock::getKey()
\Semaphore::__construct()
\Semaphore::tryAcquire()
\Semaphore::acquire(float $timeout)
\Semaphore::refresh(?float $ttl = NULL)
\Semaphore::release()
\Semaphore::isAcquired()
