<?php

/**
 * filelock: may I have this resource now?
 *
 * WORDS
 *
 *     name     the resource: any byte string of 1 to 255 bytes; also one with "/", ".." or 0 bytes: it is
 *              never a file name
 *     store    where locks live, given as a DSN: "table:/run/app?mode=0660". Only who uses the same store
 *              shares a lock
 *     lease    one holding of a name: an owner, a token, a deadline
 *     ttl      seconds (float, greater than 0, at most 20736000 = 240 days) until the lease expires if nobody
 *              refreshes it; INF = while the holder lives; null = the setting filelock.ttl (1800)
 *     timeout  seconds (float, 0 or more) to wait for a lock; 0 = do not wait, INF = for ever
 *     token    the fencing token: an integer that only grows, per name, across all holders
 *     lost     the lease expired, or was broken, or its storage vanished: the holder may not have been alone
 *
 * ERRORS
 *
 *     Busy and timed out are values (false or null), never exceptions.
 *
 *     FileLock\LockException  the world failed: a permission, a full table, an unusable file. getCode() is
 *                             errno or 0
 *     FileLock\LockError      the program is wrong: it waits for itself, or lets a lock die on the spot
 *     ValueError              a bad argument
 *
 * SETTINGS
 *
 *     filelock.store  the default store, that of the functions; empty = a table of this user's own. Only in
 *                     php.ini and the like, in quotes: filelock.store = "table:/run/app?mode=0660"
 *     filelock.ttl    the ttl of a lease that is taken without one, 1800. "INF" is allowed
 *     filelock.label  who this is, as shown to others, who see its first 119 bytes; empty = SAPI and script, or
 *                     method and path of the web request
 *
 * A process that holds a lock and dies, by whatever signal, has given it back. A process that hangs has lost
 * it when its ttl is over. A forked child owns nothing.
 *
 * @generate-class-entries
 */

namespace {
    /**
     * Takes $name if it is free, at once. Never waits.
     *
     *     if (!filelock_try('import', INF)) {
     *         exit(filelock_status('import') . "\n");
     *     }
     *
     * The lock belongs to the request: the end of the request gives it back, however it ends, after the
     * user's session handler has written. A worker whose request never ends calls
     * {@see filelock_release_all()} between two jobs.
     *
     * Not re-entrant: a second try on a name that this request holds is false.
     *
     * @param string $name 1 to 255 bytes, any bytes.
     * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
     *     null = filelock.ttl.
     * @return bool True: it is mine now. False: somebody else has it; {@see filelock_status()} tells who.
     * @throws \ValueError A bad name or ttl.
     * @throws \FileLock\LockException The store cannot be used, or is full: nothing was taken.
     * @phpstan-impure
     */
    #[\NoDiscard]
    function filelock_try(string $name, ?float $ttl = null): bool {}

    /**
     * Takes $name, waiting for it up to $timeout seconds. Takes over when the holder releases it, dies, or
     * outlives its ttl.
     *
     *     filelock_acquire('import', 10) or exit("still busy after 10 s\n");
     *
     * Signal handlers run while this waits (with pcntl_async_signals(true)); an exception that one of them
     * throws, and the time limit, end the wait, and nothing is held afterwards. The wait stops all Fibers of
     * the process.
     *
     * @param string $name 1 to 255 bytes, any bytes.
     * @param float $timeout Seconds, 0 or more; 0 = do not wait, INF = for ever.
     * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
     *     null = filelock.ttl.
     * @return bool True: it is mine now. False: the time ran out.
     * @throws \ValueError A bad name, timeout or ttl.
     * @throws \FileLock\LockError The request holds $name itself and would wait for itself ($timeout > 0).
     * @throws \FileLock\LockException The store cannot be used, or is full: nothing was taken.
     * @phpstan-impure
     */
    #[\NoDiscard]
    function filelock_acquire(string $name, float $timeout, ?float $ttl = null): bool {}

