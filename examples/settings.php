<?php
declare(strict_types=1);

/*
 * A file of settings that many processes read and some change: readers take no lock and see whole contents, writers change it one
 * after the other, and a power cut leaves the settings before or after a change.
 *
 *     php examples/settings.php FILE.json NAME VALUE
 *     php examples/settings.php FILE.json
 */

function settings(string $file): array
{
    return is_file($file) ? json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR) : [];
}

function change(string $file, callable $change): array
{
    return filelock_run("settings $file", function () use ($file, $change) {
        $settings = $change(settings($file)); // read inside the lock, too: nobody changes it until it is written
        filelock_put_contents($file, json_encode($settings, JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR) . "\n");
        return $settings;
    }, timeout: 10) ?? throw new RuntimeException("somebody else is changing $file for more than 10 s");
}

$file = $argv[1] ?? exit("usage: php settings.php FILE.json [NAME VALUE]\n");
if (isset($argv[3])) {
    change($file, fn (array $settings) => [$argv[2] => $argv[3]] + $settings);
}
foreach (settings($file) as $name => $value) {
    echo "$name = $value\n";
}
