/*
 * Waiting in the order of arrival.
 *
 * A waiter owns a cell (a record that can publish), draws a ticket, publishes the cell, sets WAIT in the word and sleeps on
 * its own futex. Who frees a word with WAIT wakes the lowest ticket; newcomers see WAIT and go behind. The dead are skipped
 * (their cells emptied under the read lock of I2), so are those past their own timeout.
 *
 *   waiter                                  releaser
 *   1 publish cell        (seq_cst)         1 word -> free, WAIT kept   (one swap)
 *   2 read the word, set WAIT by a swap     2 read the cells            (seq_cst)
 *   3 sleep if my futex has not moved       3 move the futex, wake
 *
 * If the waiter's swap came first, the releaser sees WAIT and the cell; if not, the waiter sees a free word. So no wake-up is
 * lost; and a releaser that is killed between 1 and 3 costs a waiter one slice, since the first in the queue looks again
 * every few milliseconds anyway (whether the holder lives is told by nobody).
 *
 * A live waiter that was called (`called`) and does not look at the free word for SILENCE is stopped: others pass it.
 */
#include "table.h"

#include <errno.h>
#include <unistd.h>

#define MILLISECOND INT64_C(1000000)
#define SILENCE (1000 * MILLISECOND)
#define SLICE_FIRST (6 * MILLISECOND)   /* at the head, in its first second: notices a killed holder */
#define SLICE_LATER (25 * MILLISECOND)  /* at the head */
#define SLICE_BEHIND (100 * MILLISECOND) /* not at the head: to answer signals that came just before the sleep */
#define EXPIRY_LAG (5 * MILLISECOND)    /* the coarse clock is late */

/* A published waiter as it was seen. */
typedef struct {
    uint32_t cell;
    uint32_t ticket;
    uint64_t pub;
} waiter;

/* ---- the queue of an entry */

static bool read_waiter(const table_map *map, uint32_t cell, uint32_t entry, int64_t now, waiter *w)
{
    uint64_t pub = atomic_load(&map->pub[cell]);
    if (cell_state(pub) == CELL_FREE || cell_entry(pub) != entry || cell_is_over(pub, now))
        return false;
    *w = (waiter){cell, atomic_load_explicit(&map->record[cell].ticket, memory_order_relaxed), pub};
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&map->pub[cell], memory_order_relaxed) == pub;
}

/* The waiter next in order behind `after` (NULL: the first). Tickets wrap around. */
static bool find_next(const table_map *map, uint32_t entry, int64_t now, const waiter *after, waiter *next)
{
    waiter best = {0}, w;
    uint32_t cells = atomic_load(&map->header->cells_used);
    for (uint32_t c = 1; c <= cells && c <= map->geometry.cells; c++) {
        if (!read_waiter(map, c, entry, now, &w) || (after != NULL && (int32_t)(w.ticket - after->ticket) <= 0))
            continue;
        if (best.cell == 0 || (int32_t)(w.ticket - best.ticket) < 0)
            best = w;
    }
    *next = best;
    return best.cell != 0;
}


/* Empties a dead one's cell. */
static owner_state examine_waiter(table *t, const waiter *w, int64_t now, fl_error *error)
{
    int fd;
    uint64_t pub = w->pub;
    owner_state state = slot_examine(t, w->cell, now, &fd, error);
    if (state != OWNER_DEAD)
        return state;
    atomic_compare_exchange_strong(&t->map.pub[w->cell], &pub, 0);
    FL_STEP("wait:emptied");
    close(fd);
    return OWNER_DEAD;
}

static int call(table *t, const waiter *w)
{
    table_record *record = &t->map.record[w->cell];
    int64_t none = 0;
    atomic_compare_exchange_strong(&record->called, &none, os_now_precise());
    /* Should the cell be another's by now, that one just looks once more than it had to. */
    atomic_fetch_add(&record->futex, 1);
    FL_STEP("wake:called");
    return os_futex_wake(&record->futex, 1);
}

static bool is_silent(const table *t, const waiter *w)
{
    int64_t called = atomic_load(&t->map.record[w->cell].called);
    return called != 0 && os_now_precise() - called >= SILENCE;
}

