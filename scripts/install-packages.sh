#!/usr/bin/env bash
# install-packages.sh PACKAGE...: installs those Debian packages that are missing, and starts no service.
set -euo pipefail

if ! command -v dpkg-query >/dev/null; then
    echo "This is no Debian. Install what these packages of Debian contain: $*" >&2
    exit 1
fi
installed() {
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort -u
}
missing=$(comm -13 <(installed "$@") <(printf '%s\n' "$@" | sort -u) | tr '\n' ' ')
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Packages are missing. Run as root: apt-get install --no-install-recommends $missing" >&2
    exit 1
fi

# invoke-rc.d and deb-systemd-invoke ask this file before they start a service.
policy=/usr/sbin/policy-rc.d
restore_policy() {
    rm -f "$policy"
    [ ! -e "$policy.saved-by-filelock" ] || mv "$policy.saved-by-filelock" "$policy"
}
[ ! -e "$policy" ] || [ -e "$policy.saved-by-filelock" ] || mv "$policy" "$policy.saved-by-filelock"
trap restore_policy EXIT
printf '#!/bin/sh\nexit 101\n' >"$policy"
chmod 755 "$policy"

echo "Installing with what they depend on: $missing"
log=$(mktemp)
apt() {
    DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 "$@" </dev/null >"$log" 2>&1 ||
        { cat "$log" >&2; echo "apt-get $1 failed" >&2; exit 1; }
}
apt update
# shellcheck disable=SC2086
apt install --no-install-recommends $missing
grep -E '^[0-9]+ upgraded, ' "$log"
rm -f "$log"
