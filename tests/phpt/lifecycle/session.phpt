--TEST--
Locks are held until the user's session handler has written
--EXTENSIONS--
filelock
session
--INI--
filelock.store="table:{PWD}/session.store"
session.use_cookies=0
session.cache_limiter=
--FILE--
<?php
require __DIR__ . '/../store.inc';

session_set_save_handler(new class implements SessionHandlerInterface {
    public function open($path, $name): bool { return true; }
    public function close(): bool { return true; }
    public function read($id): string { return ''; }
    public function destroy($id): bool { return true; }
    public function gc($lifetime): int { return 0; }
    public function write($id, $data): bool
    {
        var_dump(filelock_status('session')->mine, filelock_release('session'), filelock_try('session'));
        return true;
    }
}, false);
session_start();
$_SESSION['a'] = 1;
filelock_try('session') or exit(1);
register_shutdown_function(fn () => var_dump(filelock_status('session')->mine));
echo "end\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
end
bool(true)
bool(true)
bool(true)
bool(true)
