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
 * lost; and a releaser that is killed between 1 and 3 costs a waiter one slice, since the first in the queue looks again
 * every few milliseconds anyway (whether the holder lives is told by nobody).
 */
#include "table.h"

#define MILLISECOND INT64_C(1000000)
#define FIRST_SECOND (1000 * MILLISECOND)
#define SLICE_FIRST (6 * MILLISECOND)    /* at the head, in its first second: notices a killed holder */
#define SLICE_LATER (25 * MILLISECOND)   /* at the head */
#define SLICE_BEHIND (100 * MILLISECOND) /* not at the head: to answer signals that came just before the sleep */
#define EXPIRY_LAG (5 * MILLISECOND)     /* the coarse clock is late */

typedef struct {
    table_asker ask; /* cell 0 = not in a queue */
    uint32_t entry;
    uint32_t epoch;
    int64_t since; /* precise */
    int64_t until;
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
    atomic_store(&record->called, 0);
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

/* How long to sleep at most: the first looks after the holder, and at the lease's end. */
static int64_t slice_end(uint64_t word, bool first, int64_t since)
{
    int64_t now = os_now_precise();
    if (!first)
        return now + SLICE_BEHIND;
    int64_t end = now + (now - since < FIRST_SECOND ? SLICE_FIRST : SLICE_LATER);
    if (word_record(word) == 0 || (word & WORD_NOEND))
        return end;
    int64_t coarse = os_now(), unit = coarse >> UNIT_SHIFT;
    int64_t ahead = (int64_t)((word_time(word) - (uint64_t)unit) & TIME_MASK);
    int64_t expiry = ((unit + ahead) << UNIT_SHIFT) - coarse + now + EXPIRY_LAG;
    return expiry < end ? expiry : end;
}

fl_result wait_sleep(table *t, uint32_t cell, uint32_t seen, uint64_t word, bool first, int64_t since, int64_t until,
                     const fl_interrupt *interrupt)
{
    int64_t end = slice_end(word, first, since);
    FL_STEP("wait:sleep");
    os_futex_wait(&t->map.record[cell].futex, seen, end < until ? end : until);
    return interrupt != NULL && interrupt->stop(interrupt->context) ? FL_INTERRUPTED : FL_OK;
}

/* ---- waiting */

/* Evaluates; while refused, sees to it that I am in the queue that refused me and that the word says so. */
static fl_result look(table *t, fl_lease *l, queuer *q, fl_error *error)
{
    for (;;) {
        if (!is_queued(t, q))
            q->ask.cell = 0, q->ask.queued = false;
        else
            atomic_store(&t->map.record[q->ask.cell].called, 0);
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

static fl_result wait_turn(table *t, fl_lease *l, queuer *q, const fl_interrupt *interrupt, fl_error *error)
{
    for (;;) {
        uint32_t cell = q->ask.cell, seen = is_queued(t, q) ? atomic_load(&t->map.record[cell].futex) : 0;
        fl_result result = look(t, l, q, error);
        if (result != FL_BUSY || os_now_precise() >= q->until)
            return result;
        if (cell != q->ask.cell)
            continue; /* just queued: once more, with the futex's value from before the look */
        result = wait_sleep(t, cell, seen, l->priv[MY_WORD], crowd_is_first(&t->map, q->entry, cell), q->since,
                            q->until, interrupt);
        if (result != FL_OK)
            return result;
    }
}

fl_result table_wait(fl_store *store, fl_lease *l, int64_t until, const fl_interrupt *interrupt, fl_error *error)
{
    table *t = (table *)store;
    queuer q = {.ask = {.kind = l->kind, .permits = l->permits}, .since = os_now_precise(), .until = until};
    fl_result result = wait_turn(t, l, &q, interrupt, error);
    if (result == FL_OK) {
        count(t, COUNT_WAITED);
        count_by(t, COUNT_WAITED_NS, (uint64_t)(os_now_precise() - q.since));
    }
    /* A reader's or a permit's cell is the one that it waited in. */
    leave(t, &q, result == FL_OK && l->kind != FL_EXCLUSIVE && l->priv[MY_RECORD] == q.ask.cell);
    return result;
}
