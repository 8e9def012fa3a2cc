/*
 * flock(2): the kernel sees whether the holder lives. The file is never written and never removed: with flock(1) two could hold
 * it otherwise, one the old file, one the new.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "foreign.h"

/* Without O_CREAT first (fs.protected_regular). O_NONBLOCK: a FIFO in the place is not waited for. */
static int open_file(const char *path)
{
    enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY };
    int fd = open(path, FLAGS);
    return fd < 0 && errno == ENOENT ? open(path, FLAGS | O_CREAT, 0666) : fd;
}

/* At a high number, and in no forked child. */
static int open_kept(holding *h)
{
    struct stat st;
    int low = open_file(h->place.path);
    if (low < 0)
        return -1;
    h->fd = fstat(low, &st) == 0 ? os_keep_descriptor(low) : -1;
    int code = errno;
    close(low);
    errno = h->fd < 0 ? code : EINVAL;
    h->device = st.st_dev;
    h->inode = st.st_ino;
    return h->fd >= 0 && S_ISREG(st.st_mode) ? 0 : -1;
}

/* Somebody may have removed the file while I asked for its lock: then that of another file is worth nothing. */
static claim_result claim_once(const foreign *f, holding *h, bool *again)
{
    struct stat named;
    if (!file_take_spare(f, h) && open_kept(h) != 0)
        return CLAIM_FAILED;
    FL_STEP("flock:opened");
    if (flock(h->fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? CLAIM_TAKEN : CLAIM_FAILED;
    FL_STEP("flock:locked");
    *again = lstat(h->place.path, &named) != 0 || !file_is_at(h, &named);
    return CLAIM_DONE;
}

/* A child on its way to exec may have the open file, too: closing alone would leave it locked. */
static bool flock_give(const holding *h)
{
    struct stat st;
    if (fstat(h->fd, &st) != 0 || !file_is_at(h, &st))
        return false; /* closed behind my back: the number may be another file's */
    flock(h->fd, LOCK_UN);
    FL_STEP("flock:unlocked");
    return st.st_nlink > 0;
}

static claim_result flock_claim(foreign *f, holding *h)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES; i++) {
        bool again = false;
        claim_result result = claim_once(f, h, &again);
        if (!again)
            return result;
        flock_give(h);
        file_drop(h);
    }
    return CLAIM_TAKEN;
}

/* 0: somebody has it. -1 and errno: ENOENT nobody; ENOTSUP and EAGAIN it cannot be known. */
static int find_holders(int fd, owner *o)
{
    const char *type;
    os_file_id id;
    os_flock_holders found;
    errno = ENOTSUP;
    if (!os_is_local(fd, &type) || !os_file_identify(fd, &id))
        return -1;
    errno = os_flock_find(&id, &found);
    if (errno != 0)
        return -1;
    o->holders = found.holders;
    o->waiters = found.waiters;
    o->shared = found.shared;
    o->pid = found.pid;
    errno = ENOENT;
    return found.holders > 0 ? 0 : -1;
}

static int flock_read(const place *p, owner *o)
{
    memset(o, 0, sizeof *o);
    int fd = open(p->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int result = fstat(fd, &o->st);
    if (result == 0 && S_ISREG(o->st.st_mode))
        result = find_holders(fd, o);
    int code = errno;
    close(fd);
    errno = code;
    return result;
}

const foreign_method foreign_flock = {
    .name = "flock",
    .capabilities = FL_CAN_FOREVER | FL_CAN_RECOVER,
    .type = S_IFREG,
    .stale = INT64_MAX,
    .claim = flock_claim,
    .read = flock_read,
    .give = flock_give,
};
