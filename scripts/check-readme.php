<?php
declare(strict_types=1);
/*
 * check-readme.php [FILE]: runs what README.md shows, with the extension FILELOCK_SO.
 *
 * Every ```php block is run as a script, which must end well and write nothing to stderr; a ```text block right after it is what
 * it must print. A block that starts with "<?php // NAME" is kept as the file NAME for the ```console blocks: these are
 * terminals, of which the last command goes on while the next terminal is at work. "kill -9" means the process of the
 * terminal before. Numbers and the host are not compared. readme-prelude.php has what the examples take for granted.
 */

chdir(dirname(__DIR__));
$readme = $argv[1] ?? 'README.md';
$extension = realpath(getenv('FILELOCK_SO') ?: 'build-php/modules/filelock.so') or exit("No extension: ./dev build\n");
$prelude = __DIR__ . '/readme-prelude.php';
$work = sys_get_temp_dir() . '/filelock-readme-' . bin2hex(random_bytes(6));
mkdir($work, 0700);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($work)));

/** @return list<array{line: int, language: string, text: string}> */
function blocks(string $file): array
{
    preg_match_all('/^```(\w+)\n(.*?)^```$/ms', file_get_contents($file), $matches, PREG_OFFSET_CAPTURE | PREG_SET_ORDER);
    $before = fn (int $offset): int => substr_count(file_get_contents($file), "\n", 0, $offset) + 1;
    return array_map(fn (array $match): array => [
        'line' => $before($match[0][1]),
        'language' => $match[1][0],
        'text' => $match[2][0],
    ], $matches);
}

/** @return array{resource, resource, resource}  process, its output, its errors */
function start(array $arguments, array $prefix = []): array
{
    global $work, $extension, $prelude;
    $command = [...$prefix, 'php', '-n', '-d', "extension=$extension", '-d', "filelock.store=\"table:$work/store\"",
        '-d', "auto_prepend_file=$prelude", '-d', 'display_errors=stderr', '-d', 'error_reporting=-1',
        ...$arguments];
    $errors = tmpfile();
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors], $pipes, $work);
    return [$process, $pipes[1], $errors];
}

/** Waits for the end. @return string what went wrong, '' = nothing */
function finish(array $running): string
{
    [$process, , $errors] = $running;
    $status = proc_close($process);
    rewind($errors);
    $said = trim(stream_get_contents($errors));
    return $said !== '' ? $said : ($status !== 0 ? "exit status $status" : '');
}

/** Without what differs from run to run. */
function comparable(string $text): string
{
    return preg_replace(['/\bon \S+\)/', '/\d+/', '/ (ms|s|min)\b/'], ['on host)', 'N', ' time'], $text);
}

function runExample(string $code, ?string $expected): string
{
    global $work;
    file_put_contents("$work/example.php", str_starts_with($code, '<?php') ? $code : "<?php\n$code");
    $running = start(['example.php'], ['timeout', '60']);
    $printed = stream_get_contents($running[1]);
    $wrong = finish($running);
    if ($wrong === '' && $expected !== null && comparable($printed) !== comparable($expected)) {
        $wrong = "prints:\n$printed";
    }
    return $wrong;
}

/** Runs the commands of a terminal; $before is what the terminal before left running, and becomes what this one does. */
function runTerminal(string $transcript, ?array &$before): string
{
    $still = null;
    foreach (preg_split('/^\$ /m', $transcript, -1, PREG_SPLIT_NO_EMPTY) as $part) {
        [$command, $expected] = explode("\n", $part, 2);
        if ($still !== null && ($wrong = finish($still)) !== '') {
            return "$command: $wrong";
        }
        $still = null;
        if (str_starts_with($command, 'kill -9 ')) {
            turnOff($before);
            continue;
        }
        $still = start(array_slice(explode(' ', $command), 1));
        $printed = '';
        for ($lines = substr_count($expected, "\n"); $lines > 0; $lines--) {
            $printed .= fgets($still[1]);
        }
        if (comparable($printed) !== comparable($expected)) {
            return "$command prints:\n$printed";
        }
    }
    turnOff($before);
    $before = $still;
    return '';
}

function turnOff(?array &$terminal): void
{
    if ($terminal !== null) {
        proc_terminate($terminal[0], 9);
        proc_close($terminal[0]);
        $terminal = null;
    }
}

/** Counts and says how one check ended: $wrong = '' is well. */
function report(string $what, string $wrong): void
{
    global $passed, $failed;
    $wrong === '' ? $passed++ : $failed++;
    echo $wrong === '' ? "ok    $what\n" : "FAIL  $what: $wrong\n";
}

/** The sizes of tables: "| … | 1,024 | 1.2 MiB |". */
function checkSize(string $capacity, string $size): string
{
    global $work;
    $directory = "$work/$capacity";
    $store = var_export("table:$directory?capacity=" . str_replace(',', '', $capacity), true);
    $wrong = runExample("\$lock = (new FileLock\\Store($store))->lock('x');\n\$lock->tryAcquire() or exit(1);", null);
    $found = number_format(array_sum(array_map(filesize(...), glob("$directory/*"))) / (1 << 20), 1);
    return $wrong ?: ($found === $size ? '' : "a table for $capacity names has $found MiB, not $size");
}

$passed = $failed = 0;
$terminal = null;
$blocks = blocks($readme);
foreach ($blocks as $i => ['line' => $line, 'language' => $language, 'text' => $text]) {
    $next = $blocks[$i + 1] ?? null;
    if ($language === 'php' && preg_match('~^<\?php // (\w+\.php)\n~', $text, $match)) {
        file_put_contents("$work/$match[1]", $text);
        continue;
    }
    if ($language === 'php') {
        turnOff($terminal);
    }
    $wrong = match ($language) {
        'php' => runExample($text, $next && $next['language'] === 'text' ? $next['text'] : null),
        'console' => runTerminal($text, $terminal),
        default => null,
    };
    if ($wrong !== null) {
        report("$readme:$line", $wrong);
    }
}
turnOff($terminal);
preg_match_all('/^\| .* \| ([\d,]+) \| ([\d.]+) MiB \|$/m', file_get_contents($readme), $sizes, PREG_SET_ORDER);
foreach ($sizes as [, $capacity, $size]) {
    report("the size of a table for $capacity names", checkSize($capacity, $size));
}
echo "$passed passed, $failed failed\n";
exit($failed > 0 || $passed === 0 ? 1 : 0);