    /**
     * Calls $work while holding $name, and gives $name back when $work returns, throws or exits.
     *
     *     $invoice = filelock_run('invoice-number', fn () => next_invoice(), timeout: 5);
     *
     * The lock is this call's own: filelock_release() and filelock_release_all() in $work do not touch it. If
     * it was lost by the time $work returns, an E_WARNING says so, and the result is returned all the same.
     *
     * @template T
     * @param string $name 1 to 255 bytes, any bytes.
     * @param callable $work Called without arguments.
     * @phpstan-param callable(): T $work
     * @param float $timeout Seconds to wait for the lock, 0 or more; 0 = do not wait, INF = for ever.
     * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
     *     null = filelock.ttl.
     * @return T|null What $work returned; null = busy, $work was not called. Let $work return something else
     *     than null if that makes a difference.
     * @throws \ValueError A bad name, timeout or ttl.
     * @throws \FileLock\LockError The request holds $name itself and would wait for itself ($timeout > 0).
     * @throws \FileLock\LockException The store cannot be used, or is full: $work was not called.
     * @phpstan-impure
     */
    function filelock_run(string $name, callable $work, float $timeout = 0.0, ?float $ttl = null): mixed {}

    /**
     * Gives $name back. Never touches the lock of a successor.
     *
     *     if (!filelock_release('import')) {
     *         rollback(); // it had expired, or was broken: somebody else may have run at the same time
     *     }
     *
     * @param string $name 1 to 255 bytes, any bytes.
     * @return bool True: it was mine until now. False: it was not this request's any more (or never), so
     *     somebody else may have run.
     * @throws \ValueError A bad name.
     * @throws \FileLock\LockException The setting filelock.store is unusable.
     * @phpstan-impure
     */
    function filelock_release(string $name): bool {}

    /**
     * Gives back all that filelock_try() and filelock_acquire() took: for workers between two jobs, and for
     * tests in tearDown(). The end of a request does this by itself.
     *
     * An E_WARNING tells of each lock that was lost meanwhile.
     *
     * @return int How many were still mine.
     * @phpstan-impure
     */
    function filelock_release_all(): int {}

    /**
     * Starts the ttl of $name again from now. For long work: refresh between two steps, and stop when it is
     * false.
     *
     *     foreach ($batches as $batch) {
     *         filelock_refresh('import') or throw new RuntimeException('lost the lock');
     *         import($batch);
     *     }
     *
     * @param string $name 1 to 255 bytes, any bytes.
     * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
     *     null = the ttl that the lease has.
     * @return bool True: it is mine for another ttl. False: lost (or never taken), stop working.
     * @throws \ValueError A bad name or ttl; the lock stays as it was.
     * @throws \FileLock\LockException The setting filelock.store is unusable.
     * @phpstan-impure
     */
    function filelock_refresh(string $name, ?float $ttl = null): bool {}

    /**
     * Who holds $name, since when and for how long? A snapshot: changes, creates and waits for nothing.
     *
     *     echo filelock_status('import') ?? 'import: free', "\n";
     *     // import: held by cli bin/console app:import (pid 4711, uid 33 on web1) for 12 min, 3 waiting
     *
     * @param string $name 1 to 255 bytes, any bytes.
     * @return \FileLock\Status|null Null = a try would succeed now. It may be taken before the next
     *     statement: do not ask first and try then, just try.
     * @throws \ValueError A bad name.
     * @throws \FileLock\LockException The store cannot be read.
     * @phpstan-impure
     */
    function filelock_status(string $name): ?FileLock\Status {}

    /**
     * One Status for each name that is held and starts with $prefix, in no particular order.
     *
     *     foreach (filelock_list('import.') as $status) {
     *         echo $status, "\n";
     *     }
     *
     * @param string $prefix Up to 255 bytes; "" = all.
     * @return list<\FileLock\Status>
     * @throws \ValueError A bad prefix.
     * @throws \FileLock\LockException The store cannot be read.
     * @phpstan-impure
     */
    function filelock_list(string $prefix = ""): array {}

