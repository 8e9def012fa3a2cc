<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** What PHP-FPM changes per pool and per request: the store, open_basedir, the root directory. */
final class FpmSettingTest extends ProcessTestCase
{
    /** @param array<string, string> $pool */
    private function fpm(array $pool = [], ?string $store = null): Fpm
    {
        $fpm = new Fpm($this->directory, $this->storeDirectory, ['filelock.store' => $store ?? $this->store()],
            $pool + ['pm.max_children' => '1']);
        $this->atEnd($fpm->stop(...));
        return $fpm;
    }

    private function otherStore(): string
    {
        mkdir("$this->directory/other");
        chmod("$this->directory/other", 0777);
        return "table:$this->directory/other";
    }

    public function testTheStoreChangesBetweenTwoRequestsOfAWorker(): void
    {
        $fpm = $this->fpm();
        $other = $this->otherStore();
        $names = 'filelock_try("x") || exit("busy"); echo getmypid(), " ";
            foreach ([$_SERVER["A"], $_SERVER["B"]] as $dsn) { echo count((new FileLock\Store($dsn))->list()); }
            echo " ", filelock_release("x") ? "released" : "lost";';
        $params = ['A' => $this->store(), 'B' => $other];
        $changed = $params + ['PHP_ADMIN_VALUE' => "filelock.store=\"$other\""];

        [$pid, $counts, $end] = explode(' ', $fpm->request($names, $params));
        $this->assertSame(['10', 'released'], [$counts, $end]);
        for ($i = 0; $i < 3; ++$i) {
            $this->assertSame("$pid 01 released", $fpm->request($names, $changed), 'the same worker, the other store');
        }
        $inTheFirst = $this->agent();
        $this->assertTrue($inTheFirst->filelock_try('x'));
        $this->assertSame("$pid 11 released", $fpm->request($names, $changed));
    }

    public function testALeaseOfOneRequestIsNotCarriedToAnotherStore(): void
    {
        $fpm = $this->fpm();
        $other = $this->otherStore();
        $take = 'echo filelock_try("x", INF) ? "taken" : "busy";';
        foreach ([[], ['PHP_ADMIN_VALUE' => "filelock.store=\"$other\""]] as $params) {
            $this->assertSame('taken', $fpm->request($take, $params));
            $this->assertSame('taken', $fpm->request($take, $params), 'given back at the end of the request');
        }
    }

    public function testOpenBasedirIsForPathsFromScripts(): void
    {
        $other = $this->otherStore();
        mkdir("$this->directory/allowed");
        chmod("$this->directory/allowed", 0777);
        $fpm = $this->fpm(['php_admin_value[open_basedir]' => "$this->directory/allowed:$this->directory/request.php"]);
        $this->assertSame('taken', $fpm->request('echo filelock_try("x") ? "taken" : "busy";'),
            'filelock.store is the administrator\'s');
        $open = 'try { new FileLock\Store($_SERVER["DSN"]); echo "opened"; }
            catch (FileLock\LockException $e) { echo $e->getMessage(); }';
        $this->assertStringContainsString('open_basedir', $fpm->request($open, ['DSN' => $other]));
        $this->assertStringContainsString('open_basedir',
            $fpm->request($open, ['DSN' => "table:$this->directory/allowed/../other"]));
        $this->assertSame('opened', $fpm->request($open, ['DSN' => "table:$this->directory/allowed"]));
    }

    public function testAChrootedPool(): void
    {
        $this->needRoot('chroot');
        $fpm = $this->fpm(['chroot' => $this->directory], 'table:/store');
        $outside = $this->agent();
        $inside = ['SCRIPT_FILENAME' => '/request.php'];
        $taken = $fpm->request('echo filelock_try("x") ? "taken" : "busy", " ", filelock_release("x") ? "released" : "lost";',
            $inside);
        $this->assertSame('taken released', $taken, $fpm->log());
        $this->assertTrue($outside->filelock_try('x'), 'one table, seen from inside and from outside');
        $status = $fpm->request('echo filelock_try("x") ? "taken" : filelock_status("x");', $inside);
        $this->assertStringContainsString("pid $outside->pid", $status);
        $outside->filelock_release('x');

        $held = $fpm->start('echo filelock_try("x", INF) ? "taken" : "busy"; flush(); sleep(60);', $inside);
        $this->assertSame('taken', $held->body(5));
        $this->assertFalse($outside->filelock_try('x'));
        posix_kill($outside->filelock_status('x')['pid'], SIGKILL);
        $this->assertNotNull($outside->run('return take_when_free("x");'));
    }

    public function testAChrootWithoutADirectoryForTheDefaultStore(): void
    {
        $this->needRoot('chroot');
        $fpm = $this->fpm(['chroot' => $this->directory], '');
        $message = $fpm->request('try { echo filelock_try("x") ? "taken" : "busy"; }
            catch (FileLock\LockException $e) { echo $e->getMessage(); }', ['SCRIPT_FILENAME' => '/request.php']);
        $this->assertStringContainsString('/dev/shm', $message);
    }

    public function testTheLabelIsTheRequest(): void
    {
        $fpm = $this->fpm();
        $text = $fpm->request('filelock_try("x") or exit(1); echo filelock_status("x");');
        $this->assertStringContainsString('GET /request (', $text);
        $this->assertStringNotContainsString('secret', $text, 'a query may contain what nobody else should see');
    }

    /** The FPM master must own nothing: a worker's locks die with the worker. */
    public function testTheMasterHasNothingOfTheStore(): void
    {
        $fpm = $this->fpm();
        $master = (int) $fpm->request('filelock_try("x") or exit(1); echo posix_getppid();');
        $this->assertGreaterThan(1, $master);
        $this->assertStringNotContainsString('filelock.table', (string) file_get_contents("/proc/$master/maps"));
    }
}
