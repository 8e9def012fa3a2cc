<?php
/*
 * run.php: file: beside the programs whose locks it shares, in both directions. They hold: we are busy and say so. We hold: they are
 * refused, also just before their stale age. A stale one of theirs is recovered by our rule. Time travel is by setting file times.
 * Prints one line for each thing that had to hold; the last line is the sum.
 */
declare(strict_types=1);

use FileLock\Store;

$directory = sys_get_temp_dir() . '/filelock-partners-' . bin2hex(random_bytes(6));
mkdir($directory);
register_shutdown_function(function () use ($directory) {
    exec('rm -rf ' . escapeshellarg($directory));
});
$passed = $failed = 0;

function expect(string $what, bool $holds): void
{
    global $passed, $failed;
    echo $holds ? 'ok: ' : 'FAILED: ', $what, "\n";
    $holds ? $passed++ : $failed++;
}

function succeeds(string $command): bool
{
    exec("($command) >/dev/null 2>&1 </dev/null", $lines, $status);
    return $status === 0;
}

function is_busy(Store $store, string $name): bool
{
    $lock = $store->lock($name);
    return !$lock->tryAcquire();
}

function installed(string $program): bool
{
    return succeeds("command -v $program");
}

/*
 * $take and $give: commands of the partner for the path in $f; $take must fail at once when the lock is held. $dead: what it leaves when
 * it dies, with $old seconds on it; $fresh: too young for our rule.
 */
function partner(string $title, string $method, string $take, string $give, string $dead = '', int $fresh = 0, int $old = 0, int $kept = 0): void
{
    global $directory;
    static $number = 0;
    $name = 'p' . ++$number;
    $path = "$directory/$name.lock";
    $set = 'export f=' . escapeshellarg($path) . '; ';
    $store = new Store("file:$directory?method=$method");

    expect("$title takes it", succeeds($set . $take));
    expect("$title holds: we are busy", is_busy($store, $name));
    $status = $store->status($name);
    expect("$title holds: the status says so ($status)", $status !== null && !$status->mine && $status->uid === posix_geteuid());
    expect("$title gives back", succeeds($set . $give));
    expect('then it is free', $store->status($name) === null);
    $lock = $store->lock($name, ttl: 1000);
    expect('then we take it', $lock->tryAcquire());
    expect("we hold: $title is refused", !succeeds($set . $take));
    if ($kept > 0) {
        $short = $store->lock("$name-short", ttl: 3);
        expect('we take one for 3 s', $short->tryAcquire());
        expect("just before our deadline $title is refused", !succeeds('export f=' . escapeshellarg("$directory/$name-short.lock") . '; ' . $take));
        $short->release();
    }
    expect('we still hold it', $lock->isAcquired());
    expect('we give back', $lock->release());
    expect("then $title takes it", succeeds($set . $take) && succeeds($set . $give));
    if ($dead === '') {
        return;
    }
    succeeds($set . $dead);
    if ($old > 0) {
        touch($path, time() - $fresh);
        expect("one of $title that is $fresh s old: busy", is_busy($store, $name));
        touch($path, time() - $old);
    }
    expect("a stale one of $title is free", $store->status($name) === null);
    expect("a stale one of $title is recovered", ($lock = $store->lock($name)) && $lock->tryAcquire());
    $lock->release();
}

$dotlockfile = 'dotlockfile -r 0 "$f"';
if (installed('dotlockfile')) {
    partner('dotlockfile', 'link', $dotlockfile, 'dotlockfile -u "$f"', $dotlockfile, 298, 302, 299);
    partner('dotlockfile -p', 'link', 'dotlockfile -p -r 0 "$f"', 'dotlockfile -u "$f"', $dotlockfile, 298, 302, 299);
}
if (installed('lockfile')) {
    $lockfile = 'lockfile -r 0 -l 300 "$f"';
    partner('lockfile', 'link', $lockfile, 'rm -f "$f"', $lockfile, 298, 302, 299);
}
$mkdir = 'mkdir "$f"';
partner('mkdir', 'mkdir', $mkdir, 'rmdir "$f"');
putenv('live=' . getmypid());
$noclobber = 'bash -c \'set -C; echo $live > "$f"\'';
partner('set -C', 'exclusive', $noclobber, 'rm "$f"', 'bash -c \'echo $$ > "$f"\'');
$touch = 'now=$(date +%s); t=$(stat -c %Y "$f" 2>/dev/null || echo 0); [ $((now - t)) -ge 1800 ] && touch "$f"';
partner('the touch recipe', 'touch', $touch, 'rm "$f"', 'touch "$f"', 1798, 1802, 1799);
$link = 'ln -s "$(hostname)-1" "$f"';
partner('ln -s', 'symlink', $link, 'rm "$f"', 'ln -s "$(hostname)-$(bash -c "echo \$\$")" "$f"');

/* ---- flock: a holder is a process, stepped by a pipe */

function flock_partner(string $title, string $holder, string $attempt): void
{
    global $directory;
    static $number = 0;
    $name = 'f' . ++$number;
    $path = "$directory/$name.lock";
    putenv("f=$path");
    $store = new Store("file:$directory?method=flock");
    $process = proc_open($holder, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
    expect("$title takes it", fgets($pipes[1]) === "held\n");
    expect("$title holds: we are busy", is_busy($store, $name));
    $status = $store->status($name);
    expect("$title holds: the status says who ($status)", $status !== null && $status->pid !== null && !$status->mine);
    fclose($pipes[0]);
    proc_close($process);
    expect('then it is free', $store->status($name) === null);
    $lock = $store->lock($name, ttl: INF);
    expect('then we take it', $lock->tryAcquire());
    expect("we hold: $title is refused", !succeeds($attempt));
    expect('we give back', $lock->release());
    expect("then $title takes it", succeeds($attempt));
    expect('the file stays', is_file($path) && filesize($path) === 0);
}

$php = escapeshellarg(PHP_BINARY) . ' -n -r ';
flock_partner('flock(1)', 'exec flock "$f" sh -c \'echo held; read x\'', 'flock -n "$f" true');
flock_partner("PHP's flock", 'exec ' . $php . escapeshellarg('$h = fopen(getenv("f"), "c"); flock($h, LOCK_EX); echo "held\n"; fgets(STDIN);'),
    $php . escapeshellarg('exit(flock(fopen(getenv("f"), "c"), LOCK_EX | LOCK_NB) ? 0 : 1);'));

/* ---- Symfony's FlockStore, which names its files itself */

$symfony = '/usr/share/php/Symfony/Component/Lock/autoload.php';
if (is_file($symfony)) {
    require $symfony;
    $theirs = (new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\FlockStore($directory)))->createLock('import');
    expect("Symfony's FlockStore takes it", $theirs->acquire());
    $file = glob("$directory/sf.import.*.lock")[0];
    $store = new Store("file:$file?method=flock");
    $name = basename($file, '.lock');
    expect("Symfony's holds: we are busy", is_busy($store, $name));
    expect("Symfony's holds: the status says who ({$store->status($name)})", $store->status($name)?->pid === getmypid());
    $theirs->release();
    expect('then we take it', ($lock = $store->lock($name)) && $lock->tryAcquire());
    expect("we hold: Symfony's is refused", !$theirs->acquire());
    expect('we give back', $lock->release());
    expect("then Symfony's takes it", $theirs->acquire());
}

echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
