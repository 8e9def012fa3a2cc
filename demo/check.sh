#!/bin/sh
# Was everything imported, once, by one at a time? Asks neither PHP nor filelock: awk, sort and comm look at what the demo
# has left behind.
#
#     check.sh <directory of the demo> <source> <seconds that it took>
#
# One line per check; the last line is "N passed, N failed"; exit status 0 when none failed.
set -eu
export LC_ALL=C
cd "$1"
source=$2
seconds=$3
passed=0
failed=0

# expect <what> <wanted> <found>
expect() {
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
        echo "ok      $1: $3"
    else
        failed=$((failed + 1))
        echo "FAILED  $1: $3, expected $2"
    fi
}

# expect_true <what> <found> <test operator> <limit>
expect_true() {
    if [ -n "$2" ] && [ "$2" "$3" "$4" ]; then
        expect "$1" "$2" "$2"
    else
        expect "$1" "$3 $4" "${2:-nothing}"
    fi
}

# How many events or witnessed things have $2 in field $1.
events() { awk -F '\t' -v field="$1" -v wanted="$2" '$field == wanted { n++ } END { print n + 0 }' events; }
witnessed() { awk -v wanted="$1" '$1 == wanted { n++ } END { print n + 0 }' witness; }

awk -F ';' '{ print $1 ";" $3 }' "$source" | sort >expected-rows
sort ledger >found-rows
expect 'rows in the ledger' "$(wc -l <expected-rows)" "$(wc -l <found-rows)"
expect 'rows missing' 0 "$(comm -23 expected-rows found-rows | wc -l)"
expect 'rows double or damaged' 0 "$(comm -13 expected-rows found-rows | wc -l)"

awk -F ';' '{ n[$3]++ } END { for (category in n) print category, n[category] }' "$source" | sort >expected-tally
tail -n +2 progress | sort >found-tally
expect 'categories with another count than the tally by awk' 0 \
    "$(comm -3 expected-tally found-tally | awk '{ print $1 }' | sort -u | wc -l)"
expect 'rows in the tally' "$(wc -l <expected-rows)" "$(awk '{ n += $2 } END { print n + 0 }' found-tally)"

expect 'times that the witness saw two holders' 0 "$(witnessed violation)"
expect 'critical sections that did not end (one killed, one lost)' 2 $(($(witnessed enter) - $(witnessed leave)))
expect 'markers of a dead process that its successor found' 1 "$(witnessed dead)"
expect 'markers of an expired lease that its successor found' 1 "$(witnessed expired)"
expect 'critical sections as often as the lock was got' "$(events 4 took)" "$(witnessed enter)"

expect 'workers killed while they held the lock' 1 "$(events 4 killed)"
expect_true 'µs from SIGKILL to the next holder' \
    "$(awk -F '\t' '$4 == "killed" { at = $1 } at && $4 == "took" { printf "%d", ($1 - at) / 1000; exit }' events)" \
    -le 1000000
expect 'workers that hung past their ttl and were told that they lost' 1 "$(events 4 lost)"
expect_true 'ms from the lock of the hanging one, which lasts 400 ms, to the next holder' "$(awk -F '\t' '
    $4 == "took" && at && $2 != "web-slow" { printf "%d", ($1 - at) / 1000000; exit }
    $4 == "took" && $2 == "web-slow" { at = $1 }' events)" -ge 390
expect 'users that held the lock' 2 "$(awk -F '\t' '$4 == "took" { print $3 }' events | sort -u | wc -l)"
expect 'users that were told who had it' 2 "$(awk -F '\t' '$4 == "busy" && / held by / { print $3 }' events | sort -u | wc -l)"
expect_true 'seconds' "$seconds" -lt 30

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
