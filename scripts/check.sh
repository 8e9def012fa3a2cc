#!/usr/bin/env bash
# check.sh: what can be said about the sources without running them. One line per check, the sum at the end.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

# files PATTERN...: the repository's files, new ones included.
files() {
    git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" ':!stubs/*_arginfo.h'
}

# Releases of clang-format differ in details; the layout is that of Debian 12's.
format() {
    if [[ $(clang-format --version) != *" version 14."* ]]; then
        echo "not judged: that needs clang-format 14"
        return
    fi
    files '*.c' '*.h' | xargs clang-format --dry-run -Werror --ferror-limit=3
}

# Without uninitvar, which overlooks what is written through a cast; sanitizers and valgrind look for that at run time.
lint() {
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 -Isrc \
        --suppress=missingInclude --suppress=normalCheckLevelMaxBranches --suppress=uninitvar \
        --suppress=ctuuninitvar src/*.c src/*/*.c
}

syntax() {
    local file
    for file in dev .ci/run $(files '*.sh'); do
        bash -n "$file" || return 1
    done
    for file in $(files '*.php'); do
        php -n -l "$file" >/dev/null || return 1
    done
}

package() {
    php scripts/package.php
}

# The glue's promise of #[\NoDiscard] holds for our own examples, too.
discard() {
    php -n scripts/check-discard.php
}

passed=0 failed=0
for check in format lint syntax scripts/check-layers.sh scripts/arginfo.sh package discard; do
    if output=$("$check" 2>&1); then
        passed=$((passed + 1))
        echo "ok    $(basename "${check%.*}")${output:+ ($output)}"
    else
        failed=$((failed + 1))
        printf 'FAIL  %s\n%s\n' "$(basename "${check%.*}")" "$output"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
