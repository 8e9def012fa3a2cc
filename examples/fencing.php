<?php
declare(strict_types=1);

/*
 * Fencing: a database that refuses a writer who does not know yet that he has lost his lock. See docs/fencing.md.
 *
 *     php examples/fencing.php [FILE.sqlite]
 */

final class Account
{
    private PDO $db;

    public function __construct(string $file)
    {
        $this->db = new PDO("sqlite:$file", options: [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
        $this->db->exec('CREATE TABLE IF NOT EXISTS account (balance INTEGER NOT NULL)');
        $this->db->exec('CREATE TABLE IF NOT EXISTS fence (name TEXT PRIMARY KEY, token INTEGER NOT NULL)');
        $this->db->exec('INSERT INTO account SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM account)');
    }

    public function balance(): int
    {
        return (int) $this->db->query('SELECT balance FROM account')->fetchColumn();
    }

    /** Writes what was computed under the lock, unless somebody with a later token has written already. */
    public function write(int $balance, int $token): bool
    {
        $this->db->exec('BEGIN IMMEDIATE');
        try {
            $passed = $this->passes('account', $token);
            if ($passed) {
                $this->db->prepare('UPDATE account SET balance = ?')->execute([$balance]);
            }
            $this->db->exec('COMMIT');
            return $passed;
        } catch (Throwable $e) {
            $this->db->exec('ROLLBACK');
            throw $e;
        }
    }

    /** In the same transaction as the write: the fence moves forward only. */
    private function passes(string $name, int $token): bool
    {
        $fence = $this->db->prepare('INSERT INTO fence (name, token) VALUES (:name, :token)
            ON CONFLICT (name) DO UPDATE SET token = excluded.token WHERE excluded.token >= fence.token');
        $fence->bindValue(':name', $name);
        $fence->bindValue(':token', $token, PDO::PARAM_INT);
        $fence->execute();
        return $fence->rowCount() === 1;
    }
}

if (realpath($_SERVER['SCRIPT_FILENAME']) !== __FILE__) {
    return; // required by somebody who wants the class alone
}

$file = $argv[1] ?? sys_get_temp_dir() . '/fencing-' . getmypid() . '.sqlite';
$account = new Account($file);
$store = new FileLock\Store();

// Two who add to the account. In life they are two processes; what happens between them is the same.
$slow = $store->lock('account', ttl: 0.2);
$quick = $store->lock('account', ttl: 30);

$slow->acquire(10) or exit("busy\n");
$slowToken = $slow->getToken();
$balance = $account->balance();
echo "slow:  I have the lock, and read $balance\n";
usleep(500_000); // a stopped virtual machine, a page fault from a dead disk: it does not know that time passes

$quick->acquire(10) or exit("busy\n");
$quickToken = $quick->getToken();
echo 'quick: the lock has expired, now it is mine; I add 100: ',
    $account->write($account->balance() + 100, $quickToken) ? 'written' : 'refused', "\n";

// Asking the lock first is good, but not enough: the same pause may come between the question and the write. So the token
// that came with the lock travels with the write, and the database decides.
echo 'slow:  I go on, and add 5 to what I had read: ',
    $account->write($balance + 5, $slowToken) ? 'written' : 'refused', "\n";
echo 'slow:  was it still mine? ', $slow->release() ? 'yes' : 'no', "\n";
echo "the account has {$account->balance()}\n";
isset($argv[1]) || unlink($file);
