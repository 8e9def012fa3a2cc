<?php
declare(strict_types=1);

/**
 * What is to be reached, as ratios of medians of this run: they mean the same on every machine.
 *
 * @param array<string, array{float, float}> $results
 * @param array{pairs: int, seconds: float, total: int, text: string} $systemCalls
 * @return list<array{string, string, bool}>  goal, what was found, reached
 */
function goals(array $results, array $systemCalls): array
{
    $ratio = function (string $goal, string $a, string $b, float $limit) use ($results): array {
        $found = $results[$a][0] / $results[$b][0];
        return [$goal, sprintf('%.2f', $found), $found <= $limit];
    };
    $two = $results[Processes::TWO][0];
    $looks = 1 + (int) ceil($systemCalls['seconds'] * 100);
    $floor = $ratio('lock and unlock by name ≤ 4 × the floor', PAIR, FLOOR, 4.0);
    $floor[1] .= sprintf(' (%.2f × gc_enabled() twice)', $results[PAIR][0] / $results[BARE][0]);
    return [
        $ratio('lock and unlock by name ≤ 0.5 × APCu\'s pair', PAIR, APCU, 0.5),
        $floor,
        $ratio('lock and unlock by handle ≤ 3 × two empty methods', HANDLE, METHODS, 3.0),
        $ratio('10,000 names ≤ 2.5 × one name', MANY_NAMES, PAIR, 2.5),
        $ratio('busy ≤ 0.3 × APCu\'s busy add', BUSY, APCU_BUSY, 0.3),
        $ratio('release to wake-up ≤ 1.5 × a blocking flock\'s', Processes::WOKEN, Processes::WOKEN_BY_FLOCK, 1.5),
        ['SIGKILL to take-over ≤ 5 ms', sprintf('%.2f ms', $results[Processes::KILLED][0] / 1e6),
            $results[Processes::KILLED][0] <= 5e6],
        $ratio('dir: ≤ 4 × mkdir + rmdir', DIRECTORY, MKDIR, 4.0),
        ...array_map(fn (int $count): array => $ratio("dir: " . number_format($count) . " names ≤ 2 × " . DIRECTORY_NAMES[0],
            directory_label($count), directory_label(DIRECTORY_NAMES[0]), 2.0), array_slice(DIRECTORY_NAMES, 1)),
        $ratio('file:?method=flock ≤ 1 × fopen + flock + fclose', FLOCK, FOPEN, 1.0),
        ['two processes on different names ≥ 1.7 × one', sprintf('%.2f', $two), $two >= 1.7],
        ['system calls: one look at the path per 10 ms at most, nothing else', "{$systemCalls['total']} of $looks",
            $systemCalls['total'] >= 0 && $systemCalls['total'] <= $looks],
    ];
}
