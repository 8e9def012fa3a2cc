#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "selftest/witness.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "os.h"

enum { UNIT = 16, DEADLINE_BITS = 48 };

witness *witness_new(void)
{
    void *memory = mmap(NULL, sizeof(witness), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void witness_free(witness *w)
{
    munmap(w, sizeof *w);
}

/* ---- marks */

static uint64_t mark_of(const belief *b)
{
    return (uint64_t)b->incarnation << DEADLINE_BITS | (uint64_t)b->lease->deadline >> UNIT;
}

static int64_t mark_deadline(uint64_t mark)
{
    return (int64_t)((mark & ((UINT64_C(1) << DEADLINE_BITS) - 1)) << UNIT);
}

static int64_t mark_doomed(const witness *w, uint64_t mark)
{
    return atomic_load(&w->doomed[mark >> DEADLINE_BITS]);
}

/* May it be there when somebody else is granted the name? */
static bool mark_is_over(const witness *w, uint64_t mark)
{
    return mark == 0 || os_now() >= mark_deadline(mark) || mark_doomed(w, mark) != 0;
}

bool witness_is_late(const belief *b)
{
    return os_now() >= b->lease->deadline;
}

uint32_t witness_holder(const witness *w, int name)
{
    return (uint32_t)(atomic_load(&w->name[name].mark) >> DEADLINE_BITS);
}

/* ---- times */

static void note(witness_times *times, int64_t ns)
{
    uint32_t i = atomic_fetch_add(&times->count, 1);
    if (i < WITNESS_TIMES)
        atomic_store(&times->us[i], (uint32_t)(ns < 0 ? 0 : ns / 1000));
}

/*
 * Only of one who waited already when it became free, so that the waiting is measured and not the coming. For a lock of a hanging
 * holder somebody always waits, though not the same for long.
 */
static void note_times(const belief *b, uint64_t replaced)
{
    int64_t now = os_now_precise(), released = atomic_load(&b->w->name[b->name].released);
    if (replaced == 0) {
        if (released > b->waits_since)
            note(&b->w->hand_over, now - released);
    } else if (mark_doomed(b->w, replaced) > b->waits_since) {
        note(&b->w->after_kill, now - mark_doomed(b->w, replaced));
    } else if (mark_doomed(b->w, replaced) == 0) {
        note(&b->w->after_end, now - mark_deadline(replaced));
    }
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool witness_figures(witness_times *times, double *median, double *worst)
{
    size_t n = atomic_load(&times->count);
    if (n > WITNESS_TIMES)
        n = WITNESS_TIMES;
    if (n == 0)
        return false;
    qsort((void *)times->us, n, sizeof times->us[0], compare);
    *median = times->us[n / 2] / 1e6;
    *worst = times->us[n - 1] / 1e6;
    return true;
}

/* ---- what a holder does */

static void compare_token(const belief *b)
{
    _Atomic uint64_t *last = &b->w->name[b->name].token;
    uint64_t seen = atomic_load(last);
    while (seen < b->lease->token)
        if (atomic_compare_exchange_weak(last, &seen, b->lease->token))
            return;
    if (!witness_is_late(b))
        atomic_fetch_add(&b->w->wrong.tokens_back, 1);
}

void witness_enter(belief *b)
{
    _Atomic uint64_t *mark = &b->w->name[b->name].mark;
    uint64_t there = atomic_load(mark), mine = mark_of(b);
    b->mark = 0;
    do {
        bool over = mark_is_over(b->w, there);
        if (witness_is_late(b))
            return; /* somebody may rightly have been granted it since */
        if (!over)
            atomic_fetch_add(&b->w->wrong.overlaps, 1);
    } while (!atomic_compare_exchange_weak(mark, &there, mine));
    b->mark = mine;
    note_times(b, there);
    atomic_store(&b->w->name[b->name].released, 0);
    compare_token(b);
}

/* The mark first and the clock afterwards: a lease that is not expired then was not expired when the mark was replaced. */
static bool judge(const belief *b, bool mine)
{
    if (b->mark == 0 || (!mine && witness_is_late(b)))
        return false;
    if (!mine)
        atomic_fetch_add(&b->w->wrong.overlaps, 1);
    return mine;
}

bool witness_is_mine(const belief *b)
{
    return atomic_load(&b->w->name[b->name].mark) == b->mark;
}

void witness_look(const belief *b)
{
    judge(b, atomic_load(&b->w->name[b->name].mark) == b->mark);
}

static bool change(const belief *b, uint64_t next)
{
    uint64_t mine = b->mark;
    return judge(b, mine != 0 && atomic_compare_exchange_strong(&b->w->name[b->name].mark, &mine, next));
}

void witness_renew(belief *b)
{
    uint64_t next = mark_of(b);
    if (change(b, next))
        b->mark = next;
}

bool witness_leave(const belief *b)
{
    if (!change(b, 0))
        return false;
    atomic_store(&b->w->name[b->name].released, os_now_precise());
    return true;
}

void witness_error(witness *w, const char *message)
{
    if (atomic_fetch_add(&w->wrong.errors, 1) == 0)
        snprintf(w->wrong.error, sizeof w->wrong.error, "%s", message);
}