    /**
     * Replaces the contents of a file: whoever reads it sees the old or the new contents, whole, and nothing else,
     * also after a power cut. Makes the file if there is none.
     *
     *     filelock_put_contents('/app/var/state.json', json_encode($state));
     *
     * It takes no lock. Who changes what he has read holds one from before the reading until after the writing:
     *
     *     filelock_run('counter', function () {
     *         $count = (int) file_get_contents('/app/var/counter') + 1;
     *         filelock_put_contents('/app/var/counter', (string) $count);
     *         return $count;
     *     }, timeout: 5);
     *
     * A new file is written in the same directory, brought to the disk (fsync), and renamed over the old one; then the
     * directory is brought to the disk. If anything fails before the renaming, the old file is untouched and
     * nothing is left behind. A process that is killed leaves at most a file named .filelock-put-*, which can be
     * deleted; on most file systems not even that.
     *
     * Permissions, an access control list (POSIX), and, if the system allows it, owner and group are those of the old
     * file; if it does not, nobody gets more access than he had. Not kept: set-user-id and the like, capabilities
     * and other extended attributes, a security label, other hard links (they keep the old contents). A new file gets
     * 0666 less the umask. A symbolic link stays, and the file to which it leads is replaced.
     *
     * Whoever may write the file and its directory may replace it; a read-only file is refused. In a directory like
     * /tmp, which everybody can write, other users' links and files are refused.
     *
     * @param string $filename A path; a relative one is below the working directory, include_path is not searched.
     *     No URL: neither http:// nor php:// nor file://.
     * @param string $data The whole new contents; "" empties the file.
     * @return int The number of bytes, strlen($data).
     * @throws \ValueError $filename is empty, contains a 0 byte, or is a URL.
     * @throws \FileLock\LockException It could not be written: the message says what failed and getCode() is errno. The old
     *     contents are untouched, but for one case, which the message names: the new contents are in place, and only
     *     the fsync of the directory failed, so that a power cut could still bring the old ones back.
     */
    function filelock_put_contents(string $filename, string $data): int {}
}

