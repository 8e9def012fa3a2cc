/*
 * A file with a PID and nothing else, as daemons and bash's `set -C` make it. It is linked into place complete, so that nobody reads
 * an empty one of ours; theirs may be empty for a moment, and is not stale then.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "foreign.h"

static claim_result exclusive_claim(foreign *f, holding *h)
{
    char text[24];
    int length = snprintf(text, sizeof text, "%lld\n", (long long)f->pid);
    return linked_claim(f, h, text, (size_t)length);
}

/* A number, and white space around it: everything else is no PID. */
static int exclusive_read(const place *p, owner *o)
{
    char text[64], line[LINE_MAX_OURS], *end;
    if (file_read(p, o, text, sizeof text, line, sizeof line) != 0)
        return -1;
    long long pid = strtoll(text, &end, 10);
    while (*end == '\n' || *end == ' ')
        end++;
    o->pid = end != text && *end == '\0' && pid > 0 ? pid : 0;
    owner noted = *o;
    who_parse(line, &noted);
    /* A partner may have written its own PID into a file of ours. */
    if (noted.ours && noted.pid == o->pid)
        *o = noted;
    return 0;
}

const foreign_method foreign_exclusive = {
    .name = "exclusive",
    .capabilities = FL_CAN_RECOVER,
    .type = S_IFREG,
    .stale = INT64_MAX,
    .by_process = true,
    .noted = true,
    .claim = exclusive_claim,
    .read = exclusive_read,
    .remove = unlink,
};
