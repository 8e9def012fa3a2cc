<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** What happens when a time to live runs out. */
final class ExpiryTest extends ProcessTestCase
{
    /** Takes $name as soon as it has expired; the agent waits for it by itself. */
    private function takeOver(Agent $agent, string $name = 'x', float $ttl = 60.0): void
    {
        $this->assertNotNull($agent->run("return take_when_free('$name', $ttl);"));
    }

    public function testALateHolderLeavesItsSuccessorAlone(): void
    {
        [$late, $successor, $third] = $this->agents(3);
        $late->filelock_try('x', 0.05);
        $this->takeOver($successor);
        $before = $third->filelock_status('x');
        $this->assertFalse($late->filelock_refresh('x'));
        $this->assertFalse($late->filelock_release('x'));
        $this->assertFalse($late->filelock_release('x'));
        $this->assertSame(0, $late->filelock_release_all());
        $this->assertFalse($third->filelock_try('x'));
        $after = $third->filelock_status('x');
        $this->assertSame($before['token'], $after['token']);
        $this->assertSame($successor->pid, $after['pid']);
        $this->assertTrue($successor->filelock_release('x'));
        $this->assertSame([], $late->warnings);
    }

    public function testAnExpiredLeaseIsLostThoughNobodyTookIt(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', 0.02);
        $holder->filelock_try('y', 0.02);
        $this->until('both have expired', fn () => !$other->filelock_list());
        $this->assertFalse($holder->filelock_refresh('x'));
        $this->assertFalse($holder->filelock_release('y'));
        $this->assertNull($other->filelock_status('x'));
        $this->assertTrue($other->filelock_try('x'));
    }

    public function testAHolderMayTakeAgainWhatItLost(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', 0.02);
        $this->until('it has expired', fn () => !$other->filelock_list());
        $this->assertTrue($holder->filelock_try('x', 60.0));
        $this->assertTrue($holder->filelock_status('x')['mine']);
        $this->assertTrue($holder->filelock_refresh('x'));
        $this->assertTrue($holder->filelock_release('x'));
    }

    public function testAProcessStoppedBeyondItsTtlIsToldLost(): void
    {
        [$stopped, $successor] = $this->agents(2);
        $stopped->filelock_try('x', 0.1);
        $stopped->filelock_try('y', 0.1);
        $stopped->signal(SIGSTOP);
        $this->takeOver($successor, 'x');
        $this->takeOver($successor, 'y');
        $stopped->signal(SIGCONT);
        $this->assertFalse($stopped->filelock_refresh('x'));
        $this->assertFalse($stopped->filelock_release('y'));
        $this->assertTrue($successor->filelock_release('x'));
        $this->assertTrue($successor->filelock_release('y'));
    }

