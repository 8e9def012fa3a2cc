<?php
/*
 * check-discard.php [--mend] [FILE...]: statements that take a lock and do not look at the result. Whoever reads the examples and tests would
 * copy the mistake, and from PHP 8.5 on each is a warning (#[\NoDiscard]). --mend lets them exit.
 */
$arguments = array_slice($argv, 1);
$mend = ($arguments[0] ?? '') === '--mend' && array_shift($arguments);
$listed = "git -c safe.directory='*' ls-files --cached --others --exclude-standard '*.phpt' '*.php' '*.inc' '*.md'";
$files = $arguments ?: explode("\n", trim(shell_exec($listed)));

$object = '(?:\$[\w\[\]\'>-]+|\(new [^;]*?\))(?:(?:->|::)\w+\((?:[^()]|\([^()]*\))*\))*?->(?:tryAcquire|acquire)(?:Shared)?';
$arguments = '\((?:[^()]|\([^()]*\))*\)';
$start = '(?:^|[;{}]|<\?php|\(\'|\(")\s*(?:\*\s+)?\K'; // of a line, a block, or code in a string
$pattern = "~$start((?:\\\\?filelock_(?:try|acquire)|$object)$arguments)(?=\s*;)~";

$found = 0;
foreach ($files as $file) {
    $lines = file($file);
    foreach ($lines as $n => $line) {
        if (preg_match($pattern, $line)) {
            $found++;
            $mend ? $lines[$n] = preg_replace($pattern, '$1 or exit(1)', $line) : print("$file:" . ($n + 1) . ': ' . trim($line) . "\n");
        }
    }
    if ($mend) {
        file_put_contents($file, implode('', $lines));
    }
}
exit($found && !$mend ? 1 : 0);
