<?php
declare(strict_types=1);

namespace FileLock\Tests;

/**
 * filelock_put_contents() under strace: the order of its system calls, and what happens when one of them fails. Before the
 * renaming: the old file is untouched, and nothing is left. After it: the message says that the new contents are there.
 */
final class PutContentsTest extends ProcessTestCase
{
    private string $file;

    protected function setUp(): void
    {
        parent::setUp();
        mkdir("$this->directory/files");
        $this->file = "$this->directory/files/file";
        file_put_contents($this->file, 'old');
    }

    /**
     * Replaces the file while strace injects failures.
     *
     * @param list<string> $faults as strace's -e inject= has them
     * @return array{string, string} what the process said, and the trace of the calls about the file
     */
    private function put(string $data, array $faults = [], string $before = ''): array
    {
        $trace = "$this->directory/trace";
        $calls = 'openat,openat2,write,fsync,fchmod,fchown,linkat,renameat,rename,unlinkat,fsetxattr,fremovexattr';
        $command = ['strace', '-f', '-o', $trace, '-e', "trace=$calls,getrandom"];
        foreach ($faults as $fault) {
            array_push($command, '-e', "inject=$fault");
        }
        $code = $before . 'fopen("/dev/null/the test begins", "r");
            try { echo filelock_put_contents($argv[1], $argv[2]), " bytes"; }
            catch (Exception $e) { echo get_class($e), " ", $e->getCode(), ": ", $e->getMessage(); }';
        array_push($command, ...Php::command(['display_errors' => '0']), ...['-r', $code, '--', $this->file, $data]);
        $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
        $said = stream_get_contents($pipes[1]);
        proc_close($process);
        $lines = file_get_contents($trace);
        unlink($trace);
        return [$said, substr($lines, (int) strpos($lines, 'the test begins'))];
    }

    /** @return list<string> */
    private function entries(): array
    {
        return array_values(array_diff(scandir("$this->directory/files"), ['.', '..']));
    }

    /** @param list<string> $faults */
    private function assertUntouched(int $code, string $says, array $faults, string $before = ''): void
    {
        [$said, $trace] = $this->put('new contents', $faults, $before);
        $what = implode(', ', $faults) . "\n$said\n$trace";
        $this->assertStringContainsString('(INJECTED)', $trace, $what);
        $this->assertStringStartsWith("FileLock\\LockException $code: filelock: cannot write $this->file: ", $said, $what);
        $this->assertStringContainsString($says, $said, $what);
        $this->assertSame('old', file_get_contents($this->file), $what);
        $this->assertSame(['file'], $this->entries(), $what);
    }

    /** Where $pattern, which occurs once, begins. */
    private function position(string $trace, string $pattern): int
    {
        $this->assertSame(1, preg_match($pattern, $trace, $match, PREG_OFFSET_CAPTURE), "$pattern in\n$trace");
        return $match[0][1];
    }

    /** Written, on the disk, renamed, and the renaming on the disk: in this order, or a power cut leaves an empty file. */
    public function testOrder(): void
    {
        [$said, $trace] = $this->put('new contents');
        $this->assertSame('12 bytes', $said);
        preg_match('/openat2?\(AT_FDCWD, "[^"]*files\/".*\) = (\d+)/', $trace, $directory);
        preg_match('/openat\((\d+), .*O_TMPFILE.*\) = (\d+)/', $trace, $made);
        $this->assertSame($directory[1] ?? 'none', $made[1] ?? 'other', $trace);
        $steps = ["/write\\($made[2], \"new contents\", 12\\)/", "/fchmod\\($made[2], 0644\\)/", "/fsync\\($made[2]\\)/",
            "/linkat\\(AT_FDCWD, \"\\/proc\\/self\\/fd\\/$made[2]\", $made[1], \"\\.filelock-put-[0-9a-f]{16}\"/",
            "/renameat\\($made[1], \"\\.filelock-put-[0-9a-f]{16}\", $made[1], \"file\"\\)/", "/fsync\\($made[1]\\)/"];
        $positions = array_map(fn (string $step): int => $this->position($trace, $step), $steps);
        $sorted = $positions;
        sort($sorted);
        $this->assertSame($sorted, $positions, $trace);
        $this->assertSame(2, substr_count($trace, 'fsync('), $trace);
    }

    public function testFailuresBeforeTheRenaming(): void
    {
        $this->assertUntouched(28, 'make room', ['write:error=ENOSPC:when=1']);
        $this->assertUntouched(122, 'make room', ['write:error=EDQUOT:when=1']);
        $this->assertUntouched(5, 'new contents cannot be written', ['write:error=EIO:when=1']);
        $this->assertUntouched(5, 'do not reach the disk', ['fsync:error=EIO:when=1']);
        $this->assertUntouched(122, 'do not reach the disk', ['fsync:error=EDQUOT:when=1']);
        $this->assertUntouched(1, "old one's permissions", ['fchmod:error=EPERM:when=1']);
        $this->assertUntouched(1, 'cannot take its place', ['renameat:error=EPERM:when=1']);
        $this->assertUntouched(16, 'mount its directory', ['renameat:error=EBUSY:when=1']);
    }

