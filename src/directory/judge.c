/*
 * Is a lease over? Four ways to know: its holder gave it back; its holder is a process of this machine that is dead; this
 * process saw it unchanged for longer than it may last; or the server's clock says so, by a sample that is younger than the look at
 * the state. A lease that was left to its deadline has no holder that could die.
 */
#include "directory.h"

#include <string.h>
#include <unistd.h>

#define MS INT64_C(1000000)

int64_t judge_grace(const directory *d, const lock_state *s)
{
    return d->granularity + s->ttl / 1000;
}

static bool is_dead(const directory *d, const lock_state *s)
{
    return s->kind == STATE_HELD && d->machine != 0 && s->machine == d->machine && os_process_is_dead(s->pid, s->start);
}

bool judge_is_mine(const directory *d, const lock_state *s)
{
    if (s->kind != STATE_HELD || s->pid != getpid() || s->machine != d->machine)
        return false;
    for (const record *r = d->held; r != NULL; r = r->next)
        if (state_is_made_by(s, r->state.nonce))
            return true;
    return false;
}

/* ---- the own clock: names never repeat, so one that was seen twice was there all the time between */

static uint64_t hash_text(const char *text)
{
    uint64_t h = NAME_END;
    for (; *text != '\0'; text++)
        h = name_mix(h ^ (unsigned char)*text, NAME_STEP);
    return h;
}

static int64_t seen_for(const directory *d, const lock_path *path, uint64_t state)
{
    const watched_state *w = &d->watched[path->hash[1] % WATCHED];
    return w->lock == path->hash[0] && w->state == state ? (os_boottime() - w->first) / MS : -1;
}

static bool is_outlived(const directory *d, const lock_path *path, const lock_state *s)
{
    return seen_for(d, path, hash_text(s->text)) > s->ttl + judge_grace(d, s);
}

static void watch(directory *d, const lock_path *path, const lock_state *s)
{
    uint64_t state = hash_text(s->text);
    if (seen_for(d, path, state) < 0)
        d->watched[path->hash[1] % WATCHED] = (watched_state){path->hash[0], state, os_boottime()};
}

/* ---- the server's clock */

/* The deadline was set when the server's clock was this. */
static bool is_comparable(const directory *d, const lock_state *s)
{
    return s->deadline - s->ttl >= d->trust_from;
}

static bool is_past(const directory *d, const lock_state *s)
{
    return clock_earliest(d, os_boottime()) > s->deadline + judge_grace(d, s);
}

judgement judge_for_taking(directory *d, const lock_path *path, const lock_state *s, fl_error *error)
{
    if (s->kind == STATE_FREE || is_dead(d, s) || is_outlived(d, path, s))
        return JUDGE_OVER;
    watch(d, path, s);
    if (clock_sample_recent(d, error) != FL_OK)
        return JUDGE_UNKNOWN;
    if (!is_past(d, s))
        return JUDGE_HELD;
    if (clock_sample_now(d, error) != FL_OK)
        return JUDGE_UNKNOWN;
    return is_past(d, s) && is_comparable(d, s) ? JUDGE_OVER : JUDGE_HELD;
}

bool judge_for_looking(const directory *d, const lock_path *path, const lock_state *s)
{
    if (s->kind == STATE_FREE || is_dead(d, s) || is_outlived(d, path, s))
        return true;
    if (clock_is_known(d))
        return is_past(d, s) && is_comparable(d, s);
    return os_wall() / MS > s->deadline + judge_grace(d, s);
}
