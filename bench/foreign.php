<?php
declare(strict_types=1);

/** The file store on tmpfs, method by method. */
const FLOCK = 'file:?method=flock: tryAcquire + release';
const OTHER_METHODS = ['link', 'mkdir', 'exclusive', 'touch', 'symlink'];

/** @return array<string, callable(int): ?float> */
function foreign_recipes(string $directory): array
{
    $recipes = [FLOCK => turns_by_method("$directory/file-flock", 'flock')];
    foreach (OTHER_METHODS as $method) {
        $recipes["file:?method=$method: the same"] = turns_by_method("$directory/file-$method", $method);
    }
    return $recipes;
}

/** @return callable(int): null */
function turns_by_method(string $path, string $method): callable
{
    mkdir($path);
    $lock = (new FileLock\Store("file:$path?method=$method"))->lock('import');
    return function (int $n) use ($lock): void {
        for ($i = 0; $i < $n; ++$i) {
            $lock->tryAcquire() || throw new Exception('busy');
            $lock->release();
        }
    };
}
