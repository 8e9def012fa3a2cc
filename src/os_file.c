/* Files, as far as POSIX has no word for what is needed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 5.6; an older C library does not know it, and the sandbox of an older container refuses it with EPERM. */
static int open_without_links(const char *path, int flags)
{
#ifdef SYS_openat2
    struct {
        uint64_t flags, mode, resolve;
    } how = {.flags = (uint64_t)flags, .resolve = 0x04}; /* RESOLVE_NO_SYMLINKS */
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
#else
    (void)path, (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

int os_open_directory(const char *path)
{
    const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    int fd = open_without_links(path, flags);
    if (fd < 0 && (errno == ENOSYS || errno == EPERM))
        fd = open(path, flags | O_NOFOLLOW);
    return fd;
}

int os_open_unnamed(int directory, unsigned mode)
{
    return openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

bool os_link_unnamed(int fd, int directory, const char *name)
{
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, directory, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Looked at beforehand: the kernel would send SIGXFSZ, whose default is death. */
static bool is_too_large(size_t n)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && n > limit.rlim_cur;
}

int os_write_new(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    if (is_too_large(n))
        return EFBIG;
    while (n > 0) {
        ssize_t written = write(fd, at, n);
        if (written < 0 && errno != EINTR)
            return errno;
        if (written == 0)
            return ENOSPC;
        if (written > 0) {
            at += written;
            n -= (size_t)written;
        }
    }
    return 0;
}

int os_sync(int fd)
{
    while (fsync(fd) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}
