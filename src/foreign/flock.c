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
static claim_result claim_once(holding *h, bool *again)
{
    struct stat named;
    if (open_kept(h) != 0)
        return CLAIM_FAILED;
    FL_STEP("flock:opened");
    if (flock(h->fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? CLAIM_TAKEN : CLAIM_FAILED;
    FL_STEP("flock:locked");
    *again = lstat(h->place.path, &named) != 0 || !file_is_at(h, &named);
    return CLAIM_DONE;
}

/* A child on its way to exec may have the open file, too: closing alone would leave it locked. */
static void flock_give(const holding *h)
{
    flock(h->fd, LOCK_UN);
    FL_STEP("flock:unlocked");
}

static claim_result flock_claim(const foreign *f, holding *h)
{
    enum { TRIES = 100 };
    (void)f;
    for (int i = 0; i < TRIES; i++) {
        bool again = false;
        claim_result result = claim_once(h, &again);
        if (!again)
            return result;
        flock_give(h);
        file_drop(h);
    }
    return CLAIM_TAKEN;
}

/* ---- who has it: the kernel's list, since to ask by trying would make others' tries fail */

typedef struct {
    unsigned major_number, minor_number;
    unsigned long long inode;
} identity;

/* "1: FLOCK  ADVISORY  WRITE 4711 08:01:131090 0 EOF"; who waits has "->" behind the number. */
static void read_line(const char *line, const identity *wanted, owner *o)
{
    identity at;
    long long pid;
    char type[8];
    bool waits = sscanf(line, "%*d: -> FLOCK %*s %7s %lld %x:%x:%llu", type, &pid, &at.major_number, &at.minor_number,
                        &at.inode) == 5;
    if (!waits && sscanf(line, "%*d: FLOCK %*s %7s %lld %x:%x:%llu", type, &pid, &at.major_number, &at.minor_number,
                         &at.inode) != 5)
        return;
    if (at.major_number != wanted->major_number || at.minor_number != wanted->minor_number || at.inode != wanted->inode)
        return;
    o->waiters += waits;
    if (waits)
        return;
    o->holders++;
    o->shared = type[0] == 'R';
    if (o->pid == 0 && pid > 0)
        o->pid = pid;
}

/* Lines may go over the edges of pieces. Returns the number of pieces; -1: cannot be read. */
static int read_pieces(const identity *wanted, owner *o, size_t size)
{
    char text[8192];
    size_t kept = 0;
    int pieces = 0, fd = open("/proc/locks", O_RDONLY | O_CLOEXEC);
    ssize_t n;
    while (fd >= 0 && (n = read(fd, text + kept, size)) > 0) {
        char *line = text, *end;
        pieces++;
        text[kept + (size_t)n] = '\0';
        for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            read_line(line, wanted, o);
        }
        kept = strlen(line);
        memmove(text, line, kept);
    }
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? pieces : -1;
}

/*
 * False: the list cannot be read, or not all of it. The kernel gives it piece by piece, a page at most, and what is unlocked between
 * two pieces moves a later line over the edge, unseen. One piece is the truth; of more, what was not found is looked for again, with
 * the edges elsewhere.
 */
static bool read_list(const identity *wanted, owner *o)
{
    static const size_t sizes[] = {4096, 3001, 3557, 2311, 4096, 3301, 2707, 3803, 1901, 4096};
    int pieces = 2;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && pieces > 1 && o->holders == 0; i++) {
        o->waiters = 0;
        pieces = read_pieces(wanted, o, sizes[i]);
    }
    return pieces >= 0 && os_sees_all_processes();
}

/* 0: somebody has it. -1 and errno: ENOENT nobody; ENOTSUP it cannot be known here. */
static int find_holders(int fd, owner *o)
{
    const char *type;
    identity wanted = {.inode = o->st.st_ino};
    bool known = os_mount_device(fd, &wanted.major_number, &wanted.minor_number) && os_is_local(fd, &type);
    bool complete = known && read_list(&wanted, o);
    errno = complete ? ENOENT : ENOTSUP;
    return o->holders > 0 ? 0 : -1;
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
