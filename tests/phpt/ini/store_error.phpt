--TEST--
filelock.store: an unusable setting is a LockException that names it
--EXTENSIONS--
filelock
--INI--
filelock.store="lockdir"
--FILE--
<?php
function show(callable $call): void
{
    try {
        var_dump($call());
    } catch (Throwable $e) {
        echo get_class($e), ' ', $e->getCode(), ': ', $e->getMessage(), "\n";
    }
}

show(fn () => filelock_try('a'));
show(fn () => filelock_acquire('a', 1));
show(fn () => filelock_run('a', 'time'));
show(fn () => filelock_release('a'));
show(fn () => filelock_refresh('a'));
show(fn () => filelock_release_all());
show(fn () => filelock_status('a'));
show(fn () => filelock_list());
show(fn () => new FileLock\Store());
?>
--EXPECT--
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
int(0)
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
FileLock\LockException 0: The setting filelock.store must start with the kind of the store, "lockdir" does not; write it as in table:/run/app?mode=0660
