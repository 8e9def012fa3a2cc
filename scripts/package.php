<?php
/*
 * package.php [write]: verifies package.xml and composer.json, or writes the list of files into package.xml.
 *
 * A release holds every file of the repository that .gitattributes does not mark export-ignore.
 */

chdir(dirname(__DIR__));
$complaints = [];

function lines(string $command): array
{
    exec("git -c safe.directory='*' $command", $lines, $status);
    $status === 0 or exit("git $command failed\n");
    return $lines;
}

/** Files of a release => role in package.xml. */
function releaseFiles(): array
{
    $files = [];
    foreach (lines('ls-files --cached --others --exclude-standard') as $file) {
        if (file_exists($file) && $file !== 'package.xml' && !isExportIgnored($file)) {
            $files[$file] = role($file);
        }
    }
    ksort($files);
    return $files;
}

/** Also when the mark is on a folder above the file. */
function isExportIgnored(string $file): bool
{
    static $ignored = [];
    if ($file === '.') {
        return false;
    }
    return $ignored[$file] ??= str_ends_with(lines('check-attr export-ignore -- ' . escapeshellarg($file))[0], ': set')
        || isExportIgnored(dirname($file));
}

function role(string $file): string
{
    return match (true) {
        str_starts_with($file, 'tests/') => 'test',
        (bool) preg_match('~\.md$|^LICENSE$|^(docs|examples)/~', $file) => 'doc',
        default => 'src',
    };
}

$listing = '';
foreach (releaseFiles() as $file => $role) {
    $listing .= sprintf("      <file name=\"%s\" role=\"%s\"/>\n", htmlspecialchars($file, ENT_XML1), $role);
}
$old = file_get_contents('package.xml');
$new = preg_replace('~(<dir name="/">\n).*?( *</dir>)~s', "\$1$listing\$2", $old);
if (($argv[1] ?? '') === 'write') {
    file_put_contents('package.xml', $new);
    exit;
}
if ($new !== $old) {
    $complaints[] = "package.xml lists other files than a release has; `php scripts/package.php write` writes:\n"
        . implode("\n", array_merge(
            preg_replace('/^ */', '  - ', array_diff(explode("\n", $old), explode("\n", $new))),
            preg_replace('/^ */', '  + ', array_diff(explode("\n", $new), explode("\n", $old))),
        ));
}

$xml = simplexml_load_string($new);
$version = preg_match('/define FL_VERSION "(.*)"/', file_get_contents('src/filelock.h'), $match) ? $match[1] : 'none';
if ((string) $xml->version->release !== str_replace('-', '', $version)) {
    $complaints[] = "package.xml is version {$xml->version->release}, src/filelock.h is version $version.";
}

$composer = json_decode(file_get_contents('composer.json'), true, flags: JSON_THROW_ON_ERROR);
$extension = $composer['php-ext'] ?? [];
// The keys that Composer 2.8 knows. Older versions ignore the section.
$unknown = array_diff(array_keys($extension), ['extension-name', 'priority', 'support-zts', 'support-nts',
    'build-path', 'download-url-method', 'os-families', 'os-families-exclude', 'configure-options']);
if ($unknown) {
    $complaints[] = 'composer.json: unknown in php-ext: ' . implode(', ', $unknown);
}
$expected = ['type' => 'php-ext', 'name' => 'filelock/ext-filelock', 'license' => (string) $xml->license];
if (array_intersect_key($composer, $expected) != $expected || ($extension['extension-name'] ?? '') !== (string) $xml->name
    || $extension['os-families'] !== ['linux']) {
    $complaints[] = 'composer.json: name, type, license, extension-name or os-families is wrong.';
}
foreach ($extension['configure-options'] as $option) {
    if (!isset($option['name'], $option['description']) || !str_contains(file_get_contents('config.m4'), "--$option[name]")) {
        $complaints[] = 'composer.json: a configure option lacks its description, or config.m4 does not have it.';
    }
}
$minimum = '>=' . preg_replace('/\.0$/', '', $xml->dependencies->required->php->min);
if ($composer['require']['php'] !== $minimum) {
    $complaints[] = "composer.json requires PHP {$composer['require']['php']}, package.xml $minimum.";
}

echo implode("\n", $complaints), $complaints ? "\n" : '';
exit($complaints ? 1 : 0);
