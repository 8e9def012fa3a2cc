<?php
declare(strict_types=1);

namespace FileLock\Tests;

use FileLock\Lock;
use FileLock\Store;

/** file: beside the programs whose locks it shares, in both directions. Time passes by setting the times of files. */
final class PartnerTest extends ProcessTestCase
{
    private const DEBIAN = ['dotlockfile' => 'liblockfile-bin', 'lockfile' => 'procmail', 'flock' => 'util-linux', 'bash' => 'bash'];

    public static function partners(): array
    {
        return array_map(fn (Partner $partner): array => [$partner], Partner::all());
    }

    public static function setUpBeforeClass(): void
    {
        foreach (self::DEBIAN as $program => $package) {
            self::assertStringStartsWith('status 0', Partner::call("command -v $program", ''),
                "$program is not installed: it is in the package $package");
        }
    }

    private function open(Partner $partner): Store
    {
        return new Store("file:$this->directory?method=$partner->method");
    }

    private function path(string $name): string
    {
        return "$this->directory/$name.lock";
    }

    private function held(Store $store, string $name, float $ttl = 1000): Lock
    {
        $lock = $store->lock($name, ttl: $ttl);
        $this->assertTrue($lock->tryAcquire());
        return $lock;
    }

    private function assertBusy(Store $store, string $name): void
    {
        $lock = $store->lock($name);
        $this->assertFalse($lock->tryAcquire());
    }

    private function assertTakes(Partner $partner, string $path): void
    {
        $this->assertMatchesRegularExpression('/^status 0/', Partner::call($partner->take, $path));
    }

    private function assertRefused(Partner $partner, string $path): void
    {
        $this->assertMatchesRegularExpression($partner->refusal, Partner::call($partner->take, $path));
    }

    private function makeOld(string $path, int $seconds): void
    {
        touch($path, time() - $seconds);
        clearstatcache();
    }

    /** @dataProvider partners */
    #[\PHPUnit\Framework\Attributes\DataProvider('partners')]
    public function testTheyHoldItWeAreBusyAndSayWho(Partner $partner): void
    {
        $store = $this->open($partner);
        $this->assertTakes($partner, $this->path('x'));
        $this->assertBusy($store, 'x');
        $status = $store->status('x');
        $this->assertNotNull($status);
        $this->assertFalse($status->mine);
        $this->assertSame(posix_geteuid(), $status->uid);
        $this->assertSame($partner->writesPid ? getmypid() : null, $status->pid);
        $this->assertEqualsWithDelta(time(), $status->since, 30);
        $this->assertCount(1, iterator_to_array($store->list()));
        $this->assertStringStartsWith('status 0', Partner::call($partner->give, $this->path('x')));
        $this->assertNull($store->status('x'));
        $this->held($store, 'x')->release();
    }

    /** @dataProvider partners */
    #[\PHPUnit\Framework\Attributes\DataProvider('partners')]
    public function testWeHoldItTheyAreRefused(Partner $partner): void
    {
        $store = $this->open($partner);
        $lock = $this->held($store, 'x');
        $this->assertRefused($partner, $this->path('x'));
        $this->assertTrue($lock->isAcquired());
        $this->assertTrue($lock->refresh(2000));
        $this->assertRefused($partner, $this->path('x'));
        $this->assertTrue($lock->release());
        $this->assertTakes($partner, $this->path('x'));
        $this->assertStringStartsWith('status 0', Partner::call($partner->give, $this->path('x')));
    }

