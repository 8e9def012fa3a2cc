<?php
declare(strict_types=1);

/**
 * The job of the demo: UnicodeData.txt, batch by batch, into one plain ledger file, with a tally by category. Nothing in here
 * locks. Two processes in next() at once would lose rows or write them twice, which is what makes the job a fair test.
 *
 *     progress   "<rows done> <bytes of input done> <bytes of the ledger that count>", then "<category> <rows>" lines
 *     ledger     "<code point>;<category>", one line per row
 *
 * The progress is replaced last, by a rename: what a killed process has left behind it in the ledger does not count yet,
 * and the next one cuts it off.
 */
final class Import
{
    public const NAME = 'unicode-import';
    private const BATCH = 250;

    public function __construct(private readonly string $directory, private readonly string $source)
    {
        umask(0007); // both users work on the same files; the directory's setgid bit does the rest
    }

    public function isFinished(): bool
    {
        return $this->progress()['read'] >= filesize($this->source);
    }

    /**
     * Imports one batch. $halfway is called with half of it written, and says whether to go on.
     *
     * @param callable(): bool $halfway
     * @return array{int, int, int}|null  first row, last row, bytes cut off; null = nothing done
     */
    public function next(callable $halfway): ?array
    {
        $progress = $this->progress();
        $rows = $this->read($progress['read'], $end);
        if ($rows === []) {
            return null;
        }
        $ledger = fopen("$this->directory/ledger", 'c');
        $leftOver = fstat($ledger)['size'] - $progress['written'];
        ftruncate($ledger, $progress['written']);
        fseek($ledger, $progress['written']);

        $half = intdiv(count($rows), 2);
        foreach ($rows as $i => [$codePoint, $category]) {
            if ($i === $half && !$halfway()) {
                return null;
            }
            $progress['written'] += fwrite($ledger, "$codePoint;$category\n");
            $progress['tally'][$category] = ($progress['tally'][$category] ?? 0) + 1;
        }
        fclose($ledger);

        $first = $progress['rows'] + 1;
        $progress['rows'] += count($rows);
        $progress['read'] = $end;
        $this->store($progress);
        return [$first, $progress['rows'], max(0, $leftOver)];
    }

    /** @return list<array{string, string}>  code point and category of one batch of rows */
    private function read(int $from, ?int &$end): array
    {
        $source = fopen($this->source, 'r');
        fseek($source, $from);
        $rows = [];
        while (count($rows) < self::BATCH && ($line = fgets($source)) !== false) {
            $fields = explode(';', $line);
            $rows[] = [$fields[0], $fields[2]];
        }
        $end = ftell($source);
        return $rows;
    }

    /** @return array{rows: int, read: int, written: int, tally: array<string, int>} */
    private function progress(): array
    {
        $lines = file("$this->directory/progress", FILE_IGNORE_NEW_LINES);
        [$rows, $read, $written] = array_map(intval(...), explode(' ', array_shift($lines)));
        $tally = [];
        foreach ($lines as $line) {
            [$category, $count] = explode(' ', $line);
            $tally[$category] = (int) $count;
        }
        return compact('rows', 'read', 'written', 'tally');
    }

    /** @param array{rows: int, read: int, written: int, tally: array<string, int>} $progress */
    private function store(array $progress): void
    {
        $text = "{$progress['rows']} {$progress['read']} {$progress['written']}\n";
        foreach ($progress['tally'] as $category => $count) {
            $text .= "$category $count\n";
        }
        $new = "$this->directory/progress." . getmypid();
        file_put_contents($new, $text);
        rename($new, "$this->directory/progress");
    }
}