    /** Stopped at random points of take, refresh and release: never two, and the loser hears of it. */
    public function testStoppedAnywhere(): void
    {
        [$stopped, $other] = $this->agents(2);
        $log = var_export("$this->directory/log", true);
        $stop = var_export("$this->directory/stop", true);
        // Every holder adds its token while it believes to hold, and tells whether it was right.
        $loop = "\$n = 0;
            while (!file_exists($stop)) {
                if (!filelock_try('x', 0.02)) { continue; }
                \$token = filelock_status('x')?->token;
                \$sure = filelock_refresh('x');
                \$t = hrtime(true);
                \$kept = filelock_release('x') && \$sure;
                file_put_contents($log, \"\$t \$token \" . (int) \$kept . \"\\n\", FILE_APPEND);
                ++\$n;
            }
            return \$n;";
        $stopped->send($loop);
        $other->send($loop);
        for ($i = 0; $i < 40; ++$i) {
            usleep(random_int(100, 3000)); // anywhere is the point here
            $stopped->signal(SIGSTOP);
            $size = strlen((string) @file_get_contents("$this->directory/log"));
            $this->until('the other one goes on', function () use ($size): bool {
                clearstatcache();
                return (int) @filesize("$this->directory/log") > $size + 200;
            });
            $stopped->signal(SIGCONT);
        }
        touch("$this->directory/stop");
        $this->assertGreaterThan(0, $stopped->receive());
        $this->assertGreaterThan(40, $other->receive());

        $kept = [];
        foreach (file("$this->directory/log") as $line) {
            [$time, $token, $wasMine] = array_map(intval(...), explode(' ', $line));
            if ($wasMine && $token) {
                $kept[$time] = $token;
            }
        }
        ksort($kept);
        $sorted = array_unique(array_values($kept));
        sort($sorted);
        $this->assertSame($sorted, array_values($kept), 'holdings that were never lost follow each other by token');
    }

    public function testRefreshKeepsTheLeasesOwnTtl(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', 100.0);
        $first = $other->filelock_status('x')['remaining'];
        $this->until('time passes', fn () => $other->filelock_status('x')['remaining'] < 99.95);
        $this->assertTrue($holder->filelock_refresh('x'));
        $again = $other->filelock_status('x')['remaining'];
        $this->assertEqualsWithDelta($first, $again, 5.0);
        $this->assertGreaterThan(99.95, $again);
        $this->assertTrue($holder->filelock_refresh('x', 500.0));
        $this->assertGreaterThan(490.0, $other->filelock_status('x')['remaining']);
        $this->assertTrue($holder->filelock_refresh('x'));
        $this->assertGreaterThan(490.0, $other->filelock_status('x')['remaining'], 'its own is 500 s now');
        $this->assertTrue($holder->filelock_refresh('x', INF));
        $this->assertNull($other->filelock_status('x')['remaining']);
    }

    public function testRefreshKeepsToken(): void
    {
        [$holder, $other] = $this->agents(2);
        $holder->filelock_try('x', 100.0);
        $token = $other->filelock_status('x')['token'];
        $holder->filelock_refresh('x', 200.0);
        $this->assertSame($token, $other->filelock_status('x')['token']);
    }

    public function testTheDefaultTtl(): void
    {
        $holder = $this->agent();
        $short = $this->agent(null, ['filelock.ttl' => '7']);
        $holder->filelock_try('x');
        $this->assertEqualsWithDelta(1800.0, $holder->filelock_status('x')['remaining'], 10.0);
        $short->filelock_try('y');
        $this->assertEqualsWithDelta(7.0, $short->filelock_status('y')['remaining'], 5.0);
    }

    public function testAnImplicitReleaseOfALostLeaseWarns(): void
    {
        [$late, $successor] = $this->agents(2);
        $late->run('restore_error_handler();');
        $late->filelock_try('slow import', 0.02);
        $this->takeOver($successor, 'slow import');
        $late->finish();
        $this->assertStringContainsString('Warning: ', $late->errors());
        $this->assertStringContainsString('slow import', $late->errors());
        $this->assertTrue($successor->filelock_release('slow import'));
    }

    public function testReleaseAllWarnsOfALostLease(): void
    {
        [$late, $other] = $this->agents(2);
        $late->filelock_try('lost', 0.02);
        $late->filelock_try('kept');
        $this->until('it has expired', fn () => !$other->filelock_status('lost'));
        $this->assertSame(1, $late->filelock_release_all());
        $this->assertCount(1, $late->warnings);
        $this->assertStringContainsString('lost', $late->warnings[0]);
    }

    public function testALossThatWasReportedIsSilent(): void
    {
        [$late, $other] = $this->agents(2);
        $late->run('restore_error_handler();');
        $late->filelock_try('x', 0.02);
        $late->filelock_try('y', 0.02);
        $this->until('both have expired', fn () => !$other->filelock_list());
        $this->assertFalse($late->filelock_refresh('x'));
        $this->assertFalse($late->filelock_release('y'));
        $this->assertSame(0, $late->finish());
        $this->assertSame('', $late->errors());
    }
}
