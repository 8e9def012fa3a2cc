<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** The PHP that is tested: which program, which extension, which settings. */
final class Php
{
    /**
     * The command line up to the script. Without php.ini: the machine's settings are no part of a test.
     *
     * @param array<string, string> $ini
     * @return list<string>
     */
    public static function command(array $ini, ?string $extension = null): array
    {
        return [PHP_BINARY, ...self::options($ini, $extension)];
    }

    /**
     * @param array<string, string> $ini
     * @return list<string>
     */
    public static function options(array $ini, ?string $extension = null): array
    {
        $options = ['-n', '-d', 'extension=' . ($extension ?? self::extension())];
        foreach (['posix', 'ffi'] as $shared) {
            if (is_file(PHP_EXTENSION_DIR . "/$shared.so")) {
                array_push($options, '-d', "extension=$shared");
            }
        }
        $ini += ['display_errors' => 'stderr', 'error_reporting' => '-1', 'log_errors' => '0', 'ffi.enable' => '1'];
        foreach ($ini as $name => $value) {
            array_push($options, '-d', "$name=\"$value\""); // quoted: "=" and "&" of a DSN mean something in an ini file
        }
        return $options;
    }

    /** The extension, where every user can read it. */
    public static function extension(): string
    {
        $file = getenv('FILELOCK_SO') ?: dirname(__DIR__, 3) . '/build-php/modules/filelock.so';
        if (!is_file($file)) {
            throw new \RuntimeException("no extension to test at $file: ./dev build, or set FILELOCK_SO");
        }
        return self::readable(realpath($file));
    }

    /** A copy of a file that all users can read, whatever the rights of the directories above it. */
    public static function readable(string $file): string
    {
        static $copies = [];
        return $copies[$file] ??= self::copy($file);
    }

    public static function isRoot(): bool
    {
        return posix_geteuid() === 0;
    }

    private static function copy(string $file): string
    {
        static $directory = null;
        if ($directory === null) {
            $directory = sys_get_temp_dir() . '/filelock-test-' . bin2hex(random_bytes(6));
            mkdir($directory, 0755);
            $owner = getmypid();
            register_shutdown_function(static function () use ($directory, $owner): void {
                if (getmypid() === $owner) {
                    array_map(unlink(...), glob("$directory/*"));
                    rmdir($directory);
                }
            });
        }
        copy($file, "$directory/" . basename($file));
        chmod("$directory/" . basename($file), 0755);
        return "$directory/" . basename($file);
    }
}
