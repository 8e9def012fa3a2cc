--TEST--
The functions' parameters, by name and by reflection
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/arguments.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

filelock_try(name: 'a', ttl: 60) or exit(1);
filelock_acquire(name: 'b', timeout: 0, ttl: 60) or exit(1);
filelock_run(name: 'c', work: 'time', timeout: 0, ttl: 60);
filelock_refresh(name: 'a', ttl: 60);
filelock_release(name: 'a');
filelock_status(name: 'a');
filelock_list(prefix: 'a');

$functions = (new ReflectionExtension('filelock'))->getFunctions();
ksort($functions);
foreach ($functions as $name => $function) {
    $parameters = array_map(fn ($p) => $p->getType() . ' $' . $p->getName()
        . ($p->isOptional() ? ' = ' . var_export($p->getDefaultValue(), true) : ''), $function->getParameters());
    echo $name, '(', implode(', ', $parameters), '): ', $function->getReturnType(), "\n";
    // The attribute exists from PHP 8.5 on.
    $discard = array_map(fn ($a) => $a->getName(), $function->getAttributes()) !== ['NoDiscard'];
    if ($discard === (PHP_VERSION_ID >= 80500 && in_array($name, ['filelock_try', 'filelock_acquire']))) {
        echo "NoDiscard is wrong\n";
    }
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
filelock_acquire(string $name, float $timeout, ?float $ttl = NULL): bool
filelock_list(string $prefix = ''): array
filelock_put_contents(string $filename, string $data): int
filelock_refresh(string $name, ?float $ttl = NULL): bool
filelock_release(string $name): bool
filelock_release_all(): int
filelock_run(string $name, callable $work, float $timeout = 0.0, ?float $ttl = NULL): mixed
filelock_status(string $name): ?FileLock\Status
filelock_try(string $name, ?float $ttl = NULL): bool
