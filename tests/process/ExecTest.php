<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Programs that a holder starts inherit nothing: no descriptor, no lock, no life of a lock. */
final class ExecTest extends ProcessTestCase
{
    private function assertKeepsNothingAlive(string $start): void
    {
        $go = "$this->directory/go";
        $pid = "$this->directory/pid";
        posix_mkfifo($go, 0600);
        [$holder, $other] = $this->agents(2);
        $this->assertTrue($holder->filelock_try('x', INF));
        $child = "echo \$\$ >$pid.new; mv $pid.new $pid; read line <$go";
        $holder->run(strtr($start, ['CHILD' => var_export($child, true)]));
        $this->until('the child runs', fn () => is_file($pid));
        $this->assertSame([], $this->tables((int) file_get_contents($pid)), 'no descriptor, no map');

        $holder->kill();
        $this->assertNotNull($other->run('return take_when_free("x");'));
        $this->assertTrue(posix_kill((int) file_get_contents($pid), 0), 'the child lives');
        file_put_contents($go, "end\n");
    }

    /** What a process has of the store: descriptors and maps. @return list<string> */
    private function tables(int $pid): array
    {
        $open = array_map(fn ($link) => (string) @readlink($link), glob("/proc/$pid/fd/*"));
        $maps = file("/proc/$pid/maps", FILE_IGNORE_NEW_LINES);
        return preg_grep('/filelock\.table/', [...$open, ...$maps]) ?: [];
    }

    public function testProcOpen(): void
    {
        $this->assertKeepsNothingAlive('$none = ["file", "/dev/null", "w"];
            $process = proc_open(["/bin/sh", "-c", CHILD], [["file", "/dev/null", "r"], $none, $none], $pipes);');
    }

    public function testExecInTheBackground(): void
    {
        $this->assertKeepsNothingAlive('exec("sh -c " . escapeshellarg(CHILD) . " </dev/null >/dev/null 2>&1 &");');
    }

    public function testForkAndExec(): void
    {
        $this->assertKeepsNothingAlive('if (pcntl_fork() === 0) {
            fclose(STDOUT); fclose(STDERR);
            pcntl_exec("/bin/sh", ["-c", CHILD]);
        }');
    }

    public function testALockOutlivesTheProgramsThatItsHolderRuns(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x');
        $holder->run('exec("true"); shell_exec("true"); system("true"); pclose(popen("true", "r"));');
        $this->assertFalse($other->filelock_try('x'));
        $this->assertTrue($holder->filelock_release('x'));
    }

    public function testExecReplacesTheHolder(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', INF);
        $go = "$this->directory/go";
        posix_mkfifo($go, 0600);
        $holder->send("pcntl_exec('/bin/sh', ['-c', 'read line <$go']);");
        $this->assertNotNull($other->run('return take_when_free("x");'), 'the program that held it is gone');
        file_put_contents($go, "end\n");
        $holder->wait();
    }
}
