/*
 * A complete temporary file, and link(2): the lock appears with its contents and its time, or not at all.
 *
 * The result 0 says that it is mine. After an error my inode decides: a server may have done it and died before it could say so. Link
 * counts are not asked, they lie on some mounts. Where the kernel has files without a name, a killed process leaves nothing behind.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "foreign.h"

static bool is_mine(const holding *h)
{
    struct stat st;
    return lstat(h->place.path, &st) == 0 && file_is_at(h, &st);
}

static claim_result conclude(const holding *h, bool done, int code)
{
    FL_STEP("link:linked");
    errno = code;
    if (done || is_mine(h))
        return CLAIM_DONE;
    errno = code;
    return code == EEXIST ? CLAIM_TAKEN : CLAIM_FAILED;
}

static claim_result link_named(const holding *h, const char *temporary)
{
    bool done = link(temporary, h->place.path) == 0;
    claim_result result = conclude(h, done, errno);
    int code = errno;
    unlink(temporary);
    FL_STEP("link:done");
    errno = code == EPERM || code == EOPNOTSUPP ? ENOTSUP : code;
    return result;
}

static claim_result claim_named(const foreign *f, holding *h, const char *text, size_t length)
{
    char temporary[PLACE_MAX];
    uint64_t random[2];
    if (!os_random(random, sizeof random))
        return CLAIM_FAILED;
    snprintf(temporary, sizeof temporary, "%s/.filelock-%016" PRIx64 "%016" PRIx64, h->place.directory, random[0],
             random[1]);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return CLAIM_FAILED;
    FL_STEP("link:made");
    if (file_fill(f, h, fd, text, length) == 0)
        return link_named(h, temporary);
    int code = errno;
    unlink(temporary);
    errno = code;
    return CLAIM_FAILED;
}

/* CLAIM_FAILED and ENOSYS: not here, do it with a named one. */
static claim_result claim_unnamed(const foreign *f, holding *h, int directory, const char *text, size_t length)
{
    int fd = os_open_unnamed(directory, 0644);
    if (fd < 0) {
        errno = ENOSYS;
        return CLAIM_FAILED;
    }
    FL_STEP("link:made");
    if (file_fill(f, h, fd, text, length) != 0)
        return CLAIM_FAILED;
    FL_STEP("link:filled");
    bool done = os_link_unnamed(h->fd, directory, h->place.file);
    claim_result result = conclude(h, done, errno);
    if (result == CLAIM_FAILED)
        errno = ENOSYS;
    return result;
}

claim_result linked_claim(const foreign *f, holding *h, const char *text, size_t length)
{
    int directory = open(h->place.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    errno = ENOSYS;
    claim_result result = directory >= 0 ? claim_unnamed(f, h, directory, text, length) : CLAIM_FAILED;
    int code = errno;
    if (directory >= 0)
        close(directory);
    errno = code;
    if (result != CLAIM_FAILED || code != ENOSYS)
        return result;
    file_drop(h);
    return claim_named(f, h, text, length);
}

/* No hard links here: then as everybody else does it, and for a moment it is there without its contents and its time. */
static claim_result claim_plainly(const foreign *f, holding *h, const char *text, size_t length)
{
    int fd = open(h->place.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno == EEXIST ? CLAIM_TAKEN : CLAIM_FAILED;
    FL_STEP("plain:made");
    if (file_fill(f, h, fd, text, length) == 0)
        return CLAIM_DONE;
    int code = errno;
    unlink(h->place.path);
    errno = code;
    return CLAIM_FAILED;
}

claim_result linked_or_plain_claim(const foreign *f, holding *h, const char *text, size_t length)
{
    claim_result result = linked_claim(f, h, text, length);
    if (result != CLAIM_FAILED || errno != ENOTSUP)
        return result;
    file_drop(h);
    return claim_plainly(f, h, text, length);
}
