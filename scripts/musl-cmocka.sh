#!/usr/bin/env bash
# musl-cmocka.sh DIR: makes DIR/libcmocka.a and DIR/include for musl-gcc from Debian's source package of cmocka.
set -euo pipefail

dir=$1
[ ! -e "$dir/libcmocka.a" ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/source"

# The same archives as for the packages, but their sources, in lists of our own.
apt-get indextargets --format '$(SIGNED_BY)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)' 'Created-By: Packages' \
    'Origin: Debian' 'Component: main' |
    sort -u | awk -F'|' '{ print "deb-src", ($1 ~ "^/" ? "[signed-by=" $1 "]" : ""), $2, $3, $4 }' >"$work/sources.list"
apt() {
    apt-get -q -o APT::Sandbox::User=root \
        -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$work/lists" -o Dir::Cache::Archives="$work/archives" \
        -o Dir::Cache::srcpkgcache= -o Dir::Cache::pkgcache= "$@"
}
echo "Building cmocka for musl"
if ! (apt update && cd "$work/source" && apt source --tar-only --download-only cmocka) >"$work/log" 2>&1; then
    cat "$work/log" >&2
    echo "musl-cmocka.sh: could not fetch the source package of cmocka" >&2
    exit 1
fi
tar -xf "$work"/source/cmocka_*.orig.tar.?z -C "$work/source" --strip-components=1

mkdir -p "$dir/include"
cp "$work"/source/include/*.h "$dir/include/"

musl-gcc -O1 -g -w -I"$dir/include" -DHAVE_CLOCK_REALTIME -DHAVE_GCC_THREAD_LOCAL_STORAGE -DHAVE_INTTYPES_H \
    -DHAVE_MALLOC_H -DHAVE_SIGLONGJMP -DHAVE_SIGNAL_H -DHAVE_SNPRINTF -DHAVE_STDINT_H -DHAVE_STRINGS_H \
    -DHAVE_STRSIGNAL -DHAVE_STRUCT_TIMESPEC -DHAVE_TIME_H -DHAVE_UNISTD_H -DHAVE_VSNPRINTF -D_GNU_SOURCE \
    -c "$work/source/src/cmocka.c" -o "$work/cmocka.o"
ar rcs "$dir/libcmocka.a.new" "$work/cmocka.o"
mv "$dir/libcmocka.a.new" "$dir/libcmocka.a"
