#!/bin/sh
# The main job of filelock on real input: a PHP-FPM pool (user www-data) and command-line workers (user nobody) share a
# table of locks and import Unicode's character database together. One worker is killed while it holds the lock, one hangs.
#
#     run.sh [--sabotage=lock|double|missing|tally]
#
# --sabotage spoils the run: a worker that skips the lock, or a ledger with a row doubled, lost or miscounted. The run must
# then fail, which self-check.sh verifies. Environment: FILELOCK_SO (the extension), PHP, PHP_FPM (the programs).
set -eu
cd "$(dirname "$0")"

user=nobody
group=www-data # FPM's user is in it, and the other one gets it as a supplementary group
source=/usr/share/unicode/UnicodeData.txt
so=${FILELOCK_SO:-../build-php/modules/filelock.so}
php=${PHP:-php}
sabotage=none

fail() {
    echo "demo: $1" >&2
    exit 2
}

need() {
    command -v "$1" >/dev/null || fail "needs $1: apt-get install $2"
}

case "${1:-}" in
    '') ;;
    --sabotage=lock | --sabotage=double | --sabotage=missing | --sabotage=tally) sabotage=${1#--sabotage=} ;;
    *) fail "usage: run.sh [--sabotage=lock|double|missing|tally]" ;;
esac
[ "$(id -u)" -eq 0 ] || fail 'must be started by root, since it starts processes of two users'
need "$php" php-cli
php_fpm=${PHP_FPM:-php-fpm$("$php" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')}
need "$php_fpm" php-fpm
need cgi-fcgi libfcgi-bin
need setpriv util-linux
[ -e "$source" ] || fail "needs $source: apt-get install unicode-data"
[ -e "$so" ] || fail "needs the extension: run ./dev build, or set FILELOCK_SO"

# Two directories: what the two users share, and copies of the program, which they might not be able to read where it is.
shared=$(mktemp -d /run/filelock-demo.XXXXXX)
private=$(mktemp -d "${TMPDIR:-/tmp}/filelock-demo.XXXXXX")
fpm=
finish() {
    [ -z "$fpm" ] || kill "$fpm" 2>/dev/null || true
    [ -z "$fpm" ] || wait "$fpm" 2>/dev/null || true
    rm -rf "$shared" "$private"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

chgrp "$group" "$shared"
chmod 2770 "$shared"
chmod 755 "$private"
cp ./*.php "$private"
cp "$so" "$private/filelock.so"
chmod -R a+rX "$private"
(umask 007 && cd "$shared" && mkdir locks && : >ledger && : >witness && echo '0 0 0' >progress)

export DEMO_SHARED="$shared" DEMO_SOURCE="$source" DEMO_SABOTAGE="$sabotage"
# The store: both users see it in one directory of a common group, whatever their umask is. A DSN with options needs quotes
# in every ini setting, since "=" and "&" mean something there.
set -- -n -d "extension=$private/filelock.so" -d "filelock.store=\"table:$shared/locks?mode=0660\""

cat >"$private/fpm.conf" <<END
[global]
error_log = $private/fpm.log
daemonize = no
[demo]
user = www-data
group = www-data
listen = $private/fpm.sock
pm = static
pm.max_children = 4
clear_env = no
END
"$php_fpm" "$@" -y "$private/fpm.conf" -F &
fpm=$!
tries=0
until [ -S "$private/fpm.sock" ]; do
    tries=$((tries + 1))
    [ "$tries" -lt 100 ] && kill -0 "$fpm" 2>/dev/null || { cat "$private/fpm.log" >&2; fail "$php_fpm does not start"; }
    sleep 0.05
done

# The first use of a new table takes 30 ms: that is nobody's turn.
setpriv --reuid="$user" --regid=nogroup --groups="$group" -- "$php" "$@" -r 'exit((int) !filelock_try("the first use"));'

echo "PHP $("$php" -n -r 'echo PHP_VERSION;'), store table:$shared/locks?mode=0660"
echo "$(wc -l <"$source") rows of UnicodeData.txt; 3 workers and 1 to be killed as $user, 3 web clients and 1 that hangs as www-data"
echo
began=$(date +%s)
"$php" -n "$private/conduct.php" "$shared" "$private/fpm.sock" "$user" "$group" -- "$php" "$@"
seconds=$(($(date +%s) - began))

case $sabotage in
    double) tail -n 1 "$shared/ledger" >"$private/row" && cat "$private/row" >>"$shared/ledger" ;;
    missing) sed -i 1000d "$shared/ledger" ;;
    tally) sed -i 's/^Lu .*/Lu 1/' "$shared/progress" ;;
esac
echo
./check.sh "$shared" "$source" "$seconds"
