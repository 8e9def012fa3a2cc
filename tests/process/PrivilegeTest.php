<?php
declare(strict_types=1);

namespace FileLock\Tests;

/** A process that gives up what it needed to reach the store: what it holds it keeps, and it gets nothing new. */
final class PrivilegeTest extends ProcessTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->needRoot('setuid, chroot');
    }

    private function assertKeptButNothingNew(string $giveUp): void
    {
        [$holder, $other] = $this->agents(2);
        $this->assertTrue($holder->run('return filelock_try("x", INF) && filelock_try("y", 600.0);'));
        $holder->run($giveUp);
        usleep(20_000); // the path is looked at every 10 ms
        $this->assertFalse($other->filelock_try('x'), 'the old lease is kept');
        $this->assertTrue($holder->filelock_refresh('y'));
        $this->assertTrue($holder->filelock_release('x'));
        $this->assertThrows('FileLock\\LockException', $holder, 'return filelock_try("new");');
        $this->assertTrue($other->filelock_try('x'));
        $this->assertFalse($other->filelock_try('y'));
        $this->assertTrue($holder->filelock_release('y'));
        $this->assertThrows('FileLock\\LockException', $holder, 'return filelock_try("new");');
        $this->assertSame(['x'], array_column($other->filelock_list(), 'name'));
    }

    public function testSetuid(): void
    {
        $this->assertKeptButNothingNew('posix_setgid(65534); posix_setuid(65534);');
    }

    public function testChroot(): void
    {
        mkdir("$this->directory/jail");
        $this->assertKeptButNothingNew("chroot('$this->directory/jail');");
    }

    public function testAnotherUserMayGoOnWhereTheModeAllowsIt(): void
    {
        chgrp($this->storeDirectory, 'www-data');
        chmod($this->storeDirectory, 02770);
        $group = posix_getgrnam('www-data')['gid'];
        $agent = $this->agent($this->store('?mode=0660'));
        $other = $this->agent($this->store('?mode=0660'));
        $this->assertTrue($agent->filelock_try('as root'));
        $agent->run("posix_setgid($group); posix_setuid(65534);");
        $this->assertTrue($agent->filelock_try('as nobody'));
        $this->assertFalse($other->filelock_try('as nobody'));
        $this->assertFalse($other->filelock_try('as root'));
        $this->assertTrue($agent->filelock_release('as root'));
        $this->assertTrue($agent->filelock_release('as nobody'));
    }
}
