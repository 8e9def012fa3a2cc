--TEST--
filelock_put_contents(): readers see whole contents while two processes replace them; with file_put_contents() they do not
--EXTENSIONS--
filelock
--INI--
filelock.store="table:{PWD}/put_contents_readers.store"
--FILE--
<?php
require __DIR__ . '/../store.inc';

const LENGTH = 200_000;

/** Writes its letter over and over until it reads a line. */
function writer(string $function, string $letter): Other
{
    return new Other('stream_set_blocking(STDIN, false); echo "writes\n";
        while (fgets(STDIN) === false) ' . $function . '("' . store_directory() . '/file", str_repeat("' . $letter . '", ' . LENGTH . '));
        echo "done\n"; fgets(STDIN);');
}

/** How many of $most readings found no whole contents; reads on until both letters were seen. With $until it ends at the first. */
function torn(string $function, int $most, bool $until): int
{
    $file = store_directory() . '/file';
    file_put_contents($file, str_repeat('a', LENGTH));
    $writers = [writer($function, 'a'), writer($function, 'b')];
    array_map(fn (Other $writer) => $writer->hear(), $writers);
    $seen = ['a' => 0, 'b' => 0];
    $torn = 0;
    for ($n = 0; $n < $most || min($seen) === 0; $n++) {
        $contents = file_get_contents($file);
        $letter = $contents[0] ?? '';
        if ($letter !== '' && $contents === str_repeat($letter, LENGTH)) {
            $seen[$letter]++;
        } elseif (++$torn && $until) {
            break;
        }
    }
    foreach ($writers as $writer) {
        $writer->say('stop');
        $writer->hear();
        $writer->end();
    }
    return $torn;
}

var_dump(torn('filelock_put_contents', 1000, false));
var_dump(torn('file_put_contents', 1000000, true));
echo implode(' ', array_diff(scandir(store_directory()), ['.', '..'])), "\n";
?>
--CLEAN--
<?php
require __DIR__ . '/../clean.inc';
?>
--EXPECT--
int(0)
int(1)
file
