<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Store::break() takes exactly the lease that was seen. */
final class BreakTest extends ProcessTestCase
{
    private function break(Agent $agent, string $name, int $token): bool
    {
        return $agent->run('return (new FileLock\Store())->break(' . var_export($name, true) . ", $token);");
    }

    public function testTheOldHolderHasLost(): void
    {
        [$holder, $admin, $next] = $this->agents(3);
        $holder->filelock_try('x', INF);
        $token = $admin->filelock_status('x')['token'];
        $this->assertTrue($this->break($admin, 'x', $token));
        $this->assertFalse($this->break($admin, 'x', $token), 'gone already');
        $this->assertNull($admin->filelock_status('x'));
        $this->assertTrue($next->filelock_try('x'));
        $this->assertGreaterThan($token, $admin->filelock_status('x')['token']);
        $this->assertFalse($this->break($admin, 'x', $token), 'that is not the lease that was seen');
        $this->assertFalse($holder->filelock_refresh('x'));
        $this->assertFalse($holder->filelock_release('x'));
        $this->assertTrue($next->filelock_release('x'));
    }

    public function testAnotherTokenBreaksNothing(): void
    {
        [$holder, $admin] = $this->agents(2);
        $holder->filelock_try('x');
        $token = $admin->filelock_status('x')['token'];
        foreach ([$token - 1, $token + 1, 1, PHP_INT_MAX] as $other) {
            $this->assertFalse($this->break($admin, 'x', $other));
        }
        $this->assertFalse($this->break($admin, 'never seen', $token));
        $this->assertTrue($holder->filelock_release('x'));
    }

    /** The same process holds again, many times, within one tick of the coarse clock: still another lease each time. */
    public function testManyLeasesOfOneProcessWithinATick(): void
    {
        [$holder, $admin] = $this->agents(2);
        $holder->filelock_try('x', 600.0);
        $seen = $admin->filelock_status('x')['token'];
        $this->assertTrue($this->break($admin, 'x', $seen));
        $tokens = $admin->run('$tokens = [];
            for ($i = 0; $i < 20000; ++$i) {
                filelock_try("x", 600.0) || throw new Exception("busy");
                if ($i % 1000 === 0) { $tokens[] = filelock_status("x")->token; }
                filelock_release("x") || throw new Exception("lost");
            }
            filelock_try("x", 600.0) or exit(1);
            return $tokens;');
        $this->assertGreaterThan($seen, $tokens[0]);
        $sorted = $tokens;
        sort($sorted);
        $this->assertSame(array_unique($sorted), $tokens);
        $this->assertFalse($holder->filelock_release('x'), 'the old lease frees nothing');
        $this->assertFalse($this->break($holder, 'x', $seen));
        $this->assertTrue($admin->filelock_release('x'));
    }

    public function testOnesOwnLease(): void
    {
        $agent = $this->agent();
        $agent->filelock_try('x');
        $this->assertTrue($this->break($agent, 'x', $agent->filelock_status('x')['token']));
        $this->assertFalse($agent->filelock_release('x'));
        $this->assertTrue($agent->filelock_try('x'));
    }
}
