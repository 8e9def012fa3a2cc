<?php
declare(strict_types=1);

/** The process behind FileLock\Tests\Agent: reads steps from standard input, one a line, and answers each with a line. */

/** Answers a step before it is over: for steps that never return. */
function reply(mixed $value, ?array $thrown = null): void
{
    global $__warnings;
    $answer = ['value' => plain($value), 'warnings' => $__warnings] + ($thrown ? ['thrown' => $thrown] : []);
    fwrite(STDOUT, base64_encode(serialize($answer)) . "\n");
    $__warnings = [];
}

/** Objects of filelock do not travel; a Status does as an array, with its sentence as "text". */
function plain(mixed $value): mixed
{
    return match (true) {
        is_array($value) => array_map(plain(...), $value),
        $value instanceof FileLock\Status => get_object_vars($value) + ['text' => (string) $value],
        is_object($value) => $value::class,
        default => $value,
    };
}

/** Tries until it works: the time at which it did (ns), null if it did not within 20 s. */
function take_when_free(string $name, ?float $ttl = null): ?int
{
    $until = hrtime(true) + 20_000_000_000;
    while (!filelock_try($name, $ttl)) {
        if (hrtime(true) > $until) {
            return null;
        }
    }
    return hrtime(true);
}

$__warnings = [];
set_error_handler(static function (int $level, string $message) use (&$__warnings): bool {
    $__warnings[] = $message;
    return true;
});
$__pid = getmypid();

while (empty($__last) && ($__line = fgets(STDIN)) !== false) {
    try {
        reply(eval(base64_decode($__line)));
    } catch (Throwable $__thrown) {
        if (getmypid() !== $__pid || !empty($__uncaught)) {
            throw $__thrown; // a forked child is no second agent, and some tests want it uncaught
        }
        reply(null, [$__thrown::class, $__thrown->getMessage(), $__thrown->getCode()]);
        unset($__thrown);
    }
    if (getmypid() !== $__pid) {
        exit(9); // a child that forgot to end
    }
}
