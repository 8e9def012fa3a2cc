<?php
declare(strict_types=1);

/** A second process of the benchmark: reads commands, answers each with a number in a line. */

$file = fopen(getenv('FILELOCK_BENCH_DIRECTORY') . '/worker-flock', 'c');

/** How many lock and unlock pairs fit into that many ms. */
function pairs(string $name, int $ms): int
{
    $until = hrtime(true) + $ms * 1_000_000;
    for ($pairs = 0; hrtime(true) < $until; $pairs += 1000) {
        for ($i = 0; $i < 1000; ++$i) {
            filelock_try($name) || throw new Exception('busy');
            filelock_release($name);
        }
    }
    return $pairs;
}

function answer(int $number): void
{
    fwrite(STDOUT, "$number\n");
}

/** The time before the release is what the other one's time is compared with. */
function timed_release(callable $release): void
{
    $now = hrtime(true);
    $release() || throw new Exception('lost');
    answer($now);
}

answer(0);
while (($line = fgets(STDIN)) !== false) {
    [$command, $name, $ms] = [...explode(' ', trim($line)), ''];
    match ($command) {
        'pairs' => answer(pairs($name, (int) $ms)),
        'hold' => answer((int) (filelock_try($name, INF) || throw new Exception('busy'))),
        'wait' => answer(filelock_acquire($name, 60.0, INF) ? hrtime(true) : 0),
        'release' => timed_release(fn () => filelock_release($name)),
        'flock-hold' => answer((int) flock($file, LOCK_EX)),
        'flock-wait' => answer(flock($file, LOCK_EX) ? hrtime(true) : 0),
        'flock-release' => timed_release(fn () => flock($file, LOCK_UN)),
    };
}
