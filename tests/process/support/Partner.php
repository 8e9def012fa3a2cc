<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Another program that locks by a file: what to call, with the file's path in $f, and how it says that somebody else has it. */
final class Partner
{
    private const DOTLOCKFILE = '/^status 4$/';

    private function __construct(
        public readonly string $method,
        /** Tries once and comes back. */
        public readonly string $take,
        public readonly string $give,
        /** "status N", then what it printed, of a try that was refused. */
        public readonly string $refusal,
        /** Seconds after which the partner takes it for stale; 0: never. */
        public readonly int $age = 0,
        /** Makes the lock of a process that is dead. */
        public readonly ?string $dead = null,
        /** Its PID is in the lock: here, of the process that calls it. */
        public readonly bool $writesPid = false,
    ) {
    }

    /** @return array<string, self> */
    public static function all(): array
    {
        $touch = 'age=$(($(date +%s) - $(stat -c %Y "$f" 2>/dev/null || echo 0))); '
            . '[ $age -gt 1800 ] || { echo "fresh"; exit 1; }; touch "$f"';
        return [ // dotlockfile sees at its second look that one is stale
            'dotlockfile' => new self('link', 'dotlockfile -r 0 "$f" || dotlockfile -r 0 "$f"', 'dotlockfile -u "$f"', self::DOTLOCKFILE, 300),
            'lockfile' => new self('link', 'lockfile -s 0 -r 0 -l 300 "$f"', 'rm -f "$f"', '/^status 73\n.*giving up/', 300),
            'mkdir' => new self('mkdir', 'mkdir "$f"', 'rmdir "$f"', '/File exists/'),
            'set -C' => new self('exclusive', 'bash -c \'set -C; echo $live > "$f"\'', 'rm "$f"', '/cannot overwrite existing/',
                dead: 'sh -c \'echo $$ > "$f"\'', writesPid: true),
            'the touch recipe' => new self('touch', $touch, 'rm "$f"', '/fresh/', 1800),
            'ln -s' => new self('symlink', 'ln -s "$(hostname)-$live" "$f"', 'rm "$f"', '/File exists/',
                dead: 'ln -s "$(hostname)-$(sh -c \'echo $$\')" "$f"', writesPid: true),
        ];
    }

    /** @return string "status N" and, on the next line, what it printed */
    public static function call(string $command, string $path): string
    {
        exec('export LC_ALL=C live=' . getmypid() . ' f=' . escapeshellarg($path) . "; ($command) 2>&1 </dev/null", $lines, $status);
        return implode("\n", ["status $status", ...$lines]);
    }
}
