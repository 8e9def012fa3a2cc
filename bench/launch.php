<?php
declare(strict_types=1);

/** The PHP processes of the benchmark: all with opcache, APCu and the extension, on one store in a directory of their own. */
final class Launch
{
    public readonly string $directory;

    public function __construct()
    {
        $this->directory = (string) getenv('FILELOCK_BENCH_DIRECTORY');
    }

    public function isInside(): bool
    {
        return $this->directory !== '';
    }

    /** Runs this script again, with the settings that only a command line can give. @param list<string> $arguments */
    public function again(array $arguments): int
    {
        $directory = (is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir()) . '/filelock-bench-' . bin2hex(random_bytes(4));
        mkdir($directory, 0700);
        putenv("FILELOCK_BENCH_DIRECTORY=$directory");
        try {
            $inside = new self();
            $inside->buildFloor();
            return proc_close(proc_open([...$inside->command(), ...$arguments], [STDIN, STDOUT, STDERR], $pipes));
        } finally {
            self::remove($directory);
        }
    }

    /** The command line of PHP up to the script. @return list<string> */
    public function command(): array
    {
        $command = [PHP_BINARY];
        $settings = [
            'opcache.enable_cli=1', 'apc.enable_cli=1', 'opcache.jit=disable', 'memory_limit=-1',
            "filelock.store=\"table:$this->directory\"",
        ];
        if (!self::isEnabledInPhpIni()) {
            $settings[] = 'extension=' . self::extension();
        }
        if (is_file("$this->directory/floor.so")) {
            $settings[] = "extension=$this->directory/floor.so";
        }
        foreach ($settings as $setting) {
            array_push($command, '-d', $setting);
        }
        return $command;
    }

    /** floor.c is no part of the extension: built where the benchmark runs. */
    private function buildFloor(): void
    {
        $floor = escapeshellarg(__DIR__ . '/floor.c');
        $so = escapeshellarg("$this->directory/floor.so");
        passthru("\${CC:-cc} -O2 -fPIC -shared \$(php-config --includes) $floor -o $so", $status);
        if ($status !== 0) {
            throw new RuntimeException('floor.c cannot be built: the headers of PHP are needed (./dev setup)');
        }
    }

    public static function extension(): string
    {
        $file = getenv('FILELOCK_SO') ?: dirname(__DIR__) . '/build-php/modules/filelock.so';
        return realpath($file) ?: throw new RuntimeException("no extension at $file: ./dev build, or set FILELOCK_SO");
    }

    private static function isEnabledInPhpIni(): bool
    {
        static $enabled = null;
        return $enabled ??= trim((string) shell_exec(escapeshellarg(PHP_BINARY)
            . " -r 'echo (int) extension_loaded(\"filelock\");' 2>/dev/null")) === '1';
    }

    private static function remove(string $directory): void
    {
        foreach (array_diff(scandir($directory), ['.', '..']) as $name) {
            is_dir("$directory/$name") ? self::remove("$directory/$name") : unlink("$directory/$name");
        }
        rmdir($directory);
    }
}
