#!/usr/bin/env bash
# coverage.sh: runs the tests of the directory store and tells which of its lines they did not execute, also of what it does about a
# server that lies. Only what needs a failing allocation or random generator may be missed. The last line is the sum.
set -euo pipefail
cd "$(dirname "$0")/../.." || exit
build=$PWD/build-core/coverage
make --silent -C tests/core build VARIANT=coverage
find "$build" -name '*.gcda' -delete
(cd "$build" && ./suite $(sed -n 's/^GROUP(\(directory_[a-z]*\),.*/\1/p' ../../tests/core/groups.h)) >"$build/log" || { cat "$build/log"; exit 1; }

passed=0 failed=0
for file in src/directory/*.c; do
    name=$(basename "$file" .c)
    (cd "$build" && gcov --stdout "src/directory/$name.gcda") 2>/dev/null |
        awk '/^ *-: *0:Source:/ { ours = /src.directory/ }
             ours && /^ *#####:/ && ($0 previous before) !~ /random|secret|alloc|r == NULL|prepare_record/ { print }
             { before = previous; previous = $0 }' >"$build/missed"
    if [ -s "$build/missed" ]; then
        echo "FAILED: src/directory/$name.c has lines that no test executes:"
        cat "$build/missed"
        failed=$((failed + 1))
    else
        echo "ok: every line of src/directory/$name.c is executed"
        passed=$((passed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
