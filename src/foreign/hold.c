/* Taking: the same for all methods. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"

static fl_result cannot(const foreign *f, const char *what, const holding *h, fl_error *error)
{
    judge_tell(f, what, &h->place, error);
    int code = error->code;
    if (code == EPERM || code == EACCES)
        fl_advise(error, "who shares a lock needs permission to make and remove files in its directory");
    else if (code == ENODATA)
        fl_advise(error,
                  "in a container its PID means nothing outside, and this file system keeps no note (an extended "
                  "attribute) that tells; method=link does without");
    else if (code == ENOTSUP)
        fl_advise(error, "this file system has no hard links: method=mkdir or symlink, or dir:, may do");
    return FL_ERROR;
}

/* FL_FREE: nothing is in the way any more. */
static fl_result recover(const foreign *f, const holding *h, fl_error *error)
{
    if (remove_stale(f, &h->place) == 0 || errno == ENOENT || errno == ESTALE)
        return FL_FREE;
    return errno == EAGAIN ? FL_BUSY : cannot(f, "remove the stale file of", h, error);
}

/* One of my own that has expired is no more mine, whether others may take it or not. */
static fl_result meet_mine(const foreign *f, holding *mine)
{
    fl_error ignored;
    if (!keep_is_expired(mine))
        return FL_SELF;
    keep_give_back(f, mine, &ignored);
    return FL_FREE;
}

static fl_result look(const foreign *f, const holding *h, fl_error *error)
{
    owner o;
    if (f->method->read(&h->place, &o) != 0)
        return errno == ENOENT ? FL_FREE : cannot(f, "read", h, error);
    if (!judge_is_lock(f, &o))
        return cannot(f, "take", h, error);
    holding *mine = judge_find_mine(f, &o);
    if (mine != NULL)
        return meet_mine(f, mine);
    return judge_is_stale(f, &o, os_wall()) ? recover(f, h, error) : FL_BUSY;
}

static holding *find_at(const foreign *f, const place *p)
{
    for (holding *h = f->held; h != NULL; h = h->next)
        if (h->fd >= 0 && strcmp(h->place.path, p->path) == 0)
            return h;
    return NULL;
}

/* What the kernel holds for somebody cannot be stale; only my own can be in my way. */
static fl_result meet_holder(const foreign *f, const holding *h)
{
    holding *mine = find_at(f, &h->place);
    return mine != NULL ? meet_mine(f, mine) : FL_BUSY;
}

static fl_result attempt_once(foreign *f, holding *h, fl_error *error)
{
    fl_result result = f->method->remove != NULL ? look(f, h, error) : FL_FREE;
    if (result != FL_FREE)
        return result;
    switch (f->method->claim(f, h)) {
        case CLAIM_DONE:
            return FL_OK;
        case CLAIM_FAILED:
            return cannot(f, "take", h, error);
        default:
            file_spare(f, h);
            return f->method->remove != NULL ? FL_FREE : meet_holder(f, h);
    }
}

/* FL_FREE again and again: others are faster. */
static fl_result attempt(foreign *f, holding *h, fl_error *error)
{
    enum { TRIES = 10 };
    fl_result result = FL_FREE;
    for (int i = 0; i < TRIES && result == FL_FREE; i++)
        result = attempt_once(f, h, error);
    return result == FL_FREE ? FL_BUSY : result;
}

/* Until it had its time, it counted from its making. */
static bool is_late(const foreign *f, const holding *h)
{
    return keep_is_expired(h) || (f->stale != INT64_MAX && os_boottime() - h->start >= f->stale);
}

static fl_result settle(foreign *f, fl_lease *lease, holding *h)
{
    fl_error ignored;
    h->next = f->held;
    if (f->held != NULL)
        f->held->previous = h;
    f->held = h;
    lease->token = 0;
    lease->deadline = h->counted;
    lease->since = os_now();
    lease->priv[0] = (uint64_t)(uintptr_t)h;
    if (!is_late(f, h))
        return FL_OK;
    keep_release(&f->base, lease, &ignored);
    return FL_BUSY;
}

static void begin(holding *h, int64_t ttl)
{
    h->fd = -1;
    h->since = os_wall();
    h->start = os_boottime();
    h->deadline = ttl == INT64_MAX ? INT64_MAX : h->start + ttl;
    h->counted = os_deadline_now(h->deadline);
}

fl_result hold_try(fl_store *store, fl_lease *lease, fl_error *error)
{
    foreign *f = (foreign *)store;
    char name[FL_NAME_MAX + 1];
    size_t length = name_unpack(&lease->name, name);
    holding *h = calloc(1, sizeof *h);
    if (h == NULL)
        return fl_fail(error, ENOMEM, "filelock: another lease");
    fl_result result = place_of_name(f, name, length, &h->place, error);
    begin(h, lease->ttl);
    if (result == FL_OK)
        result = attempt(f, h, error);
    if (result == FL_OK)
        return settle(f, lease, h);
    file_drop(h);
    free(h);
    return result;
}