uint32_t wait_count(table *t, const table_entry *entry, bool is_free, int *fd)
{
    fl_error ignored;
    waiter w;
    int64_t now = os_now();
    uint32_t n = 0, cells = atomic_load(&t->map.header->cells_used);
    for (uint32_t c = 1; c <= cells && c <= t->map.geometry.cells; c++) {
        if (!read_waiter(&t->map, c, entry_index(&t->map, entry), now, &w) || (is_free && is_silent(t, &w)))
            continue;
        owner_state state = slot_peek(t, c, fd, &ignored);
        n += state == OWNER_ALIVE || state == OWNER_SELF || state == OWNER_UNKNOWN;
    }
    return n;
}

void wait_wake(table *t, table_entry *entry)
{
    fl_error ignored;
    waiter w, *after = NULL;
    int64_t now = os_now();
    atomic_thread_fence(memory_order_seq_cst);
    while (find_next(&t->map, entry_index(&t->map, entry), now, after, &w)) {
        bool silent = is_silent(t, &w);
        if (call(t, &w) > 0 && !silent)
            return;
        if (examine_waiter(t, &w, now, &ignored) != OWNER_DEAD && !silent)
            return;
        after = &w;
    }
}

owner_state wait_ahead(table *t, table_entry *entry, uint32_t cell, int64_t now, fl_error *error)
{
    waiter w, *after = NULL;
    for (; find_next(&t->map, entry_index(&t->map, entry), now, after, &w); after = &w) {
        if (w.cell == cell)
            return OWNER_DEAD;
        owner_state state = examine_waiter(t, &w, now, error);
        if (state == OWNER_UNKNOWN)
            return state;
        if (state != OWNER_ALIVE || is_silent(t, &w)) /* OWNER_SELF: an outer wait of this very thread, which cannot go on */
            continue;
        if (atomic_load(&t->map.record[w.cell].called) == 0)
            call(t, &w); /* whoever freed the word may have died before it called */
        return OWNER_ALIVE;
    }
    return OWNER_DEAD;
}

/* ---- one waiter: me */

typedef struct {
    uint32_t cell;  /* 0 = not in a queue */
    uint32_t entry;
    uint32_t epoch;
    int64_t since; /* precise */
    int64_t until;
} queuer;

static void raise_cells(table *t, uint32_t cell)
{
    _Atomic uint32_t *mark = &t->map.header->cells_used;
    uint32_t seen = atomic_load(mark);
    while (seen < cell && !atomic_compare_exchange_weak(mark, &seen, cell))
        ;
}

static void publish(table *t, queuer *q)
{
    table_record *record = &t->map.record[q->cell];
    uint32_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed) + 1;
    uint32_t ticket = atomic_fetch_add(&t->map.entry[q->entry].tickets, 1);
    atomic_store_explicit(&record->sequence, sequence, memory_order_relaxed);
    atomic_store_explicit(&record->entry, q->entry, memory_order_relaxed);
    atomic_store_explicit(&record->ticket, ticket, memory_order_relaxed);
    atomic_store(&record->called, 0);
    unsigned state = q->until == INT64_MAX ? CELL_WAIT_FOREVER : CELL_WAIT;
    FL_STEP("wait:ticket");
    atomic_store(&t->map.pub[q->cell], cell_make(state, q->entry, ((uint64_t)q->until >> UNIT_SHIFT) + 1, sequence));
    FL_STEP("wait:published");
}

/* Goes to the end of the queue of the entry that refused. False: no cell is free. */
static bool enqueue(table *t, queuer *q, uint32_t entry)
{
    if (q->cell == 0)
        q->cell = record_claim(t, 1, t->map.geometry.cells, 1);
    if (q->cell == 0)
        return false;
    raise_cells(t, q->cell);
    atomic_store(&t->map.pub[q->cell], 0);
    q->entry = entry;
    q->epoch = t->base.epoch;
    publish(t, q);
    return true;
}

static bool is_queued(const table *t, const queuer *q)
{
    return q->cell != 0 && q->epoch == t->base.epoch && store_is_ready(&t->base);
}