namespace FileLock {
    /**
     * A store of locks: makes handles, and is there to be looked at and administered. It may be another one than
     * that of the functions.
     *
     *     $store = new FileLock\Store('table:/run/app?mode=0660');
     *     $lock = $store->lock('import', INF);
     *     if (!$lock->tryAcquire()) {
     *         exit($store->status('import') . "\n");
     *     }
     *
     * For the day on which a holder hangs:
     *
     *     $status = $store->status('import');
     *     if ($status !== null && $status->since < time() - 86400) {
     *         $store->break('import', $status->token);
     *     }
     *
     * @strict-properties
     * @not-serializable
     */
    final class Store
    {
        /**
         * Opens a store. Creates nothing: the first lock that is taken does.
         *
         * @param string|null $dsn
         *     "table:/run/app", a directory; made at the first lock if its parent is there. All processes of one
         *     kernel that can write to it share its locks. Options: "?mode=0660" (permissions of a new table),
         *     "&capacity=65536" (names that it can hold). "table:" = this user's own table.
         *     "dir:/mnt/shared/locks", a directory that exists: all machines that mount it share its locks. Options:
         *     "?mode=0660", "&keep=86400" (seconds for which an unused name is kept, 7200 or more).
         *     "file:/var/lock?method=link", a directory that exists, or with a path that ends in the suffix one lock: the
         *     locks of other programs. Methods: link, mkdir, exclusive, touch, symlink, flock. Options: "&suffix=.pid"
         *     (".lock" unless given), "&stale=300" (seconds; not with flock).
         *     null = the setting filelock.store, the store of the functions.
         * @throws \ValueError A bad DSN.
         * @throws \FileLock\LockException The path is outside open_basedir, or the setting filelock.store is
         *     unusable.
         */
        public function __construct(#[\SensitiveParameter] ?string $dsn = null) {}

        /**
         * Makes a handle for $name. Takes nothing yet: {@see Lock::tryAcquire()} and the like do.
         *
         *     $lock = $store->lock('import');
         *     if ($lock->acquire(10)) {
         *         import();
         *         $lock->release();
         *     }
         *
         * The lock belongs to the variable: when the last reference to the handle goes, it is given back. So keep
         * the handle in a variable; taking on one that nothing keeps is a LockError.
         *
         * Handles and the functions exclude each other, and so do two handles of one process.
         *
         * @param string $name 1 to 255 bytes, any bytes.
         * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
         *     null = filelock.ttl, as it is now.
         * @param bool $autoRelease False: an orderly end (the handle is freed, the request ends, exit, an uncaught
         *     exception, a fatal error) leaves the lock to its deadline instead of giving it back, so that
         *     {@see Store::restore()} can take it over by its {@see Lock::getKey()}. If the process is killed by a
         *     signal before that, the lock is free at once. Has no meaning for shared locks, and needs a finite ttl.
         * @throws \ValueError A bad name or ttl.
         */
        public function lock(string $name, ?float $ttl = null, bool $autoRelease = true): Lock {}

        /**
         * Makes a handle for one of $permits permits of $name: at most so many hold it at a time.
         *
         *     $slot = $store->semaphore('pdf-renderer', 4);
         *     $slot->acquire(30) or exit("the renderers are busy\n");
         *
         * All who use a name at the same time must agree about its permits. A Lock of the same name and a Semaphore
         * exclude each other.
         *
         * @param string $name 1 to 255 bytes, any bytes.
         * @param int $permits 1 to 65535.
         * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
         *     null = filelock.ttl, as it is now.
         * @throws \ValueError A bad name, number of permits or ttl.
         */
        public function semaphore(string $name, int $permits, ?float $ttl = null): Semaphore {}

        /**
         * Takes over the lock of a {@see Lock::getKey()}, here or in another process, also of another user of the
         * store: as it is, with its name, ttl, deadline and token. Whoever had it has lost it.
         *
         *     // the web request
         *     $lock = $store->lock("user-$id", 600, autoRelease: false);
         *     if ($lock->tryAcquire()) {
         *         $queue->push(['user' => $id, 'key' => $lock->getKey()]);
         *     }
         *
         *     // the worker
         *     $lock = $store->restore($job['key']);
         *     if ($lock === null) {
         *         return; // came too late, or this job was done already
         *     }
         *
         * A key is good for one time, and only as long as the lock is held or left. The new handle gives the lock
         * back when it is freed, whatever the old one would have done.
         *
         * @param string $key From Lock::getKey(). Whoever has it can take the lock: keep it as secret as a password.
         * @return Lock|null Null = expired, given back, broken, taken over already, of another store, or no key at all.
         * @throws LockException The store cannot be used, or is full.
         * @phpstan-impure
         */
        public function restore(#[\SensitiveParameter] string $key): ?Lock {}

        /**
         * Who holds $name, since when and for how long? A snapshot: changes, creates and waits for nothing.
         *
         * @param string $name 1 to 255 bytes, any bytes.
         * @return Status|null Null = a try would succeed now.
         * @throws \ValueError A bad name.
         * @throws LockException The store cannot be read.
         * @see filelock_status()
         * @phpstan-impure
         */
        public function status(string $name): ?Status {}

        /**
         * One Status for each name that is held and starts with $prefix, in no particular order.
         *
         * @param string $prefix Up to 255 bytes; "" = all.
         * @return list<Status>
         * @throws \ValueError A bad prefix.
         * @throws LockException The store cannot be read.
         * @see filelock_list()
         * @phpstan-impure
         */
        public function list(string $prefix = ""): array {}

        /**
         * Takes a lease away from its holder, whom nobody tells: his next release or refresh is false. For
         * the day on which a holder hangs and cannot be killed.
         *
         * @param string $name 1 to 255 bytes, any bytes.
         * @param int $token The token of exactly the lease that is meant, as seen in a Status: a successor is
         *     not touched.
         * @return bool False = that lease is gone already.
         * @throws \ValueError A bad name or token.
         * @throws LockException The store cannot be used.
         * @phpstan-impure
         */
        public function break(string $name, int $token): bool {}

        /**
         * Counters of the store since it was created, of all processes together.
         *
         *     acquired        leases granted
         *     busy            tries refused, and waits that ended without
         *     waited          grants after a wait
         *     waited_seconds  how long these took together (float)
         *     expired         leases that somebody else took after their deadline
         *     recovered       leases of dead holders that were freed
         *     broken          leases taken away by break()
         *     lost            holders that found out that their lease was no longer theirs
         *
         * @return array<string, int|float> All are 0 if nobody has used the store yet.
         * @throws LockException The store cannot be read.
         * @phpstan-impure
         */
        public function stats(): array {}

        /**
         * What is unsafe or surprising about this store, here and now, in words. An empty list is good news.
         *
         * @return list<string> One sentence for each finding.
         * @throws LockException The store cannot be read.
         * @phpstan-impure
         */
        public function check(): array {}
    }

    /**
     * A handle for one name: free, held exclusively by me, or shared with other readers. Made by
     * {@see Store::lock()} and {@see Store::restore()}.
     *
     * Freed = given back. A lock that is found lost only then (or when it is taken again) is an E_WARNING, unless
     * refresh() had said so, or getKey() had given it away. A forked child's copy of a handle holds nothing.
     *
     * Not re-entrant: who holds it gets it not once more. While a method waits, a signal handler may call release()
     * on the same handle, which ends the wait; to take with the handle that waits is a LockError.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Lock
    {
        private function __construct() {}

        /**
         * Takes it exclusively, at once. Never waits.
         *
         * If it is held shared by this handle, this is an upgrade: true if nobody else reads.
         *
         * @return bool True: it is mine alone now. False: somebody else has it or waits for it, or I have it already.
         *     A read lock that could not be upgraded stays as it was.
         * @throws LockError Nothing keeps this handle, so the lock would be given back before the next statement.
         * @throws LockException The store cannot be used, or is full: nothing was taken.
         * @phpstan-impure
         */
        #[\NoDiscard]
        public function tryAcquire(): bool {}

        /**
         * Takes it exclusively, waiting up to $timeout seconds, first come, first served.
         *
         * If it is held shared by this handle, this is an upgrade: it overtakes the writers that wait, since they
         * wait for it. Of two handles that want to upgrade at once the later gets false at once; it should release,
         * since the other one waits for it. Nobody writes between reading and writing.
         *
         *     $lock->acquireShared(10) or exit("busy\n");
         *     if (is_stale($cache) && $lock->acquire(10)) {
         *         rebuild($cache);
         *     }
         *
         * Signal handlers run while this waits (with pcntl_async_signals(true)); an exception that one of them throws,
         * and the time limit, end the wait. The wait stops all Fibers of the process.
         *
         * @param float $timeout Seconds, 0 or more; 0 = do not wait, INF = for ever.
         * @return bool True: it is mine alone now. False: the time ran out. A read lock that could not be upgraded
         *     stays as it was, unless its ttl ran out meanwhile.
         * @throws \ValueError A bad timeout.
         * @throws LockError It would wait for itself ($timeout > 0): this handle, or another one of this process, holds it. Or
         *     nothing keeps this handle, so the lock would be given back before the next statement.
         * @throws LockException The store cannot be used, or is full: nothing was taken.
         * @phpstan-impure
         */
        #[\NoDiscard]
        public function acquire(float $timeout): bool {}

        /**
         * Takes it together with other readers, at once. Never waits.
         *
         * If it is held exclusively by this handle, this is a downgrade: nobody writes in between.
         *
         * @return bool True: I read it now. False: somebody writes or waits for writing, or I read it already.
         * @throws LockError Nothing keeps this handle, so the lock would be given back before the next statement.
         * @throws LockException The store cannot be used, or is full: nothing was taken.
         * @phpstan-impure
         */
        #[\NoDiscard]
        public function tryAcquireShared(): bool {}

        /**
         * Takes it together with other readers, waiting up to $timeout seconds. Who comes while a writer waits goes
         * behind it.
         *
         * If it is held exclusively by this handle, this is a downgrade, at once: nobody writes in between.
         *
         * @param float $timeout Seconds, 0 or more; 0 = do not wait, INF = for ever.
         * @return bool True: I read it now. False: the time ran out.
         * @throws \ValueError A bad timeout.
         * @throws LockError It would wait for itself ($timeout > 0), or nothing keeps this handle.
         * @throws LockException The store cannot be used, or is full: nothing was taken.
         * @phpstan-impure
         */
        #[\NoDiscard]
        public function acquireShared(float $timeout): bool {}

        /**
         * Starts the ttl again from now. For long work: refresh between two steps, and stop when it is false.
         *
         * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives, not
         *     where autoRelease is off; null = the ttl that it has.
         * @return bool True: it is mine for another ttl. False: lost (or never taken), stop working.
         * @throws \ValueError A bad ttl; the lock stays as it was.
         * @see filelock_refresh()
         * @phpstan-impure
         */
        public function refresh(?float $ttl = null): bool {}

        /**
         * Gives it back, whatever autoRelease says. Never touches the lock of a successor.
         *
         * @return bool True: it was mine until now. False: it was not mine any more (or never), so somebody else may
         *     have run.
         * @see filelock_release()
         * @phpstan-impure
         */
        public function release(): bool {}

        /**
         * Mine, now, as the store sees it: alone, or as one of the readers.
         *
         * @phpstan-impure
         */
        public function isAcquired(): bool {}

        /**
         * Seconds until it expires if nobody refreshes it.
         *
         * @return float|null 0.0 = not mine, null = mine without expiry. Never more than the ttl.
         * @phpstan-impure
         */
        public function getRemainingLifetime(): ?float {}

        /**
         * The fencing token: larger than that of every holder of this name before. A resource that remembers the
         * largest one that it has seen can refuse a holder who does not know yet that he has lost his lock.
         *
         * @return int|null Null = not mine.
         * @phpstan-impure
         */
        public function getToken(): ?int {}

        /**
         * A printable secret with which {@see Store::restore()} takes this lock over. At most 95 bytes of letters,
         * digits and "-".
         *
         * @throws LockError It is not mine, or shared, or has no expiry: that cannot be handed over.
         * @throws LockException The store cannot be used.
         * @phpstan-impure
         */
        public function getKey(): string {}
    }

