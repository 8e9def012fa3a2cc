<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Containers: two PID namespaces, each with its own process number 1, on one table. */
final class NamespaceTest extends ProcessTestCase
{
    private function contained(): Agent
    {
        // In a chroot a /proc of one's own cannot be mounted; the PIDs are the same without it.
        $proc = exec('unshare --mount true 2>/dev/null && echo ok') === 'ok' ? ['--mount-proc'] : [];
        $agent = $this->agent(null, [], ['unshare', '--pid', '--fork', '--kill-child', ...$proc]);
        $this->assertSame(1, $agent->pid);
        return $agent;
    }

    protected function setUp(): void
    {
        parent::setUp();
        $this->needRoot('unshare --pid');
    }

    public function testExclusion(): void
    {
        [$a, $b] = [$this->contained(), $this->contained()];
        $outside = $this->agent();
        $this->assertTrue($a->filelock_try('x', INF));
        $this->assertFalse($b->filelock_try('x'));
        $this->assertFalse($outside->filelock_try('x'));
        $this->assertFalse($b->filelock_status('x')['mine'], 'the same PID, another process');
        $this->assertFalse($b->filelock_release('x'));
        $this->assertTrue($a->filelock_release('x'));
        $this->assertTrue($b->filelock_try('x'));
    }

    public function testCounting(): void
    {
        file_put_contents("$this->directory/counter", '0');
        $file = var_export("$this->directory/counter", true);
        $agents = [$this->contained(), $this->contained(), $this->agent()];
        foreach ($agents as $agent) {
            $agent->send("for (\$i = 0; \$i < 1000; ++\$i) {
                filelock_acquire('x', 60.0) || throw new Exception('timed out');
                file_put_contents($file, (int) file_get_contents($file) + 1);
                filelock_release('x') || throw new Exception('lost');
            }");
        }
        array_map(fn (Agent $agent) => $agent->receive(), $agents);
        $this->assertSame('3000', file_get_contents("$this->directory/counter"));
    }

    public function testDeathIsRecoveredByTheOther(): void
    {
        [$a, $b] = [$this->contained(), $this->contained()];
        $a->filelock_try('x', INF);
        $b->filelock_try('y', INF);
        $a->kill();
        $this->assertNotNull($b->run('return take_when_free("x");'));
        $this->assertTrue($b->filelock_status('y')['mine'], 'alive, though a process with its PID died');
        $this->assertFalse($this->agent()->filelock_try('y'));
    }

    public function testAWaiterInAnotherNamespaceIsWoken(): void
    {
        [$a, $b] = [$this->contained(), $this->contained()];
        $a->filelock_try('x', INF);
        $b->send('return filelock_acquire("x", 60.0);');
        $this->untilWaiting($a, 'x');
        $a->filelock_release('x');
        $this->assertTrue($b->receive());
    }
}
