<?php
declare(strict_types=1);

/**
 * The rows of the table that one process measures alone. Each recipe is a loop around the lock and nothing else; the loop is
 * part of every figure, of the floor's too.
 *
 * The floor is two internal functions that do nothing with the arguments of the lock's (floor.c): what PHP costs to get there
 * and back. No function of PHP itself will do: they have other arguments, or are evaluated or removed by the optimizer. The
 * cheapest that is neither, gc_enabled(), is shown beside it: it takes no argument and returns a flag.
 *
 * @return array<string, callable(int): ?float>
 */
function recipes(Launch $launch, Processes $processes): array
{
    return array_filter([
        FLOOR => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                floor_try('import');
                floor_release('import');
            }
        },
        BARE => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                gc_enabled();
                gc_enabled();
            }
        },
        METHODS => function (int $n): void {
            $floor = new Floor();
            for ($i = 0; $i < $n; ++$i) {
                $floor->take();
                $floor->release();
            }
        },
        ...filelock_recipes($processes),
        ...neighbour_recipes($launch->directory),
        ...symfony_recipes($launch->directory),
        ...redis_recipe($launch->directory),
    ]);
}

const FLOOR = 'two calls of empty internal functions with the same arguments';
const BARE = 'two calls of gc_enabled(), which has no argument';
const METHODS = 'two calls of empty internal methods';
const HANDLE = '**tryAcquire + release of a handle**';
const PAIR = '**filelock_try + filelock_release**';
const MANY_NAMES = 'the same over 10,000 names';
const BUSY = '**filelock_try, busy**';
const FOPEN = 'fopen + flock + fclose';
const APCU = 'apcu_add + apcu_delete';
const APCU_BUSY = 'apcu_add, busy';

/** @return array<string, callable(int): ?float> */
function filelock_recipes(Processes $processes): array
{
    $names = array_map(fn (int $i): string => "order/$i", range(1, 10_000));
    shuffle($names); // neither the strings nor the table's entries in the order of memory
    $processes->hold('held');
    return [
        PAIR => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                filelock_try('import') || throw new Exception('busy');
                filelock_release('import');
            }
        },
        HANDLE => function (int $n): void {
            $lock = (new FileLock\Store())->lock('import');
            for ($i = 0; $i < $n; ++$i) {
                $lock->tryAcquire() || throw new Exception('busy');
                $lock->release();
            }
        },
        MANY_NAMES => function (int $n) use ($names): float {
            $rounds = max(1, intdiv($n, 10_000));
            $start = hrtime(true);
            for ($i = 0; $i < $rounds; ++$i) {
                foreach ($names as $name) {
                    filelock_try($name) || throw new Exception('busy');
                    filelock_release($name);
                }
            }
            return (hrtime(true) - $start) / $rounds / 10_000;
        },
        BUSY => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                filelock_try('held') && throw new Exception('free');
            }
        },
        'filelock_run with an empty function' => function (int $n): void {
            $work = static fn () => 1;
            for ($i = 0; $i < $n; ++$i) {
                filelock_run('import', $work) ?? throw new Exception('busy');
            }
        },
        'filelock_refresh' => function (int $n): void {
            filelock_try('import') || throw new Exception('busy');
            for ($i = 0; $i < $n; ++$i) {
                filelock_refresh('import') || throw new Exception('lost');
            }
            filelock_release('import');
        },
        'filelock_status, held' => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                filelock_status('held') ?? throw new Exception('free');
            }
        },
        'filelock_status, free' => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                filelock_status('import') === null || throw new Exception('busy');
            }
        },
        'release of 100 locks at the end of a request' => function (int $n): float {
            // filelock_release_all() is what the end of a request does. Only it is timed, not the taking.
            $ns = 0;
            for ($i = 0, $turns = intdiv($n, 10); $i < $turns; ++$i) {
                for ($j = 0; $j < 100; ++$j) {
                    filelock_try("lock $j") || throw new Exception('busy');
                }
                $start = hrtime(true);
                filelock_release_all();
                $ns += hrtime(true) - $start;
            }
            return $ns / $turns;
        },
        'filelock_try + filelock_release, more than 10 ms after the last call' => function (int $n): float {
            $ns = 0;
            for ($i = 0, $turns = min(3, $n); $i < $turns; ++$i) {
                $until = hrtime(true) + 11_000_000;
                while (hrtime(true) < $until);
                $start = hrtime(true);
                filelock_try('import') || throw new Exception('busy');
                filelock_release('import');
                $ns += hrtime(true) - $start;
            }
            return $ns / $turns;
        },
    ];
}

