#!/bin/sh
# Can the demo fail? Spoils it in each of its ways and expects the very check that is for it to say so.
set -u
cd "$(dirname "$0")"
passed=0
failed=0

# spoil <how> <the check that must fail>
spoil() {
    output=$(./run.sh "--sabotage=$1" 2>&1)
    status=$?
    if [ "$status" -eq 1 ] && printf '%s\n' "$output" | grep -q "^FAILED  $2"; then
        passed=$((passed + 1))
        echo "ok      sabotage=$1 is found out: $(printf '%s\n' "$output" | grep "^FAILED  $2")"
    else
        failed=$((failed + 1))
        printf '%s\n' "$output" | tail -n 25 | sed 's|^|    |'
        echo "FAILED  sabotage=$1: exit status $status"
    fi
}

spoil lock 'times that the witness saw two holders'
spoil double 'rows double or damaged'
spoil missing 'rows missing'
spoil tally 'categories with another count'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
