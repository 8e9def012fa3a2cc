<?php
declare(strict_types=1);

/** The rows that need a second process. Children are told one step at a time through a pipe, see worker.php. */
final class Processes
{
    public const RATIO = 'throughput';
    public const TWO = 'two processes on different names: throughput against one';
    public const KILLED = 'from SIGKILL to the take-over by a waiter';
    public const WOKEN = 'from release to the wake-up of a waiter';
    public const WOKEN_BY_FLOCK = 'from release to the wake-up, blocking flock';
    private const ROUNDS = 15;

    /** @var list<array{resource, resource, resource}> */
    private array $workers = [];

    public function __construct(private readonly Launch $launch)
    {
    }

    public function __destruct()
    {
        array_map($this->stop(...), array_keys($this->workers));
    }

    /** Lets another process hold $name until the end. */
    public function hold(string $name): void
    {
        $this->tell($this->start(), "hold $name");
    }

    /** @return array<string, array{float, float}> */
    public function measure(): array
    {
        return [
            self::TWO => $this->throughput(),
            self::KILLED => $this->repeat(fn () => $this->takeOver('wait', 'hold')),
            'from SIGKILL to the take-over, blocking flock' => $this->repeat(fn () => $this->takeOver('flock-wait', 'flock-hold')),
            self::WOKEN => $this->wakeUp('wait', 'hold', 'release'),
            self::WOKEN_BY_FLOCK => $this->wakeUp('flock-wait', 'flock-hold', 'flock-release'),
        ];
    }

    /** @return array{float, float} */
    private function throughput(): array
    {
        // Each on a processor of its own from the beginning: where the kernel puts them is not what is measured.
        [$a, $b] = array_map($this->start(...), self::onTwoProcessors());
        $this->tell($a, 'pairs a 100');
        $this->tell($b, 'pairs b 100');
        $ratios = [];
        for ($round = 0; $round < self::ROUNDS; ++$round) {
            $one = ((int) $this->tell($a, 'pairs a 100') + (int) $this->tell($b, 'pairs b 100')) / 2;
            $this->send($a, 'pairs a 100');
            $this->send($b, 'pairs b 100');
            $ratios[] = ((int) $this->receive($a) + (int) $this->receive($b)) / $one;
        }
        return Rounds::medianAndBest($ratios, true);
    }

    private function takeOver(string $wait, string $hold): float
    {
        $holder = $this->start();
        $waiter = $this->start();
        $this->tell($holder, "$hold crash");
        $this->awaitSleep($waiter, "$wait crash");
        $killed = hrtime(true);
        proc_terminate($this->workers[$holder][0], 9);
        $ns = (int) $this->receive($waiter) - $killed;
        $this->stop($waiter);
        $this->stop($holder);
        return $ns;
    }

    /** @return array{float, float} */
    private function wakeUp(string $wait, string $hold, string $release): array
    {
        [$holder, $waiter] = [$this->start(), $this->start()];
        $this->tell($holder, "$hold turn");
        $times = [];
        for ($round = 0; $round < 4 * self::ROUNDS; ++$round) {
            $this->awaitSleep($waiter, "$wait turn");
            $released = (int) $this->tell($holder, "$release turn");
            $times[] = (int) $this->receive($waiter) - $released;
            [$holder, $waiter] = [$waiter, $holder];
        }
        return Rounds::medianAndBest($times);
    }

    /** Two prefixes of a command; empty ones on a machine with one processor. @return array{list<string>, list<string>} */
    private static function onTwoProcessors(): array
    {
        preg_match('/^Cpus_allowed_list:\s*(\S+)/m', file_get_contents('/proc/self/status'), $match);
        $allowed = [];
        foreach (explode(',', $match[1]) as $range) {
            [$first, $last] = [...explode('-', $range), $range];
            array_push($allowed, ...range((int) $first, (int) $last));
        }
        return count($allowed) < 2 ? [[], []] : array_map(fn (int $cpu): array => ['taskset', '--cpu-list', (string) $cpu],
            array_slice($allowed, 0, 2));
    }

    /** @return array{float, float} */
    private function repeat(callable $measure): array
    {
        return Rounds::medianAndBest(array_map($measure, range(1, self::ROUNDS)));
    }

    /** Tells a worker to wait, and comes back when the kernel says that it sleeps in there. */
    private function awaitSleep(int $worker, string $command): void
    {
        $this->send($worker, $command);
        $pid = proc_get_status($this->workers[$worker][0])['pid'];
        usleep(3_000); // it has read the command: now it is past the pipe
        while (!str_contains(file_get_contents("/proc/$pid/stat"), ') S ')) {
            usleep(1_000);
        }
    }

    /** @param list<string> $prefix */
    private function start(array $prefix = []): int
    {
        $command = [...$prefix, ...$this->launch->command(), __DIR__ . '/worker.php'];
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $this->workers[] = [$process, $pipes[0], $pipes[1]];
        $worker = array_key_last($this->workers);
        $this->receive($worker);
        return $worker;
    }

    private function tell(int $worker, string $command): string
    {
        $this->send($worker, $command);
        return $this->receive($worker);
    }

    private function send(int $worker, string $command): void
    {
        fwrite($this->workers[$worker][1], "$command\n");
    }

    private function receive(int $worker): string
    {
        $line = fgets($this->workers[$worker][2]);
        return $line === false ? throw new Exception('a worker has died') : trim($line);
    }

    private function stop(int $worker): void
    {
        [$process, $in, $out] = $this->workers[$worker];
        fclose($in);
        fclose($out);
        proc_close($process);
        unset($this->workers[$worker]);
    }
}
