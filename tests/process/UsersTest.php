<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** Two users: one directory of a common group, mode 2770, and a table with mode=0660. */
final class UsersTest extends ProcessTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->needRoot('processes of two users');
        chgrp($this->storeDirectory, 'www-data');
        chmod($this->storeDirectory, 02770);
    }

    /** @return array{Agent, Agent} */
    private function twoUsers(string $store): array
    {
        return [
            $this->agent($store, [], ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups', '--']),
            $this->agent($store, [], self::asUser('nobody', 'www-data')),
        ];
    }

    public function testTheyShareOneTable(): void
    {
        [$web, $cron] = $this->twoUsers($this->store('?mode=0660'));
        $this->assertTrue($cron->filelock_try('x'));
        $this->assertFalse($web->filelock_try('x'));
        $status = $web->filelock_status('x');
        $this->assertSame($cron->pid, $status['pid']);
        $this->assertSame(posix_getpwnam('nobody')['uid'], $status['uid']);
        $web->send('return filelock_acquire("x", 60.0);');
        $this->untilWaiting($cron, 'x');
        $this->assertTrue($cron->filelock_release('x'));
        $this->assertTrue($web->receive());
        $this->assertSame(posix_getpwnam('www-data')['uid'], $cron->filelock_status('x')['uid']);
        $web->kill();
        $this->assertNotNull($cron->run('return take_when_free("x");'), 'one recovers what the other left behind');
    }

    public function testWhoeverComesFirst(): void
    {
        [$web, $cron] = $this->twoUsers($this->store('?mode=0660'));
        $this->assertTrue($web->filelock_try('x'));
        $this->assertFalse($cron->filelock_try('x'));
        $this->assertSame(0660, fileperms("$this->storeDirectory/filelock.table") & 07777, 'whatever the umask');
    }

    /** root's cron job makes the file, and the web server can still lock. */
    public function testRootComesFirst(): void
    {
        $root = $this->agent($this->store('?mode=0660'));
        $root->run('umask(0077); return filelock_try("x");');
        [$web] = $this->twoUsers($this->store('?mode=0660'));
        $this->assertFalse($web->filelock_try('x'));
        $this->assertTrue($web->filelock_try('y'));
        $this->assertTrue($root->filelock_release('x'));
    }

    public function testWithoutAModeTheErrorNamesTheOwner(): void
    {
        [$web, $cron] = $this->twoUsers($this->store());
        $this->assertTrue($cron->filelock_try('x'));
        $e = $this->assertThrows('FileLock\\LockException', $web, 'return filelock_try("x");');
        $this->assertSame(13, $e->getCode());
        $this->assertStringContainsString("$this->storeDirectory/filelock.table", $e->getMessage());
        $this->assertMatchesRegularExpression('/nobody|65534/', $e->getMessage());
        $this->assertStringContainsString('mode', $e->getMessage(), 'and what to do');
    }

    public function testOutsidersAreKeptOut(): void
    {
        [$web] = $this->twoUsers($this->store('?mode=0660'));
        $web->filelock_try('x');
        $outsider = $this->agent($this->store('?mode=0660'), [], self::asUser('nobody'));
        $this->assertThrows('FileLock\\LockException', $outsider, 'return filelock_try("x");');
        $this->assertThrows('FileLock\\LockException', $outsider, 'return filelock_status("x");');
    }

    /** The kernel refuses O_CREAT on another user's file in a sticky directory, even to root. */
    public function testAStickyDirectory(): void
    {
        chmod($this->storeDirectory, 03770);
        [$web, $cron] = $this->twoUsers($this->store('?mode=0660'));
        $this->assertTrue($cron->filelock_try('x'));
        $this->assertTrue($web->filelock_try('y'));
        $this->assertTrue($this->agent($this->store('?mode=0660'))->filelock_try('z'));
        $this->assertCount(3, $web->filelock_list());
    }

    /** Only looked up, not used: these places belong to the machine, not to the test. */
    public function testEachUserHasADefaultTableOfHisOwn(): void
    {
        $info = 'ob_start(); (new ReflectionExtension("filelock"))->info(); return ob_get_clean();';
        $system = posix_getpwnam('www-data')['uid'];
        $other = posix_getpwnam('nobody')['uid'];
        $web = $this->agent('', [], ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups', '--']);
        $this->assertStringContainsString("/dev/shm/php-filelock-$system/", $web->run($info));
        $this->assertStringContainsString("/var/tmp/php-filelock-$other/",
            $this->agent('', [], self::asUser('nobody'))->run($info));
    }
}
