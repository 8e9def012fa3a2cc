--TEST--
filelock_run(): calls while holding, returns the result, gives back
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/run.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

function increment(): int
{
    static $n = 0;
    return ++$n;
}
class Work
{
    public static function __callStatic(string $name, array $arguments)
    {
        return "$name with " . count($arguments) . ' arguments';
    }
    public function __invoke(): ?string
    {
        return null;
    }
    public function &reference(): array
    {
        static $array = [1];
        return $array;
    }
}

var_dump(filelock_run('a', fn () => filelock_status('a')->mine));
var_dump(filelock_run('a', 'increment', 10, 60));
var_dump(filelock_run('a', [Work::class, 'anything']));
var_dump(filelock_run('a', new Work()));
var_dump(filelock_run('a', [new Work(), 'reference']));
var_dump(filelock_status('a'));

// Nobody else has it meanwhile, this request included, and nothing in the callable gives it back.
var_dump(filelock_run('a', fn () => [
    filelock_try('a'),
    filelock_release('a'),
    filelock_release_all(),
    filelock_run('a', fn () => 'not called'),
    filelock_run('b', fn () => filelock_status('a')->mine && filelock_status('b')->mine),
    filelock_status('b'),
    filelock_status('a')->mine,
]));

// What the functions took is left alone.
filelock_try('mine') or exit(1);
filelock_run('a', fn () => filelock_try('taken inside'));
var_dump(count(filelock_list()));

// Busy: null, and the callable is not called.
$other = other_holds('theirs');
var_dump(filelock_run('theirs', fn () => print("called\n")));
var_dump(filelock_run('theirs', [Work::class, 'anything'], 0.01));
$other->kill();
var_dump(filelock_run('theirs', fn () => 'called', 30));
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
bool(true)
int(1)
string(25) "anything with 0 arguments"
NULL
array(1) {
  [0]=>
  int(1)
}
NULL
array(7) {
  [0]=>
  bool(false)
  [1]=>
  bool(false)
  [2]=>
  int(0)
  [3]=>
  NULL
  [4]=>
  bool(true)
  [5]=>
  NULL
  [6]=>
  bool(true)
}
int(2)
NULL
NULL
string(6) "called"
