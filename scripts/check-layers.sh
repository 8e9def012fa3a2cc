#!/usr/bin/env bash
# check-layers.sh: the two rules that keep the layers apart.
set -euo pipefail
cd "$(dirname "$0")/.."
broken=0

# Rule 1: src/ includes no PHP header.
if grep -rniP '^\s*#\s*include\s*["<]([^">]*/)?(php|zend|sapi|tsrm|spl|main|ext|stubs)[^">]*[">]' src; then
    echo "src/ must not include a header of PHP."
    broken=1
fi

# Rule 2: the glue makes no lock, file or network call itself. Names that a . or -> precedes are somebody's members.
calls='access|chmod|chown|close|closedir|creat|dup[23]?|fallocate|fchmod|fchown|fcntl|fdatasync|flock|fsync|ftruncate
|futex|ioctl|link|linkat|lockf|l?stat|fstat|fstatat|statx|mkdir|mkdirat|mkfifo|mmap|mprotect|mremap|msync|munmap
|open|openat|opendir|pipe2?|p?read|preadv|p?write|pwritev|readdir|readlink|realpath|rename|renameat2?|rmdir
|symlink|syscall|truncate|umask|unlink|unlinkat|utimensat|f(open|close|read|write|gets|puts|printf|flush|seek)
|accept4?|bind|connect|listen|poll|ppoll|recv|recvfrom|recvmsg|select|send|sendmsg|sendto|socket|socketpair
|sem_(open|wait|trywait|timedwait|post)|shm_(open|unlink)|semget|semop|shmget
|pthread_(mutex|rwlock|cond|spin)_[a-z]+|tsrm_mutex_[a-z]+|VCWD_[A-Z]+|_?php_stream_[a-z_]+|redis[A-Z][A-Za-z]+'
for file in php_filelock*.c; do
    # The preprocessor removes comments only; strings go before the search.
    if gcc -fpreprocessed -dD -E "$file" 2>/dev/null | sed 's/"\([^"\\]\|\\.\)*"/""/g' |
        grep -P "(?<![\w.>])(${calls//$'\n'/})(64)?\s*\("; then
        echo "$file must leave lock, file and network calls to src/."
        broken=1
    fi
done
exit "$broken"
