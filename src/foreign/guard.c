/*
 * The guard of removal: one byte of .filelock-guard per file name, at a hash of it. The file is made at the first use and stays: were it
 * removed, two processes could hold the same byte of two files.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"
#include "sha256.h"

#define GUARD_FILE ".filelock-guard"

static int64_t byte_of(const char *file)
{
    uint64_t digest[2];
    sha256_128(file, strlen(file), digest);
    return (int64_t)(digest[0] >> 2); /* offsets are signed, and the last byte has none after it */
}

/* Who may make files in the directory may also guard them: not by umask. */
static int make(const char *path, const char *directory, int flags)
{
    struct stat st;
    int fd = open(path, flags | O_CREAT | O_EXCL, 0600);
    if (fd < 0 && errno == EEXIST)
        return open(path, flags);
    if (fd >= 0 && stat(directory, &st) == 0)
        (void)!fchmod(fd, 0600 | (st.st_mode & S_IWGRP ? 0060 : 0) | (st.st_mode & S_IWOTH ? 0006 : 0));
    return fd;
}

/* Without O_CREAT first: in a sticky directory the kernel refuses it on another user's file (fs.protected_regular). */
static int open_guard(const char *path, const char *directory)
{
    enum { FLAGS = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
    struct stat st;
    int fd = open(path, FLAGS);
    if (fd < 0 && errno == ENOENT)
        fd = make(path, directory, FLAGS);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

/* At a high number, and in no forked child, which would keep the byte. */
static int open_kept(const char *path, const char *directory)
{
    int low = open_guard(path, directory);
    if (low < 0)
        return -1;
    int fd = os_keep_descriptor(low), code = errno;
    close(low);
    errno = code;
    return fd;
}

static bool is_still_there(const char *path, int fd)
{
    struct stat named, mine;
    return lstat(path, &named) == 0 && fstat(fd, &mine) == 0 && named.st_dev == mine.st_dev &&
           named.st_ino == mine.st_ino;
}

int guard_take(const place *p, int *fd)
{
    char path[PLACE_MAX];
    snprintf(path, sizeof path, "%s/" GUARD_FILE, p->directory);
    *fd = open_kept(path, p->directory);
    if (*fd < 0)
        return -1;
    FL_STEP("removal:opened");
    int code = os_lock_byte(*fd, byte_of(p->file), OS_LOCK_WRITE);
    if (code == 0 && is_still_there(path, *fd)) {
        FL_STEP("guard:taken");
        return 0;
    }
    guard_give(p, *fd);
    errno = code != 0 ? code : EAGAIN;
    return -1;
}

/* Unlocked first: a child on its way to exec may have the open file, too. */
void guard_give(const place *p, int fd)
{
    os_lock_byte(fd, byte_of(p->file), OS_LOCK_NONE);
    os_drop_descriptor(fd);
}

int64_t guard_now(int fd)
{
    struct stat st;
    return futimens(fd, NULL) == 0 && fstat(fd, &st) == 0 ? file_time(&st) : os_wall();
}
