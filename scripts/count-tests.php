<?php
/*
 * count-tests.php STATUS ALLOWED-SKIPS < output: prints "passed failed skipped" of one suite.
 *
 * Adds up the closing lines of cmocka, run-tests.php and PHPUnit (9 to 11). A plain line like "3 passed, 0 failed" wins
 * over them: it is a sum already.
 * A skip that ALLOWED-SKIPS (lines of "name<TAB>reason") does not name counts as a failure, and so do an exit
 * status that no failed test explains, and a suite without a closing line.
 */

[, $status, $allowedFile] = $argv;
$output = stream_get_contents(STDIN);
$passed = $failed = $skipped = $closings = 0;

/** All matches of $pattern in the output, line by line. */
function find(string $pattern): array
{
    preg_match_all("/^$pattern/m", $GLOBALS['output'], $matches, PREG_SET_ORDER);
    return $matches;
}

// cmocka, one block per group: "[  PASSED  ] 3 test(s)."
foreach (find('\[ +(PASSED|FAILED|SKIPPED) +\] (?:.*: )?(\d+) test\(s\)') as [, $what, $count]) {
    $closings++;
    match ($what) {
        'PASSED' => $passed += $count,
        'FAILED' => $failed += $count,
        'SKIPPED' => $skipped += $count,
    };
}

// run-tests.php: "Tests passed    :     3 (100.0%) (100.0%)". No test of ours is expected to fail, warn or leak.
foreach (find('(Tests|Expected) (passed|failed|fail|warned|leaked|borked|skipped) *: +(\d+)') as [, , $what, $count]) {
    $closings++;
    match ($what) {
        'passed' => $passed += $count,
        'skipped' => $skipped += $count,
        default => $failed += $count,
    };
}

// PHPUnit: "OK (5 tests, 12 assertions)", or "Tests: 5, Assertions: 12, Failures: 1, Skipped: 1."
foreach (find('OK \((\d+) tests?, ') as [, $count]) {
    $closings++;
    $passed += $count;
}
foreach (find('Tests: (\d+), Assertions: .*') as [$line, $count]) {
    $closings++;
    preg_match_all('/(Errors|Failures|Incomplete|Skipped): (\d+)/', $line, $parts, PREG_SET_ORDER);
    foreach ($parts as [, $what, $part]) {
        $count -= $part;
        $what === 'Skipped' ? $skipped += $part : $failed += $part;
    }
    $passed += max(0, $count);
}

// Ours: the last such line is the suite's own sum.
foreach (find('(\d+) passed, (\d+) failed(?:, (\d+) skipped)?\.?$') as $numbers) {
    $closings++;
    [, $passed, $failed, $skipped] = array_map(intval(...), $numbers + [3 => 0]);
}

// The names of what was skipped.
$names = [];
foreach (find('\[ +SKIPPED +\] .*test\(s\), listed below:\n(?:\[ +SKIPPED +\] .*\n)+') as [$section]) {
    preg_match_all('/^\[ +SKIPPED +\] (\S+)$/m', $section, $tests);
    array_push($names, ...$tests[1]);
}
foreach (find('SKIP (?:.* \[(\S+)\]|([^:\n]+))') as $match) {
    $names[] = ($match[1] ?? '') ?: trim($match[2]);
}
foreach (find('There (?:was|were) \d+ skipped tests?:\n(?:(?!--$|There w).*\n)*') as [$section]) {
    preg_match_all('/^\d+\) (\S+)/m', $section, $tests);
    array_push($names, ...$tests[1]);
}

$allowed = [];
foreach (file($allowedFile, FILE_IGNORE_NEW_LINES) as $line) {
    if ($line !== '' && $line[0] !== '#') {
        [$name, $reason] = explode("\t", $line, 2);
        $allowed[$name] = $reason;
    }
}
$unexcused = array_diff($names, array_keys($allowed));
foreach (array_unique($unexcused) as $name) {
    fwrite(STDERR, "Skipped, but not listed in $allowedFile: $name\n");
}
$excused = min($skipped, count($names) - count($unexcused));
$failed += $skipped - $excused;
if ($skipped > count($names)) {
    fwrite(STDERR, "Skipped without saying the names: " . $skipped - count($names) . "\n");
}

if ($closings === 0) {
    fwrite(STDERR, "No closing line: counted as failed.\n");
    $failed++;
} elseif ($passed + $failed + $excused === 0) {
    fwrite(STDERR, "No test was run: counted as failed.\n");
    $failed++;
} elseif ($status !== '0' && $failed === 0) {
    fwrite(STDERR, "Exit status $status though no test failed: counted as failed.\n");
    $failed++;
}
echo "$passed $failed $excused\n";
