#include "mark.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

marks *marks_new(void)
{
    void *memory = mmap(NULL, sizeof(marks), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void marks_clear(marks *m)
{
    memset((void *)m, 0, sizeof *m);
}

/* The clock by which leases live and expire. */
int64_t marks_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

bool marks_is_late(const belief *b)
{
    return marks_now() >= b->lease.deadline;
}

static const char *const words[] = {"nobody", "reader", "writer", "permit", "keyed", "leaving", "left", "heir"};

/* other: the mark that should not be there; 0: mine is gone. */
static void note_overlap(belief *b, uint64_t other)
{
    if (!marks_is_late(b)) {
        int64_t now = marks_now();
        fl_result mine = fl_verify(&b->lease);
        snprintf(b->m->overlap, sizeof b->m->overlap,
                 "a %s of %u, token %llu, %lld us before its end, now %s, met a %s of %u, %lld us before its end",
                 words[kind_of(b->mark)], owner_of(b->mark), (unsigned long long)b->lease.token,
                 (long long)(b->lease.deadline - now) / 1000, mine == FL_OK ? "held" : "lost", words[kind_of(other)],
                 owner_of(other), (long long)(((int64_t)(other & DEADLINE_NONE) << UNIT) - now) / 1000);
        atomic_fetch_add(&b->m->overlaps, 1);
    }
}

/* ---- coming in ------------------------------------------------------------------------------------------------------- */

static bool set(belief *b, unsigned kind)
{
    b->mark = make(kind, b->incarnation, kind == INTENT ? INT64_MAX : b->lease.deadline);
    for (b->at = 0; b->at < MARKS; b->at++) {
        uint64_t nobody = 0;
        if (atomic_compare_exchange_strong(&b->m->name[b->name].mark[b->at], &nobody, b->mark)) {
            return true;
        }
    }
    b->at = -1;
    return false;
}

static void wipe_out(belief *b, int at, uint64_t mark)
{
    unsigned char doomed = DOOMED;
    if (atomic_compare_exchange_strong(&b->m->name[b->name].mark[at], &mark, 0) && is_doomed(b->m, mark) &&
        atomic_compare_exchange_strong(&b->m->doomed[owner_of(mark)], &doomed, DOOMED_AND_COUNTED)) {
        atomic_fetch_add(&b->m->believing, 1);
    }
}

static bool excludes(unsigned mine, unsigned other)
{
    return other != NOBODY && other != INTENT && (mine != READER || other != READER) &&
           (mine != PERMIT || other != PERMIT);
}

static bool was_handed_over(unsigned kind)
{
    return kind == KEYED || kind == LEAVING || kind == LEFT;
}

/* Somebody who was about to restore is doomed: what was handed over may be its by now, and then nobody's. */
static bool heir_is_doomed(belief *b)
{
    for (int i = 0; i < MARKS; i++) {
        uint64_t mark = atomic_load(&b->m->name[b->name].mark[i]);
        if (kind_of(mark) == INTENT && is_doomed(b->m, mark)) {
            return true;
        }
    }
    return false;
}

static void meet(belief *b, unsigned mine, bool restored)
{
    bool excused = restored || heir_is_doomed(b);
    for (int i = 0; i < MARKS; i++) {
        uint64_t other = i == b->at ? 0 : atomic_load(&b->m->name[b->name].mark[i]);
        if (!excludes(mine, kind_of(other))) {
            continue;
        }
        bool over = is_doomed(b->m, other) || is_expired(other);
        if (marks_is_late(b)) {
            return;
        }
        if (over || (excused && was_handed_over(kind_of(other)))) {
            wipe_out(b, i, other);
        } else {
            note_overlap(b, other);
        }
    }
}

static void count_permits(belief *b)
{
    uint32_t live = 1;
    uint64_t doomed[MARKS] = {0};
    for (int i = 0; i < MARKS; i++) {
        uint64_t other = i == b->at ? 0 : atomic_load(&b->m->name[b->name].mark[i]);
        if (kind_of(other) != PERMIT || is_expired(other)) {
            continue;
        }
        bool dies = is_doomed(b->m, other);
        live += !dies;
        doomed[i] = dies ? other : 0;
    }
    if (live > b->permits) {
        note_overlap(b, 0);
    }
    for (int i = 0; i < MARKS && live >= b->permits; i++) {
        if (doomed[i] && !marks_is_late(b)) {
            wipe_out(b, i, doomed[i]);
        }
    }
}

static void raise(_Atomic uint64_t *last, uint64_t token)
{
    uint64_t seen = atomic_load(last);
    while (seen < token && !atomic_compare_exchange_weak(last, &seen, token)) {
    }
}

/* A writer's token is larger than all that were believed before; a reader's than those of writers. Once taken over: the same. */
static void compare_token(belief *b, unsigned mine, bool restored)
{
    _Atomic uint64_t *last = &b->m->name[b->name].token, *written = &b->m->name[b->name].written;
    uint64_t seen = atomic_load(mine == WRITER ? last : written);
    if ((restored ? seen > b->lease.token : seen >= b->lease.token) && !marks_is_late(b)) {
        atomic_fetch_add(&b->m->tokens, 1);
    }
    raise(last, b->lease.token);
    if (mine == WRITER) {
        raise(written, b->lease.token);
    }
}

static unsigned kind_in(const belief *b)
{
    return b->lease.kind == FL_SHARED ? READER : b->lease.kind == FL_PERMIT ? PERMIT : b->keyed ? KEYED : WRITER;
}

void marks_enter(belief *b, bool restored)
{
    unsigned mine = kind_in(b);
    if (!set(b, mine)) {
        return;
    }
    meet(b, mine, restored);
    if (mine == PERMIT) {
        count_permits(b);
    }
    compare_token(b, mine == KEYED ? WRITER : mine, restored || mine == KEYED);
}

/* ---- while it believes ------------------------------------------------------------------------------------------------ */

/* A keyed one may have been taken over; if the table says that it was not, it comes in anew and meets whoever believes it. */
static void be_gone(belief *b)
{
    b->at = -1;
    if (!b->keyed) {
        note_overlap(b, 0);
    } else if (fl_verify(&b->lease) == FL_OK) {
        marks_enter(b, false);
    }
}

static void swap(belief *b, uint64_t next)
{
    uint64_t seen = b->mark;
    if (b->at < 0) {
        return;
    }
    b->mark = next;
    if (!atomic_compare_exchange_strong(&b->m->name[b->name].mark[b->at], &seen, next)) {
        be_gone(b);
    }
}

void marks_look(belief *b)
{
    if (b->at >= 0 && atomic_load(&b->m->name[b->name].mark[b->at]) != b->mark) {
        be_gone(b);
    }
}

/* To writer: right after the upgrade, whose lease has the later deadline; to reader: right before the downgrade. */
void marks_change(belief *b, unsigned kind)
{
    swap(b, make(kind, b->incarnation, b->lease.deadline));
    if (kind == WRITER && b->at >= 0) {
        meet(b, kind, false);
        compare_token(b, kind, false);
    }
}

void marks_shorten(belief *b, double ttl)
{
    int64_t sooner = ttl < 1e6 ? marks_now() + (int64_t)(ttl * 1e9) : INT64_MAX;
    swap(b, make(kind_in(b), b->incarnation, sooner < b->lease.deadline ? sooner : b->lease.deadline));
}

void marks_leave(belief *b)
{
    swap(b, 0);
    b->at = -1;
}

void marks_drop(belief *b)
{
    uint64_t mine = b->mark;
    if (b->at >= 0) {
        atomic_compare_exchange_strong(&b->m->name[b->name].mark[b->at], &mine, 0);
        b->at = -1;
    }
}

void marks_intend(belief *b)
{
    set(b, INTENT);
}

void marks_wipe(belief *b)
{
    if (b->at >= 0) {
        atomic_store(&b->m->name[b->name].mark[b->at], 0);
        b->at = -1;
    }
}

/* ---- the supervisor --------------------------------------------------------------------------------------------------- */

void marks_doom(marks *m, uint32_t incarnation)
{
    atomic_store(&m->doomed[incarnation], DOOMED);
    atomic_fetch_add(&m->kills, 1);
}

static void bury_in(belief *b, uint32_t incarnation, bool intents)
{
    for (int i = 0; i < MARKS; i++) {
        uint64_t mark = atomic_load(&b->m->name[b->name].mark[i]);
        bool dead = owner_of(mark) == incarnation && mark != 0 && kind_of(mark) != LEFT;
        if (dead && (kind_of(mark) == INTENT) == intents) {
            wipe_out(b, i, mark);
        }
    }
}

static void wipe_out_left(belief *b)
{
    for (int i = 0; i < MARKS && heir_is_doomed(b); i++) {
        uint64_t mark = atomic_load(&b->m->name[b->name].mark[i]);
        if (was_handed_over(kind_of(mark))) {
            wipe_out(b, i, mark);
        }
    }
}

void marks_bury(marks *m, uint32_t incarnation)
{
    belief b = {.m = m};
    for (b.name = 0; b.name < NAMES_MOST; b.name++) {
        bury_in(&b, incarnation, false);
        wipe_out_left(&b);
        bury_in(&b, incarnation, true);
    }
}
