#!/bin/sh
# Builds core.c with the core, as users' compilers do, and runs it on a table of its own.
set -eu
cd "$(dirname "$0")/.."
directory=$(mktemp -d /dev/shm/filelock-bench.XXXXXX)
trap 'rm -rf "$directory"' EXIT
"${CC:-cc}" -std=gnu11 -O2 -Isrc -o "$directory/core" bench/core.c src/*.c src/*/*.c -lpthread -lm
"$directory/core" "table:$directory/table" "$directory"
