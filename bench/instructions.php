<?php
declare(strict_types=1);

/** What runs under callgrind: locks and unlocks as often as the argument says. */

for ($i = 0, $n = (int) $argv[1]; $i < $n; ++$i) {
    filelock_try('import') || throw new Exception('busy');
    filelock_release('import');
}
