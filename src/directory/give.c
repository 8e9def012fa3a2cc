/*
 * What happens to a lease after it was taken. Each is a compare-and-set on my exact state, which can only have changed by
 * what I did myself and was told had failed (a refresh that the server executed late), by a break, or by an expiry.
 */
#include "directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

#define MS INT64_C(1000000)
#define CLOCK_LAG (20 * MS) /* two ticks of the slowest kernel */

static record *record_of(const fl_lease *lease)
{
    return (record *)(uintptr_t)lease->priv[0];
}

void give_forget(directory *d, record *r)
{
    if (r->previous != NULL)
        r->previous->next = r->next;
    else
        d->held = r->next;
    if (r->next != NULL)
        r->next->previous = r->previous;
    memset(r->secret, 0, sizeof r->secret);
    free(r);
}

/*
 * My lease under a later generation, made by a change that was reported as failed: that is its state, then. An earlier one is
 * shown by an old listing and proves nothing.
 */
static bool find_again(record *r)
{
    lock_state now;
    if (scan_lock(&r->path, &now) != SCAN_STATE || !state_is_made_by(&now, r->state.nonce) || now.kind == STATE_FREE ||
        now.generation <= r->state.generation)
        return false;
    r->state = now;
    return true;
}

/* Moves my lease to `next`, whose text is made here, since the generation depends on what is there. */
static step_result move_mine(const directory *d, record *r, lock_state *next)
{
    step_result result;
    do {
        next->generation = take_generation(d, r->state.generation);
        state_format(next);
        result = step_move(&r->path, &r->state, next);
    } while (result == STEP_CHANGED && find_again(r));
    return result;
}

/*
 * Everybody who holds a lease, of whatever store, may compare its deadline with os_now(). That clock lags by a tick, which the
 * grace has room for, and misses suspensions, which the other shows.
 */
bool give_is_expired(const record *r)
{
    return os_now() >= r->counted || os_boottime() >= r->deadline + CLOCK_LAG;
}

static fl_result cannot(const record *r, const char *what, const char *advice, fl_error *error)
{
    fl_fail(error, errno, "filelock: cannot %s the lock %s", what, r->path.text);
    fl_advise(error, "%s", advice);
    return FL_ERROR;
}

/* An expired one is given back, too, if it is still there: nobody has to wait for the grace. */
static step_result free_mine(const directory *d, record *r)
{
    lock_state next = {.kind = STATE_FREE, .nonce = {r->state.nonce[0], r->state.nonce[1]}};
    return move_mine(d, r, &next);
}

fl_result give_release(fl_store *store, fl_lease *lease, fl_error *error)
{
    directory *d = (directory *)store;
    record *r = record_of(lease);
    step_result moved = free_mine(d, r);
    fl_result result = moved == STEP_DONE && !give_is_expired(r) ? FL_OK : FL_LOST;
    if (moved == STEP_FAILED && !give_is_expired(r))
        result = cannot(r, "give back", "it is free when its time to live has passed", error);
    give_forget(d, r);
    return result;
}

static fl_result lose(directory *d, fl_lease *lease)
{
    give_forget(d, record_of(lease));
    lease->priv[0] = 0;
    return FL_LOST;
}

static fl_result lose_expired(directory *d, fl_lease *lease)
{
    free_mine(d, record_of(lease));
    return lose(d, lease);
}

/* Without a recent look at the server's clock (a full disk) the new deadline follows from the old one. */
static int64_t server_deadline(directory *d, const record *r, int64_t deadline, int64_t start, int64_t ttl)
{
    fl_error ignored;
    if (clock_sample_recent(d, &ignored) == FL_OK)
        return clock_latest(d, start) + ttl;
    return r->state.deadline + (deadline - r->deadline) / MS + 1;
}

