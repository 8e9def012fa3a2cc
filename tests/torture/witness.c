#include "witness.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* A mark: incarnation (20 bits), deadline in units of 2^16 ns (44 bits; all ones = none). */
enum { UNIT = 16, DEADLINE_BITS = 44 };
enum { DOOMED = 1, DOOMED_AND_COUNTED = 2 };
#define DEADLINE_NONE ((UINT64_C(1) << DEADLINE_BITS) - 1)

static uint64_t mark_make(uint32_t incarnation, int64_t deadline)
{
    uint64_t units = deadline == INT64_MAX ? DEADLINE_NONE : (uint64_t)deadline >> UNIT;
    return (uint64_t)incarnation << DEADLINE_BITS | units;
}

static uint32_t mark_owner(uint64_t mark)
{
    return (uint32_t)(mark >> DEADLINE_BITS);
}

static bool mark_is_expired(uint64_t mark, int64_t now)
{
    uint64_t units = mark & DEADLINE_NONE;
    return units != DEADLINE_NONE && (uint64_t)now >> UNIT >= units;
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
int64_t witness_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool is_late(const belief *b)
{
    return witness_now() >= b->lease.deadline;
}

/* May the mark be where I was granted the name? */
static bool is_over(witness *w, uint64_t mark)
{
    return mark == 0 || mark_is_expired(mark, witness_now()) || atomic_load(&w->doomed[mark_owner(mark)]);
}

/* Whoever first replaces or buries a mark of a killed one counts that it believed. */
static void count_replaced(witness *w, uint64_t mark)
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

static void compare_token(witness *w, const belief *b)
{
    _Atomic uint64_t *last = &w->name[b->name].token;
    uint64_t seen = atomic_load(last);
    while (seen < b->lease.token) {
        if (atomic_compare_exchange_weak(last, &seen, b->lease.token)) {
            return;
        }
    }
    if (!is_late(b)) {
        atomic_fetch_add(&w->wrong.tokens_back, 1);
    }
}

void witness_enter(witness *w, belief *b)
{
    _Atomic uint64_t *mark = &w->name[b->name].mark;
    uint64_t seen = atomic_load(mark), mine = mark_make(b->incarnation, b->lease.deadline);
    b->mark = 0;
    do {
        bool over = is_over(w, seen);
        if (is_late(b)) {
            return; /* somebody may rightly have been granted it since */
        }
        if (!over) {
            atomic_fetch_add(&w->wrong.overlaps, 1);
        }
    } while (!atomic_compare_exchange_strong(mark, &seen, mine));
    b->mark = mine;
    count_replaced(w, seen);
    compare_token(w, b);
}

void witness_look(witness *w, const belief *b)
{
    if (b->mark != 0 && atomic_load(&w->name[b->name].mark) != b->mark && !is_late(b)) {
        atomic_fetch_add(&w->wrong.overlaps, 1);
    }
}

static void change_mark(witness *w, belief *b, uint64_t next)
{
    uint64_t seen = b->mark;
    if (b->mark == 0) {
        return;
    }
    if (atomic_compare_exchange_strong(&w->name[b->name].mark, &seen, next)) {
        b->mark = next;
    } else if (!is_late(b)) {
        atomic_fetch_add(&w->wrong.overlaps, 1);
    }
}

/* Stopped right after the refresh, I must not be taken for one who holds until the old deadline. */
void witness_will_renew(witness *w, belief *b, double ttl)
{
    int64_t sooner = ttl < 1e6 ? witness_now() + (int64_t)(ttl * 1e9) : INT64_MAX;
    change_mark(w, b, mark_make(b->incarnation, sooner < b->lease.deadline ? sooner : b->lease.deadline));
}

void witness_renew(witness *w, belief *b)
{
    change_mark(w, b, mark_make(b->incarnation, b->lease.deadline));
}

void witness_leave(witness *w, const belief *b)
{
    uint64_t seen = b->mark;
    if (b->mark != 0 && !atomic_compare_exchange_strong(&w->name[b->name].mark, &seen, 0) && !is_late(b)) {
        atomic_fetch_add(&w->wrong.overlaps, 1);
    }
}

void witness_doom(witness *w, uint32_t incarnation)
{
    atomic_store(&w->doomed[incarnation], DOOMED);
    atomic_fetch_add(&w->figures.kills, 1);
}

void witness_bury(witness *w, uint32_t incarnation, int names)
{
    for (int i = 0; i < names; i++) {
        uint64_t mark = atomic_load(&w->name[i].mark);
        if (mark != 0 && mark_owner(mark) == incarnation &&
            atomic_compare_exchange_strong(&w->name[i].mark, &mark, 0)) {
            count_replaced(w, mark);
        }
    }
}
