<?php
declare(strict_types=1);

/**
 * The directory store on tmpfs, beside the cheapest lock of other programs that a shared directory carries. Names are drawn in
 * an order that has nothing to do with that of their directories, and all of them were taken before.
 */
const DIRECTORY = 'dir: tryAcquire + release';
const MKDIR = 'mkdir + rmdir';
const DIRECTORY_NAMES = [10, 1_000, 100_000];

/** @return array<string, callable(int): ?float> */
function directory_recipes(string $directory): array
{
    $recipes = [
        MKDIR => function (int $n) use ($directory): void {
            $path = "$directory/mkdir";
            for ($i = 0; $i < $n; ++$i) {
                mkdir($path) || throw new Exception('busy');
                rmdir($path);
            }
        },
        DIRECTORY => turns_in_directory("$directory/dir", 1),
    ];
    foreach (DIRECTORY_NAMES as $count) {
        $recipes[directory_label($count)] = turns_in_directory("$directory/dir-$count", $count);
    }
    return $recipes;
}

function directory_label(int $count): string
{
    return 'dir: the same over ' . number_format($count) . ' names';
}

/** @return callable(int): null */
function turns_in_directory(string $path, int $count): callable
{
    mkdir($path);
    $store = new FileLock\Store("dir:$path");
    $locks = array_map(fn (int $i): FileLock\Lock => $store->lock("order/$i"), range(1, $count));
    foreach ($locks as $lock) {
        $lock->tryAcquire() || throw new Exception('busy');
        $lock->release();
    }
    shuffle($locks);
    $next = 0;
    return function (int $n) use ($locks, &$next): void {
        for ($i = 0; $i < $n; ++$i) {
            $lock = $locks[$next++ % count($locks)];
            $lock->tryAcquire() || throw new Exception('busy');
            $lock->release();
        }
    };
}
