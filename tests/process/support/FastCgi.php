<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** One request to a FastCGI server on a unix socket. The answer can be read later, or in part. */
final class FastCgi
{
    private const BEGIN = 1, END = 3, PARAMS = 4, STDIN = 5, STDOUT = 6;

    /** @var resource */
    private $socket;
    private string $output = '';
    private bool $ended = false;

    /** @param array<string, string> $params */
    public function __construct(string $path, array $params)
    {
        $this->socket = stream_socket_client("unix://$path", $code, $message, 10.0)
            ?: throw new \RuntimeException("$path: $message");
        $encoded = '';
        foreach ($params as $name => $value) {
            $encoded .= self::length($name) . self::length($value) . $name . $value;
        }
        fwrite($this->socket, self::record(self::BEGIN, "\0\1\0\0\0\0\0\0") // a responder; close afterwards
            . self::record(self::PARAMS, $encoded) . self::record(self::PARAMS, '') . self::record(self::STDIN, ''));
    }

    /** Reads until the body has at least $bytes or ends; returns what it has of the body. */
    public function body(int $bytes = PHP_INT_MAX, float $patience = 30.0): string
    {
        stream_set_timeout($this->socket, (int) $patience);
        while (!$this->ended && strlen($this->parsed()) < $bytes) {
            $this->readRecord();
        }
        return $this->parsed();
    }

    private function parsed(): string
    {
        return explode("\r\n\r\n", $this->output, 2)[1] ?? '';
    }

    private function readRecord(): void
    {
        $header = (string) stream_get_contents($this->socket, 8);
        if (strlen($header) < 8) {
            $this->ended = true; // the worker has died
            return;
        }
        ['type' => $type, 'length' => $length, 'padding' => $padding]
            = unpack('Cversion/Ctype/nid/nlength/Cpadding/Creserved', $header);
        $content = $length + $padding > 0 ? (string) stream_get_contents($this->socket, $length + $padding) : '';
        if ($type === self::STDOUT) {
            $this->output .= substr($content, 0, $length);
        } elseif ($type === self::END) {
            $this->ended = true;
        }
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }

    private static function length(string $text): string
    {
        return strlen($text) < 128 ? chr(strlen($text)) : pack('N', strlen($text) | 1 << 31);
    }
}
