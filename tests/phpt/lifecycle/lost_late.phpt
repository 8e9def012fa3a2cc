--TEST--
What is found lost only after the last warning could be shown is logged
--EXTENSIONS--
filelock
session
--INI--
filelock.store="table:{PWD}/lost_late.store"
session.use_cookies=0
session.cache_limiter=
log_errors=1
error_log="{PWD}/lost_late.store/log"
--FILE--
<?php
require __DIR__ . '/../store.inc';

// The session is written after the time at which warnings can be shown, and before the locks are given back.
$other = new Other('
    final class Handler implements SessionHandlerInterface
    {
        public function open($path, $name): bool { return true; }
        public function close(): bool { return true; }
        public function read($id): string { return ""; }
        public function destroy($id): bool { return true; }
        public function gc($lifetime): int { return 0; }
        public function write($id, $data): bool
        {
            return (new FileLock\Store())->break("a", filelock_status("a")->token);
        }
    }
    session_set_save_handler(new Handler(), false);
    session_start();
    $_SESSION["a"] = 1;
    echo filelock_try("a") ? "holds\n" : "busy\n";
    fgets(STDIN);
');
echo $other->hear(), "\n";
$other->say('go');
$other->end();
echo file_get_contents(store_directory() . '/log');
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
holds
[%s] PHP Warning:  filelock: "a" was broken, or its storage vanished, before it was given back; another process may have run at the same time
