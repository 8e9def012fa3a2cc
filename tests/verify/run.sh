#!/usr/bin/env bash
# run.sh: what ./dev verify says of directories that are good enough, of one whose server lies, and of others. Ends with one
# line: N passed, N failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
make --silent -C tools
gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -shared -fPIC -o build-tools/liar.so tests/verify/liar.c

verify=$PWD/build-tools/verify
memory=$(mktemp -d /dev/shm/filelock-verify-test-XXXXXX)
disk=$(mktemp -d /var/tmp/filelock-verify-test-XXXXXX)
chmod 0755 "$memory"
trap 'rm -rf "$memory" "$memory".* "$disk"' EXIT
passed=0 failed=0

# judge WHAT COMMAND...: one test.
judge() {
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
        echo "ok: $what"
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        cat "$memory.out"
    fi
}

# says STATUS WORDS COMMAND...: that is its end and in its last line, and nothing is left behind.
says() {
    local want=$1 words=$2 status=0
    shift 2
    "$@" >"$memory.out" 2>&1 || status=$?
    tail -n 1 "$memory.out" >"$memory.last"
    [ "$status" -eq "$want" ] && grep -qF -- "$words" "$memory.last" && is_empty
}

is_empty() {
    [ -z "$(ls -A "$memory" "$disk" | grep -v -e ':$' -e '^$')" ]
}

# The figures of a run that was good enough are all there.
shows_figures() {
    says 0 'good enough' "$@" && ! grep -q 'not seen' "$memory.out" &&
        grep -q 'of . s: .* locks, .* processes killed' "$memory.out"
}

# One ^C for all processes of the group, when the processes of the trial are at work.
interrupted() {
    setsid "$verify" -t 60 "$memory" >"$memory.out" &
    local pid=$!
    until grep -q 'of 60 s' "$memory.out"; do sleep 0.05; done
    kill -INT -- "-$pid"
    local status=0
    wait "$pid" || status=$?
    [ "$status" -eq 130 ] && grep -q 'interrupted' "$memory.out" && is_empty && ! pgrep -g "$pid" >/dev/null
}

# setpriv keeps the environment, runuser would not.
as_nobody() {
    local place=$memory/of-nobody status=0
    install -d -o nobody -m 0700 "$place"
    setpriv --reuid=65534 --regid=65534 --clear-groups "$verify" -t 1 "$place" >"$memory.out" 2>&1 || status=$?
    rmdir "$place" && [ "$status" -eq 0 ] # fails if something was left
}

with_second_mount() {
    mkdir "$memory.second"
    says 0 'good enough' unshare -m sh -c 'mount --bind "$1" "$2" && shift && exec "$0" -t 2 "$memory" "$@"' \
        "$verify" "$memory" "$memory.second"
    local status=$?
    rmdir "$memory.second"
    [ "$status" -eq 0 ] && grep -q 'seen through the second mount after' "$memory.out"
}
export memory

# The locks in it stay, and are not part of the test.
in_use() {
    mkdir "$memory/store"
    php -n -d "extension=${FILELOCK_SO:-$PWD/build-php/modules/filelock.so}" -d "filelock.store=dir:$memory/store" -r 'filelock_try("x", 1000) || exit(1);
        exec("find $argv[1] -printf \"%P %i %T@\n\" | sort", $before);
        passthru("$argv[2] -t 1 $argv[1]", $status);
        exec("find $argv[1] -printf \"%P %i %T@\n\" | sort", $after);
        exit($status !== 0 || array_slice($before, 1) !== array_slice($after, 1) || count(filelock_list()) !== 1
            || !filelock_release("x") ? 1 : 0);' "$memory/store" "$verify" >"$memory.out"
    local status=$?
    rm -rf "$memory/store"
    return "$status"
}

lying() {
    says 1 "$2" env LD_PRELOAD="$PWD/build-tools/liar.so" FILELOCK_LIE="$1" "$verify" -t 10 "$memory"
}

judge "memory is good enough, with all figures" shows_figures "$verify" -t 5 "$memory"
judge "a disk is good enough" says 0 'good enough' "$verify" -t 2 -n 3 "$disk"
judge "it leaves nothing behind when it is interrupted" interrupted
judge "it fails where every rename succeeds" lying /race/ 'not: because two renames of one file both succeeded'
judge "it fails where two hold a lock" lying /name 'not: because two processes held one lock at the same time'
judge "it knows that the second is another directory" says 1 'is not the same directory' "$verify" "$memory" "$disk"
judge "it says why the store refuses one" says 1 'sticky' "$verify" /tmp
judge "a directory that is not there" says 1 'No such file or directory' "$verify" "$memory/none"
judge "a relative path" says 1 'is not absolute' "$verify" memory
judge "a store in use" in_use
judge "wrong arguments" says 2 'Usage' "$verify"
if [ "$(id -u)" -eq 0 ]; then
    judge "root is not needed" as_nobody
    judge "a second mount" with_second_mount
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
