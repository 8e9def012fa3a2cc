#!/bin/sh
# run.sh SECONDS [SEED]: tortures the table for so long, then the negative control, in which one compare-and-swap is a plain
# store, for a fifth of it: that one must be reported as violated. Ends with one line: N passed, N failed.
set -eu

seconds=${1:-20}
seed=${2:-$(date +%s)}
here=$(dirname "$0")
build=$here/../../build-torture
make -s --no-print-directory -C "$here" build

report=$(mktemp)
trap 'rm -f "$report"' EXIT

status=0
"$build/torture" "$seconds" "$seed" >"$report" || status=$?
cat "$report"
passed=$(grep -c '^ok: ' "$report" || true)
failed=$(grep -c '^FAILED: ' "$report" || true)
if [ "$status" -gt 1 ]; then
    echo "FAILED: the torture program ended with status $status"
    failed=$((failed + 1))
fi

echo "negative control:"
"$build/torture-negative" "$(awk "BEGIN { print $seconds / 5 }")" "$seed" >"$report" || true
if grep -q '^FAILED: no two believed to hold one name at a time' "$report"; then
    echo "ok: $(grep '^FAILED: no two' "$report" | head -n 1 | sed 's/^FAILED: no two/a plain store is found out: two/')"
    passed=$((passed + 1))
else
    cat "$report"
    echo "FAILED: a plain store in the place of a compare-and-swap was not noticed"
    failed=$((failed + 1))
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
