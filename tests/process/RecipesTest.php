<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** docs/recipes.md, as it stands there. */
final class RecipesTest extends ProcessTestCase
{
    /** The code of the recipe below this heading. */
    private static function recipe(string $heading, string $language = 'php'): string
    {
        $text = file_get_contents(dirname(__DIR__, 2) . '/docs/recipes.md');
        $found = preg_match('/^## ' . preg_quote($heading, '/') . '$.*?^```' . $language . '\n(.*?)^```$/ms', $text, $match);
        self::assertSame(1, $found, $heading);
        return $match[1];
    }

    public function testAQueueWorker(): void
    {
        [$worker, $other] = $this->agents(2);
        $worker->run('
            function next_job() { return array_shift($GLOBALS["jobs"]); }
            function report($job, $e) { $GLOBALS["failed"][] = $job; }
            function work($job) {
                $GLOBALS["seen"][] = [$job, filelock_try("job"), filelock_try("lost", 0.02)];
                if ($job === "lost") { usleep(60000); }
                if ($job === "bad") { throw new Exception("failed"); }
            }
            $jobs = ["good", "bad", "lost", "good"];');
        $worker->run(self::recipe('A queue worker'));
        $warnings = $worker->warnings;
        $this->assertSame([['good', true, true], ['bad', true, true], ['lost', true, true], ['good', true, true]], $worker->run('return $seen;'));
        $this->assertSame(['bad'], $worker->run('return $failed;'));
        $this->assertNotEmpty(preg_grep('/"lost" expired/', $warnings));
        $this->assertSame([], $other->filelock_list());
    }

    public function testOneJobAtATimeAndTheWorkerDoesIt(): void
    {
        $code = self::recipe('One job at a time, and the worker does it') . '
            function push_job(array $job) { reply($job); }
            function export_steps(int $user) { return [fn () => $GLOBALS["done"][] = filelock_status("export-$user")->mine, fn () => null]; }';
        [$web, $worker] = $this->agents(2);
        $web->run($code);
        $worker->run($code);
        $web->send('return start_export(new FileLock\Store(), 7);');
        $job = $web->receive();
        $this->assertSame("started\n", $web->receive());
        $this->assertSame(7, $job['user']);
        $this->assertSame(0, $web->finish());
        $this->assertStringStartsWith('export-7: held by', $worker->run('return start_export(new FileLock\Store(), 7);'));
        $step = 'export(new FileLock\Store(), ' . var_export($job, true) . '); return $done ?? null;';
        $this->assertSame([true], $worker->run($step));
        $this->assertNull($worker->filelock_status('export-7'), 'given back');
        $this->assertSame([true], $worker->run($step), 'the same job once more: not done again');
    }

    /** @return list<string> */
    private function phpunit(string $tests, string $store, array $environment = []): array
    {
        file_put_contents("$this->directory/RecipeTest.php", "<?php\n$tests");
        $command = ['env', ...$environment, PHP_BINARY, '-d', 'extension=' . Php::extension(), '-d', "filelock.store=$store",
            trim(shell_exec('command -v phpunit')), '--no-configuration', "$this->directory/RecipeTest.php"];
        exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1', $lines, $status);
        $this->assertSame(0, $status, implode("\n", $lines));
        return $lines;
    }

    public function testNoTestLeavesALockBehind(): void
    {
        $lines = $this->phpunit(self::recipe('PHPUnit: no test leaves a lock behind') . '
            final class RecipeTest extends LockingTestCase
            {
                public function testFirst(): void { $this->take(); }
                public function testSecond(): void { $this->take(); }
                public function testThird(): void { $this->take(); }
                private function take(): void
                {
                    $this->assertTrue(filelock_try("x", INF));
                    $this->assertFalse(filelock_try("x", INF));
                }
            }', '"' . $this->store() . '"');
        $this->assertMatchesRegularExpression('/OK \(3 tests/', implode("\n", $lines));
    }

    public function testParallelTestRunners(): void
    {
        preg_match('/filelock\.store=(.*)\'$/m', self::recipe('Parallel test runners: one store each', 'sh'), $match);
        $store = str_replace('/tmp/', "$this->directory/", $match[1]);
        foreach ([1, 2] as $token) {
            $this->phpunit('final class RecipeTest extends PHPUnit\Framework\TestCase
                {
                    public function testTakes(): void { $this->assertTrue(filelock_try("x")); }
                }', $store, ["TEST_TOKEN=$token"]);
        }
        foreach ([1, 2] as $token) {
            $this->assertFileExists("$this->directory/app-tests-$token/filelock.table");
        }
    }

    public function testACacheThatIsRebuiltByOne(): void
    {
        $code = self::recipe('A cache that is rebuilt by one, read by many');
        $agents = $this->agents(4);
        foreach ($agents as $agent) {
            $agent->run($code);
            $agent->send('return cached(new FileLock\Store(), ' . var_export("$this->directory/cache", true) . ', function () use (&$built) {
                $built++;
                usleep(100000);
                return "built by " . getmypid();
            });');
        }
        $texts = array_map(fn (Agent $agent) => $agent->receive(), $agents);
        $this->assertCount(1, array_unique($texts), 'all read what one has built');
        $this->assertSame(1, array_sum(array_map(fn (Agent $agent) => $agent->run('return $built ?? 0;'), $agents)));
        $this->assertSame([], $agents[0]->filelock_list());
    }

    public function testAtMostFourAtATime(): void
    {
        $code = self::recipe('At most four at a time') . '
            function render_pdf($html) { if ($html === "") { throw new Exception("empty"); } reply("rendering"); fgets(STDIN); return "pdf of $html"; }';
        $agents = $this->agents(5);
        foreach ($agents as $i => $agent) {
            $agent->run($code);
            $agent->send('return render(new FileLock\Store(), "page");');
            $i < 4 ? $this->assertSame('rendering', $agent->receive()) : $this->untilWaiting($this->agent(), 'pdf-renderer');
        }
        $this->assertFalse($agents[4]->hasAnswered(0.05));
        $agents[0]->send('go');
        $this->assertSame('pdf of page', $agents[0]->receive());
        $this->assertSame('rendering', $agents[4]->receive());
        $this->assertSame(4, $agents[0]->filelock_status('pdf-renderer')['holders']);
        $agents[1]->send('go');
        $agents[1]->receive();
        $this->assertThrows('Exception', $agents[1], 'return render(new FileLock\Store(), "");');
        $this->assertSame(3, $agents[1]->filelock_status('pdf-renderer')['holders'], 'given back, although it threw');
    }
}
