/*
 * A file that exists, and its time: the recipe of countless scripts. Theirs looks first and creates then, and two of them can both
 * succeed; ours never does with anybody else's. Who finds it stale sets its time: so a time that I have not set is another's lock.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <unistd.h>

#include "foreign.h"

/* Linked into place with its time: made there, it would have the full stale age before it, should I be killed then. */
static claim_result touch_claim(foreign *f, holding *h)
{
    return linked_claim(f, h, "", 0);
}

const foreign_method foreign_touch = {
    .name = "touch",
    .type = S_IFREG,
    .stale = 1800 * NS_PER_SECOND,
    .by_time = true,
    .noted = true,
    .claim = touch_claim,
    .read = who_read_note,
    .remove = unlink,
};
