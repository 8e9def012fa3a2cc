--TEST--
The classes, by reflection
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/reflection.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

class Mine extends FileLock\LockException
{
}
var_dump((new Mine('text', 5)) instanceof Exception, new FileLock\LockError() instanceof Error);
var_dump((new FileLock\LockException('text', 5))->getCode());
$classes = (new ReflectionExtension('filelock'))->getClasses();
ksort($classes);
foreach ($classes as $class) {
    $parent = $class->getParentClass() ? ' extends ' . $class->getParentClass()->getName() : '';
    echo $class->isFinal() ? 'final ' : '', $class->getName(), $parent, "\n";
    foreach ($class->getMethods() as $method) {
        if ($method->getDeclaringClass() == $class) {
            $parameters = array_map(fn ($p) => $p->getType() . ' $' . $p->getName(), $method->getParameters());
            echo '    ', implode(' ', Reflection::getModifierNames($method->getModifiers())), ' ', $method->getName(), '(',
                implode(', ', $parameters), ')', $method->hasReturnType() ? ': ' . $method->getReturnType() : '', "\n";
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
int(5)
final FileLock\Lock
    private __construct()
    public tryAcquire(): bool
    public acquire(float $timeout): bool
    public tryAcquireShared(): bool
    public acquireShared(float $timeout): bool
    public refresh(?float $ttl): bool
    public release(): bool
    public isAcquired(): bool
    public getRemainingLifetime(): ?float
    public getToken(): ?int
    public getKey(): string
FileLock\LockError extends Error
FileLock\LockException extends Exception
final FileLock\Semaphore
    private __construct()
    public tryAcquire(): bool
    public acquire(float $timeout): bool
    public refresh(?float $ttl): bool
    public release(): bool
    public isAcquired(): bool
final FileLock\Status
    private __construct()
    public __toString(): string
final FileLock\Store
    public __construct(?string $dsn)
    public lock(string $name, ?float $ttl, bool $autoRelease): FileLock\Lock
    public semaphore(string $name, int $permits, ?float $ttl): FileLock\Semaphore
    public restore(string $key): ?FileLock\Lock
    public status(string $name): ?FileLock\Status
    public list(string $prefix): array
    public break(string $name, int $token): bool
    public stats(): array
    public check(): array
