--TEST--
After a fatal error, a loss is told at the end of the request
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/lost_fatal.store"
log_errors=1
display_errors=0
error_log="{PWD}/lost_fatal.store/log"
--FILE--
<?php
require __DIR__ . '/../store.inc';

$store = new FileLock\Store();
register_shutdown_function(function () {
    register_shutdown_function(function () {
        echo "end\n";
    });
});
$other = new Other('
    ini_set("log_errors", "1");
    ini_set("error_log", ' . var_export(store_directory() . '/log', true) . ');
    $lock = (new FileLock\Store())->lock("a", 0.02);
    echo $lock->tryAcquire() ? "holds\n" : "busy\n";
    fgets(STDIN);
    usleep(60000);
    eval("abstract class A { abstract function f(); } class B extends A {}");
');
echo $other->hear(), "\n";
$other->say('go');
$other->end();
echo preg_replace('/^\[.*?\] /m', '', file_get_contents(store_directory() . '/log'));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECTF--
holds
PHP Fatal error:  %a
PHP Warning:  filelock: "a" expired %f s before it was given back; another process may have run at the same time. Take it with a longer ttl, or refresh it in Unknown on line 0
end