    /** The same where a file has to have a name from the beginning. */
    public function testWithoutUnnamedFiles(): void
    {
        $without = 'linkat:error=ENOENT';
        [$said, $trace] = $this->put('new contents', [$without]);
        $this->assertSame('12 bytes', $said, $trace);
        $this->assertMatchesRegularExpression('/openat\(\d+, "\.filelock-put-[0-9a-f]{16}", [A-Z_|]*O_EXCL/', $trace);
        $this->assertSame('new contents', file_get_contents($this->file));
        file_put_contents($this->file, 'old');
        $this->assertUntouched(28, 'make room', [$without, 'write:error=ENOSPC:when=2']);
        $this->assertUntouched(5, 'do not reach the disk', [$without, 'fsync:error=EIO:when=2']);
        $this->assertUntouched(1, 'cannot take its place', [$without, 'renameat:error=EPERM']);
    }

    public function testOnlyTheRenamingIsNotDurable(): void
    {
        [$said, $trace] = $this->put('new contents', ['fsync:error=EIO:when=2']);
        $this->assertStringStartsWith("FileLock\\LockException 5: filelock: $this->file has its new contents, but a power cut", $said, $trace);
        $this->assertSame('new contents', file_get_contents($this->file));
        $this->assertSame(['file'], $this->entries());
    }

    /** A file system that cannot do it has nothing to do; a signal is no failure; nor is a kernel that knows no openat2. */
    public function testWhatIsNoFailure(): void
    {
        foreach ([['fsync:error=EINVAL:when=2'], ['fsync:error=EINTR:when=1'], ['fsync:error=EINTR:when=2'],
            ['write:error=EINTR:when=1'], ['openat2:error=ENOSYS'], ['openat2:error=EPERM'],
            ['fremovexattr:error=EOPNOTSUPP']] as $faults) {
            [$said, $trace] = $this->put('new ' . $faults[0], $faults);
            $this->assertStringContainsString('(INJECTED)', $trace, $faults[0]);
            $this->assertSame(strlen("new $faults[0]") . ' bytes', $said, $trace);
            $this->assertSame("new $faults[0]", file_get_contents($this->file));
            $this->assertSame(['file'], $this->entries());
        }
    }

    /** Nothing in it is the process's business: neither its mask of new files nor its signals. */
    public function testSizeLimit(): void
    {
        $command = ['sh', '-c', 'ulimit -f 1; exec "$@"', 'sh', ...Php::command([]), '-r',
            'try { filelock_put_contents($argv[1], str_repeat("x", 1025)); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
            echo filelock_put_contents($argv[1], "small");', '--', $this->file];
        $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        $said = stream_get_contents($pipes[1]);
        $this->assertSame(0, proc_close($process));
        $this->assertStringContainsString('File too large; raise the limit', $said);
        $this->assertStringEndsWith("\n5", $said);
        $this->assertSame(['file'], $this->entries());
    }

    /** Killed while it writes again and again: a whole file, and names that tell what they are. */
    public function testKilled(): void
    {
        for ($i = 0; $i < 20; $i++) {
            $agent = $this->agent();
            $agent->send("while (true) { filelock_put_contents('$this->file', str_repeat('a', 300000)); filelock_put_contents('$this->file', str_repeat('b', 300000)); }");
            $this->until('it writes', fn (): bool => file_get_contents($this->file) !== 'old');
            $agent->kill();
            $contents = file_get_contents($this->file);
            $this->assertSame(str_repeat($contents[0], 300000), $contents);
            foreach (array_diff($this->entries(), ['file']) as $left) {
                $this->assertMatchesRegularExpression('/^\.filelock-put-[0-9a-f]{16}$/', $left);
                unlink("$this->directory/files/$left");
            }
            file_put_contents($this->file, 'old');
        }
    }

    /** Changed by many at once, not one change is lost. */
    public function testExample(): void
    {
        $run = function (string ...$arguments): string {
            $command = [...Php::command(['filelock.store' => $this->store()]), dirname(__DIR__, 2) . '/examples/settings.php',
                "$this->directory/files/settings.json", ...$arguments];
            $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
            $said = stream_get_contents($pipes[1]);
            $this->assertSame(0, proc_close($process));
            return $said;
        };
        $this->assertSame('', $run());
        $this->assertSame("colour = red\n", $run('colour', 'red'));
        $writers = $this->agents(3);
        $file = "$this->directory/files/settings.json";
        foreach ($writers as $i => $writer) {
            $writer->send("ob_start(); \$argv = ['', '$file']; require_once '" . dirname(__DIR__, 2) . "/examples/settings.php';
                for (\$n = 0; \$n < 30; \$n++) { change('$file', fn (array \$s) => \$s + ['of $i, ' . \$n => 1]); } ob_end_clean();");
        }
        array_map(fn (Agent $writer) => $writer->receive(), $writers);
        $this->assertSame(91, substr_count($run(), "\n"));
    }
}
