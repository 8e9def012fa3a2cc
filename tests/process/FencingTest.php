<?php
declare(strict_types=1);

namespace FileLock\Tests;

require_once dirname(__DIR__, 2) . '/examples/fencing.php';

/** docs/fencing.md: the example runs, and its database refuses a writer that was stopped beyond its ttl. */
final class FencingTest extends ProcessTestCase
{
    public function testTheExampleSaysWhatTheManualShows(): void
    {
        $command = [...Php::command(['filelock.store' => $this->store()])];
        foreach (['pdo', 'pdo_sqlite'] as $shared) {
            if (is_file(PHP_EXTENSION_DIR . "/$shared.so")) {
                array_push($command, '-d', "extension=$shared");
            }
        }
        array_push($command, dirname(__DIR__, 2) . '/examples/fencing.php', "$this->directory/a.sqlite");
        exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $lines, $status);
        $this->assertSame(0, $status, implode("\n", $lines));
        $manual = file_get_contents(dirname(__DIR__, 2) . '/docs/fencing.md');
        $this->assertStringContainsString("\$ php examples/fencing.php\n" . implode("\n", $lines) . "\n```", $manual);
        $this->assertSame(100, (new \Account("$this->directory/a.sqlite"))->balance());
    }

    public function testAWriterThatWasStopped(): void
    {
        $account = new \Account("$this->directory/b.sqlite");
        [$slow, $quick] = $this->agents(2);
        $take = '$lock = (new FileLock\Store())->lock("account", %s); return $lock->acquire(20.0) ? $lock->getToken() : null;';
        $first = $slow->run(sprintf($take, '0.3'));
        $this->assertTrue($account->write(1, $first));
        $slow->signal(SIGSTOP);
        $second = $quick->run(sprintf($take, '60'));
        $this->assertGreaterThan($first, $second);
        $this->assertTrue($account->write(100, $second));
        $slow->signal(SIGCONT);
        $this->assertFalse($account->write(2, $first), 'refused');
        $this->assertNull($slow->run('return $lock->getToken();'));
        $this->assertTrue($account->write(101, $second), 'one holder may write several times');
        $this->assertSame(101, $account->balance());
    }

    /** Over every change of holder, the deletion of the table included. */
    public function testTokensOnlyGrow(): void
    {
        $tokens = [];
        $take = '$lock = (new FileLock\Store())->lock("x", INF); return $lock->acquire(20.0) ? $lock->getToken() : null;';
        foreach (['release' => 'unset($lock);', 'exit' => null, 'kill' => '', 'delete' => 'unlink(' . var_export("$this->storeDirectory/filelock.table", true) . ');',
            'after' => 'unset($lock);'] as $how => $code) {
            $agent = $this->agent();
            $tokens[] = $agent->run($take);
            match ($how) {
                'exit' => $agent->finish(),
                'kill' => $agent->kill(),
                default => $agent->run($code),
            };
        }
        $sorted = $tokens;
        sort($sorted);
        $this->assertSame($sorted, $tokens);
        $this->assertCount(5, array_unique($tokens));
        $this->assertNotContains(null, $tokens);
    }
}
