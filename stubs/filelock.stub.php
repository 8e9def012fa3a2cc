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
 *     FileLock\LockError      the program is wrong: it waits for itself
 *     ValueError              a bad argument
 *
 * SETTINGS
 *
 *     filelock.store  the default store, that of the functions; empty = a table of this user's own. Only in
 *                     php.ini and the like, in quotes: filelock.store = "table:/run/app?mode=0660"
 *     filelock.ttl    the ttl of a lease that is taken without one, 1800. "INF" is allowed
 *     filelock.label  who this is, as shown to others; empty = SAPI and script, or method and path of the web
 *                     request
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
}

namespace FileLock {
    /**
     * A store of locks, to look at and to administer: also another one than that of the functions.
     *
     *     $store = new FileLock\Store('table:/run/app?mode=0660');
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
         *     "&capacity=65536" (names that it can hold). "table:" = this user's own table. null = the setting
         *     filelock.store, the store of the functions.
         * @throws \ValueError A bad DSN.
         * @throws \FileLock\LockException The path is outside open_basedir, or the setting filelock.store is
         *     unusable.
         */
        public function __construct(#[\SensitiveParameter] ?string $dsn = null) {}

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
         * What is unsafe or surprising about this store, here and now, in words. An empty list is good news.
         *
         * @return list<string> One sentence for each finding.
         * @throws LockException The store cannot be read.
         * @phpstan-impure
         */
        public function check(): array {}
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

    /** The program is wrong: it waits for itself. */
    class LockError extends \Error {}
}
