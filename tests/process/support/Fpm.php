<?php
declare(strict_types=1);

namespace FileLock\Tests;

/**
 * A PHP-FPM of the test's own: one pool on a unix socket in the test's directory, ended by its PID. A request is a piece of
 * code. Under root the workers are www-data, and the store's directory is given to them.
 */
final class Fpm
{
    public readonly string $socket;

    /** @var resource */
    private $process;

    /**
     * @param array<string, string> $ini
     * @param array<string, string> $pool
     */
    public function __construct(
        private readonly string $directory,
        string $storeDirectory,
        array $ini = [],
        array $pool = [],
    ) {
        $this->socket = "$directory/fpm.sock";
        file_put_contents("$directory/request.php", '<?php eval(base64_decode($_SERVER["CODE"]));');
        $pool += ['listen' => $this->socket, 'pm' => 'static', 'pm.max_children' => '2', 'catch_workers_output' => 'yes'];
        if (Php::isRoot()) {
            $pool += ['user' => 'www-data', 'group' => 'www-data'];
            chown($storeDirectory, 'www-data');
        }
        $config = "[global]\nerror_log = $directory/fpm.log\ndaemonize = no\nprocess_control_timeout = 1\n[test]\n";
        foreach ($pool as $name => $value) {
            $config .= "$name = $value\n";
        }
        file_put_contents("$directory/fpm.conf", $config);
        $command = [self::program(), ...Php::options($ini), '-F', '-y', "$directory/fpm.conf"];
        $null = ['file', '/dev/null', 'w'];
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], $null, ['file', "$directory/fpm.err", 'w']], $pipes);
        $this->awaitStart();
    }

    /** @param array<string, string> $params  more FastCGI parameters, such as PHP_ADMIN_VALUE */
    public function start(string $code, array $params = []): FastCgi
    {
        return new FastCgi($this->socket, $params + [
            'SCRIPT_FILENAME' => "$this->directory/request.php",
            'REQUEST_METHOD' => 'GET',
            'REQUEST_URI' => '/request?secret=1',
            'CODE' => base64_encode($code),
        ]);
    }

    /** @param array<string, string> $params */
    public function request(string $code, array $params = []): string
    {
        return $this->start($code, $params)->body();
    }

    public function log(): string
    {
        return @file_get_contents("$this->directory/fpm.log") . @file_get_contents("$this->directory/fpm.err");
    }

    public function stop(): void
    {
        if (is_resource($this->process)) {
            proc_terminate($this->process, SIGTERM);
            proc_close($this->process);
        }
    }

    public static function program(): string
    {
        $name = getenv('PHP_FPM') ?: 'php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        foreach ([$name, ...array_map(fn ($in) => "$in/$name", ['/usr/sbin', '/usr/local/sbin', '/usr/bin'])] as $file) {
            if (is_executable($file)) {
                return $file;
            }
        }
        throw new \RuntimeException("$name is not installed, and PHP_FPM names no other");
    }

    private function awaitStart(): void
    {
        $until = hrtime(true) + 10_000_000_000;
        while (!@stream_socket_client("unix://$this->socket")) {
            if (hrtime(true) > $until || !proc_get_status($this->process)['running']) {
                throw new \RuntimeException('PHP-FPM does not start: ' . $this->log());
            }
            usleep(10_000);
        }
    }
}
