#include "witness.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { UNIT = 16, DEADLINE_BITS = 44, TOKEN_BITS = 64 };
enum { DOOMED = 1, DOOMED_AND_COUNTED = 2 };
#define DEADLINE_NONE ((UINT64_C(1) << DEADLINE_BITS) - 1)

static witness_mark mark_make(const belief *b, int64_t deadline)
{
    uint64_t units = deadline == INT64_MAX ? DEADLINE_NONE : (uint64_t)deadline >> UNIT;
    return (witness_mark)((uint64_t)b->incarnation << DEADLINE_BITS | units) << TOKEN_BITS | b->lease.token;
}

static uint32_t mark_owner(witness_mark mark)
{
    return (uint32_t)(mark >> TOKEN_BITS >> DEADLINE_BITS);
}

static bool mark_is_expired(witness_mark mark, int64_t now)
{
    uint64_t units = (uint64_t)(mark >> TOKEN_BITS) & DEADLINE_NONE;
    return units != DEADLINE_NONE && (uint64_t)now >> UNIT >= units;
}

/* Returns what was there: `expected`, if it was replaced. The builtin, since <stdatomic.h> would need a library for 16 bytes. */
static witness_mark mark_swap(witness *w, int name, witness_mark expected, witness_mark next)
{
    return __sync_val_compare_and_swap(&w->name[name].mark, expected, next);
}

static witness_mark mark_of(witness *w, int name)
{
    return mark_swap(w, name, 0, 0);
}

witness *witness_new(void)
{
    void *memory = mmap(NULL, sizeof(witness), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void witness_clear(witness *w)
{
    memset((void *)w->name, 0, sizeof w->name);
    memset(&w->wrong, 0, sizeof w->wrong);
    memset(&w->figures, 0, sizeof w->figures);
}

/* The clock by which leases live and expire. */
static int64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t witness_now(void)
{
    return now(CLOCK_MONOTONIC_COARSE);
}

int64_t witness_now_precise(void)
{
    return now(CLOCK_MONOTONIC);
}

static bool is_late(const belief *b)
{
    return witness_now() >= b->lease.deadline;
}

static void raise(_Atomic uint64_t *last, uint64_t token)
{
    uint64_t seen = atomic_load(last);
    while (seen < token && !atomic_compare_exchange_weak(last, &seen, token)) {
    }
}

void witness_will_break(witness *w, int name, uint64_t token)
{
    raise(&w->name[name].broken, token);
}

bool witness_excuses(witness *w, const belief *b)
{
    return b->lease.token != 0 && atomic_load(&w->name[b->name].broken) >= b->lease.token;
}

/* May the mark be where I was granted the name? */
static bool is_over(witness *w, int name, witness_mark mark)
{
    return mark == 0 || mark_is_expired(mark, witness_now()) || atomic_load(&w->doomed[mark_owner(mark)]) ||
           ((uint64_t)mark != 0 && atomic_load(&w->name[name].broken) >= (uint64_t)mark);
}

/* Whoever first replaces or buries a mark of a killed one counts that it believed. */
static void count_replaced(witness *w, witness_mark mark)
{
    unsigned char doomed = DOOMED;
    if (mark == 0) {
        return;
    }
    if (mark_is_expired(mark, witness_now())) {
        atomic_fetch_add(&w->figures.expired_marks, 1);
    } else if (atomic_compare_exchange_strong(&w->doomed[mark_owner(mark)], &doomed, DOOMED_AND_COUNTED)) {
        atomic_fetch_add(&w->figures.believing, 1);
    }
}

/* Lease neither expired nor broken, as seen after what is to be judged: then it was neither of them before. */
static bool believes(witness *w, const belief *b)
{
    return !is_late(b) && !witness_excuses(w, b);
}

static void compare_token(witness *w, const belief *b)
{
    _Atomic uint64_t *last = &w->name[b->name].token;
    uint64_t seen = atomic_load(last);
    while (seen < b->lease.token) {
        if (atomic_compare_exchange_weak(last, &seen, b->lease.token)) {
            return;
        }
    }
    if (b->lease.token != 0 && believes(w, b)) {
        atomic_fetch_add(&w->wrong.tokens_back, 1);
    }
}

void witness_enter(witness *w, belief *b)
{
    witness_mark seen, there = mark_of(w, b->name), mine = mark_make(b, b->lease.deadline);
    b->mark = 0;
    do {
        seen = there;
        bool over = is_over(w, b->name, seen);
        if (!believes(w, b)) {
            return; /* somebody may rightly have been granted it since */
        }
        if (!over) {
            atomic_fetch_add(&w->wrong.overlaps, 1);
        }
        there = mark_swap(w, b->name, seen, mine);
    } while (there != seen);
    b->mark = mine;
    count_replaced(w, seen);
    compare_token(w, b);
}

void witness_look(witness *w, const belief *b)
{
    if (b->mark != 0 && mark_of(w, b->name) != b->mark && believes(w, b)) {
        atomic_fetch_add(&w->wrong.overlaps, 1);
    }
}

/* 0 takes it away. Nobody but me may have changed it while I believe. */
static bool change_mark(witness *w, const belief *b, witness_mark next)
{
    if (b->mark == 0) {
        return false;
    }
    bool changed = mark_swap(w, b->name, b->mark, next) == b->mark;
    if (!changed && believes(w, b)) {
        atomic_fetch_add(&w->wrong.overlaps, 1);
    }
    return changed;
}

static void move_mark(witness *w, belief *b, int64_t deadline)
{
    witness_mark next = mark_make(b, deadline);
    if (change_mark(w, b, next)) {
        b->mark = next;
    }
}

/* Stopped right after the refresh, I must not be taken for one who holds until the old deadline. */
void witness_will_renew(witness *w, belief *b, double ttl)
{
    int64_t sooner = ttl < 1e6 ? witness_now() + (int64_t)(ttl * 1e9) : INT64_MAX;
    move_mark(w, b, sooner < b->lease.deadline ? sooner : b->lease.deadline);
}

void witness_renew(witness *w, belief *b)
{
    move_mark(w, b, b->lease.deadline);
}

void witness_leave(witness *w, const belief *b)
{
    change_mark(w, b, 0);
}

void witness_doom(witness *w, uint32_t incarnation)
{
    atomic_store(&w->doomed[incarnation], DOOMED);
    atomic_fetch_add(&w->figures.kills, 1);
}

void witness_bury(witness *w, uint32_t incarnation, int names)
{
    for (int i = 0; i < names; i++) {
        witness_mark mark = mark_of(w, i);
        if (mark != 0 && mark_owner(mark) == incarnation && mark_swap(w, i, mark, 0) == mark) {
            count_replaced(w, mark);
        }
    }
}
