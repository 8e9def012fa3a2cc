<?php
declare(strict_types=1);

namespace FileLock\Tests;

/**
 * A second PHP process that does one step at a time, as it is told through a pipe. The order of events in a test is the
 * order of these steps: nobody sleeps and hopes.
 *
 * A step is PHP code; what it returns comes back. All steps share their variables, and they are one request: what
 * filelock_try() took in one step is held until a step gives it back or the agent ends.
 */
final class Agent
{
    private const PATIENCE = 60.0;

    public readonly int $pid;
    /** @var list<string> warnings and notices of the last step */
    public array $warnings = [];

    /** @var resource */
    private $process;
    /** @var array{resource, resource} */
    private array $pipes;
    private string $read = '';
    /** @var resource */
    private $errors;
    private ?int $exitCode = null;

    /**
     * @param array<string, string> $ini
     * @param list<string> $prefix  a command that executes the rest of its arguments, such as setpriv
     */
    public function __construct(string $store, array $ini = [], array $prefix = [], ?string $extension = null)
    {
        [$errors, $this->errors] = self::nameless();
        $command = [...$prefix, ...Php::command(['filelock.store' => $store] + $ini, $extension),
            Php::readable(__DIR__ . '/agent-loop.php')];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], $errors], $pipes);
        $this->pipes = $pipes;
        stream_set_blocking($this->pipes[1], false);
        $this->pid = $this->run('return getmypid();');
    }

    public function __destruct()
    {
        if (is_resource($this->process)) {
            $this->kill(SIGKILL);
        }
    }

    /** Calls a function in the agent: $agent->filelock_try('x', 5.0). */
    public function __call(string $function, array $arguments): mixed
    {
        $code = sprintf('return %s(...unserialize(base64_decode(%s)));', $function,
            var_export(base64_encode(serialize($arguments)), true));
        return $this->run($code);
    }

    public function run(string $code): mixed
    {
        $this->send($code);
        return $this->receive();
    }

    /** Starts a step without waiting for its end. */
    public function send(string $code): void
    {
        $line = base64_encode($code) . "\n";
        if (@fwrite($this->pipes[0], $line) !== strlen($line)) {
            throw $this->died();
        }
    }

    /** What the step returned; throws an AgentException if it threw, or if the agent ended instead of answering. */
    public function receive(float $patience = self::PATIENCE): mixed
    {
        if (!$this->hasAnswered($patience)) {
            throw feof($this->pipes[1]) ? $this->died() : new AgentException('', "no answer after $patience s");
        }
        [$line, $this->read] = explode("\n", $this->read, 2);
        $answer = unserialize(base64_decode($line));
        $this->warnings = $answer['warnings'];
        if (isset($answer['thrown'])) {
            throw new AgentException(...$answer['thrown']);
        }
        return $answer['value'];
    }

    public function hasAnswered(float $within = 0.0): bool
    {
        $until = hrtime(true) + (int) ($within * 1e9);
        while (!str_contains($this->read, "\n")) {
            $left = max(0, $until - hrtime(true));
            $ready = [$this->pipes[1]];
            $none = null;
            if (feof($this->pipes[1]) || !stream_select($ready, $none, $none, 0, (int) min(500_000, $left / 1000 + 1))) {
                if (feof($this->pipes[1]) || $left === 0) {
                    return false;
                }
                continue;
            }
            $this->read .= stream_get_contents($this->pipes[1]);
        }
        return true;
    }

    /** Lets the script reach its end; returns the exit code. */
    public function finish(): int
    {
        fclose($this->pipes[0]);
        return $this->wait();
    }

    /** Waits for an end that a step or a signal has caused. */
    public function wait(): int
    {
        $until = hrtime(true) + (int) (self::PATIENCE * 1e9);
        while (!feof($this->pipes[1]) && hrtime(true) < $until) {
            $ready = [$this->pipes[1]];
            $none = null;
            stream_select($ready, $none, $none, 1);
            $this->read .= stream_get_contents($this->pipes[1]);
        }
        return $this->exitCode ??= proc_close($this->process);
    }

    public function kill(int $signal = SIGKILL): void
    {
        proc_terminate($this->process, $signal);
        if ($signal === SIGKILL) {
            $this->wait();
        }
    }

    /** A signal without waiting for what comes of it: SIGSTOP, SIGCONT, SIGUSR1. */
    public function signal(int $signal): void
    {
        proc_terminate($this->process, $signal);
    }

    /** What PHP wrote to its standard error. */
    public function errors(): string
    {
        return stream_get_contents($this->errors, null, 0);
    }

    /** A file that is gone as soon as nobody has it open. @return array{resource, resource}  to write and to read */
    private static function nameless(): array
    {
        $name = tempnam(sys_get_temp_dir(), 'filelock-agent-');
        $files = [fopen($name, 'a'), fopen($name, 'r')];
        unlink($name);
        return $files;
    }

    private function died(): AgentException
    {
        return new AgentException('', 'the agent has ended: ' . $this->errors());
    }
}
