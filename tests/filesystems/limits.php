<?php

/*
 * limits.php DIR READ-ONLY: a dir: store in DIR, which must be a small mount of its own, when DIR is full, and through a read-only
 * mount of it at READ-ONLY. Exits with 1 at the first promise that is not kept.
 */

declare(strict_types=1);

use FileLock\LockException;
use FileLock\Store;

const SMALL = 64 << 20;

[, $directory, $readOnly] = $argv;
$promises = 0;

function expect(string $what, bool $kept): void
{
    global $promises;
    if (!$kept) {
        echo "not kept: $what\n";
        exit(1); // a string would end it with 0
    }
    $promises++;
}

/** @param callable(): mixed $call */
function fails(string $what, string $words, callable $call): void
{
    try {
        $result = $call();
    } catch (LockException $e) {
        expect("$what says $words, not: {$e->getMessage()}", str_contains($e->getMessage(), $words));
        return;
    }
    expect("$what is a LockException, not " . var_export($result, true), false);
}

function run(string ...$command): bool
{
    exec(implode(' ', array_map('escapeshellarg', $command)), $output, $status);
    return $status === 0;
}

/** Never a large file system: if the mount failed, this would fill the machine's own. */
function fill(string $directory): void
{
    expect("$directory is a small mount", run('mountpoint', '-q', $directory) && disk_total_space($directory) <= SMALL);
    mkdir("$directory/filler");
    $file = fopen("$directory/filler/blocks", 'w');
    for ($written = 0; $written <= SMALL && @fwrite($file, str_repeat('x', 4096)) === 4096;) {
        $written += 4096;
    }
    expect('the file system is full', $written <= SMALL);
    fclose($file);
    for ($i = 0; $i < 10_000 && @touch(sprintf('%s/filler/%0200d', $directory, $i)); $i++);
    expect('no entry is left, either', $i < 10_000);
}

/** @return list<string> what the store has, without its names' changing part */
function directories(string $directory): array
{
    $found = array_merge(glob("$directory/??/*"), glob("$directory/.new/*"), glob("$directory/.clock/*"));
    sort($found);
    return $found;
}

mkdir("$directory/locks", 0755);
$path = "$directory/locks";
$store = new Store("dir:$path");
$held = $store->lock('held', 60);
$other = $store->lock('other', 60);
expect('two locks are taken', $held->tryAcquire() && $other->tryAcquire());
$upper = $store->lock('HELD', 60);
expect('a name of other letters is another', $store->status('HELD') === null && $upper->tryAcquire() && $upper->release());

fill($directory);
$before = directories($path);
foreach (range(1, 5) as $i) {
    $new = $store->lock("$i" . str_repeat('n', 200), 60);
    fails('a try for a new name on a full file system', 'No space left', $new->tryAcquire(...));
    expect('it is not taken', !$new->isAcquired() && $store->status("$i" . str_repeat('n', 200)) === null);
}
expect('nothing is left half done', directories($path) === $before);
expect('a refresh works', $held->refresh());
expect('a status works', $store->status('held')?->pid === getmypid() && count($store->list()) === 2);
expect('a release works', $held->release() && $store->status('held') === null);
expect('its holder is not told that it lost', $other->isAcquired());

expect('a read-only mount is made', run('mount', '--bind', $directory, $readOnly) &&
    run('mount', '-o', 'remount,bind,ro', $readOnly));
$reader = new Store("dir:$readOnly/locks");
expect('status sees through it', $reader->status('other')?->pid === getmypid() && $reader->status('held') === null);
expect('list, too', count($reader->list()) === 1);
foreach (['held', 'other', 'unknown'] as $name) {
    $lock = $reader->lock($name, 60);
    fails("a try for $name", 'Read-only file system', $lock->tryAcquire(...));
}
expect('the lock is still there', $other->isAcquired() && $other->release());
echo "$promises promises kept\n";
