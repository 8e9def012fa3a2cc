/*
 * Waiting in the order of arrival.
 *
 * A waiter owns a cell, draws a ticket, publishes the cell, sets WAIT in the word and sleeps on its own futex. Who frees a word
 * with WAIT wakes the lowest ticket (crowd.c); newcomers see WAIT and go behind.
 *
 *   waiter                                  releaser
 *   1 publish cell        (seq_cst)         1 word -> free, WAIT kept   (one swap)
 *   2 read the word, set WAIT by a swap     2 read the cells            (seq_cst)
 *   3 sleep if my futex has not moved       3 move the futex, wake
 *
 * If the waiter's swap came first, the releaser sees WAIT and the cell; if not, the waiter sees a free word. So no wake-up is
 * lost; and a releaser that is killed between 1 and 3 costs a waiter one slice, since every waiter looks again now and then.
 *
 * The first in the queue also sleeps on the death hints of who holds the lock (os.h), so that a killed holder wakes it; where
 * there are none, or too many, it looks every few milliseconds.
 */
#include "table.h"

#include <errno.h>

#define MILLISECOND INT64_C(1000000)
#define SLICE (100 * MILLISECOND)     /* to answer signals that came just before the sleep */
#define SLICE_FIRST (8 * MILLISECOND) /* the first, without death hints: notices a killed holder */
#define SLICE_DYING (1 * MILLISECOND) /* a holder is dying: the kernel takes its memory apart, then its lock */
#define EXPIRY_LAG (5 * MILLISECOND)  /* the coarse clock is late */

typedef struct {
    table_asker ask; /* cell 0 = not in a queue */
    uint32_t entry;
    uint32_t epoch;
    int64_t since; /* precise */
    int64_t until;
    bool slept;        /* since it queued up, */
    uint32_t slept_on; /* with this value of the futex */
} queuer;

/* ---- in the queue, out of it */

static void publish(table *t, queuer *q)
{
    static const unsigned states[] = {
        [FL_EXCLUSIVE] = CELL_WAIT_EXCLUSIVE, [FL_SHARED] = CELL_WAIT_SHARED, [FL_PERMIT] = CELL_WAIT_PERMIT};
    table_record *record = &t->map.record[q->ask.cell];
    uint32_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed) + 1;
    q->ask.ticket = atomic_fetch_add(&t->map.entry[q->entry].tickets, 1);
    q->ask.queued = true;
    atomic_store_explicit(&record->sequence, sequence, memory_order_relaxed);
    atomic_store_explicit(&record->entry, q->entry, memory_order_relaxed);
    atomic_store_explicit(&record->ticket, q->ask.ticket, memory_order_relaxed);
    atomic_store_explicit(&record->secret[0], q->ask.permits, memory_order_relaxed);
    atomic_store(&record->awake, os_now_precise());
    FL_STEP("wait:ticket");
    /* One unit later than the timeout, so that the waiter's own last look is in time. Too far away is no end. */
    int64_t end = q->until - os_now_precise() < (int64_t)(TIME_AHEAD_MOST << UNIT_SHIFT) / 2
                      ? q->until + (1 << UNIT_SHIFT)
                      : INT64_MAX;
    atomic_store(&t->map.pub[q->ask.cell], cell_make(states[q->ask.kind], q->entry, cell_time(end), sequence));
    FL_STEP("wait:published");
}

static bool is_queued(const table *t, const queuer *q)
{
    return q->ask.cell != 0 && q->epoch == t->base.epoch && store_is_ready(&t->base);
}

/* Goes to the end of the queue of the entry that refused. False: no cell is free. */
static bool enqueue(table *t, queuer *q, uint32_t entry)
{
    if (q->ask.cell == 0)
        q->ask.cell = record_take_cell(t);
    if (q->ask.cell == 0)
        return false;
    atomic_store(&t->map.pub[q->ask.cell], 0);
    q->entry = entry;
    q->epoch = t->base.epoch;
    q->slept = false;
    publish(t, q);
    return true;
}

