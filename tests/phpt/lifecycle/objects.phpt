--TEST--
Objects that outlive the script
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/objects.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

final class Last
{
    public static ?Last $instance;
    public array $cycle;
    public FileLock\Store $store;
    public FileLock\Status $status;
    public function __construct()
    {
        $this->cycle = [$this];
        $this->store = new FileLock\Store();
        $this->status = filelock_status('a');
    }
    public function __destruct()
    {
        var_dump($this->store->status('a')->mine, $this->status->mine, filelock_try('b'), filelock_release('a'));
    }
}
filelock_try('a') or exit(1);
Last::$instance = new Last();
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
