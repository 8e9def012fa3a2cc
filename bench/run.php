<?php
declare(strict_types=1);

/**
 * One table, measured in one run: filelock beside what PHP programs lock with today.
 *
 *     php bench/run.php [--assert]
 *
 * --assert: exit status 1 if a goal is missed. Environment: FILELOCK_SO, the extension to measure. Every kind of lock is
 * measured in every round, one after the other, so that a slow moment of the machine meets all of them.
 */

require __DIR__ . '/launch.php';
require __DIR__ . '/rounds.php';
require __DIR__ . '/recipes.php';
require __DIR__ . '/directory.php';
require __DIR__ . '/foreign.php';
require __DIR__ . '/processes.php';
require __DIR__ . '/syscalls.php';
require __DIR__ . '/goals.php';

$launch = new Launch();
if (!$launch->isInside()) {
    exit($launch->again($argv));
}

printf("PHP %s, %s, %d CPUs, Linux %s; opcache on, JIT %s\n\n", PHP_VERSION, PHP_ZTS ? 'ZTS' : 'NTS', processors(),
    php_uname('r'), opcache_get_status(false)['jit']['on'] ?? false ? 'on' : 'off');

$processes = new Processes($launch);
$results = measure(recipes($launch, $processes) + foreign_recipes($launch->directory));
$results += $processes->measure();
$results += measure(directory_recipes($launch->directory)); // 100,000 directories leave no cache as it was

echo "| one lock and unlock, or what the row says | median | best |\n|---|--:|--:|\n";
foreach ($results as $label => [$median, $best]) {
    printf("| %s | %s | %s |\n", $label, in_unit($label, $median), in_unit($label, $best));
}
$systemCalls = count_system_calls($launch);
printf("| system calls in %s pairs, %.2f s, by strace | %s | |\n", number_format($systemCalls['pairs']),
    $systemCalls['seconds'], $systemCalls['text']);

echo "\n| goal | found | |\n|---|--:|---|\n";
$missed = 0;
foreach (goals($results, $systemCalls) as [$goal, $found, $reached]) {
    printf("| %s | %s | %s |\n", $goal, $found, $reached ? 'ok' : 'MISSED');
    $missed += (int) !$reached;
}
exit(in_array('--assert', $argv, true) && $missed > 0 ? 1 : 0);

/**
 * @param array<string, callable(int): ?float> $recipes
 * @return array<string, array{float, float}>
 */
function measure(array $recipes): array
{
    $rounds = new Rounds();
    array_walk($recipes, fn (callable $recipe, string $label) => $rounds->add($label, $recipe));
    return $rounds->run();
}

function processors(): int
{
    return preg_match_all('/^processor\s*:/m', (string) file_get_contents('/proc/cpuinfo'));
}

/** Rows are nanoseconds, except ratios, whose label says so. */
function in_unit(string $label, float $value): string
{
    return match (true) {
        str_contains($label, Processes::RATIO) => sprintf('%.2f ×', $value),
        $value < 1e3 => sprintf('%.1f ns', $value),
        $value < 1e6 => sprintf('%.2f µs', $value / 1e3),
        default => sprintf('%.2f ms', $value / 1e6),
    };
}