    /** Our time to live ends, for them, when the file is as old as they say. @dataProvider partners */
    #[\PHPUnit\Framework\Attributes\DataProvider('partners')]
    public function testTheyTakeOursWhenItsTimeIsOverAndNotBefore(Partner $partner): void
    {
        $store = $this->open($partner);
        $short = $this->held($store, 'short', 5);
        $this->assertRefused($partner, $this->path('short'));
        $this->assertTrue($short->release());
        $lock = $this->held($store, 'x');
        if ($partner->method === 'link') { // a partner that touches it takes it over, elsewhere the age alone counts
            $this->makeOld($this->path('x'), $partner->age - 2);
            $this->assertRefused($partner, $this->path('x'));
            $this->assertTrue($lock->isAcquired());
        }
        $this->makeOld($this->path('x'), 200_000);
        if ($partner->age === 0) {
            $this->assertRefused($partner, $this->path('x'));
            $this->assertTrue($lock->release());
            return;
        }
        $this->assertTakes($partner, $this->path('x'));
        $this->assertFalse($lock->isAcquired());
        $this->assertFalse($lock->release());
        $this->assertFileExists($this->path('x'));
        $this->assertRefused($partner, $this->path('x'));
        $this->assertBusy($store, 'x');
    }

    /** @dataProvider partners */
    #[\PHPUnit\Framework\Attributes\DataProvider('partners')]
    public function testAStaleOneOfTheirsIsRecoveredAndNoOther(Partner $partner): void
    {
        if ($partner->dead !== null) {
            $this->needAllProcesses();
        }
        $store = $this->open($partner);
        $path = $this->path('x');
        $this->assertTakes($partner, $path);
        if ($partner->age > 0) {
            $this->makeOld($path, $partner->age - 2);
            $this->assertBusy($store, 'x');
            $this->makeOld($path, $partner->age + 2);
        } else {
            $this->makeOld($path, 200_000);
            $this->assertBusy($store, 'x');
            $this->assertNotNull($store->status('x'));
            Partner::call($partner->give, $path);
            Partner::call($partner->dead ?? $partner->take, $path);
            if ($partner->dead === null) { // nothing tells, but an option
                $this->makeOld($path, 62);
                $store = new Store("file:$this->directory?method=$partner->method&stale=60");
            }
        }
        $this->assertNull($store->status('x'));
        $this->assertTrue(file_exists($path) || is_link($path), 'to look removes nothing');
        $this->assertTrue($this->held($store, 'x')->release());
        $this->assertFileDoesNotExist($path);
    }

