<?php
declare(strict_types=1);

namespace FileLock\Tests;

use PHPUnit\Framework\TestCase;

/** A test with processes: a directory of its own, and agents that do not outlive it. */
abstract class ProcessTestCase extends TestCase
{
    /** Unique to the test, everybody may write in it. */
    protected string $directory;
    /** The store's directory, a table with default options is "table:$this->storeDirectory". */
    protected string $storeDirectory;
    /** @var list<Agent> */
    private array $agents = [];
    /** @var list<callable> */
    private array $cleanUps = [];

    protected function setUp(): void
    {
        $base = is_writable('/dev/shm') ? '/dev/shm' : sys_get_temp_dir();
        $this->directory = "$base/filelock-test-" . bin2hex(random_bytes(6));
        mkdir($this->directory);
        chmod($this->directory, 0777);
        $this->storeDirectory = "$this->directory/store";
        mkdir($this->storeDirectory, 0700);
    }

    protected function tearDown(): void
    {
        foreach (array_reverse($this->cleanUps) as $cleanUp) {
            $cleanUp();
        }
        foreach ($this->agents as $agent) {
            $agent->__destruct();
        }
        $this->agents = $this->cleanUps = [];
        self::remove($this->directory);
    }

    protected function store(string $options = ''): string
    {
        return "table:$this->storeDirectory$options";
    }

    /**
     * @param array<string, string> $ini
     * @param list<string> $prefix
     */
    protected function agent(?string $store = null, array $ini = [], array $prefix = []): Agent
    {
        return $this->agents[] = new Agent($store ?? $this->store(), $ini, $prefix);
    }

    /** @return list<Agent> */
    protected function agents(int $count, ?string $store = null): array
    {
        return array_map(fn (): Agent => $this->agent($store), range(1, $count));
    }

    protected function atEnd(callable $cleanUp): void
    {
        $this->cleanUps[] = $cleanUp;
    }

    /** Looks until it is so: for what another process does in its own time, such as going to sleep. */
    protected function until(string $what, callable $condition): void
    {
        $until = hrtime(true) + 20_000_000_000;
        while (!$condition()) {
            if (hrtime(true) > $until) {
                $this->fail("not within 20 s: $what");
            }
        }
    }

    /** Waits until somebody waits for $name. */
    protected function untilWaiting(Agent $observer, string $name, int $waiters = 1): void
    {
        $this->until("$waiters waiting for $name",
            fn (): bool => ($observer->filelock_status($name)['waiters'] ?? 0) >= $waiters);
    }

    /** Runs the step, expects it to throw $class, and returns the exception. */
    protected function assertThrows(string $class, Agent $agent, string $code): AgentException
    {
        try {
            $value = $agent->run($code);
        } catch (AgentException $e) {
            $this->assertSame($class, $e->class, $e->getMessage());
            return $e;
        }
        $this->fail("$class expected, but it returned " . var_export($value, true));
    }

    /**
     * What $measure returns, in ms, is at most $limit in three rounds of at most fifteen. The product is that fast, and a busy
     * machine adds to it what it likes: a product that is slower never gets there.
     */
    protected function assertWithin(float $limit, callable $measure): void
    {
        $times = [];
        do {
            $times[] = $measure();
            $reached = count(array_filter($times, fn (float $time): bool => $time <= $limit));
        } while ($reached < 3 && count($times) < 15);
        $this->assertGreaterThanOrEqual(3, $reached, "rounds within $limit ms, of: " . implode(', ', $times));
    }

    protected function needRoot(string $what): void
    {
        if (!Php::isRoot()) {
            $this->markTestSkipped("needs root: $what");
        }
    }

    /** A command prefix: as this user, with these supplementary groups. @return list<string> */
    protected static function asUser(string $user, string $groups = ''): array
    {
        $groups = $groups === '' ? ['--clear-groups'] : ["--groups=$groups"];
        return ['setpriv', "--reuid=$user", '--regid=nogroup', ...$groups, '--'];
    }

    private static function remove(string $directory): void
    {
        foreach (array_diff(scandir($directory) ?: [], ['.', '..']) as $name) {
            $path = "$directory/$name";
            is_dir($path) && !is_link($path) ? self::remove($path) : unlink($path);
        }
        rmdir($directory);
    }
}
