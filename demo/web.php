<?php
declare(strict_types=1);

/** One web request of the demo: one turn. It releases nothing, the end of the request does. */

require __DIR__ . '/worker.php';

$who = basename($_SERVER['REQUEST_URI']);
$worker = new Worker($who);

if ($who === 'web-slow') {
    // Half of a batch is written, and then something hangs for twice as long as the lock was to last.
    $worker->turn(0.4, timeout: 10.0, halfway: function () use ($worker): bool {
        $worker->say('hang');
        usleep(800_000);
        return filelock_refresh(Import::NAME);
    });
} elseif (!$worker->turn(ttl: 60.0)) {
    $worker->otherWork();
    $worker->say('other');
}
