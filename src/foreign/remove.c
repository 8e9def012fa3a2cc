/*
 * Removing what may be somebody else's: under the guard, and only what is judged once more there. Nobody else of ours removes it
 * meanwhile, and nobody makes one in the place of one that exists.
 */
#include <errno.h>

#include "foreign.h"

enum { PATIENCE = 100 }; /* looks at the guard: who is inside needs some microseconds, or is stopped */

/* Is that, at the guard's time, what is to be removed? */
typedef bool (*judgement)(const foreign *f, const owner *now, int guard, const void *wanted);

static int take(const place *p, int *guard, int patience)
{
    int result = guard_take(p, guard);
    for (int i = 0; i < patience && result != 0 && errno == EAGAIN; i++) {
        os_yield();
        result = guard_take(p, guard);
    }
    return result;
}

static int remove_guarded(const foreign *f, const place *p, bool so)
{
    if (!so) {
        errno = ESTALE;
        return -1;
    }
    FL_STEP("guard:judged");
    int result = f->method->remove(p->path), code = errno;
    FL_STEP("guard:removed");
    errno = code;
    return result;
}

static int remove_if(const foreign *f, const place *p, int patience, judgement is_it, const void *wanted)
{
    int guard;
    owner now;
    if (take(p, &guard, patience) != 0)
        return -1;
    int result = f->method->read(p, &now);
    if (result == 0)
        result = remove_guarded(f, p, judge_is_lock(f, &now) && is_it(f, &now, guard, wanted));
    int code = errno;
    guard_give(p, guard);
    errno = code;
    return result;
}

static bool is_stale(const foreign *f, const owner *now, int guard, const void *wanted)
{
    (void)wanted;
    return judge_is_stale(f, now, guard_now(guard));
}

int remove_stale(const foreign *f, const place *p)
{
    return remove_if(f, p, 0, is_stale, NULL);
}

/* One that partners take over by its time is mine only with the time that I gave it. */
static bool is_mine(const foreign *f, const owner *now, int guard, const void *wanted)
{
    const holding *h = wanted;
    (void)guard;
    return file_is_at(h, &now->st) && (!f->method->by_time || h->time == 0 || file_time(&now->st) == h->time);
}

int remove_mine(const foreign *f, const holding *h)
{
    return remove_if(f, &h->place, PATIENCE, is_mine, h);
}

static bool has_token(const foreign *f, const owner *now, int guard, const void *wanted)
{
    (void)f, (void)guard;
    return judge_token(now) == *(const int64_t *)wanted;
}

int remove_broken(const foreign *f, const place *p, int64_t token)
{
    return remove_if(f, p, PATIENCE, has_token, &token);
}
