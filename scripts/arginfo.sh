#!/usr/bin/env bash
# arginfo.sh [write]: verifies that the arginfo was generated from the stub, or writes it.
#
# The arginfo is the work of PHP 8.2's generator, which suits every later PHP; later generators write it in other words.
# So with PHP 8.2 it is generated and compared, and elsewhere only the stub's hash in it is compared.
set -euo pipefail
cd "$(dirname "$0")/.."
stub=stubs/filelock.stub.php
arginfo=stubs/filelock_arginfo.h

if [[ $(php-config --version) != 8.2.* ]]; then
    [ "${1:-}" != write ] || { echo "Writing the arginfo needs PHP 8.2." >&2; exit 1; }
    hash=$(sha1sum <"$stub" | cut -d' ' -f1)
    grep -q "Stub hash: $hash " "$arginfo" || { echo "$arginfo is not from this $stub." >&2; exit 1; }
    exit 0
fi

# The generator looks for PHP-Parser beside itself, and downloads it if it is not there.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=$(php-config --prefix)/lib/php/$(basename "$(php-config --extension-dir)")/build
cp "$build/gen_stub.php" "$work/"
version=$(sed -n 's/^ *\$version = "\([0-9.]*\)";$/\1/p' "$work/gen_stub.php")
mkdir "$work/PHP-Parser-$version"
ln -s /usr/share/php "$work/PHP-Parser-$version/lib"
cp "$stub" "$work/"
php "$work/gen_stub.php" --force-regeneration "$work/$(basename "$stub")" >"$work/log" ||
    { cat "$work/log" >&2; exit 1; }

if [ "${1:-}" = write ]; then
    cp "$work/$(basename "$arginfo")" "$arginfo"
else
    diff -u "$arginfo" "$work/$(basename "$arginfo")"
fi
