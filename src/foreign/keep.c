/* What happens to a lock after it was taken: the same for all methods. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "foreign.h"

#define CLOCK_LAG (20 * INT64_C(1000000)) /* two ticks of the slowest kernel */

static holding *holding_of(const fl_lease *lease)
{
    return (holding *)(uintptr_t)lease->priv[0];
}

/* The first clock lags by a tick and misses suspensions, which the second one shows. */
bool keep_is_expired(const holding *h)
{
    return h->deadline != INT64_MAX && (os_now() >= h->counted || os_boottime() >= h->deadline + CLOCK_LAG);
}

static void forget(foreign *f, holding *h)
{
    if (h->previous != NULL)
        h->previous->next = h->next;
    else
        f->held = h->next;
    if (h->next != NULL)
        h->next->previous = h->previous;
    file_drop(h);
    free(h);
}

/* Their numbers may be other files' by now. */
void keep_forget_all(foreign *f)
{
    while (f->held != NULL) {
        f->held->fd = -1;
        forget(f, f->held);
    }
    f->last.fd = -1;
}

/* ---- giving back */

/* FL_FREE: it is not there, or not mine. */
static fl_result look(const foreign *f, const holding *h)
{
    struct stat st;
    if (h->fd < 0 || lstat(h->place.path, &st) != 0 || !file_is_at(h, &st))
        return FL_FREE;
    return f->method->by_time && h->time != 0 && file_time(&st) != h->time ? FL_FREE : FL_OK;
}

/* `code`: why it could not be removed. A directory that is not empty nobody could remove. */
static fl_result mark(const holding *h, int code, fl_error *error)
{
    if (code != ENOTEMPTY && code != EEXIST && file_mark(h) == 0)
        return FL_OK;
    fl_fail(error, code, "filelock: cannot give back the lock %s", h->place.path);
    fl_advise(error, "remove it by hand when its holder is done");
    return FL_ERROR;
}

static fl_result give_back(const foreign *f, const holding *h, fl_error *error)
{
    if (f->method->remove == NULL)
        return f->method->give(h) ? FL_OK : FL_FREE;
    if (look(f, h) != FL_OK)
        return FL_FREE;
    if (remove_mine(f, h) == 0)
        return FL_OK;
    if (errno == ENOENT || errno == ESTALE)
        return FL_FREE;
    return mark(h, errno, error);
}

fl_result keep_give_back(const foreign *f, holding *h, fl_error *error)
{
    fl_result result = h->fd >= 0 ? give_back(f, h, error) : FL_FREE;
    if (result == FL_OK)
        file_spare(f, h);
    file_drop(h);
    return result;
}

fl_result keep_release(fl_store *store, fl_lease *lease, fl_error *error)
{
    foreign *f = (foreign *)store;
    holding *h = holding_of(lease);
    fl_result result = keep_give_back(f, h, error);
    if (result == FL_FREE || keep_is_expired(h))
        result = FL_LOST;
    forget(f, h);
    return result;
}

void keep_give_all(foreign *f)
{
    fl_error ignored;
    while (f->held != NULL) {
        keep_give_back(f, f->held, &ignored);
        forget(f, f->held);
    }
    file_drop(&f->last);
}

/* ---- keeping */

static fl_result lose(foreign *f, fl_lease *lease)
{
    fl_error ignored;
    keep_release(&f->base, lease, &ignored);
    lease->priv[0] = 0;
    return FL_LOST;
}

fl_result keep_verify(fl_store *store, fl_lease *lease)
{
    foreign *f = (foreign *)store;
    const holding *h = holding_of(lease);
    return look(f, h) == FL_OK && !keep_is_expired(h) ? FL_OK : lose(f, lease);
}

fl_result keep_refresh(fl_store *store, fl_lease *lease, int64_t ttl, fl_error *error)
{
    foreign *f = (foreign *)store;
    holding *h = holding_of(lease);
    int64_t deadline = ttl == INT64_MAX ? INT64_MAX : os_boottime() + ttl;
    int64_t counted = os_deadline_now(deadline);
    if (keep_verify(store, lease) != FL_OK)
        return FL_LOST;
    if (h->time != 0 && file_move_time(h, deadline - h->deadline) != 0)
        return fl_fail(error, errno, "filelock: cannot refresh the lock %s", h->place.path);
    /* It may have expired before the time was set: then others may have taken it. */
    if (keep_verify(store, lease) != FL_OK)
        return FL_LOST;
    h->deadline = deadline;
    h->counted = lease->deadline = counted;
    lease->ttl = ttl;
    return keep_is_expired(h) ? lose(f, lease) : FL_OK;
}
