#!/usr/bin/env bash
# readme-bench.sh [FILE]: puts what ./dev bench prints, or has printed into FILE, between the marks in README.md.
# To be run when the machine has nothing else to do.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

figures=$(mktemp)
trap 'rm -f "$figures" "$figures.new"' EXIT
if [ $# -gt 0 ]; then cat -- "$1"; else ./dev bench; fi | sed -n '/^PHP /,$p' >"$figures"
grep -q '^| .* |$' "$figures" || { echo "readme-bench.sh: no figures" >&2; exit 1; }

awk -v figures="$figures" '
    /^<!-- \/bench -->$/ { inside = 0 }
    !inside { print }
    /^<!-- bench -->$/ {
        inside = 1
        print ""
        while ((getline line < figures) > 0) print line
        print ""
    }' README.md >"$figures.new"
cat "$figures.new" >README.md
