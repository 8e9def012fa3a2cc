<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Full, small, read-only: what runs out, and how it is told. */
final class LimitsTest extends ProcessTestCase
{
    /** Gives the store's directory a small file system of its own until the end of the test. */
    private function mount(string $options, string $then = 'true'): void
    {
        $this->needRoot('a file system of its own');
        exec("mount -t tmpfs -o $options none $this->storeDirectory && $then 2>&1", $output, $failed);
        $this->assertSame(0, $failed, implode("\n", $output));
        $this->atEnd(fn () => exec("umount --lazy $this->storeDirectory"));
    }

    public function testAlmostAllOfTheCapacityCanBeHeldAtOnce(): void
    {
        [$holder, $other] = $this->agents(2, $this->store('?capacity=4096'));
        $held = $holder->run('for ($i = 0; $i < 5000; ++$i) {
            try {
                if (!filelock_try("name $i")) { break; }
            } catch (FileLock\LockException $e) {
                $full = $e->getMessage();
                break;
            }
        }
        return $i;');
        $this->assertGreaterThanOrEqual((int) (4096 * 0.95), $held);
        $full = $holder->run('return $full ?? null;');
        $this->assertStringContainsString('full', (string) $full);
        $this->assertStringContainsString('capacity', $full, 'how to enlarge it');
        $this->assertStringContainsString('filelock.table', $full);
        $this->assertFalse($other->filelock_try('name 0'));
        $this->assertCount($held, $other->filelock_list());
        $this->assertSame($held, $holder->filelock_release_all());
        $this->assertTrue($other->filelock_try('another name'));
    }

    public function testAMillionNames(): void
    {
        $agent = $this->agent($this->store('?capacity=1024'));
        $measure = '$measure = fn () => [
            filesize("' . $this->storeDirectory . '/filelock.table"), count(scandir("/proc/self/fd")),
            memory_get_usage(true), intdiv((int) preg_replace("/.*VmData:\s*(\d+).*/s", "\\\\1",
                file_get_contents("/proc/self/status")), 2048),
        ];';
        $cycle = 'for ($i = 0; $i < COUNT; ++$i) {
            filelock_try("PREFIX $i") || throw new Exception("busy: $i");
            filelock_release("PREFIX $i") || throw new Exception("lost: $i");
        }';
        $agent->run($measure . strtr($cycle, ['COUNT' => 5000, 'PREFIX' => 'warm up']));
        $before = $agent->run('clearstatcache(); return $measure();');
        $agent->run(strtr($cycle, ['COUNT' => 1_000_000, 'PREFIX' => 'name']));
        $this->assertSame($before, $agent->run('clearstatcache(); return $measure();'),
            'file size, descriptors, memory of PHP, memory of the process in 2 MiB');
        $this->assertSame(['.', '..', 'filelock.table'], scandir($this->storeDirectory));
    }

    public function testFewDescriptors(): void
    {
        $few = $this->agent(null, [], ['sh', '-c', 'ulimit -n 16 && exec "$@"', 'sh']);
        $other = $this->agent();
        $this->assertSame(1000, $few->run('for ($i = 0; $i < 1000; ++$i) {
            filelock_try("name $i") || throw new Exception("busy");
        }
        return $i;'));
        $this->assertFalse($other->filelock_try('name 999'));
        $this->assertSame(1000, $few->filelock_release_all());
    }

    public function testAFullDiskIsAnExceptionAndNoSigbus(): void
    {
        $fill = "head -c 1000000 /dev/zero >$this->storeDirectory/fill";
        foreach (['size=64k' => 'true', 'size=1100k' => $fill] as $options => $then) {
            $this->mount($options, $then);
            $agent = $this->agent();
            $e = $this->assertThrows('FileLock\\LockException', $agent, 'return filelock_try("x");');
            $this->assertSame(28, $e->getCode(), $e->getMessage());
            $this->assertStringContainsString($this->storeDirectory, $e->getMessage());
            $left = $agent->run("return array_diff(scandir('$this->storeDirectory'), ['.', '..', 'fill']);");
            $this->assertSame([], $left, 'nothing half made is left');
            $this->assertNull($agent->filelock_status('x'));
            $agent->kill();
        }
    }

    /** The disk fills up later: the table was allocated as a whole. */
    public function testADiskThatFillsUpLater(): void
    {
        $this->mount('size=16m');
        $agent = $this->agent($this->store('?capacity=1024'));
        $this->assertTrue($agent->filelock_try('first'));
        $agent->run("exec('head -c 20000000 /dev/zero >$this->storeDirectory/fill 2>/dev/null');");
        $this->assertSame(900, $agent->run('for ($i = 0; $i < 900; ++$i) {
            filelock_try("name $i") || throw new Exception("busy");
        }
        return $i;'));
        $this->assertSame(901, $agent->filelock_release_all());
    }

    public function testAReadOnlyFileSystem(): void
    {
        $this->mount('size=16m', "mount -o remount,ro $this->storeDirectory");
        $agent = $this->agent();
        $e = $this->assertThrows('FileLock\\LockException', $agent, 'return filelock_try("x");');
        $this->assertSame(30, $e->getCode(), $e->getMessage());
        $this->assertNull($agent->filelock_status('x'));
    }

    public function testADirectoryWithoutWritePermission(): void
    {
        chmod($this->storeDirectory, 0555);
        $agent = $this->agent(null, [], Php::isRoot() ? self::asUser('nobody') : []);
        $e = $this->assertThrows('FileLock\\LockException', $agent, 'return filelock_try("x");');
        $this->assertSame(13, $e->getCode(), $e->getMessage());
        $this->assertStringContainsString($this->storeDirectory, $e->getMessage());
        $this->assertNull($agent->filelock_status('x'));
        $this->assertSame([], $agent->filelock_list());
        chmod($this->storeDirectory, 0700);
    }
}