    /**
     * A handle for one of a number of permits. Made by {@see Store::semaphore()}.
     *
     * Freed = given back; a permit that is found lost only then is an E_WARNING, as with a {@see Lock}. One handle
     * holds one permit: make several handles for several.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Semaphore
    {
        private function __construct() {}

        /**
         * Takes one permit, at once. Never waits.
         *
         * @return bool True: it is mine now. False: all permits are taken, or somebody waits for one, or a Lock of
         *     the same name is held, or this handle has its permit already.
         * @throws LockError Nothing keeps this handle, so the permit would be given back before the next statement.
         * @throws LockException Somebody uses the name with another number of permits; the message names both. Or
         *     the store cannot be used, or is full.
         * @phpstan-impure
         */
        #[\NoDiscard]
        public function tryAcquire(): bool {}

        /**
         * Takes one permit, waiting up to $timeout seconds, first come, first served.
         *
         * @param float $timeout Seconds, 0 or more; 0 = do not wait, INF = for ever.
         * @return bool True: it is mine now. False: the time ran out.
         * @throws \ValueError A bad timeout.
         * @throws LockError It would wait for itself ($timeout > 0): this handle has its permit already, or this
         *     process has all of them. Or nothing keeps this handle.
         * @throws LockException Somebody uses the name with another number of permits; the message names both. Or
         *     the store cannot be used, or is full.
         * @phpstan-impure
         */
        #[\NoDiscard]
        public function acquire(float $timeout): bool {}

