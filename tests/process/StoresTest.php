<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** What the PHP interface promises, with every store of tests/contract/stores.h, as the setting filelock.store and as an object. */
final class StoresTest extends ProcessTestCase
{
    /** @return array<string, array{string}> */
    public static function stores(): array
    {
        preg_match_all('/^STORE\("(.*?)", "(.*?)"\)/m', file_get_contents(__DIR__ . '/../contract/stores.h'), $stores);
        return array_map(fn (string $dsn): array => [$dsn], array_combine($stores[1], $stores[2]));
    }

    private function dsn(string $template): string
    {
        return sprintf($template, $this->storeDirectory);
    }

    /** @dataProvider stores */
    public function testARequestGivesBackWhatItTook(string $template): void
    {
        $endings = ['$__last = true; return 1;' => 0, 'reply(1); exit(3);' => 3,
            '$__uncaught = true; reply(1); throw new Exception("nobody catches it");' => 255];
        $other = $this->agent($this->dsn($template));
        foreach ($endings as $ending => $status) {
            $holder = $this->agent($this->dsn($template));
            $this->assertTrue($holder->filelock_try('x', 1000.0));
            $this->assertTrue($holder->run('$s = new FileLock\Store(ini_get("filelock.store"));
                $l = $s->lock("y", ttl: 1000); return $l->tryAcquire();'));
            $this->assertFalse($other->filelock_try('x', 1000.0));
            $this->assertStringStartsWith('x: held', $other->filelock_status('x')['text']);
            $this->assertCount(2, $other->filelock_list());
            $this->assertSame(1, $holder->run($ending));
            $this->assertSame($status, $holder->wait(), $holder->errors());
            $this->assertTrue($other->filelock_try('x', 1000.0), $ending);
            $this->assertTrue($other->filelock_try('y', 1000.0), $ending);
            $this->assertSame(2, $other->filelock_release_all());
        }
    }

    /** @dataProvider stores */
    public function testAHandleGivesBackWhenItIsFreed(string $template): void
    {
        [$holder, $other] = $this->agents(2, $this->dsn($template));
        $holder->run('$s = new FileLock\Store(ini_get("filelock.store")); $l = $s->lock("x", ttl: 1000);');
        $this->assertTrue($holder->run('return $l->tryAcquire();'));
        $this->assertFalse($other->filelock_try('x', 1000.0));
        $this->assertFalse($holder->filelock_try('x', 1000.0), 'functions and handles exclude each other');
        $this->assertTrue($holder->run('return $l->refresh() && $l->isAcquired() && $s->status("x")->mine;'));
        $holder->run('unset($l);');
        $this->assertTrue($other->filelock_try('x', 1000.0));
        $this->assertFalse($other->filelock_try('x', 1000.0), 'not re-entrant');
    }

    /** @dataProvider stores */
    public function testALossIsAWarningWhenNobodyAsked(string $template): void
    {
        $holder = $this->agent($this->dsn($template));
        $this->assertTrue($holder->filelock_try('x', 0.05));
        $holder->run('usleep(100000); restore_error_handler(); $__last = true;');
        $holder->wait();
        $this->assertStringContainsString('"x"', $holder->errors());
        $this->assertStringContainsString('Warning: ', $holder->errors());
    }

    /**
     * What is offered works, and what is not is a LockException that leads on; never anything in between.
     *
     * @dataProvider stores
     */
    public function testWhatIsNotOfferedIsAnException(string $template): void
    {
        $agent = $this->agent($this->dsn($template));
        $calls = [
            'shared lock' => '$k = $s->lock("a", ttl: 9); return $k->tryAcquireShared();',
            'downgrade' => '$k = $s->lock("b", ttl: 9); return $k->tryAcquire() && $k->tryAcquireShared();',
            'permit' => '$k = $s->semaphore("c", 2, ttl: 9); return $k->tryAcquire();',
            'key' => '$k = $s->lock("d", ttl: 9, autoRelease: false); return $k->tryAcquire() && $k->getKey() !== "";',
        ];
        $agent->run('$s = new FileLock\Store(ini_get("filelock.store"));');
        foreach ($calls as $what => $call) {
            try {
                $this->assertTrue($agent->run($call), $what);
            } catch (AgentException $e) {
                $this->assertSame('FileLock\LockException', $e->class, $what);
                $this->assertMatchesRegularExpression('/store offers no .*; a table: store does/', $e->getMessage());
            }
        }
    }

    /** @dataProvider stores */
    public function testTokensGrowOrAreNull(string $template): void
    {
        $agent = $this->agent($this->dsn($template));
        $tokens = $agent->run('$s = new FileLock\Store(ini_get("filelock.store")); $tokens = [];
            for ($i = 0; $i < 5; $i++) {
                $l = $s->lock("x", ttl: 1000);
                if ($l->tryAcquire()) { $tokens[] = $l->getToken(); }
                unset($l);
            }
            return $tokens;');
        $sorted = $tokens;
        sort($sorted);
        $this->assertCount(5, $tokens);
        $this->assertSame($tokens[0] === null ? [null] : $sorted, $tokens[0] === null ? array_unique($tokens) : $tokens);
    }
}
