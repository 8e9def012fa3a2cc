/*
 * Removing what may be somebody else's: under the guard, and only what is judged once more there. Nobody else of ours removes it
 * meanwhile, and nobody makes one in the place of one that exists.
 */
#include <errno.h>

#include "foreign.h"

enum { PATIENCE = 100 }; /* looks at the guard: who is inside needs some microseconds, or is stopped */

static int give(const place *p, int guard, int result)
{
    int code = errno;
    FL_STEP("guard:removed");
    guard_give(p, guard);
    errno = code;
    return result;
}

static int take_patiently(const place *p, int *guard)
{
    int result = guard_take(p, guard);
    for (int i = 0; i < PATIENCE && result != 0 && errno == EAGAIN; i++) {
        os_yield();
        result = guard_take(p, guard);
    }
    return result;
}

static int remove_if(const foreign *f, const place *p, bool so)
{
    if (!so) {
        errno = ESTALE;
        return -1;
    }
    FL_STEP("guard:judged");
    return f->method->remove(p->path);
}

int remove_stale(const foreign *f, const place *p)
{
    int guard;
    owner now;
    if (guard_take(p, &guard) != 0)
        return -1;
    if (f->method->read(p, &now) != 0)
        return give(p, guard, -1);
    return give(p, guard, remove_if(f, p, judge_is_stale(f, &now, guard_now(guard))));
}

/* One that partners take over by its time is mine only with the time that I gave it. */
int remove_mine(const foreign *f, const holding *h)
{
    int guard;
    owner now;
    if (take_patiently(&h->place, &guard) != 0)
        return -1;
    if (f->method->read(&h->place, &now) != 0)
        return give(&h->place, guard, -1);
    bool mine = file_is_at(h, &now.st) && (!f->method->by_time || h->time == 0 || file_time(&now.st) == h->time);
    return give(&h->place, guard, remove_if(f, &h->place, mine));
}

int remove_broken(const foreign *f, const place *p, int64_t token)
{
    int guard;
    owner now;
    if (take_patiently(p, &guard) != 0)
        return -1;
    if (f->method->read(p, &now) != 0)
        return give(p, guard, -1);
    return give(p, guard, remove_if(f, p, judge_token(&now) == token));
}
