<?php

/*
 * methods.php DIR [SECOND-MOUNT]: the methods of a file: store in DIR, each with other processes, which go through the second mount if
 * there is one. Prints what works and what is refused with which words, and last "works: METHOD... refused: METHOD...". Exits with
 * 1 at the first promise that is not kept. With "full" for SECOND-MOUNT, DIR is a small mount that is filled.
 */

declare(strict_types=1);

use FileLock\LockException;
use FileLock\Store;

const METHODS = ['link', 'mkdir', 'exclusive', 'touch', 'symlink', 'flock'];
const TURNS = 100;
const SMALL = 64 << 20;

if ($argv[1] === '--hold') {
    hold(...array_slice($argv, 2));
} elseif ($argv[1] === '--count') {
    count_up($argv[2], $argv[3]);
} else {
    judge_all($argv[1], $argv[2] ?? $argv[1]);
}

/* ---- other processes */

function hold(string $dsn, string $name, string $ttl): void
{
    $store = new Store($dsn);
    $lock = $store->lock($name, (float) $ttl);
    echo $lock->tryAcquire() ? "held\n" : 'busy ' . ($store->status($name) === null ? 'by nobody' : 'by somebody') . "\n";
    fgets(STDIN);
}

/** Adds one to a number in a file, read and written in two steps, which goes wrong when two do it at a time. */
function count_up(string $dsn, string $counter): void
{
    $lock = (new Store($dsn))->lock('crowd', 600);
    for ($turn = 0; $turn < TURNS; $turn++) {
        $lock->acquire(300) || exit(1);
        $number = (int) file_get_contents($counter);
        file_put_contents($counter, (string) ($number + 1));
        $lock->release() || exit(1);
    }
}

/** @return array{resource, array<int, resource>} */
function start(string ...$arguments): array
{
    $extension = ini_get('filelock.ttl') === false ? [] : ['-n', '-d', 'extension=' . getenv('FILELOCK_SO')];
    $process = proc_open([PHP_BINARY, ...$extension, __FILE__, ...$arguments], [['pipe', 'r'], ['pipe', 'w']], $pipes);
    return [$process, $pipes];
}

function other(string $dsn, string $name): string
{
    [$process, $pipes] = start('--hold', $dsn, $name, '60');
    $said = trim((string) fgets($pipes[1]));
    fclose($pipes[0]);
    proc_close($process);
    return $said;
}

/* ---- one method */

function expect(string $what, bool $kept): void
{
    global $promises;
    if (!$kept) {
        echo "not kept: $what\n";
        exit(1);
    }
    $promises++;
}

function judge(string $method, string $dsn, string $theirs, string $directory): void
{
    $store = new Store($dsn);
    $lock = $store->lock('x', 60);
    expect("$method: a free one is taken", $lock->tryAcquire());
    expect("$method: others find it busy, by somebody", ($said = other($theirs, 'x')) === 'busy by somebody' ?: print($said));
    expect("$method: it is refreshed and kept", $lock->refresh(100) && $lock->isAcquired() && other($theirs, 'x') !== 'held');
    expect("$method: it is given back", $lock->release() && other($theirs, 'x') === 'held');
    expect("$method: and free again", $lock->tryAcquire() && $lock->release());
    $small = $store->lock('case', 60);
    $large = $store->lock('CASE', 60);
    expect("$method: letters of another case", $small->tryAcquire() && is_bool($large->tryAcquire()) && $small->isAcquired());
    unset($small, $large);
    judge_expiry($method, $store, $theirs);
    judge_crowd($method, [$dsn, $theirs], "$directory/counter-$method");
}

function judge_expiry(string $method, Store $store, string $theirs): void
{
    $short = $store->lock('short', 1);
    $began = hrtime(true);
    expect("$method: one for a second is taken", $short->tryAcquire());
    if (!in_array($method, ['link', 'touch'], true)) {
        return;
    }
    while (other($theirs, 'short') !== 'held') {
        expect("$method: it is free for others in the end", hrtime(true) - $began < 60e9);
    }
    expect("$method: not before", hrtime(true) - $began >= 1e9);
    expect("$method: and its holder has lost it", !$short->isAcquired() && !$short->release());
}

function judge_crowd(string $method, array $dsns, string $counter): void
{
    file_put_contents($counter, '0');
    $processes = array_map(fn (int $i): array => start('--count', $dsns[$i % 2], $counter), range(0, 3));
    foreach ($processes as [$process, $pipes]) {
        fclose($pipes[0]);
        expect("$method: everybody gets his turns", proc_close($process) === 0);
    }
    expect("$method: nobody's turn is lost", file_get_contents($counter) === (string) (4 * TURNS));
    unlink($counter);
}

/* ---- a full file system */

/** Never a large file system: if the mount failed, this would fill the machine's own. */
function fill(string $directory): void
{
    exec('mountpoint -q ' . escapeshellarg($directory), $output, $status);
    expect("$directory is a small mount", $status === 0 && disk_total_space($directory) <= SMALL);
    mkdir("$directory/filler");
    $file = fopen("$directory/filler/blocks", 'w');
    for ($i = 0; $i < 20_000 && @touch(sprintf('%s/filler/%0200d', $directory, $i)); $i++); // inodes first: some locks need no block
    for ($written = 0; $written <= SMALL && @fwrite($file, str_repeat('x', 4096)) === 4096; $written += 4096);
    fclose($file);
    expect('it is full', $written <= SMALL && $i < 20_000);
}

function refuse(string $method, string $directory): void
{
    $lock = (new Store("file:$directory?method=$method"))->lock('new' . str_repeat('n', 200), 60);
    try {
        $taken = $lock->tryAcquire();
        expect("$method: a try on a full file system is a LockException, not " . var_export($taken, true), false);
    } catch (LockException $e) {
        expect("$method says why: {$e->getMessage()}", str_contains($e->getMessage(), 'No space left'));
    }
    expect("$method: nothing is left half done", count(glob("$directory/{,.}*new*", GLOB_BRACE)) === 0);
}

function judge_full(string $directory): void
{
    $locks = [];
    foreach (METHODS as $method) {
        mkdir("$directory/$method");
        $locks[$method] = (new Store("file:$directory/$method?method=$method"))->lock('held', 60);
        expect("$method: taken", $locks[$method]->tryAcquire() && $locks[$method]->refresh());
    }
    fill($directory);
    foreach (METHODS as $method) { // all of them before a release makes room
        refuse($method, "$directory/$method");
    }
    foreach ($locks as $method => $lock) {
        $store = new Store("file:$directory/$method?method=$method");
        expect("$method: status, refresh and release work", $store->status('held') !== null && $lock->refresh() && $lock->release());
        expect("$method: and it is free", $store->status('held') === null);
    }
    exec('rm -rf ' . escapeshellarg("$directory/filler"));
}

/* ---- all */

function judge_all(string $directory, string $second): void
{
    global $promises;
    $promises = 0;
    $works = $refused = [];
    if ($second === 'full') {
        judge_full($directory);
        echo "$promises promises kept\n";
        return;
    }
    foreach (METHODS as $method) {
        $path = "file-$method";
        mkdir("$directory/$path");
        try {
            judge($method, "file:$directory/$path?method=$method", "file:$second/$path?method=$method", sys_get_temp_dir());
            $works[] = $method;
        } catch (LockException $e) {
            echo str_replace("$directory/", '', $e->getMessage()), "\n";
            $refused[] = $method;
        }
    }
    echo implode(' ', ['works:', ...$works, ...($refused ? ['refused:', ...$refused] : [])]), "\n";
}
