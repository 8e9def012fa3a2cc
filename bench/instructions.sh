#!/bin/sh
# The instructions of one filelock_try() + filelock_release(), PHP's own for the two calls included: a figure that does not
# depend on how fast or busy a machine is. Two loops of different lengths under callgrind; in the difference, start and end of
# PHP cancel out.
#
#     instructions.sh            prints the figure
#     instructions.sh --check    compares it with the recorded one of this PHP version: more than 3 % above is a failure
#     instructions.sh --record   records it
#
# Environment: FILELOCK_SO (the extension), PHP (the program).
set -eu
cd "$(dirname "$0")"

few=2000
many=12000
recorded=instructions.txt
so=${FILELOCK_SO:-../build-php/modules/filelock.so}
php=${PHP:-php}
directory=$(mktemp -d "${TMPDIR:-/tmp}/filelock-instructions.XXXXXX")
trap 'rm -rf "$directory"' EXIT
trap 'exit 1' HUP INT TERM

# count <pairs>: all instructions of a process that does that many.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$directory/out" --log-file="$directory/log" \
        "$php" -n -d "extension=$(readlink -f "$so")" -d "filelock.store=\"table:$directory\"" instructions.php "$1" >&2 ||
        { cat "$directory/log" >&2; exit 1; }
    awk '/^(summary|totals):/ { n = $2 } END { print n }' "$directory/out"
}

count 1 >/dev/null # creates the table: that is not part of either
few_cost=$(count "$few")
many_cost=$(count "$many")
cost=$(((many_cost - few_cost) / (many - few)))
version=$("$php" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION, PHP_ZTS ? "-zts" : "", "-", php_uname("m");')
echo "$cost instructions for a lock and an unlock by name, PHP $version"

known=$(awk -v version="$version" '$1 == version { print $2 }' "$recorded" 2>/dev/null || true)
case "${1:-}" in
    --record)
        { grep -v "^$version " "$recorded" 2>/dev/null || true; echo "$version $cost"; } >"$directory/new"
        sort -V "$directory/new" >"$recorded"
        ;;
    --check)
        if [ -z "$known" ]; then
            echo "NOT COMPARED: no figure is recorded for PHP $version in bench/$recorded"
        elif [ $((cost * 100)) -gt $((known * 103)) ]; then
            echo "TOO MANY: $known are recorded, and 3 % more would be allowed"
            exit 1
        elif [ $((cost * 103)) -lt $((known * 100)) ]; then
            echo "ok: fewer than the $known recorded; record the better figure with --record"
        else
            echo "ok: $known are recorded"
        fi
        ;;
esac