fl_result give_refresh(fl_store *store, fl_lease *lease, int64_t ttl, fl_error *error)
{
    directory *d = (directory *)store;
    record *r = record_of(lease);
    int64_t start = os_boottime(), deadline = start + ttl;
    if (give_is_expired(r))
        return lose_expired(d, lease);
    lock_state next = r->state;
    next.ttl = (ttl + MS - 1) / MS;
    next.deadline = server_deadline(d, r, deadline, start, next.ttl);
    take_describe_me(d, &next);
    step_result moved = move_mine(d, r, &next);
    if (moved == STEP_CHANGED)
        return lose(d, lease);
    if (moved == STEP_FAILED)
        return give_is_expired(r) ? lose_expired(d, lease)
                                  : cannot(r, "refresh", "it stays mine until its old deadline", error);
    /* It may have expired while I was asking, and others need not have seen it prolonged. */
    bool late = give_is_expired(r);
    r->state = next;
    r->deadline = deadline;
    r->counted = os_deadline_now(deadline);
    if (late || give_is_expired(r))
        return lose_expired(d, lease);
    lease->ttl = ttl;
    lease->deadline = r->counted;
    return FL_OK;
}

fl_result give_verify(fl_store *store, fl_lease *lease)
{
    directory *d = (directory *)store;
    record *r = record_of(lease);
    char path[STATE_PATH_MAX];
    if (give_is_expired(r))
        return lose_expired(d, lease);
    path_of_state(&r->path, r->state.text, path);
    return files.exists(path) == 0 || find_again(r) ? FL_OK : lose(d, lease);
}

fl_result give_leave(fl_store *store, fl_lease *lease, fl_error *error)
{
    directory *d = (directory *)store;
    record *r = record_of(lease);
    if (give_is_expired(r))
        return lose_expired(d, lease);
    lock_state next = r->state;
    next.kind = STATE_LEFT;
    step_result moved = move_mine(d, r, &next);
    if (moved == STEP_FAILED)
        return cannot(r, "leave", "it stays mine until its deadline", error);
    bool late = give_is_expired(r);
    give_forget(d, r);
    return moved == STEP_DONE && !late ? FL_OK : FL_LOST;
}

void give_all(directory *d)
{
    while (d->held != NULL) {
        free_mine(d, d->held);
        give_forget(d, d->held);
    }
}

/* ---- of another */

/* FL_BUSY: refreshed meanwhile, look again. */
static fl_result break_seen(directory *d, const lock_path *path, uint64_t token, fl_error *error)
{
    lock_state seen, next;
    uint64_t secret[2], nonce[2];
    scan_result found = scan_lock(path, &seen);
    if (found == SCAN_FAILED)
        return scan_failed(path, error);
    if (found != SCAN_STATE || seen.kind == STATE_FREE || seen.token != token || judge_for_looking(d, path, &seen))
        return FL_FREE;
    if (!take_new_secret(secret, nonce))
        return fl_fail(error, errno, "filelock: no random bytes");
    state_free_after(&seen, take_generation(d, seen.generation), nonce, &next);
    step_result moved = step_move(path, &seen, &next);
    if (moved == STEP_FAILED)
        return fl_fail(error, errno, "filelock: cannot break the lock %s", path->text);
    return moved == STEP_DONE ? FL_OK : FL_BUSY;
}

/* A cached listing may show a state for long that is not there any more: not for ever. */
fl_result give_break(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error)
{
    enum { ATTEMPTS = 100 };
    directory *d = (directory *)store;
    lock_path path;
    fl_error ignored;
    fl_result result = format_view(d, error);
    path_of_name(d->path, name, length, &path);
    if (result == FL_OK) {
        clock_sample_recent(d, &ignored); /* a wall clock that is wrong would take the lease for expired */
        result = FL_BUSY;
    }
    for (int i = 0; i < ATTEMPTS && result == FL_BUSY; i++)
        result = break_seen(d, &path, token, error);
    return result == FL_BUSY
               ? fl_fail(error, EAGAIN, "filelock: the lock %s changes faster than it can be broken", path.text)
               : result;
}
