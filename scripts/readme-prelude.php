<?php
/* What the examples of README.md take for granted. Prepended to each of them by check-readme.php. */

/** A queue of jobs in a file, so that one example can push what another one pops. */
final class Queue
{
    public function push(array $job): void
    {
        file_put_contents('queue', serialize($job));
    }

    public function pop(): array
    {
        return unserialize(file_get_contents('queue'));
    }
}

function import(int $batch): void
{
}

function next_number(): int
{
    return 1;
}

function is_stale(): bool
{
    return true;
}

function rebuild(): void
{
    file_put_contents('catalogue', 'the catalogue, rebuilt');
}

function read_catalogue(): string
{
    return file_get_contents('catalogue');
}

function render(): void
{
}

$batches = [1, 2, 3];
$queue = new Queue();
$store = new FileLock\Store();
