<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Names may be any bytes; what is no name, no time and no store is refused in words. */
final class ArgumentTest extends ProcessTestCase
{
    public function testAnyBytesAreANameOfItsOwn(): void
    {
        [$holder, $other] = $this->agents(2);
        $names = array_map(fn (int $i): string => 'a' . chr($i) . 'b', range(0, 255));
        $names = [...$names, "\0", "\0\0", "x\0", '../../etc/passwd', '/', '.', "\xff\xfe", str_repeat("\0", 255), "ünï\u{1F512}"];
        foreach ($names as $name) {
            $this->assertTrue($holder->filelock_try($name), bin2hex($name));
        }
        foreach ($names as $name) {
            $this->assertFalse($other->filelock_try($name), bin2hex($name));
            $this->assertSame($name, $other->filelock_status($name)['name']);
            $this->assertStringNotContainsString("\0", $other->filelock_status($name)['text']);
        }
        $listed = array_column($other->filelock_list(), 'name');
        sort($names, SORT_STRING);
        sort($listed, SORT_STRING);
        $this->assertSame($names, $listed);
        $this->assertSame(count($names), $holder->filelock_release_all());
        $this->assertSame(['.', '..', 'filelock.table'], scandir($this->storeDirectory));
    }

    public function testWhatIsNoName(): void
    {
        $agent = $this->agent();
        foreach (['', str_repeat('x', 256)] as $name) {
            $name = var_export($name, true);
            foreach (["try($name)", "acquire($name, 1.0)", "run($name, fn () => 1)", "release($name)", "refresh($name)",
                "status($name)"] as $call) {
                $e = $this->assertThrows('ValueError', $agent, "return filelock_$call;");
                $this->assertStringContainsString('#1 ($name)', $e->getMessage());
            }
        }
        $this->assertSame(['.', '..'], scandir($this->storeDirectory), 'and nothing was created');
    }

    public function testWhatIsNoTime(): void
    {
        $agent = $this->agent();
        $agent->filelock_try('held');
        foreach (['0.0', '-0.0', '-1.0', 'NAN', '-INF', '86400.0 * 241'] as $ttl) {
            foreach (["try('x', $ttl)", "acquire('x', 1.0, $ttl)", "run('x', fn () => 1, 1.0, $ttl)",
                "refresh('held', $ttl)"] as $call) {
                $e = $this->assertThrows('ValueError', $agent, "return filelock_$call;");
                $this->assertStringContainsString('($ttl)', $e->getMessage(), $call);
            }
        }
        foreach (['-0.001', 'NAN', '-INF'] as $timeout) {
            $e = $this->assertThrows('ValueError', $agent, "return filelock_acquire('x', $timeout);");
            $this->assertStringContainsString('#2 ($timeout)', $e->getMessage());
            $e = $this->assertThrows('ValueError', $agent, "return filelock_run('x', fn () => 1, $timeout);");
            $this->assertStringContainsString('#3 ($timeout)', $e->getMessage());
        }
        $this->assertTrue($agent->filelock_release('held'), 'a refused refresh leaves the lease');
        $this->assertSame([], $agent->filelock_list());
    }

    public function testTheLongestTtl(): void
    {
        $agent = $this->agent();
        $this->assertTrue($agent->filelock_try('x', 86400.0 * 240));
        $this->assertEqualsWithDelta(86400.0 * 240, $agent->filelock_status('x')['remaining'], 60.0);
        $this->assertTrue($agent->filelock_release('x'));
    }

    public function testWhatIsNoStore(): void
    {
        $agent = $this->agent();
        foreach (['table:relative/path', 'table:../up', 'nonsense', 'ftp:/x', 'table:/tmp?nonsense=1', 'table:/tmp?mode=9',
            'table:/tmp?capacity=0', "table:/tmp\0x"] as $dsn) {
            $e = $this->assertThrows('ValueError', $agent, 'new FileLock\Store(' . var_export($dsn, true) . ');');
            $this->assertStringContainsString('#1 ($dsn)', $e->getMessage());
        }
    }

    /** An administrator's mistake in php.ini is heard by the first call, not ignored. */
    public function testABadSettingIsNoSilentDefault(): void
    {
        foreach (['table:relative', 'nonsense:/x', '/only/a/path'] as $dsn) {
            $agent = $this->agent($dsn);
            $e = $this->assertThrows('FileLock\\LockException', $agent, 'return filelock_try("x");');
            $this->assertStringContainsString('filelock.store', $e->getMessage());
        }
    }

    public function testParametersByName(): void
    {
        $agent = $this->agent();
        $this->assertTrue($agent->run('return filelock_try(name: "a", ttl: 5.0);'));
        $this->assertTrue($agent->run('return filelock_acquire(name: "b", timeout: 1.0, ttl: 5.0);'));
        $this->assertSame(1, $agent->run('return filelock_run(name: "c", work: fn () => 1, timeout: 1.0, ttl: 5.0);'));
        $this->assertTrue($agent->run('return filelock_refresh(name: "a", ttl: 6.0);'));
        $this->assertTrue($agent->run('return filelock_release(name: "a");'));
        $this->assertCount(1, $agent->run('return filelock_list(prefix: "b");'));
        $this->assertSame('b', $agent->run('return filelock_status(name: "b")->name;'));
    }
}