    /** @dataProvider partners */
    #[\PHPUnit\Framework\Attributes\DataProvider('partners')]
    public function testALoopOfTheirsWaitsForUs(Partner $partner): void
    {
        $store = $this->open($partner);
        $lock = $this->held($store, 'x');
        $shell = "{ $partner->take; } >/dev/null 2>&1";
        [$process, $pipes] = $this->shell("($shell) || { echo waiting; until ($shell); do sleep 0.02; done; }
            echo held; read end; $partner->give", $this->path('x'));
        $this->untilSaid($pipes[1], 'waiting');
        $this->assertTrue($lock->release());
        $this->untilSaid($pipes[1], 'held');
        $this->assertBusy($store, 'x');
        fclose($pipes[0]);
        $this->assertSame(0, proc_close($process));
        $this->assertTrue($this->held($store, 'x')->release());
    }

    /** It believes a PID, and says its caller's: no process of ours must be taken for dead by a number in our file. */
    public function testDotlockfileWithAPid(): void
    {
        $store = new Store("file:$this->directory?method=link");
        $lock = $this->held($store, 'x');
        $this->assertSame('status 4', Partner::call('dotlockfile -p -r 0 "$f"; dotlockfile -p -r 0 "$f"', $this->path('x')));
        $this->assertTrue($lock->release());
        $this->assertSame('status 0', Partner::call('dotlockfile -p -r 0 "$f"', $this->path('x')));
        $this->assertBusy($store, 'x');
        $this->assertGreaterThan(0, $store->status('x')->pid);
    }

    public function testWhoSetsTheTimeOfATouchedFileHasTakenIt(): void
    {
        $store = new Store("file:$this->directory?method=touch");
        $lock = $this->held($store, 'x', 1);
        touch($this->path('x'));
        $this->assertFalse($lock->isAcquired());
        $this->assertFalse($lock->release());
        $this->assertFileExists($this->path('x'));
    }

    public static function holdersOfAFlock(): array
    {
        $php = escapeshellarg(PHP_BINARY) . ' -n -r ';
        $hold = '$h = fopen(getenv("f"), "c"); flock($h, LOCK_EX); echo "held\n"; fgets(STDIN);';
        $try = 'flock(fopen(getenv("f"), "c"), LOCK_EX | LOCK_NB, $busy) || exit($busy ? 75 : 1);';
        return [
            'flock(1)' => ['exec flock "$f" sh -c "echo held; read end; true"', 'flock -n -E 75 "$f" true', true],
            'flock(1) of a descriptor' => ['exec 9>>"$f"; flock 9; echo held; read end; true', '(flock -n -E 75 9) 9>>"$f"', false],
            "PHP's flock()" => ['exec ' . $php . escapeshellarg($hold), $php . escapeshellarg($try), true],
        ];
    }

    private function needAllProcesses(): void
    {
        if (readlink('/proc/self/ns/pid') !== 'pid:[4026531836]') {
            $this->markTestSkipped('a container: not all processes are seen');
        }
    }

    /** @dataProvider holdersOfAFlock */
    #[\PHPUnit\Framework\Attributes\DataProvider('holdersOfAFlock')]
    public function testAFlock(string $hold, string $try, bool $pid): void
    {
        $this->needAllProcesses();
        $store = new Store("file:$this->directory?method=flock");
        [$process, $pipes] = $this->shell($hold, $this->path('x'));
        $this->untilSaid($pipes[1], 'held');
        $this->assertBusy($store, 'x');
        $status = $store->status('x');
        $this->assertFalse($status->mine);
        $this->assertTrue($status->pid === null || Partner::call("kill -0 $status->pid", '') === 'status 0', "$status->pid");
        $this->assertSame($pid, $status->pid !== null);
        fclose($pipes[0]);
        $this->assertSame(0, proc_close($process));
        $this->assertNull($store->status('x'));
        $lock = $store->lock('x', ttl: INF);
        $this->assertTrue($lock->tryAcquire());
        $this->assertSame('status 75', Partner::call($try, $this->path('x')));
        $this->assertTrue($lock->release());
        $this->assertSame('status 0', Partner::call($try, $this->path('x')));
        $this->assertSame('', file_get_contents($this->path('x')));
    }

    public function testTheFlockOfAKilledProgramIsFree(): void
    {
        $this->needAllProcesses();
        $store = new Store("file:$this->directory?method=flock");
        [$process, $pipes] = $this->shell('exec 9>>"$f"; flock 9; echo held; read end', $this->path('x'));
        $this->untilSaid($pipes[1], 'held');
        $this->assertBusy($store, 'x');
        proc_terminate($process, SIGKILL);
        proc_close($process);
        $this->assertNull($store->status('x'));
        $this->held($store, 'x')->release();
    }

    public function testSymfonysFlockStore(): void
    {
        $this->needAllProcesses();
        require_once '/usr/share/php/Symfony/Component/Lock/autoload.php';
        $factory = new \Symfony\Component\Lock\LockFactory(new \Symfony\Component\Lock\Store\FlockStore($this->directory));
        $theirs = $factory->createLock('import');
        $this->assertTrue($theirs->acquire());
        [$file] = glob("$this->directory/sf.import.*.lock");
        $store = new Store("file:$file?method=flock");
        $name = basename($file, '.lock');
        $this->assertBusy($store, $name);
        $this->assertSame(getmypid(), $store->status($name)->pid);
        $theirs->release();
        $lock = $store->lock($name);
        $this->assertTrue($lock->tryAcquire());
        $this->assertFalse($theirs->acquire());
        $this->assertTrue($lock->release());
        $this->assertTrue($theirs->acquire());
    }

    /** @return array{resource, array<int, resource>} */
    private function shell(string $script, string $path): array
    {
        $process = proc_open(['bash', '-c', $script], [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes,
            null, ['f' => $path, 'live' => (string) getmypid(), 'LC_ALL' => 'C'] + getenv());
        $this->atEnd(function () use ($process): void {
            is_resource($process) && proc_terminate($process, SIGKILL);
        });
        return [$process, $pipes];
    }

    private function untilSaid($pipe, string $line): void
    {
        $this->assertSame("$line\n", fgets($pipe));
    }
}