static void leave(table *t, queuer *q)
{
    if (!is_queued(t, q))
        return;
    table_entry *entry = &t->map.entry[q->entry];
    atomic_store(&t->map.pub[q->cell], 0);
    FL_STEP("wait:left");
    record_disown(t, q->cell);
    /* A call that reached me may have been meant for whoever is first now. */
    uint64_t w = atomic_load(&entry->word);
    if ((w & WORD_WAIT) && (word_record(w) == 0 || word_is_expired(w, os_now())))
        wait_wake(t, entry);
}

/* The word that refused me says WAIT. False: it has changed, look again. */
static bool flag_word(table *t, const fl_lease *l)
{
    uint64_t w = l->priv[MY_WORD];
    if (w & WORD_WAIT)
        return true;
    bool flagged = atomic_compare_exchange_strong(&t->map.entry[l->priv[MY_ENTRY]].word, &w, w | WORD_WAIT);
    FL_STEP("wait:flagged");
    return flagged;
}

static bool is_first(const table *t, const queuer *q)
{
    waiter w;
    return !find_next(&t->map, q->entry, os_now(), NULL, &w) || w.cell == q->cell;
}

/* How long to sleep at most: the first looks after the holder, and at the lease's end. */
static int64_t slice_end(const table *t, const queuer *q, uint64_t word)
{
    int64_t now = os_now_precise();
    if (!is_first(t, q))
        return now + SLICE_BEHIND;
    int64_t end = now + (now - q->since < SILENCE ? SLICE_FIRST : SLICE_LATER);
    if (word_record(word) == 0 || (word & WORD_NOEND))
        return end;
    int64_t coarse = os_now(), unit = coarse >> UNIT_SHIFT;
    int64_t ahead = (int64_t)((word_time(word) - (uint64_t)unit) & TIME_MASK);
    int64_t expiry = ((unit + ahead) << UNIT_SHIFT) - coarse + now + EXPIRY_LAG;
    return expiry < end ? expiry : end;
}

/* Evaluates; while refused, sees to it that I am in the queue that refused me and that the word says so. */
static fl_result look(table *t, fl_lease *l, queuer *q, fl_error *error)
{
    for (;;) {
        if (!is_queued(t, q))
            q->cell = 0;
        else
            atomic_store(&t->map.record[q->cell].called, 0);
        fl_result result = lease_evaluate(t, l, q->cell, error);
        if (result != FL_BUSY)
            return result;
        if (is_queued(t, q) && q->entry == l->priv[MY_ENTRY] && flag_word(t, l))
            return FL_BUSY;
        if (!is_queued(t, q))
            q->cell = 0;
        if ((q->cell == 0 || q->entry != l->priv[MY_ENTRY]) && !enqueue(t, q, (uint32_t)l->priv[MY_ENTRY])) {
            fl_fail(error, 0, "filelock: table full: %s has room for %u waiters", t->path, t->map.geometry.cells);
            fl_advise(error, "make it anew with a larger capacity");
            return FL_ERROR;
        }
    }
}

static fl_result wait_turn(table *t, fl_lease *l, queuer *q, const fl_interrupt *interrupt, fl_error *error)
{
    for (;;) {
        uint32_t seen = is_queued(t, q) ? atomic_load(&t->map.record[q->cell].futex) : 0;
        uint32_t cell = q->cell;
        fl_result result = look(t, l, q, error);
        if (result != FL_BUSY)
            return result;
        int64_t now = os_now_precise();
        if (now >= q->until)
            return FL_BUSY;
        if (cell != q->cell)
            continue; /* just queued: once more, with the futex's value from before the look */
        int64_t end = slice_end(t, q, l->priv[MY_WORD]);
        FL_STEP("wait:sleep");
        os_futex_wait(&t->map.record[q->cell].futex, seen, end < q->until ? end : q->until);
        if (interrupt != NULL && interrupt->stop(interrupt->context))
            return FL_INTERRUPTED;
    }
}

fl_result table_wait(fl_store *store, fl_lease *l, int64_t until, const fl_interrupt *interrupt, fl_error *error)
{
    table *t = (table *)store;
    queuer q = {.since = os_now_precise(), .until = until};
    fl_result result = wait_turn(t, l, &q, interrupt, error);
    leave(t, &q);
    return result;
}
