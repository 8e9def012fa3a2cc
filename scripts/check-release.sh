#!/usr/bin/env bash
# check-release.sh DIR: copies what package.xml lists to DIR, and builds and loads it as a user would.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$1

rm -rf "$dir"
mkdir -p "$dir"
sed -n 's/.*<file name="\([^"]*\)".*/\1/p' package.xml | xargs cp --parents -t "$dir"
cd "$dir"
(phpize && ./configure && make -j2) >build.log 2>&1 || { tail -n 20 build.log; exit 1; }
# Every name is looked up at once, so that a source file that config.m4 does not know is missed here.
LD_BIND_NOW=1 php -n -d "extension=$PWD/modules/filelock.so" --ri filelock >/dev/null
