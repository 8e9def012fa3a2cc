#!/usr/bin/env bash
# run.sh: the self-test of a dir: store (./dev verify) on real file systems, each mounted by this script: ext4, overlay, exfat
# through FUSE, and sshfs over loopback with two mounts of one directory, which is a real network file system. What cannot be
# mounted here is named and skipped. On ext4, tmpfs and exfat also: full, and read-only (limits.php, by the built extension). Ends
# with one line: N passed, N failed, N skipped.
#
# Needs root. Everything happens in a mount namespace of its own and below one temporary directory; sshd listens on a loopback
# port, with keys and settings of its own.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
if [ "$(id -u)" -ne 0 ]; then
    echo "run.sh: mounting needs root" >&2
    exit 2
fi
[ "${FILELOCK_OWN_MOUNTS:-}" ] || FILELOCK_OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
make --silent -C tools

verify=$PWD/build-tools/verify
work=$(mktemp -d /var/tmp/filelock-filesystems-XXXXXX)
sshd_pid= loop=
passed=0 failed=0 skipped=0
all='works: link mkdir exclusive touch symlink flock$' none='works: refused: link mkdir exclusive touch symlink flock$'

clean_up() {
    for mount in "$work"/at/read-only "$work"/at/*; do
        ! mountpoint -q "$mount" || umount "$mount" || umount --lazy "$mount"
    done
    [ -z "$sshd_pid" ] || kill "$sshd_pid"
    [ -z "$loop" ] || losetup --detach "$loop"
    rm -rf --one-file-system "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM
mkdir -p "$work/at"

# A mount that failed unseen leaves the directory below it: what is tested then is another file system.
are_mounts() {
    local place
    for place in "$@"; do
        if ! mountpoint -q "$place"; then
            failed=$((failed + 1))
            echo "FAILED: $place is no mount"
            return 1
        fi
    done
}

# limits WHAT DIR: a full and a read-only file system; it fills DIR.
limits() {
    are_mounts "$2" || return
    if php -n -d "extension=${FILELOCK_SO:?}" tests/filesystems/limits.php "$2" "$(at read-only)" >"$work/out" 2>&1; then
        passed=$((passed + 1))
        echo "ok: $1, full and read-only: $(tail -n 1 "$work/out")"
    else
        failed=$((failed + 1))
        echo "FAILED: $1, full or read-only"
        cat "$work/out"
    fi
    ! mountpoint -q "$work/at/read-only" || umount "$work/at/read-only"
}

# judge WHAT STATUS WORDS DIR...: how the self-test ends, and what its last line says.
judge() {
    local what=$1 want=$2 words=$3 status=0
    shift 3
    are_mounts "$@" || return
    "$verify" -t 8 "$@" >"$work/out" 2>&1 || status=$?
    if [ "$status" -eq "$want" ] && tail -n 1 "$work/out" | grep -qF -- "$words"; then
        passed=$((passed + 1))
        echo "ok: $what: $(tail -n 1 "$work/out" | sed "s#$work/at/##g")"
        grep -E '^(from|steps|a rename is seen)' "$work/out" | sed 's/^/    /'
    else
        failed=$((failed + 1))
        echo "FAILED: $what: status $status, $want expected"
        cat "$work/out"
    fi
}

# methods WHAT LAST-LINE DIR [SECOND-MOUNT]: which methods of a file: store work there, and which are refused.
methods() {
    local what=$1 want=$2
    shift 2
    are_mounts "$1" || return
    if php -n -d "extension=${FILELOCK_SO:?}" tests/filesystems/methods.php "$@" >"$work/out" 2>&1 &&
        tail -n 1 "$work/out" | grep -q "^$want"; then
        passed=$((passed + 1))
        echo "ok: file: on $what: $(tail -n 1 "$work/out")"
        grep '^filelock: ' "$work/out" | sed 's/^/    /'
    else
        failed=$((failed + 1))
        echo "FAILED: file: on $what, \"$want\" expected"
        cat "$work/out"
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $1: $2"
}

# image NAME MEGABYTES COMMAND...: a file with a file system in it, made by the command.
image() {
    local file=$work/$1.image size=$2
    shift 2
    truncate -s "${size}M" "$file" && "$@" "$file" >"$work/out" 2>&1
}

at() {
    mkdir -p "$work/at/$1"
    echo "$work/at/$1"
}

on_tmpfs() {
    local place
    place=$(at tmpfs)
    if ! mount -t tmpfs -o size=1m,nr_inodes=200,mode=0755 tmpfs "$place"; then
        skip tmpfs 'cannot be mounted'
        return
    fi
    limits tmpfs "$place"
    rm -rf "${place:?}"/*
    methods 'a full tmpfs' '[0-9]* promises kept' "$place" full
}

on_ext4() {
    local place
    place=$(at ext4)
    if ! image ext4 32 mkfs.ext4 -q || ! mount -o loop "$work/ext4.image" "$place"; then
        skip ext4 'no loop device'
        return
    fi
    judge ext4 0 'good enough' "$place"
    methods ext4 "$all" "$place"
    methods 'a full ext4' '[0-9]* promises kept' "$place" full
    limits ext4 "$place"
}

on_overlay() {
    local place
    place=$(at overlay)
    mkdir -p "$work/lower" "$work/upper" "$work/inner"
    if ! mount -t overlay overlay -o "lowerdir=$work/lower,upperdir=$work/upper,workdir=$work/inner" "$place"; then
        skip overlay 'cannot be mounted'
        return
    fi
    judge overlay 0 'good enough' "$place"
    methods overlay "$all" "$place"
}

on_exfat() {
    local place
    place=$(at exfat)
    if ! command -v mount.exfat-fuse >/dev/null || [ ! -c /dev/fuse ]; then
        skip 'exfat through FUSE' 'exfat-fuse is not installed, or there is no /dev/fuse'
        return
    fi
    if ! image exfat 32 mkfs.exfat || ! loop=$(losetup --find --show "$work/exfat.image") ||
        ! mount.exfat-fuse "$loop" "$place" >"$work/out" 2>&1; then
        skip 'exfat through FUSE' 'cannot be mounted'
        return
    fi
    judge 'exfat through FUSE' 0 'good enough' "$place"
    methods 'exfat through FUSE' "$none" "$place"
    limits 'exfat through FUSE' "$place"
}

start_sshd() {
    ssh-keygen -q -t ed25519 -N '' -f "$work/host" && ssh-keygen -q -t ed25519 -N '' -f "$work/user" || return
    cp "$work/user.pub" "$work/authorized"
    cat >"$work/sshd" <<SETTINGS
ListenAddress 127.0.0.1
Port $1
HostKey $work/host
AuthorizedKeysFile $work/authorized
StrictModes no
UsePAM no
PidFile none
Subsystem sftp internal-sftp
SETTINGS
    mkdir -p /run/sshd
    "$(command -v sshd || echo /usr/sbin/sshd)" -D -f "$work/sshd" -E "$work/sshd.log" &
    sshd_pid=$!
}

# mount_sshfs PORT PLACE OPTION...: sshd may not listen yet.
mount_sshfs() {
    local port=$1 place=$2
    shift 2
    for _ in $(seq 50); do
        sshfs -p "$port" -o "IdentityFile=$work/user,StrictHostKeyChecking=no,UserKnownHostsFile=/dev/null" "$@" \
            "root@127.0.0.1:$work/served" "$place" 2>>"$work/sshfs.log" && return
        kill -0 "$sshd_pid" 2>/dev/null || return
        sleep 0.1
    done
    return 1
}

on_sshfs() {
    local port=$((20000 + RANDOM % 10000)) first second
    if ! command -v sshfs >/dev/null || ! [ -x /usr/sbin/sshd ] || [ ! -c /dev/fuse ]; then
        skip sshfs 'sshfs and openssh-server are not both installed, or there is no /dev/fuse'
        return
    fi
    first=$(at sshfs) second=$(at sshfs-again)
    mkdir -p "$work/served"
    chmod 0755 "$work"
    if ! start_sshd "$port" || ! mount_sshfs "$port" "$first" -o dir_cache=no ||
        ! mount_sshfs "$port" "$second" -o dir_cache=no; then
        skip sshfs "cannot be mounted: $(tail -n 1 "$work/sshfs.log" 2>/dev/null)"
        return
    fi
    judge 'sshfs, two mounts without a cache' 0 'good enough' "$first" "$second"
    methods 'sshfs, two mounts' "$none" "$first" "$second"
    umount "$second"
    mount_sshfs "$port" "$second" && judge 'sshfs, the second mount with its cache of listings' 0 'good enough' "$first" "$second"
}

on_tmpfs
on_ext4
on_overlay
on_exfat
on_sshfs
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