/** @return array<string, callable(int): ?float> */
function neighbour_recipes(string $directory): array
{
    $semaphore = sem_get(ftok(__FILE__, 'b') ^ getmypid(), 1, 0600, true);
    register_shutdown_function(sem_remove(...), $semaphore);
    $file = fopen("$directory/flock", 'c');
    apcu_add('held', 1);
    return [
        APCU => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                apcu_add('import', 1, 1800) || throw new Exception('busy');
                apcu_delete('import');
            }
        },
        APCU_BUSY => function (int $n): void {
            for ($i = 0; $i < $n; ++$i) {
                apcu_add('held', 1, 1800) && throw new Exception('free');
            }
        },
        'sem_acquire(…, true) + sem_release' => function (int $n) use ($semaphore): void {
            for ($i = 0; $i < $n; ++$i) {
                sem_acquire($semaphore, true) || throw new Exception('busy');
                sem_release($semaphore);
            }
        },
        'flock on an open file' => function (int $n) use ($file): void {
            for ($i = 0; $i < $n; ++$i) {
                flock($file, LOCK_EX | LOCK_NB) || throw new Exception('busy');
                flock($file, LOCK_UN);
            }
        },
        FOPEN => function (int $n) use ($directory): void {
            for ($i = 0; $i < $n; ++$i) {
                $file = fopen("$directory/fopen", 'c');
                flock($file, LOCK_EX | LOCK_NB) || throw new Exception('busy');
                fclose($file);
            }
        },
        'file_exists + filemtime + touch + unlink' => function (int $n) use ($directory): void {
            $file = "$directory/touch";
            for ($i = 0; $i < $n; ++$i) {
                if (file_exists($file) && filemtime($file) > time() - 1800) {
                    throw new Exception('busy');
                }
                touch($file);
                unlink($file);
            }
        },
    ];
}

/** @return array<string, callable(int): ?float> */
function symfony_recipes(string $directory): array
{
    $autoload = '/usr/share/php/Symfony/Component/Lock/autoload.php';
    if (!is_file($autoload)) {
        echo "(without Symfony's stores: php-symfony-lock is not installed)\n\n";
        return [];
    }
    require_once $autoload;
    $recipe = function (object $store): callable {
        $factory = new Symfony\Component\Lock\LockFactory($store);
        return function (int $n) use ($factory): void {
            for ($i = 0; $i < $n; ++$i) {
                $lock = $factory->createLock('import');
                $lock->acquire() || throw new Exception('busy');
                $lock->release();
            }
        };
    };
    return [
        'Symfony FlockStore' => $recipe(new Symfony\Component\Lock\Store\FlockStore($directory)),
        'Symfony SemaphoreStore' => $recipe(new Symfony\Component\Lock\Store\SemaphoreStore()),
    ];
}

/** A Redis of the benchmark's own, on a unix socket alone. @return array<string, callable(int): ?float> */
function redis_recipe(string $directory): array
{
    if (!extension_loaded('redis') || !trim((string) shell_exec('command -v redis-server'))) {
        echo "(without Redis: php-redis and redis-server are not both installed)\n\n";
        return [];
    }
    $socket = "$directory/redis.sock";
    $none = ['file', '/dev/null', 'w'];
    $server = proc_open(['redis-server', '--port', '0', '--unixsocket', $socket, '--save', '', '--dir', $directory],
        [['file', '/dev/null', 'r'], $none, $none], $pipes);
    register_shutdown_function(function () use ($server): void {
        proc_terminate($server);
        proc_close($server);
    });
    for ($tries = 0; !file_exists($socket); clearstatcache()) {
        ++$tries < 500 ? usleep(10_000) : throw new Exception('redis-server does not start');
    }
    $redis = new Redis();
    $redis->connect($socket);
    $script = $redis->script('load', 'return redis.call("get", KEYS[1]) == ARGV[1] and redis.call("del", KEYS[1]) or 0');
    return ['Redis over a unix socket: SET NX PX + compare and delete' => function (int $n) use ($redis, $script): void {
        for ($i = 0; $i < $n; ++$i) {
            $redis->set('import', "me $i", ['nx', 'px' => 1_800_000]) || throw new Exception('busy');
            $redis->evalSha($script, ['import', "me $i"], 1);
        }
    }];
}
