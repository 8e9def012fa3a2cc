--TEST--
Where something else than the frame keeps a handle until the call is over, no error can tell; it is given back right then
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/temporary_unseen.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

require __DIR__ . '/kept.inc';
foreach ([
    'array_map()' => fn () => array_map([make(), 'acquire'], [0])[0],
    'first-class callable' => fn () => make()->tryAcquire(...)(),
    'reflection' => fn () => (new ReflectionMethod('FileLock\Lock', 'tryAcquire'))->invoke(make()),
] as $title => $form) {
    echo $title, ': ', var_export($form(), true), ', held afterwards: ', count(store()->list()), "\n";
}
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
array_map(): true, held afterwards: 0
first-class callable: true, held afterwards: 0
reflection: true, held afterwards: 0
