--TEST--
A lock on a handle that nothing keeps, with opcache's JIT (function)
--EXTENSIONS--
filelock
opcache
--INI--
filelock.store="table:{PWD}/temporary_jit_function.store"
opcache.enable=1
opcache.enable_cli=1
opcache.jit_buffer_size=32M
opcache.jit=function
opcache.jit_hot_func=2
opcache.jit_hot_loop=2
opcache.jit_hot_return=2
opcache.jit_hot_side_exit=2
--FILE--
<?php
require __DIR__ . '/../store.inc';
require __DIR__ . '/kept.inc';

var_dump(opcache_get_status()['jit']['on'] ?? 'no opcache');
judge_forms(20);
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
80 + 26 forms, 0 judged wrongly
