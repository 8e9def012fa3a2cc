<?php
declare(strict_types=1);

/**
 * Sees two holders without asking filelock: each critical section creates one marker file exclusively and removes it at its
 * end. Finding a marker is a violation, with two exceptions, each judged by what the kernel or the clock says:
 *
 *     its process is dead        (killed inside its section: /proc knows neither that PID nor that start time)
 *     its time is over           (the marker tells until when its lease was to last; a take-over before that is a violation)
 *
 * Both are written down and must be as many as the demo has caused: a witness that waved everything through would be seen.
 */
final class Witness
{
    /** A lease may end this much before its ttl is over: filelock's clock is the kernel's coarse one, which lags. */
    private const CLOCK_LAG = 10_000_000;

    private string $marker;
    private string $mine = '';

    public function __construct(private readonly string $directory)
    {
        $this->marker = "$directory/marker";
    }

    /** @param int $asked  hrtime() from before the lock was asked for: the lease cannot end before $asked + $ttl */
    public function enter(string $who, int $asked, float $ttl): void
    {
        $until = is_infinite($ttl) ? PHP_INT_MAX : $asked + (int) ($ttl * 1e9);
        $this->mine = sprintf('%s %d %s %d %d', $who, getmypid(), self::startTime('self'), $until, hrtime(true));
        if (!$this->create()) {
            $this->judge();
            $this->create() || $this->write('violation', 'a marker appeared again at once');
        }
        $this->write('enter', $who);
    }

    public function leave(): void
    {
        if (@file_get_contents($this->marker) === $this->mine) {
            unlink($this->marker);
            $this->write('leave', $this->mine);
        } else {
            $this->write('violation', "the marker of [$this->mine] was not there at the end of its section");
        }
    }

    private function create(): bool
    {
        $file = @fopen($this->marker, 'x');
        return $file && fwrite($file, $this->mine) && fclose($file);
    }

    private function judge(): void
    {
        $found = (string) @file_get_contents($this->marker);
        $parts = explode(' ', $found);
        if (count($parts) !== 5) {
            $verdict = 'violation'; // empty: its owner is creating it at this moment, or removed it just now
        } elseif (self::isDead($parts[1], $parts[2])) {
            $verdict = 'dead';
        } elseif (hrtime(true) >= (int) $parts[3] - self::CLOCK_LAG) {
            $verdict = 'expired';
        } else {
            $verdict = 'violation';
        }
        $this->write($verdict, "[$this->mine] found [$found]");
        @unlink($this->marker);
    }

    private static function isDead(string $pid, string $start): bool
    {
        // Where /proc hides other users' processes, nobody may be called dead.
        return is_dir('/proc/1') && self::startTime($pid) !== $start;
    }

    /** When a process started, in clock ticks since boot; "-" = it is gone, or dead and not buried. */
    private static function startTime(string $pid): string
    {
        $stat = (string) @file_get_contents("/proc/$pid/stat");
        $fields = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2)); // the command's name may contain anything
        return in_array($fields[0], ['Z', 'X', ''], true) ? '-' : $fields[19];
    }

    private function write(string $what, string $detail): void
    {
        file_put_contents("$this->directory/witness", "$what $detail\n", FILE_APPEND);
    }
}
