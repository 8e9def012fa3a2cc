/*
 * An empty directory. Made by mkdir(2) in its place: to rename a prepared one would silently replace a partner's empty lock. It
 * stays empty, so that the partner's rmdir works.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "foreign.h"

static claim_result mkdir_claim(foreign *f, holding *h)
{
    if (mkdir(h->place.path, 0755) != 0)
        return errno == EEXIST ? CLAIM_TAKEN : CLAIM_FAILED;
    FL_STEP("mkdir:made");
    if (file_hold(f, h, open(h->place.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) == 0)
        return CLAIM_DONE;
    int code = errno;
    rmdir(h->place.path);
    errno = code;
    return CLAIM_FAILED;
}

const foreign_method foreign_mkdir = {
    .name = "mkdir",
    .type = S_IFDIR,
    .stale = INT64_MAX,
    .noted = true,
    .claim = mkdir_claim,
    .read = who_read_note,
    .remove = rmdir,
};
