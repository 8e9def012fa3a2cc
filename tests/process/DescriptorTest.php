<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Programs that treat their descriptors badly. */
final class DescriptorTest extends ProcessTestCase
{
    /** A table that got descriptor 1 would be overwritten by the next echo. */
    public function testStandardStreamsClosedBefore(): void
    {
        $result = "$this->directory/result";
        $go = "$this->directory/go";
        posix_mkfifo($go, 0600);
        file_put_contents("$this->directory/script.php", '<?php
            ignore_user_abort(true); // or the first echo that fails ends it
            $taken = filelock_try("x", INF);
            echo str_repeat("output ", 10000);
            error_log(str_repeat("errors ", 10000));
            file_put_contents("' . $result . '.new", json_encode([$taken, filelock_refresh("x"), getmypid()]));
            rename("' . $result . '.new", "' . $result . '");
            file_get_contents("' . $go . '");
            exit(filelock_release("x") ? 0 : 3);');
        $command = [...Php::command(['filelock.store' => $this->store()]), "$this->directory/script.php"];
        $process = proc_open(['sh', '-c', 'exec "$@" <&- >&- 2>&-', 'sh', ...$command], [], $pipes);
        $this->until('the script has taken it', fn () => is_file($result));
        [$taken, $kept, $pid] = json_decode(file_get_contents($result));
        $this->assertTrue($taken);
        $this->assertTrue($kept);
        $other = $this->agent();
        $this->assertFalse($other->filelock_try('x'));
        $this->assertSame($pid, $other->filelock_status('x')['pid']);
        file_put_contents($go, 'end');
        $this->assertSame(0, proc_close($process));
        $this->assertTrue($other->filelock_try('x'));
    }

    public function testAllDescriptorsClosedBehindTheExtensionsBack(): void
    {
        if (!is_file(PHP_EXTENSION_DIR . '/ffi.so') && !extension_loaded('FFI')) {
            $this->markTestSkipped('needs the FFI extension');
        }
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', INF);
        $holder->run('$libc = FFI::cdef("int close(int fd);", "libc.so.6");
            for ($fd = 3; $fd < 200; ++$fd) { $libc->close($fd); }');
        $this->assertFalse($other->filelock_try('x'), 'no wrong grant');
        $this->assertTrue($holder->filelock_refresh('x'));
        $this->assertTrue($holder->filelock_try('y'));
        $this->assertFalse($other->filelock_try('y'));
        // Whatever gets those numbers now is not taken for the table.
        $holder->run('for ($i = 0; $i < 60; ++$i) { $files[] = tmpfile(); }');
        usleep(20_000); // the path is looked at again after 10 ms
        $this->assertTrue($holder->filelock_release('x'));
        $this->assertTrue($other->filelock_try('x'));
        $this->assertFalse($holder->filelock_try('x'));
        $this->assertSame([0], $holder->run('return array_values(array_unique(array_map(
            fn ($file) => fstat($file)["size"], $files)));'), 'nobody wrote into them');
        $holder->kill();
        $this->assertNotNull($other->run('return take_when_free("y");'));
    }

    public function testTwoPathsToOneTable(): void
    {
        symlink($this->storeDirectory, "$this->directory/alias");
        [$a, $b] = [$this->agent(), $this->agent("table:$this->directory/alias")];
        $this->assertTrue($a->filelock_try('x'));
        $this->assertFalse($b->filelock_try('x'));
        $alias = var_export("table:$this->directory/alias", true);
        $this->assertSame($a->pid, $a->run("return (new FileLock\\Store($alias))->status('x')->pid;"));
        $this->assertTrue($a->run("return (new FileLock\\Store($alias))->break('x', filelock_status('x')->token);"));
        $this->assertFalse($a->filelock_release('x'));
        $this->assertTrue($b->filelock_try('x'));
    }
}
