<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** A step of an agent threw $class; an empty $class means that the agent itself failed. */
final class AgentException extends \RuntimeException
{
    public function __construct(public readonly string $class, string $message, int $code = 0)
    {
        parent::__construct($message, $code);
    }

    public function __toString(): string
    {
        return "$this->class: " . parent::__toString();
    }
}
