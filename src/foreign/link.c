/*
 * A dot lock: made by link(2), safe over NFS, understood by dotlockfile(1) and lockfile(1).
 *
 * The first line is 0 and no PID: dotlockfile -p takes a PID for its own machine's, whoever wrote it. The second is ours.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"

static claim_result link_claim(foreign *f, holding *h)
{
    char text[2 + LINE_MAX_OURS] = "0\n";
    return linked_claim(f, h, text, 2 + who_describe(f, h, text + 2));
}

static int link_read(const place *p, owner *o)
{
    char text[1024];
    if (file_read(p, o, text, sizeof text, NULL, 0) != 0)
        return -1;
    /* Theirs, for showing: it is not believed when it comes to who is dead. */
    long long pid = strtoll(text, NULL, 10);
    o->pid = pid > 0 ? pid : 0;
    const char *second = strchr(text, '\n');
    if (second != NULL)
        who_parse(second + 1, o);
    return 0;
}

const foreign_method foreign_link = {
    .name = "link",
    .capabilities = FL_CAN_RECOVER,
    .type = S_IFREG,
    .stale = 300 * NS_PER_SECOND,
    .claim = link_claim,
    .read = link_read,
    .remove = unlink,
};
