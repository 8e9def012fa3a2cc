/* Taking a lock. */
#include "directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sha256.h"

#define MS INT64_C(1000000)

/* Who reads the nonce in a file's name cannot make the key from it. */
void take_nonce_of(const uint64_t secret[2], uint64_t nonce[2])
{
    sha256_128(secret, 2 * sizeof *secret, nonce);
}

bool take_new_secret(uint64_t secret[2], uint64_t nonce[2])
{
    if (!os_random(secret, 2 * sizeof *secret))
        return false;
    take_nonce_of(secret, nonce);
    return true;
}

uint64_t take_generation(const directory *d, uint64_t previous)
{
    uint64_t by_time = clock_is_known(d) ? (uint64_t)clock_earliest(d, os_boottime()) << GENERATION_SHIFT : 0;
    return by_time > previous ? by_time : previous + 1;
}

/*
 * Of a lock that does not exist (any more): later than whatever was there and was removed, by hand, say, a moment ago. Time
 * stamps are coarse.
 */
static uint64_t first_generation(const directory *d)
{
    return (uint64_t)(clock_latest(d, os_boottime()) + d->granularity) << GENERATION_SHIFT;
}

void take_describe_me(const directory *d, lock_state *s)
{
    s->machine = d->machine;
    s->pid = getpid();
    s->start = d->start;
    s->uid = geteuid();
    memcpy(s->host, d->host, sizeof s->host);
    memcpy(s->label, d->label, sizeof s->label);
}

/* ---- one attempt */

static fl_result prepare_record(directory *d, const fl_lease *lease, record **made, fl_error *error)
{
    char name[FL_NAME_MAX + 1];
    size_t length = name_unpack(&lease->name, name);
    record *r = calloc(1, sizeof *r);
    if (r == NULL)
        return fl_fail(error, ENOMEM, "filelock: another lease");
    r->deadline = os_boottime() + lease->ttl; /* from before anything is asked */
    if (!take_new_secret(r->secret, r->state.nonce)) {
        free(r);
        return fl_fail(error, errno, "filelock: no random bytes");
    }
    path_of_name(d->path, name, length, &r->path);
    *made = r;
    return FL_OK;
}

/* The state that I want, of this generation. The deadline is rounded up: others may not count before I do. */
static void want(const directory *d, const fl_lease *lease, record *r, uint64_t generation)
{
    lock_state *s = &r->state;
    s->kind = STATE_HELD;
    s->generation = s->token = generation;
    s->ttl = (lease->ttl + MS - 1) / MS;
    s->since = clock_latest(d, r->deadline - lease->ttl);
    s->deadline = s->since + s->ttl;
    take_describe_me(d, s);
    state_format(s);
}

static fl_result conclude(const record *r, step_result result, fl_error *error)
{
    if (result == STEP_DONE)
        return FL_OK;
    if (result == STEP_CHANGED)
        return FL_BUSY;
    int code = errno;
    fl_fail(error, code, "filelock: cannot take the lock %s", r->path.text);
    if (code == ENOENT)
        fl_advise(error, "the share is not mounted any more, or the store was deleted: then open it anew");
    return FL_ERROR;
}

static fl_result take_existing(directory *d, const fl_lease *lease, record *r, const lock_state *seen, fl_error *error)
{
    judgement j = judge_for_taking(d, &r->path, seen, error);
    if (j == JUDGE_HELD)
        return judge_is_mine(d, seen) ? FL_SELF : FL_BUSY;
    if (j == JUDGE_UNKNOWN || clock_sample_recent(d, error) != FL_OK)
        return FL_ERROR;
    want(d, lease, r, take_generation(d, seen->generation));
    return conclude(r, step_move(&r->path, seen, &r->state), error);
}

static fl_result take_new(directory *d, const fl_lease *lease, record *r, fl_error *error)
{
    if (clock_sample_recent(d, error) != FL_OK)
        return FL_ERROR;
    want(d, lease, r, first_generation(d));
    fl_result result = conclude(r, step_create(d, &r->path, &lease->name, &r->state), error);
    if (result == FL_OK)
        collect_some(d, &r->path, 2);
    return result;
}

static fl_result attempt(directory *d, const fl_lease *lease, record *r, fl_error *error)
{
    lock_state seen;
    switch (scan_lock(&r->path, &seen)) {
        case SCAN_STATE:
            return take_existing(d, lease, r, &seen, error);
        case SCAN_FAILED:
            return scan_failed(&r->path, error);
        default:
            return take_new(d, lease, r, error);
    }
}

/* ---- what was taken */

static void fill_lease(fl_lease *lease, record *r)
{
    lease->token = r->state.token;
    lease->deadline = r->counted = os_deadline_now(r->deadline);
    lease->since = lease->deadline - lease->ttl;
    lease->priv[0] = (uint64_t)(uintptr_t)r;
}

/* From here on the store knows it. It is mine only if it has not expired while I was asking. */
fl_result take_settle(directory *d, fl_lease *lease, record *r)
{
    r->next = d->held;
    if (d->held != NULL)
        d->held->previous = r;
    d->held = r;
    fill_lease(lease, r);
    fl_error ignored;
    if (!give_is_expired(r))
        return FL_OK;
    give_release(&d->base, lease, &ignored);
    return FL_BUSY;
}

fl_result take_try(fl_store *store, fl_lease *lease, fl_error *error)
{
    directory *d = (directory *)store;
    record *r;
    fl_result result = prepare_record(d, lease, &r, error);
    if (result != FL_OK)
        return result;
    result = attempt(d, lease, r, error);
    if (result == FL_OK && !d->swept)
        collect_half_made(d);
    if (result == FL_OK)
        return take_settle(d, lease, r);
    free(r);
    return result;
}
