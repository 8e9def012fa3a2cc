<?php
declare(strict_types=1);

/**
 * Counts the system calls of a million uncontended pairs with strace: between two looks for files that do not exist, which
 * mark the beginning and the end in the trace.
 *
 * @return array{pairs: int, seconds: float, total: int, text: string}
 */
function count_system_calls(Launch $launch): array
{
    $pairs = 1_000_000;
    $trace = "$launch->directory/trace";
    $command = ['strace', '-f', '-o', $trace, ...$launch->command(), __DIR__ . '/traced.php', (string) $pairs];
    if (!trim((string) shell_exec('command -v strace'))) {
        return ['pairs' => $pairs, 'seconds' => 0.0, 'total' => -1, 'text' => 'not measured: strace is not installed'];
    }
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR], $pipes);
    $seconds = (float) stream_get_contents($pipes[1]);
    proc_close($process);

    $counts = [];
    $between = false;
    foreach (file($trace) as $line) {
        if (str_contains($line, 'filelock-bench-mark')) {
            $between = !$between;
        } elseif ($between && preg_match('/^\d+ +(\w+)\(/', $line, $match)) {
            $counts[$match[1]] = ($counts[$match[1]] ?? 0) + 1;
        }
    }
    $parts = array_map(fn (string $name, int $count): string => "$count × $name", array_keys($counts), $counts);
    return ['pairs' => $pairs, 'seconds' => $seconds, 'total' => array_sum($counts), 'text' => implode(', ', $parts) ?: 'none'];
}
