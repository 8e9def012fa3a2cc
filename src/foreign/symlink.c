/*
 * A symbolic link that leads nowhere and says "host-pid", as editors and `ln -s` make it. From a container it says
 * "host:machine-pid": who looks from outside must not take the number for its own process's.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"

enum { MACHINE_LENGTH = 17 /* with the : */ };

static void describe(const foreign *f, char *target, size_t size)
{
    if (f->sees_all)
        snprintf(target, size, "%s-%" PRId64, f->host, f->pid);
    else
        snprintf(target, size, "%s:%016" PRIx64 "-%" PRId64, f->host, f->machine, f->pid);
}

static claim_result symlink_claim(foreign *f, holding *h)
{
    char target[FL_HOST_MAX + 64];
    describe(f, target, sizeof target);
    if (symlink(target, h->place.path) != 0)
        return errno == EEXIST ? CLAIM_TAKEN : CLAIM_FAILED;
    FL_STEP("symlink:made");
    if (file_hold(f, h, open(h->place.path, O_PATH | O_NOFOLLOW | O_CLOEXEC)) == 0)
        return CLAIM_DONE;
    int code = errno;
    unlink(h->place.path);
    errno = code;
    return CLAIM_FAILED;
}

static void parse_host(char *host, owner *o)
{
    size_t n = strlen(host);
    char *colon = n >= MACHINE_LENGTH ? host + n - MACHINE_LENGTH : NULL;
    if (colon != NULL && *colon == ':' && strspn(colon + 1, "0123456789abcdef") == MACHINE_LENGTH - 1) {
        *colon = '\0';
        o->ours = true;
        o->machine = strtoull(colon + 1, NULL, 16);
        o->since = file_time(&o->st);
    }
    snprintf(o->host, sizeof o->host, "%.*s", FL_HOST_MAX, host);
}

static void parse_target(char *target, owner *o)
{
    char *dash = strrchr(target, '-'), *end;
    if (dash == NULL)
        return;
    long long pid = strtoll(dash + 1, &end, 10);
    *dash = '\0';
    o->pid = *end == '\0' && pid > 0 ? pid : 0;
    parse_host(target, o);
}

static int symlink_read(const place *p, owner *o)
{
    char target[FL_HOST_MAX + 64];
    memset(o, 0, sizeof *o);
    int fd = open(p->path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int result = fstat(fd, &o->st);
    ssize_t n = result == 0 && S_ISLNK(o->st.st_mode) ? readlinkat(fd, "", target, sizeof target - 1) : -1;
    target[n > 0 ? n : 0] = '\0';
    close(fd);
    parse_target(target, o);
    return result;
}

const foreign_method foreign_symlink = {
    .name = "symlink",
    .capabilities = FL_CAN_RECOVER,
    .type = S_IFLNK,
    .stale = INT64_MAX,
    .by_process = true,
    .claim = symlink_claim,
    .read = symlink_read,
    .remove = unlink,
};