static void leave(table *t, queuer *q, bool keep_cell)
{
    if (!is_queued(t, q))
        return;
    table_entry *entry = &t->map.entry[q->entry];
    if (!keep_cell) {
        atomic_store(&t->map.pub[q->ask.cell], 0);
        FL_STEP("wait:left");
        record_disown(t, q->ask.cell);
    }
    /* A call that reached me may have been meant for whoever is first now. */
    uint64_t w = atomic_load(&entry->word);
    if ((w & WORD_WAIT) && (word_record(w) == 0 || word_is_expired(w, os_now())))
        crowd_wake(t, entry);
}

/* ---- sleeping */

bool wait_flag(table_entry *entry, uint64_t w)
{
    if (w & WORD_WAIT)
        return true;
    bool flagged = atomic_compare_exchange_strong(&entry->word, &w, w | WORD_WAIT);
    FL_STEP("wait:flagged");
    return flagged;
}

/* My futex, and the death hints of who is in the way. */
typedef struct {
    os_watch list[OS_WATCHES_MOST];
    size_t n;
    bool all;    /* everybody in the way has one */
    bool dying;  /* somebody's says so */
    int64_t end; /* when the first of those in the way expires, on the clock that sleeps; INT64_MAX = never */
} watched;

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When a deadline in units comes, on the clock that sleeps. */
static int64_t expiry(uint64_t time)
{
    int64_t coarse = os_now(), unit = coarse >> UNIT_SHIFT;
    int64_t ahead = (int64_t)((time - (uint64_t)unit) & TIME_MASK);
    return ((unit + ahead) << UNIT_SHIFT) - coarse + os_now_precise() + EXPIRY_LAG;
}

static void watch_owner(void *context, table *t, uint32_t record)
{
    watched *w = context;
    _Atomic uint32_t *word = slot_death_word(&t->map, record);
    if (atomic_load(&t->map.own[record]) & OWN_LEFT)
        return; /* ends by its deadline alone */
    if (word == NULL || w->n == OS_WATCHES_MOST)
        w->all = false;
    else if (os_death_watch(word, &w->list[w->n]))
        w->n++;
    else {
        w->dying = true;
        slot_forget(t, record);
    }
}

static void watch_member(void *context, table *t, uint32_t cell)
{
    watched *w = context;
    uint64_t time = word_time(atomic_load(&t->map.pub[cell]));
    if (time != 0)
        w->end = earliest(w->end, expiry(time));
    if (!t->no_wait_any)
        watch_owner(w, t, cell);
}

static void watch_holders(table *t, uint32_t cell, uint64_t word, watched *w)
{
    w->all = !t->no_wait_any;
    if (word_record(word) != 0 && !(word & WORD_NOEND))
        w->end = expiry(word_time(word));
    if (word_record(word) != 0 && !t->no_wait_any)
        watch_owner(w, t, record_of(&t->map, word));
    if (word_record(word) == 0)
        crowd_each_holder(t, atomic_load(&t->map.record[cell].entry), cell, watch_member, w);
}

static int64_t longest_sleep(const watched *w, bool first)
{
    if (w->dying)
        return SLICE_DYING;
    return !first || w->all ? SLICE : SLICE_FIRST;
}

static void sleep_on(table *t, const watched *w, int64_t until)
{
    FL_STEP("wait:sleep");
    if (w->n == 1) {
        os_futex_wait(w->list[0].word, w->list[0].expected, until);
        return;
    }
    if (os_futex_wait_any(w->list, w->n, until) == ENOSYS)
        t->no_wait_any = true;
    for (size_t i = 1; i < w->n; i++)
        os_death_pass_on(&w->list[i]);
}

static bool is_stopped(const fl_interrupt *interrupt)
{
    return interrupt != NULL && interrupt->stop(interrupt->context) != 0;
}

