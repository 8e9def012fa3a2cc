<?php
declare(strict_types=1);

/**
 * Runs the workers of the demo as processes of two users, lets one be killed and one hang, and prints what happened.
 *
 *     php conduct.php <directory of the demo's own> <FastCGI socket> <user> <group> -- <php and its options>
 */

require __DIR__ . '/import.php';
require __DIR__ . '/timeline.php';

final class Conductor
{
    /** @var array<string, array{process: resource, out: resource, rest: string}> */
    private array $running = [];
    /** @var list<list<string>> */
    private array $events = [];
    /** @var array<string, int> */
    private array $seen = [];

    /** @param list<string> $php */
    public function __construct(
        private readonly string $socket,
        private readonly string $user,
        private readonly string $group,
        private readonly array $php,
    ) {
    }

    /** @return list<list<string>> */
    public function run(Import $import): array
    {
        foreach (['cli-1', 'cli-2', 'cli-3'] as $who) {
            $this->startWorker($who);
        }
        foreach (['web-1', 'web-2', 'web-3'] as $who) {
            $this->startRequest($who);
        }
        $until = hrtime(true) + 25_000_000_000;
        while ($this->running && hrtime(true) < $until) {
            $this->listen();
            $this->stepPlot();
            foreach (['web-1', 'web-2', 'web-3'] as $who) {
                if (!isset($this->running[$who]) && !$import->isFinished()) {
                    $this->startRequest($who);
                }
            }
        }
        foreach (array_keys($this->running) as $who) {
            proc_terminate($this->running[$who]['process'], 9);
        }
        return $this->events;
    }

    /** The two misfortunes, each at its moment. */
    private function stepPlot(): void
    {
        $batches = $this->seen['done'] ?? 0;
        if ($batches >= 30 && !isset($this->seen['doomed'])) {
            $this->seen['doomed'] = 1;
            $this->startWorker('cli-doomed');
        }
        $everybodyWasTold = isset($this->seen['half'], $this->seen['web told'], $this->seen['cli told']);
        if ($everybodyWasTold && !isset($this->seen['killed'])) {
            $this->note([(string) hrtime(true), 'cli-doomed', '', 'killed', '0', '']);
            proc_terminate($this->running['cli-doomed']['process'], 9);
            $this->seen['batches at kill'] = $batches;
        }
        $recovered = isset($this->seen['killed']) && $batches >= $this->seen['batches at kill'] + 20;
        if ($recovered && !isset($this->seen['slow'])) {
            $this->seen['slow'] = 1;
            $this->startRequest('web-slow');
        }
    }

    private function startWorker(string $who): void
    {
        $asUser = ['setpriv', "--reuid=$this->user", '--regid=nogroup', "--groups=$this->group", '--'];
        $this->start($who, [...$asUser, ...$this->php, 'cli.php', $who], null);
    }

    private function startRequest(string $who): void
    {
        $this->start($who, ['cgi-fcgi', '-bind', '-connect', $this->socket], [
            'PATH' => getenv('PATH'),
            'REQUEST_METHOD' => 'POST',
            'REQUEST_URI' => "/import/$who",
            'SCRIPT_FILENAME' => __DIR__ . '/web.php',
        ]);
    }

    /**
     * @param list<string> $command
     * @param null|array<string, string> $environment
     */
    private function start(string $who, array $command, ?array $environment): void
    {
        $streams = [['file', '/dev/null', 'r'], ['pipe', 'w'], STDERR];
        $process = proc_open($command, $streams, $pipes, __DIR__, $environment);
        stream_set_blocking($pipes[1], false);
        $this->running[$who] = ['process' => $process, 'out' => $pipes[1], 'rest' => ''];
    }

    private function listen(): void
    {
        $ready = array_column($this->running, 'out');
        $none = null;
        stream_select($ready, $none, $none, 0, 50_000);
        foreach ($this->running as $who => $one) {
            $text = $one['rest'] . stream_get_contents($one['out']);
            $lines = explode("\n", $text);
            $this->running[$who]['rest'] = array_pop($lines);
            foreach ($lines as $line) {
                $fields = explode("\t", rtrim($line, "\r"));
                count($fields) === 6 ? $this->note($fields) : $this->complain($who, rtrim($line));
            }
            if (feof($one['out'])) {
                proc_close($one['process']);
                unset($this->running[$who]);
            }
        }
    }

    /** @param list<string> $fields */
    private function note(array $fields): void
    {
        $this->events[] = $fields;
        [, $who, , $event, , $detail] = $fields;
        $this->seen[$event] = ($this->seen[$event] ?? 0) + 1;
        if ($event === 'busy' && isset($this->seen['half']) && str_contains($detail, 'cli-doomed')) {
            $this->seen[substr($who, 0, 3) . ' told'] = 1;
        }
    }

    /** A line that is no event: an HTTP header, or PHP has something to say. */
    private function complain(string $who, string $line): void
    {
        if ($line !== '' && !preg_match('/^(Content-type|X-Powered-By):/i', $line)) {
            fwrite(STDERR, "$who: $line\n");
        }
    }
}

[, $directory, $socket, $user, $group] = $argv;
$conductor = new Conductor($socket, $user, $group, array_slice($argv, 6));
$events = $conductor->run(new Import($directory, getenv('DEMO_SOURCE')));
usort($events, fn (array $a, array $b): int => (int) $a[0] <=> (int) $b[0]);
file_put_contents("$directory/events", implode('', array_map(fn ($e) => implode("\t", $e) . "\n", $events)));
(new Timeline($events))->print();
