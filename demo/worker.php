<?php
declare(strict_types=1);

/**
 * The part that web requests and command-line workers share: one turn of the import.
 *
 * What happens is told in lines of six fields, separated by tabs:
 * time in ns, who, user id, event, how long it took in ns, detail.
 */

require __DIR__ . '/import.php';
require __DIR__ . '/witness.php';

final class Worker
{
    private readonly string $directory;
    private readonly Import $import;
    private readonly Witness $witness;

    public function __construct(private readonly string $who)
    {
        $this->directory = getenv('DEMO_SHARED');
        $this->import = new Import($this->directory, getenv('DEMO_SOURCE'));
        $this->witness = new Witness($this->directory);
    }

    public function isFinished(): bool
    {
        return $this->import->isFinished();
    }

    /**
     * Takes the lock if it is free, or waits up to $timeout for it. Busy: says at once who has it.
     * The lock stays held: the caller, or the end of the request, gives it back.
     *
     * @param null|callable(): bool $halfway
     */
    public function turn(float $ttl, float $timeout = 0.0, ?callable $halfway = null): bool
    {
        $asked = hrtime(true);
        if (!$this->take($ttl, $timeout)) {
            $status = (string) filelock_status(Import::NAME);
            $this->say('busy', hrtime(true) - $asked, $status === '' ? 'free again meanwhile' : $status);
            return false;
        }
        $this->say('took', hrtime(true) - $asked);
        $this->witness->enter($this->who, $asked, $ttl);
        $this->batch($halfway ?? self::work(...));
        return true;
    }

    /** @param callable(): bool $halfway */
    private function batch(callable $halfway): void
    {
        $started = hrtime(true);
        $lost = false;
        $done = $this->import->next(function () use ($halfway, &$lost): bool {
            $lost = !$halfway();
            return !$lost;
        });
        if ($lost) { // somebody else may be in here: hands off the ledger and the marker
            $this->say('lost', hrtime(true) - $started);
            return;
        }
        $this->witness->leave();
        if ($done !== null) {
            [$first, $last, $leftOver] = $done;
            $this->say('done', hrtime(true) - $started, "$first $last $leftOver");
        }
    }

    private function take(float $ttl, float $timeout): bool
    {
        if (getenv('DEMO_SABOTAGE') === 'lock' && $this->who === 'cli-2') {
            return true; // what the checks at the end must find out
        }
        return $timeout > 0.0
            ? filelock_acquire(Import::NAME, $timeout, $ttl)
            : filelock_try(Import::NAME, $ttl);
    }

    /** Stands for the database that a real import talks to. */
    private static function work(): bool
    {
        usleep(3_000);
        return true;
    }

    /** Work that needs no lock: some of the names, counted by their first letter. About 2 ms. */
    public function otherWork(): void
    {
        static $lines = null;
        $lines ??= file(getenv('DEMO_SOURCE'));
        $letters = [];
        $until = hrtime(true) + 2_000_000;
        while (hrtime(true) < $until) {
            $letter = explode(';', $lines[array_rand($lines)])[1][0];
            $letters[$letter] = ($letters[$letter] ?? 0) + 1;
        }
    }

    public function say(string $event, int $took = 0, string $detail = ''): void
    {
        echo implode("\t", [hrtime(true), $this->who, self::uid(), $event, $took, $detail]), "\n";
    }

    private static function uid(): int
    {
        // Without the posix extension; getmyuid() would tell the owner of the script.
        preg_match('/^Uid:\s+(\d+)/m', file_get_contents('/proc/self/status'), $match);
        return (int) $match[1];
    }
}