        /**
         * Starts the ttl again from now.
         *
         * @param float|null $ttl Seconds, > 0 and at most 20736000 (240 days); INF = while this process lives;
         *     null = the ttl that it has.
         * @return bool True: it is mine for another ttl. False: lost (or never taken), stop working.
         * @throws \ValueError A bad ttl; the permit stays as it was.
         * @see filelock_refresh()
         * @phpstan-impure
         */
        public function refresh(?float $ttl = null): bool {}

        /**
         * Gives the permit back.
         *
         * @return bool True: it was mine until now. False: it was not mine any more (or never).
         * @see filelock_release()
         * @phpstan-impure
         */
        public function release(): bool {}

        /**
         * My permit, now, as the store sees it.
         *
         * @phpstan-impure
         */
        public function isAcquired(): bool {}
    }

    /**
     * Who holds a lock: a snapshot, made by filelock_status(), filelock_list() and Store. Echo it:
     *
     *     import: held by cli bin/console app:import (pid 4711, uid 33 on web1) for 12 min, 3 waiting
     *
     * @strict-properties
     * @not-serializable
     */
    final class Status implements \Stringable
    {
        private function __construct() {}

        /** The resource, any bytes. */
        public readonly string $name;

        /** Held by readers or permit holders, who let others in, too. */
        public readonly bool $shared;

        /** How many hold it; the fields below describe the one who has had it longest. */
        public readonly int $holders;

        /** How many wait for it. */
        public readonly int $waiters;

        /** Held by this very process (and thread), through a store with the same DSN. */
        public readonly bool $mine;

        /** The fencing token; null = the store has none. */
        public readonly ?int $token;

        /** The holder's process, as numbered in its own PID namespace; null = not known. For showing only. */
        public readonly ?int $pid;

        /** The holder's user; null = not known. */
        public readonly ?int $uid;

        /** The holder's host; null = not known. */
        public readonly ?string $host;

        /**
         * The holder's filelock.label; else its SAPI and argv[0..1], or method and path without the query.
         */
        public readonly string $label;

        /** Unix time in seconds at which it was taken; null = not known. */
        public readonly ?float $since;

        /** Seconds until it expires; null = no expiry, or not known. */
        public readonly ?float $remaining;

        /**
         * The status in one line, as in the example above. Bytes that are not printable are shown as \xNN.
         */
        public function __toString(): string {}
    }

    /** The world failed: a permission, a full table, an unusable file. getCode() is errno or 0. */
    class LockException extends \Exception {}

    /** The program is wrong: it waits for itself, or lets a lock die on the spot. */
    class LockError extends \Error {}
}
