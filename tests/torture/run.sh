#!/usr/bin/env bash
# run.sh SECONDS [SEED]: tortures the table for so long, and for a quarter of it each: readers and writers, permits, queues, and
# hand-overs; every other store of tests/contract/stores.h; a shared directory whose server lies. Then the negative controls, in
# which a compare-and-swap is a plain store, or left out: those must be reported as violated. Ends with one line: N passed, N failed.
set -eu

seconds=${1:-20}
seed=${2:-$(date +%s)}
here=$(dirname "$0")
build=$(readlink -f "$here/../..")/build-torture
make -s --no-print-directory -C "$here" build

report=$(mktemp)
trap 'rm -f "$report"' EXIT
passed=0 failed=0

part() {
    awk "BEGIN { print $seconds / $1 }"
}

# torture PROGRAM SECONDS [STORE]: every line of its report counts. With $lie, which is preloaded, the store's server lies.
torture() {
    status=0
    env ${lie:+TORTURE_LIES=1 LD_PRELOAD="$lie"} "$build/$1" "$2" "$seed" ${3:+"$3"} >"$report" || status=$?
    cat "$report"
    passed=$((passed + $(grep -c '^ok: ' "$report" || true)))
    failed=$((failed + $(grep -c '^FAILED: ' "$report" || true)))
    if [ "$status" -gt 1 ]; then
        echo "FAILED: $1 ended with status $status"
        failed=$((failed + 1))
    fi
}

# control PROGRAM SECONDS LINE FAULT [STORE]: it must fail on what LINE says.
control() {
    "$build/$1" "$2" "$seed" ${5:+"$5"} >"$report" || true
    if grep -q "^FAILED: $3" "$report"; then
        echo "ok: $4 is found out: $(grep "^FAILED: $3" "$report" | head -n 1 | sed 's/^FAILED: //')"
        passed=$((passed + 1))
    else
        cat "$report"
        echo "FAILED: $4 was not noticed"
        failed=$((failed + 1))
    fi
}

torture torture "$seconds"
torture torture-crowd "$(part 4)"
while read -r store; do
    torture torture "$(part 4)" "$store"
done < <(sed -n 's/^STORE("\([^"]*\)".*/\1/p' "$here/../contract/stores.h" | grep -v '^table:$')
echo "a server that lies:"
lie="$build/liar.so" torture torture "$(part 4)" dir:
echo "negative controls:"
control torture-negative "$(part 5)" 'no two believed to hold one name' 'a plain store in the place of a compare-and-swap'
control torture-negative "$(part 10)" 'no two believed to hold one name' 'a rename that everybody succeeds with' dir:
control torture-crowd-negative "$(part 40)" 'only those believed at a time who may' 'a reader that believes without a swap'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
