<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Somebody deletes, moves or replaces the store while locks are held: loud, and never two tables that both grant. */
final class DeletionTest extends ProcessTestCase
{
    private function deleteFile(): void
    {
        unlink("$this->storeDirectory/filelock.table");
    }

    private function deleteDirectory(): void
    {
        array_map(unlink(...), glob("$this->storeDirectory/*"));
        rmdir($this->storeDirectory);
        mkdir($this->storeDirectory, 0700);
    }

    private function moveDirectory(): void
    {
        rename($this->storeDirectory, "$this->directory/moved");
        mkdir($this->storeDirectory, 0700);
    }

    private function replaceFile(): void
    {
        mkdir("$this->directory/other", 0700);
        $maker = $this->agent("table:$this->directory/other");
        $maker->filelock_try('x');
        rename("$this->directory/other/filelock.table", "$this->storeDirectory/filelock.table");
        $maker->kill();
    }

    private function assertTheOldHolderHears(callable $delete): void
    {
        [$old, $new] = $this->agents(2);
        $old->run('foreach (["x", "y", "z"] as $name) { filelock_try($name, INF) || throw new Exception("busy"); }');
        $token = $old->filelock_status('x')['token'];
        $delete();
        $this->assertNotNull($new->run('return take_when_free("x");'));
        $this->assertGreaterThan($token, $new->filelock_status('x')['token']);
        $this->assertFalse($old->filelock_refresh('x'));
        $this->assertFalse($old->filelock_release('y'));
        $this->assertFalse($old->filelock_try('x'), 'it is in the new table now');
        $this->assertTrue($new->filelock_refresh('x'));
        $this->assertTrue($new->filelock_release('x'));
        $this->assertTrue($old->filelock_try('x'));
        $this->assertSame($old->pid, $new->filelock_status('x')['pid']);
    }

    public function testFileDeleted(): void
    {
        $this->assertTheOldHolderHears($this->deleteFile(...));
    }

    public function testDirectoryDeleted(): void
    {
        $this->assertTheOldHolderHears($this->deleteDirectory(...));
    }

    public function testDirectoryMoved(): void
    {
        $this->assertTheOldHolderHears($this->moveDirectory(...));
    }

    public function testFileReplaced(): void
    {
        $this->assertTheOldHolderHears($this->replaceFile(...));
    }

    public function testTheLossIsAWarningAtTheEnd(): void
    {
        $old = $this->agent();
        $old->run('restore_error_handler(); return filelock_try("x", INF);');
        $this->deleteFile();
        usleep(30_000); // the path is looked at every 10 ms
        $old->finish();
        $this->assertStringContainsString('Warning: ', $old->errors());
    }

    public function testAWaiterGoesOnInTheNewTable(): void
    {
        [$old, $waiter] = $this->agents(2);
        $old->filelock_try('x', INF);
        $waiter->send('return filelock_acquire("x", 60.0) ? filelock_status("x")->mine : null;');
        $this->untilWaiting($old, 'x');
        $this->deleteFile();
        $this->assertTrue($waiter->receive());
        $this->assertFalse($old->filelock_release('x'));
    }

    /**
     * The history of all grants around deletions. Each is told by its token, and the new table's tokens are larger than the
     * old one's: sorted by the time of the grant, a token that goes back is a grant of an old table after one of the new.
     */
    private function assertNoOldGrantAfterANewOne(callable $delete): void
    {
        $agents = $this->agents(3);
        $stop = var_export("$this->directory/stop", true);
        foreach ($agents as $agent) {
            $agent->send("\$grants = [];
                reply(true);
                while (!file_exists($stop)) {
                    usleep(random_int(0, 30));
                    if (!filelock_try('x', 1.0)) { continue; }
                    \$at = hrtime(true);
                    \$token = (int) filelock_status('x')?->token;
                    \$end = hrtime(true);
                    \$grants[] = [\$at, \$end, \$token, filelock_release('x')];
                }
                return \$grants;");
        }
        array_map(fn (Agent $agent) => $agent->receive(), $agents);
        for ($i = 0; $i < 4; ++$i) {
            usleep(60_000 + random_int(0, 12_000)); // any point of the 10 ms between two looks at the path
            $delete();
        }
        usleep(200_000);
        touch("$this->directory/stop");

        // Whole grants alone: in order until their end, so that the token is their own.
        $grants = array_filter(array_merge(...array_map(fn (Agent $agent) => $agent->receive(), $agents)),
            fn (array $grant) => $grant[3] && $grant[2]);
        usort($grants, fn (array $a, array $b) => $a[0] <=> $b[0]);
        $this->assertGreaterThan(1000, count($grants));
        $highest = $end = 0;
        $back = $overlaps = 0;
        foreach ($grants as [$at, $until, $token]) {
            $back += (int) ($token <= $highest);
            $overlaps += (int) ($at < $end);
            [$highest, $end] = [max($highest, $token), max($end, $until)];
        }
        $this->assertSame([0, 0], [$back, $overlaps], 'tokens going back, overlaps, among ' . count($grants) . ' grants');
    }

    public function testNoOldGrantAfterANewOneWhenTheFileIsDeleted(): void
    {
        $this->assertNoOldGrantAfterANewOne($this->deleteFile(...));
    }

    public function testNoOldGrantAfterANewOneWhenTheDirectoryIsMoved(): void
    {
        $this->assertNoOldGrantAfterANewOne(function (): void {
            static $n = 0;
            rename($this->storeDirectory, "$this->directory/moved" . ++$n);
            mkdir($this->storeDirectory, 0700);
        });
    }
}
