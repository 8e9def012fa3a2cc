/*
 * A complete temporary file, and link(2): the lock appears with its contents and its time, or not at all.
 *
 * The result 0 says that it is mine. After an error my inode decides: a server may have done it and died before it could say so. Link
 * counts are not asked, they lie on some mounts. Where the kernel has files without a name, a killed process leaves nothing behind; elsewhere
 * its temporary file is removed by who comes an hour later.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"

#define TEMPORARY ".filelock-"

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
    /* I was stopped for so long that others took my temporary file for litter: who stopped so long is late, that is all. */
    if (result == CLAIM_FAILED && code == ENOENT)
        result = CLAIM_TAKEN;
    unlink(temporary);
    FL_STEP("link:done");
    errno = code == EPERM || code == EOPNOTSUPP ? ENOTSUP : code;
    return result;
}

/* ---- temporary files of who was killed before it could remove its own */

static bool is_temporary(const char *name)
{
    enum { PREFIX = sizeof TEMPORARY - 1, DIGITS = 32 };
    return strncmp(name, TEMPORARY, PREFIX) == 0 && strspn(name + PREFIX, "0123456789abcdef") == DIGITS &&
           name[PREFIX + DIGITS] == '\0';
}

/* By the time of their last change, which nobody can set, on the clock of who made mine. */
static void sweep_one(const foreign *f, int directory, const char *name, const struct stat *mine)
{
    struct stat st;
    if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
        mine->st_ctim.tv_sec - st.st_ctim.tv_sec > f->litter_after)
        unlinkat(directory, name, 0);
}

/* Once for each store object. */
static void sweep(foreign *f, int fd)
{
    struct stat mine;
    DIR *stream = f->swept || fstat(fd, &mine) != 0 ? NULL : opendir(f->directory);
    f->swept = true;
    if (stream == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (is_temporary(entry->d_name))
            sweep_one(f, dirfd(stream), entry->d_name, &mine);
    closedir(stream);
}

/* ---- */

static claim_result claim_named(foreign *f, holding *h, const char *text, size_t length)
{
    char temporary[PLACE_MAX];
    uint64_t random[2];
    if (!os_random(random, sizeof random))
        return CLAIM_FAILED;
    snprintf(temporary, sizeof temporary, "%s/" TEMPORARY "%016" PRIx64 "%016" PRIx64, h->place.directory, random[0],
             random[1]);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return CLAIM_FAILED;
    FL_STEP("link:made");
    sweep(f, fd);
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

claim_result linked_claim(foreign *f, holding *h, const char *text, size_t length)
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