fl_result wait_sleep(table *t, uint32_t cell, uint32_t seen, uint64_t word, bool first, int64_t until,
                     const fl_interrupt *interrupt)
{
    watched w = {.list = {{&t->map.record[cell].futex, seen}}, .n = 1, .end = INT64_MAX};
    int64_t now = os_now_precise();
    if (first)
        watch_holders(t, cell, word, &w);
    int64_t end = now + longest_sleep(&w, first);
    atomic_store(&t->map.record[cell].awake, 0);
    sleep_on(t, &w, earliest(until, earliest(end, w.end)));
    return is_stopped(interrupt) ? FL_INTERRUPTED : FL_OK;
}

/* ---- waiting */

/* Evaluates; while refused, sees to it that I am in the queue that refused me and that the word says so. */
static fl_result look(table *t, fl_lease *l, queuer *q, fl_error *error)
{
    for (;;) {
        if (!is_queued(t, q))
            q->ask.cell = 0, q->ask.queued = false;
        else
            atomic_store(&t->map.record[q->ask.cell].awake, os_now_precise());
        fl_result result = lease_evaluate(t, l, &q->ask, error);
        if (result != FL_BUSY)
            return result;
        uint32_t entry = (uint32_t)l->priv[MY_ENTRY];
        bool here = is_queued(t, q) && q->entry == entry;
        if (here && wait_flag(&t->map.entry[entry], l->priv[MY_WORD]))
            return FL_BUSY;
        if (!is_queued(t, q))
            q->ask.cell = 0;
        if (!here && !enqueue(t, q, entry))
            return record_no_cell(t, error);
    }
}

/* Sleeps, or watches where that is likely to be shorter (brisk.c); FL_OK: look again. */
static fl_result pause(table *t, const fl_lease *l, queuer *q, uint32_t seen, const fl_interrupt *interrupt)
{
    bool first = crowd_is_first(&t->map, q->entry, q->ask.cell), called = q->slept && seen != q->slept_on;
    bool brisk = !q->slept && brisk_is(t, q->entry);
    if (called || (brisk && first)) {
        bool moved = brisk_watch(&t->map.record[q->ask.cell], seen);
        if (is_stopped(interrupt))
            return FL_INTERRUPTED;
        if (moved || !is_queued(t, q)) /* not: a signal handler forked, and this is the child */
            return FL_OK;
    }
    if (brisk && !first)
        crowd_rouse(t, q->entry);
    q->slept = true;
    q->slept_on = seen;
    return wait_sleep(t, q->ask.cell, seen, l->priv[MY_WORD], first, q->until, interrupt);
}

static fl_result wait_turn(table *t, fl_lease *l, queuer *q, const fl_interrupt *interrupt, fl_error *error)
{
    for (;;) {
        uint32_t cell = q->ask.cell, seen = is_queued(t, q) ? atomic_load(&t->map.record[cell].futex) : 0;
        fl_result result = look(t, l, q, error);
        if (result != FL_BUSY || os_now_precise() >= q->until)
            return result;
        if (cell != q->ask.cell)
            continue; /* just queued: once more, with the futex's value from before the look */
        result = pause(t, l, q, seen, interrupt);
        if (result != FL_OK)
            return result;
    }
}

fl_result table_wait(fl_store *store, fl_lease *l, int64_t until, const fl_interrupt *interrupt, fl_error *error)
{
    table *t = (table *)store;
    queuer q = {.ask = {.kind = l->kind, .permits = l->permits}, .since = os_now_precise(), .until = until};
    fl_result result = lease_try_first(t, l, error);
    if (result == FL_BUSY)
        result = wait_turn(t, l, &q, interrupt, error);
    if (result == FL_OK && q.ask.cell != 0) {
        count(t, COUNT_WAITED);
        int64_t now = os_now_precise();
        count_by(t, COUNT_WAITED_NS, (uint64_t)(now - q.since));
        brisk_begin(t, l, now);
    } else if ((result == FL_BUSY || result == FL_SELF || result == FL_INTERRUPTED) && store_is_ready(store))
        count(t, COUNT_BUSY); /* not in a child that was forked by the interrupt function: it has nothing to count in */
    /* A reader's or a permit's cell is the one that it waited in. */
    leave(t, &q, result == FL_OK && l->kind != FL_EXCLUSIVE && l->priv[MY_RECORD] == q.ask.cell);
    return result;
}
