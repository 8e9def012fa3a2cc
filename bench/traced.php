<?php
declare(strict_types=1);

/** What runs under strace: warms up, then locks and unlocks as often as the argument says, between two marks. */

function pairs(int $n): void
{
    for ($i = 0; $i < $n; ++$i) {
        filelock_try('import') || throw new Exception('busy');
        filelock_release('import');
    }
}

pairs(1000);
hrtime(true);
file_exists('/filelock-bench-mark-begin');
$start = hrtime(true);
pairs((int) $argv[1]);
$seconds = (hrtime(true) - $start) / 1e9;
file_exists('/filelock-bench-mark-end');
echo $seconds;
