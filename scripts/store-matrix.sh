#!/usr/bin/env bash
# store-matrix.sh: writes the matrix of stores and capabilities, as the contract suite prints it, into README.md.
set -euo pipefail
cd "$(dirname "$0")/.."
make --silent -C tests/core contract-program >/dev/null
matrix=$(build-core/glibc/contract --matrix)
awk -v matrix="$matrix" '
    /^<!-- stores -->$/ { print; print ""; print matrix; print ""; skip = 1 }
    /^<!-- \/stores -->$/ { skip = 0 }
    !skip' README.md >README.md.new
cat README.md.new >README.md
rm README.md.new
