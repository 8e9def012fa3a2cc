<?php
declare(strict_types=1);

/** A command-line worker of the demo: works until everything is imported. Argument: its name. */

require __DIR__ . '/worker.php';

$who = $argv[1];
$worker = new Worker($who);

if ($who === 'cli-doomed') {
    // Half of a batch is written, the lock has no expiry, and here comes SIGKILL.
    $worker->turn(INF, timeout: 10.0, halfway: function () use ($worker): bool {
        $worker->say('half');
        sleep(20);
        return false;
    });
    exit(1);
}

// cli-3 is the patient one: it waits for its turn instead of doing something else.
$timeout = $who === 'cli-3' ? 10.0 : 0.0;
while (!$worker->isFinished()) {
    if ($worker->turn(ttl: 60.0, timeout: $timeout)) {
        filelock_release(Import::NAME);
    }
    $worker->otherWork();
    $worker->say('other');
}
