<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** What may be found where the table should be: a clear LockException, and the thing is left as it is. */
final class StorageTest extends ProcessTestCase
{
    private string $table;

    protected function setUp(): void
    {
        parent::setUp();
        $this->table = "$this->storeDirectory/filelock.table";
    }

    private function assertRefused(string $what, bool $alsoForLooking = true, ?Agent $agent = null): void
    {
        $agent ??= $this->agent();
        clearstatcache();
        $before = @lstat($this->table);
        $content = is_file($this->table) ? md5_file($this->table) : null;
        foreach (['filelock_try("x")', 'filelock_acquire("x", 0.01)', 'filelock_status("x")', 'filelock_list()'] as $i => $call) {
            if ($i < 2 || $alsoForLooking) {
                $e = $this->assertThrows('FileLock\\LockException', $agent, "return $call;");
                $this->assertStringContainsString($this->storeDirectory, $e->getMessage(), "$what: $call names the path");
            }
        }
        clearstatcache();
        $after = @lstat($this->table);
        foreach (['dev', 'ino', 'mode', 'uid', 'size', 'mtime'] as $field) {
            $this->assertSame($before[$field] ?? null, $after[$field] ?? null, "$what: $field");
        }
        $this->assertSame($content, is_file($this->table) ? md5_file($this->table) : null, "$what: content");
        $this->assertTrue($agent->run('return true;'), "$what: the process lives");
    }

    private function goodTable(): string
    {
        $maker = $this->agent();
        $maker->filelock_try('x');
        $maker->finish();
        return file_get_contents($this->table);
    }

    public function testGarbage(): void
    {
        file_put_contents($this->table, random_bytes(100_000));
        $this->assertRefused('garbage');
    }

    public function testAnotherProgramsFile(): void
    {
        file_put_contents($this->table, str_repeat("SQLite format 3\0", 10_000));
        $this->assertRefused('a database');
    }

    public function testEmpty(): void
    {
        touch($this->table);
        $this->assertRefused('an empty file');
    }

    public function testTruncated(): void
    {
        $good = $this->goodTable();
        foreach ([1, 64, 4096, intdiv(strlen($good), 2), strlen($good) - 1] as $length) {
            file_put_contents($this->table, substr($good, 0, $length));
            $this->assertRefused("$length bytes");
        }
    }

    /** The first bytes are magic and format: any other value there is not ours to touch. */
    public function testAnotherFormat(): void
    {
        $good = $this->goodTable();
        foreach ([0, 4, 8] as $offset) {
            $other = $good;
            $other[$offset] = chr(ord($other[$offset]) ^ 0x55);
            file_put_contents($this->table, $other);
            $this->assertRefused("byte $offset changed");
        }
    }

    public function testADirectory(): void
    {
        mkdir($this->table);
        $this->assertRefused('a directory');
    }

    public function testAFifo(): void
    {
        posix_mkfifo($this->table, 0600);
        $this->assertRefused('a FIFO');
    }

    public function testASymbolicLink(): void
    {
        $this->goodTable();
        rename($this->table, "$this->directory/elsewhere");
        symlink("$this->directory/elsewhere", $this->table);
        $this->assertRefused('a symbolic link');
        unlink($this->table);
        symlink("$this->directory/nowhere", $this->table);
        $this->assertRefused('a dangling symbolic link');
        $this->assertFileDoesNotExist("$this->directory/nowhere");
    }

    public function testAnotherOwner(): void
    {
        $this->needRoot('gives the table to another user');
        $this->goodTable();
        chown($this->table, 'nobody');
        $this->assertRefused('another owner\'s table');
    }

    public function testTheStoresDirectoryIsNone(): void
    {
        $try = 'return filelock_try("x");';
        $none = $this->agent("table:$this->directory/none/deeper");
        $e = $this->assertThrows('FileLock\\LockException', $none, $try);
        $this->assertSame(2, $e->getCode(), 'ENOENT');
        $this->assertStringContainsString("$this->directory/none/deeper", $e->getMessage());
        touch("$this->directory/file");
        $e = $this->assertThrows('FileLock\\LockException', $this->agent("table:$this->directory/file"), $try);
        $this->assertSame(20, $e->getCode(), 'ENOTDIR');
    }

    /** The last part of the path is made, with a mode that fits the table's, whatever the umask. */
    public function testTheDirectoryIsMade(): void
    {
        foreach (['' => 0700, '?mode=0660' => 02770] as $options => $mode) {
            $agent = $this->agent("table:$this->directory/made $mode$options");
            $agent->run('umask(0077);');
            $this->assertTrue($agent->filelock_try('x'));
            clearstatcache();
            $this->assertSame($mode, fileperms("$this->directory/made $mode") & 07777);
        }
    }

    public function testManyFirstComersMakeOneTable(): void
    {
        $agents = $this->agents(24);
        $go = var_export("$this->directory/go", true);
        foreach ($agents as $i => $agent) {
            $agent->send("reply(true); while (!file_exists($go));
                return [filelock_try('own $i'), filelock_try('common')];");
            $agent->receive();
        }
        touch("$this->directory/go");
        $results = array_map(fn (Agent $agent) => $agent->receive(), $agents);
        $this->assertNotContains(false, array_column($results, 0));
        $this->assertCount(1, array_filter(array_column($results, 1)), 'one has what all wanted');
        $this->assertCount(25, $agents[0]->filelock_list());
        $this->assertSame(['.', '..', 'filelock.table'], scandir($this->storeDirectory));
    }

    public function testAnOrderlyExceptionAndThenItWorks(): void
    {
        $agent = $this->agent();
        file_put_contents($this->table, 'garbage');
        $this->assertRefused('garbage', true, $agent);
        unlink($this->table);
        $this->assertTrue($agent->filelock_try('x'));
    }
}
