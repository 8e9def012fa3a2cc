<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** FrankenPHP's worker mode, as tests/sapi/worker.c plays it: the end of a request is the SAPI's own deactivate(), and no module is told. */
final class WorkerModeTest extends ProcessTestCase
{
    /** @return list<string> what $script prints, line by line */
    private function worker(string $script): array
    {
        $program = "$this->directory/worker";
        $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
        exec('gcc $(php-config --includes) -o ' . "$program " . dirname(__DIR__) . "/sapi/worker.c -lphp$version 2>&1", $output, $status);
        $this->assertSame(0, $status, implode("\n", $output));
        file_put_contents("$this->directory/php.ini", 'extension=' . Php::extension() . "\nfilelock.store=\"{$this->store()}\"\n"
            . "display_errors=1\nhtml_errors=0\nlog_errors=1\nerror_log=\"$this->directory/log\"\n");
        file_put_contents("$this->directory/script.php", "<?php\n$script");
        exec("PHP_INI_SCAN_DIR= $program $this->directory/php.ini $this->directory/script.php 2>&1", $lines, $status);
        $this->assertSame(0, $status, implode("\n", $lines));
        return $lines;
    }

    public function testWhatARequestTookByNameItsEndGivesBack(): void
    {
        $this->assertSame(['1', '-', '1', '-', '1', '-'], $this->worker('
            for ($i = 0; $i < 3; $i++) {
                echo (int) filelock_try("x", INF), "\n";
                next_request();
                echo filelock_status("x") === null ? "-" : "held", "\n";
            }'));
    }

    public function testHandlesBelongToTheirVariables(): void
    {
        $this->assertSame(['1', '1', '-'], $this->worker('
            $lock = (new FileLock\Store())->lock("x");
            echo (int) $lock->tryAcquire(), "\n";
            next_request();
            echo (int) $lock->isAcquired(), "\n";
            (function () { $local = (new FileLock\Store())->lock("y"); $local->tryAcquire() || exit("busy"); })();
            next_request();
            echo filelock_status("y") === null ? "-" : "held", "\n";'));
    }

    public function testAFilelockRunAroundTheLoopGoesOn(): void
    {
        $this->assertSame(['1', '1', 'done', '-'], $this->worker('
            echo filelock_run("loop", function () {
                for ($i = 0; $i < 2; $i++) {
                    filelock_try("x") || exit("busy");
                    next_request();
                    echo (int) filelock_status("loop")->mine, "\n";
                }
                return "done";
            }), "\n";
            echo filelock_status("loop") === null ? "-" : "held", "\n";'));
    }

    public function testALossIsLogged(): void
    {
        $this->assertSame(['1'], $this->worker('echo (int) filelock_try("x", 0.02), "\n"; usleep(60000); next_request();'));
        $this->assertMatchesRegularExpression('/filelock: "x" expired .* before it was given back/', file_get_contents("$this->directory/log"));
    }

    public function testUnusedStoresAreUnmappedBetweenRequests(): void
    {
        mkdir("$this->directory/other", 0700);
        $this->assertSame(['1', '1', '0'], $this->worker('
            function mapped(): int { return (int) str_contains(file_get_contents("/proc/self/maps"), "/other/filelock.table"); }
            $lock = (new FileLock\Store("table:' . $this->directory . '/other"))->lock("x");
            echo (int) $lock->tryAcquire(), "\n";
            next_request();
            echo mapped(), "\n";
            $lock = null;
            next_request();
            echo mapped(), "\n";'));
    }

    public function testTheEndOfTheWorkerGivesAllBack(): void
    {
        $this->worker('final class Kept { public static $lock; }
            Kept::$lock = (new FileLock\Store())->lock("y", INF);
            next_request();
            filelock_try("x", INF) && Kept::$lock->tryAcquire() || exit("busy");');
        $this->assertSame([], $this->agent()->filelock_list());
    }
}
