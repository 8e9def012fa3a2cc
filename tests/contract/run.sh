#!/usr/bin/env bash
# run.sh: the contract with every store, and with one whose server lies, which it must notice. The last line is the sum.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
log=build-core/contract.log

make --silent -C tests/core contract | tee "$log"
read -r passed failed skipped < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' "$log" | tail -n 1)
: "${passed:=0}" "${failed:=1}" "${skipped:=0}"

gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -shared -fPIC -o build-core/liar.so tests/verify/liar.c
LD_PRELOAD=$PWD/build-core/liar.so FILELOCK_LIE=/s/ build-core/glibc/contract dir: >"$log" 2>&1
if grep -q 'FAILED.*a_late_release_touches_nobody' "$log" && grep -q 'FAILED.*stopped_anywhere' "$log"; then
    passed=$((passed + 1))
    echo "ok: a server that lets every rename succeed is found out"
else
    failed=$((failed + 1))
    cat "$log"
    echo "FAILED: a server that lets every rename succeed is not noticed"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
