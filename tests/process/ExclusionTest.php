<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Only one at a time: a plain counter in a file, which loses increments as soon as two are in it. */
final class ExclusionTest extends ProcessTestCase
{
    private const TURNS = 1000;

    private function counted(int $processes, string $take, string $give): int
    {
        file_put_contents("$this->directory/counter", '0');
        $file = var_export("$this->directory/counter", true);
        $agents = $this->agents($processes);
        foreach ($agents as $agent) {
            $agent->send('for ($i = 0; $i < ' . self::TURNS . "; \$i++) {
                $take
                file_put_contents($file, (int) file_get_contents($file) + 1);
                $give
            }
            return \$i;");
        }
        foreach ($agents as $agent) {
            $this->assertSame(self::TURNS, $agent->receive());
        }
        return (int) file_get_contents("$this->directory/counter");
    }

    private function waiting(int $processes): int
    {
        return $this->counted($processes, 'if (!filelock_acquire("counter", 60.0)) { return "timed out"; }',
            'if (!filelock_release("counter")) { return "lost"; }');
    }

    public function testTwoWaitingProcesses(): void
    {
        $this->assertSame(2 * self::TURNS, $this->waiting(2));
    }

    public function testEightWaitingProcesses(): void
    {
        $this->assertSame(8 * self::TURNS, $this->waiting(8));
    }

    public function testThirtyTwoWaitingProcesses(): void
    {
        $this->assertSame(32 * self::TURNS, $this->waiting(32));
    }

    public function testTryingProcesses(): void
    {
        $counted = $this->counted(4, 'while (!filelock_try("counter")) { usleep(10); }', 'filelock_release("counter");');
        $this->assertSame(4 * self::TURNS, $counted);
    }

    /** Two that never pause meet in the few nanoseconds between another's look and its swap. */
    public function testSpinningProcesses(): void
    {
        $counter = "$this->directory/counter";
        file_put_contents($counter, pack('q', 0));
        $agents = $this->agents(2);
        foreach ($agents as $agent) {
            $agent->send('$f = fopen("' . $counter . '", "r+"); stream_set_read_buffer($f, 0);
                for ($i = 0; $i < 200000; ++$i) {
                    while (!filelock_try("counter"));
                    rewind($f);
                    $n = unpack("q", fread($f, 8))[1];
                    rewind($f);
                    fwrite($f, pack("q", $n + 1));
                    filelock_release("counter");
                }');
        }
        array_map(fn (Agent $agent) => $agent->receive(), $agents);
        $this->assertSame(400_000, unpack('q', file_get_contents($counter))[1]);
    }

    public function testRun(): void
    {
        $take = 'while (filelock_run("counter", function () use (&$i) {';
        $give = 'return true; }, 60.0) === null);';
        $this->assertSame(4 * self::TURNS, $this->counted(4, $take, $give));
    }

    /** The measuring instrument itself: without a lock it goes wrong, up or down (a file may be half written when read). */
    public function testTheCounterIsWrongWithoutALock(): void
    {
        $this->assertNotSame(8 * self::TURNS, $this->counted(8, '', ''));
    }

    public function testNamesDoNotExcludeEachOther(): void
    {
        [$a, $b] = $this->agents(2);
        foreach (['x', 'X', "x\0", 'x/', '../x', str_repeat('x', 255), str_repeat('x', 254) . 'y'] as $name) {
            $this->assertTrue($a->filelock_try($name), "free: $name");
            $this->assertFalse($b->filelock_try($name), "held: $name");
        }
        $this->assertSame(7, $a->filelock_release_all());
        $this->assertTrue($b->filelock_try('x'));
    }

    public function testASecondTryOfTheHolderIsFalse(): void
    {
        [$a, $b] = $this->agents(2);
        $this->assertTrue($a->filelock_try('x'));
        $this->assertFalse($a->filelock_try('x'));
        $this->assertTrue($a->filelock_release('x'));
        $this->assertFalse($a->filelock_release('x'), 'given back already');
        $this->assertTrue($b->filelock_try('x'));
    }

    public function testTwoDirectoriesAreTwoNamespaces(): void
    {
        mkdir("$this->directory/other");
        $a = $this->agent();
        $b = $this->agent("table:$this->directory/other");
        $this->assertTrue($a->filelock_try('x'));
        $this->assertTrue($b->filelock_try('x'));
    }
}
