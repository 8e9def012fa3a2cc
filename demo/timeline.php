<?php
declare(strict_types=1);

/** Prints the events of a demo for a person: who, what, after how long. What only repeats is counted, not shown. */
final class Timeline
{
    private int $start;
    /** @var array<string, true> what was shown once and need not be shown again */
    private array $shown = [];
    /** @var array<string, int> */
    private array $skipped = [];
    /** @var null|array{string, int, string} the sentence for the next one who gets the lock, since when, from whom */
    private ?array $takeOver = null;

    /** @param list<list<string>> $events  time in ns, who, uid, event, ns it took, detail; in order of time */
    public function __construct(private readonly array $events)
    {
        $this->start = (int) ($events[0][0] ?? 0);
    }

    public function print(): void
    {
        foreach ($this->events as [$at, $who, $uid, $event, $took, $detail]) {
            $text = $this->text($who, $event, (int) $took, $detail, (int) $at);
            if ($text === null) {
                $this->skipped[$event] = ($this->skipped[$event] ?? 0) + 1;
                continue;
            }
            $this->printSkipped();
            $this->line((int) $at, $uid === '' ? $who : "$who (uid $uid)", $text);
        }
        $this->printSkipped();
        $this->printWorkers();
    }

    /** null = not worth a line */
    private function text(string $who, string $event, int $took, string $detail, int $at): ?string
    {
        return match ($event) {
            'took' => $this->took($who, $took, $at),
            'busy' => $this->once("busy $who" . $this->holder($detail))
                ? 'busy, told after ' . self::time($took) . ": $detail" : null,
            'done' => $this->done($who, $took, $detail),
            'other' => $this->once('other ' . substr($who, 0, 3)) ? 'did other work instead of waiting' : null,
            'half' => $this->misfortune('half', 'has written half a batch, and its lock has no expiry'),
            'killed' => $this->misfortune('killed', 'SIGKILL', 'after the kill', $at, $who),
            'hang' => $this->misfortune('hang', 'has written half a batch and hangs; its lock lasts 400 ms',
                'after it began to hang', $at, $who),
            'lost' => $this->misfortune('lost', 'goes on after ' . self::time($took)
                . ', asks filelock_refresh(), is told that it lost, and writes nothing'),
            default => "$event $detail",
        };
    }

    private function took(string $who, int $took, int $at): ?string
    {
        if ($this->takeOver !== null && $this->takeOver[2] !== $who) {
            [$phrase, $since] = $this->takeOver;
            $this->takeOver = null;
            return '*** takes over ' . self::time($at - $since) . " $phrase";
        }
        if (!$this->once("took $who")) {
            return null;
        }
        $waits = in_array($who, ['cli-3', 'cli-doomed', 'web-slow'], true);
        return ($waits ? 'waited for the lock, and got it after ' : 'got the lock after ') . self::time($took);
    }

    private function done(string $who, int $took, string $detail): ?string
    {
        [$first, $last, $leftOver] = explode(' ', $detail);
        $cut = $leftOver === '0' ? '' : "; first cut off $leftOver bytes that the one before had half done";
        return $this->once('done ' . substr($who, 0, 3)) || $cut !== ''
            ? "imported rows $first to $last in " . self::time($took) . $cut : null;
    }

    /** What everybody runs into is shown again afterwards: who is busy, who takes over. */
    private function misfortune(string $event, string $text, string $phrase = '', int $at = 0, string $who = ''): string
    {
        if ($phrase !== '') {
            $this->takeOver = [$phrase, $at, $who];
        }
        return "*** $text";
    }

    /** The part of a status sentence that tells a misfortune's holder from the others: those are worth one line each. */
    private function holder(string $sentence): string
    {
        return preg_match('/cli-doomed|web-slow/', $sentence, $match) ? " $match[0]" : '';
    }

    private function once(string $what): bool
    {
        $first = !isset($this->shown[$what]);
        $this->shown[$what] = true;
        return $first;
    }

    private function printSkipped(): void
    {
        $words = ['done' => 'batch', 'busy' => 'busy', 'other' => 'other work'];
        $parts = [];
        foreach (array_intersect_key($words, $this->skipped) as $event => $word) {
            $parts[] = "{$this->skipped[$event]} × $word";
        }
        if ($parts) {
            echo '           … ', implode(', ', $parts), "\n";
        }
        $this->skipped = [];
    }

    private function line(int $at, string $who, string $text): void
    {
        printf("%8.1f ms  %-24s %s\n", ($at - $this->start) / 1e6, $who, $text);
    }

    private function printWorkers(): void
    {
        $workers = [];
        foreach ($this->events as [, $who, $uid, $event, $took]) {
            if ($uid !== '') {
                $workers["$who (uid $uid)"][$event][] = (int) $took;
            }
        }
        ksort($workers);
        printf("\n%-24s %8s %12s %18s %11s\n", 'who', 'batches', 'busy', 'told after, median', 'other work');
        foreach ($workers as $who => $did) {
            $busy = $did['busy'] ?? [];
            sort($busy);
            $median = $busy && !str_starts_with($who, 'cli-3') ? self::time($busy[intdiv(count($busy), 2)]) : '-';
            printf("%-24s %8d %12d %18s %11d\n", $who, count($did['done'] ?? []), count($busy), $median,
                count($did['other'] ?? []));
        }
    }

    private static function time(int $ns): string
    {
        return $ns < 1_000_000 ? sprintf('%.1f µs', $ns / 1e3) : sprintf('%.1f ms', $ns / 1e6);
    }
}
