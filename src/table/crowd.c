/*
 * The crowd of an entry: who shares it, who waits for it, in which order.
 *
 * Cells are few and lie close together, so that one pass over those that were ever used is cheap; there is no list to repair
 * after a death. The dead are found by their slots (their cells emptied under the read lock of I2), those past their end by the
 * clock; a live waiter that is awake and gives no sign for SILENCE is stopped: others pass it when the word is free.
 */
#include "table.h"

#include <unistd.h>

#define SILENCE (1000 * INT64_C(1000000))

/* A published cell as it was seen. */
typedef struct {
    uint32_t cell;
    uint32_t ticket;
    uint64_t pub;
} member;

typedef struct {
    uint32_t blockers, mine; /* holders in the way, and how many of them are this thread's */
    uint32_t permits, my_permits;
    member next; /* of the live waiters whose turn comes before mine the first; cell 0 = none */
    bool writer_ahead;
    bool i_read;  /* this thread holds already */
    bool senior;  /* another reader upgrades, and was first */
    bool waiting; /* somebody waits, alive or not */
} tally;

static uint32_t cells_in_use(const table_map *map)
{
    uint32_t used = atomic_load(&map->header->cells_used);
    return used < map->geometry.cells ? used : map->geometry.cells;
}

static bool read_member(const table_map *map, uint32_t cell, uint32_t entry, member *m)
{
    enum { TRIES = 1000 };
    /* Never skipped because it changes: it may be a holder who prolongs its lease just now. */
    for (int i = 0; i < TRIES; i++) {
        uint64_t pub = atomic_load(&map->pub[cell]); /* seq_cst: after my own publication or swap (I4) */
        if (pub == 0 || cell_entry(pub) != entry)
            return false;
        *m = (member){cell, atomic_load_explicit(&map->record[cell].ticket, memory_order_acquire), pub};
        FL_STEP("crowd:read");
        if (atomic_load_explicit(&map->pub[cell], memory_order_relaxed) == pub)
            return true;
    }
    return true; /* as it was seen last: whatever is swapped on the strength of it fails */
}

static bool is_before(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) < 0;
}

/* Empties a dead one's cell. */
static owner_state examine(table *t, const member *m, int64_t now, fl_error *error)
{
    int fd;
    uint64_t pub = m->pub;
    owner_state state = slot_examine(t, m->cell, now, &fd, error);
    if (state != OWNER_DEAD)
        return state;
    if (atomic_compare_exchange_strong(&t->map.pub[m->cell], &pub, 0) && cell_holds(pub))
        count(t, COUNT_RECOVERED);
    FL_STEP("crowd:emptied");
    close(fd);
    return OWNER_DEAD;
}

/* ---- waking */

static int call(table *t, const member *m)
{
    table_record *record = &t->map.record[m->cell];
    int64_t asleep = 0;
    atomic_compare_exchange_strong(&record->awake, &asleep, os_now_precise());
    /* Should the cell be another's by now, that one just looks once more than it had to. */
    atomic_fetch_add(&record->futex, 1);
    FL_STEP("wake:called");
    return os_futex_wake(&record->futex, 1);
}

static bool is_asleep(const table_map *map, const member *m)
{
    return atomic_load(&map->record[m->cell].awake) == 0;
}

static bool is_silent(const table *t, const member *m)
{
    int64_t awake = atomic_load(&t->map.record[m->cell].awake);
    return awake != 0 && os_now_precise() - awake >= SILENCE;
}

typedef enum { ANY_WAITER, SLEEPER } whom;

/* The waiter next in order behind `after` (NULL: the first). Tickets wrap around. */
static bool find_next(const table_map *map, uint32_t entry, int64_t now, whom whom, const member *after, member *next)
{
    member best = {0}, m;
    for (uint32_t c = 1, used = cells_in_use(map); c <= used; c++) {
        if (!read_member(map, c, entry, &m) || !cell_waits(m.pub) || cell_is_over(m.pub, now) ||
            (after != NULL && !is_before(after->ticket, m.ticket)) || (whom == SLEEPER && !is_asleep(map, &m)))
            continue;
        if (best.cell == 0 || is_before(m.ticket, best.ticket))
            best = m;
    }
    *next = best;
    return best.cell != 0;
}

/* Readers who want to write wait for other readers only, and before everybody in the queue. */
static void call_upgraders(table *t, uint32_t entry)
{
    member m;
    for (uint32_t c = 1, used = cells_in_use(&t->map); c <= used; c++)
        if (read_member(&t->map, c, entry, &m) && cell_state(m.pub) == CELL_UPGRADING)
            call(t, &m);
}

void crowd_wake(table *t, table_entry *entry)
{
    fl_error ignored;
    member m, *after = NULL;
    int64_t now = os_now();
    uint32_t index = entry_index(&t->map, entry);
    call_upgraders(t, index);
    /* Each waiter at most once: tickets that go round in a circle are nonsense. */
    for (uint32_t n = cells_in_use(&t->map); n > 0 && find_next(&t->map, index, now, ANY_WAITER, after, &m);
         n--, after = &m) {
        bool silent = is_silent(t, &m), woken = call(t, &m) > 0;
        if (!silent && (woken || examine(t, &m, now, &ignored) != OWNER_DEAD))
            return;
    }
}

void crowd_rouse(table *t, uint32_t entry)
{
    member m;
    if (find_next(&t->map, entry, os_now(), SLEEPER, NULL, &m))
        call(t, &m);
}

void crowd_restore_wait(table *t, table_entry *entry)
{
    member m;
    FL_STEP("crowd:restore");
    /* Whoever published later reads a word without WAIT, and sets it itself. More than one scan is never needed. */
    for (uint32_t c = 1, used = cells_in_use(&t->map); c <= used; c++)
        if (read_member(&t->map, c, entry_index(&t->map, entry), &m) && cell_waits(m.pub)) {
            atomic_fetch_or(&entry->word, WORD_WAIT);
            return;
        }
}

void crowd_each_holder(table *t, uint32_t entry, uint32_t cell, crowd_function each, void *context)
{
    member m;
    for (uint32_t c = 1, used = cells_in_use(&t->map); c <= used; c++)
        if (c != cell && read_member(&t->map, c, entry, &m) && cell_holds(m.pub))
            each(context, t, c);
}

bool crowd_is_first(const table_map *map, uint32_t entry, uint32_t cell)
{
    member m;
    return !find_next(map, entry, os_now(), ANY_WAITER, NULL, &m) || m.cell == cell;
}

/* ---- may I? */

/* Does this holder keep the asker out, whoever it is? */
static bool is_in_the_way(const table_asker *me, uint64_t pub)
{
    if (me->kind == FL_SHARED && !me->upgrades)
        return cell_state(pub) != CELL_SHARED;
    return me->kind != FL_PERMIT || cell_state(pub) != CELL_PERMIT;
}

static fl_result disagree(const table *t, const table_asker *me, const member *m, fl_error *error)
{
    uint64_t theirs = atomic_load_explicit(&t->map.record[m->cell].secret[0], memory_order_relaxed);
    if (theirs == me->permits || atomic_load(&t->map.pub[m->cell]) != m->pub)
        return FL_OK;
    fl_fail(error, 0, "filelock: this semaphore is in use with %u permits elsewhere, and with %u here",
            (unsigned)theirs, (unsigned)me->permits);
    fl_advise(error, "all who use a name must give the same number");
    return FL_ERROR;
}

static void count_holder(tally *n, const member *m, bool in_the_way, bool mine)
{
    n->blockers += in_the_way;
    n->mine += in_the_way && mine;
    n->permits += cell_state(m->pub) == CELL_PERMIT;
    n->my_permits += cell_state(m->pub) == CELL_PERMIT && mine;
}

static owner_state weigh_holder(table *t, const table_asker *me, const member *m, int64_t now, tally *n,
                                fl_error *error)
{
    uint64_t pub = m->pub;
    if (cell_is_over(pub, now)) {
        /* From here on its owner cannot refresh it any more. */
        bool taken = atomic_compare_exchange_strong(&t->map.pub[m->cell], &pub, cell_make(CELL_TAKEN, 0, 0, 0));
        FL_STEP("crowd:taken");
        if (taken)
            count(t, COUNT_EXPIRED);
        return taken ? OWNER_DEAD : OWNER_CHANGED;
    }
    bool in_the_way = is_in_the_way(me, pub);
    n->i_read |= atomic_load(&t->map.own[m->cell]) == t->me;
    if (!in_the_way && me->kind != FL_PERMIT)
        return OWNER_DEAD;
    owner_state state = examine(t, m, now, error);
    if (state != OWNER_ALIVE && state != OWNER_SELF)
        return state;
    count_holder(n, m, in_the_way, state == OWNER_SELF);
    n->senior |= me->upgrades && cell_state(pub) == CELL_UPGRADING && is_before(m->ticket, me->ticket);
    if (me->kind == FL_PERMIT && cell_state(pub) == CELL_PERMIT && disagree(t, me, m, error) != FL_OK)
        return OWNER_UNKNOWN;
    return OWNER_DEAD;
}

/* A reader need not stand behind readers; everybody else stands behind everybody. */
static bool is_ahead(const table_asker *me, const member *m)
{
    if (me->upgrades || (me->kind == FL_SHARED && cell_state(m->pub) == CELL_WAIT_SHARED))
        return false;
    return !me->queued || is_before(m->ticket, me->ticket);
}

static bool is_a_permit(const table_asker *me, const member *m)
{
    return me->kind == FL_PERMIT && (cell_state(m->pub) == CELL_PERMIT || cell_state(m->pub) == CELL_WAIT_PERMIT);
}

static owner_state weigh_waiter(table *t, const table_asker *me, const member *m, int64_t now, tally *n,
                                fl_error *error)
{
    n->waiting = true;
    if (cell_is_over(m->pub, now) || !(is_ahead(me, m) || is_a_permit(me, m)))
        return OWNER_DEAD;
    owner_state state = examine(t, m, now, error);
    if (state == OWNER_ALIVE && is_a_permit(me, m) && disagree(t, me, m, error) != FL_OK)
        return OWNER_UNKNOWN;
    if (!is_ahead(me, m))
        return OWNER_DEAD;
    if (state != OWNER_ALIVE || is_silent(t, m)) /* OWNER_SELF: an outer wait of this very thread, which cannot go on */
        return state == OWNER_UNKNOWN ? state : OWNER_DEAD;
    n->writer_ahead |= cell_state(m->pub) == CELL_WAIT_EXCLUSIVE;
    if (n->next.cell == 0 || is_before(m->ticket, n->next.ticket))
        n->next = *m;
    return OWNER_DEAD;
}

/* First of all: could anybody but this thread itself make room? A writer ahead waits for me who reads. */
static owner_state judge(const table_asker *me, const tally *n)
{
    bool full = me->kind == FL_PERMIT && n->permits >= me->permits;
    if (n->mine > 0 || (full && n->my_permits >= me->permits))
        return OWNER_SELF;
    if (n->writer_ahead && n->i_read && me->kind == FL_SHARED)
        return OWNER_SELF;
    return n->next.cell != 0 || n->senior || n->blockers > 0 || full ? OWNER_ALIVE : OWNER_DEAD;
}

owner_state crowd_admits(table *t, table_entry *entry, const table_asker *me, int64_t now, crowd_seen *seen,
                         fl_error *error)
{
    tally n = {0};
    uint32_t index = entry_index(&t->map, entry);
    for (uint32_t c = 1, used = cells_in_use(&t->map); c <= used; c++) {
        member m;
        if (c == me->cell || !read_member(&t->map, c, index, &m))
            continue;
        owner_state state = OWNER_DEAD;
        if (cell_waits(m.pub))
            state = weigh_waiter(t, me, &m, now, &n, error);
        else if (cell_holds(m.pub))
            state = weigh_holder(t, me, &m, now, &n, error);
        if (state == OWNER_UNKNOWN || state == OWNER_CHANGED)
            return state;
    }
    *seen = (crowd_seen){.waiting = n.waiting, .senior = n.senior};
    /* Whoever freed the word may have died before it called. */
    if (n.next.cell != 0 && is_asleep(&t->map, &n.next))
        call(t, &n.next);
    return judge(me, &n);
}

/* Pinned: the cell's record, and so its token, cannot become another lease's before the swap (I1). */
static bool break_member(table *t, const member *m, uint64_t token)
{
    uint64_t pub = m->pub;
    record_pin(t, m->cell);
    bool broken = false;
    if (atomic_load(&t->map.record[m->cell].token) == token && atomic_load(&t->map.pub[m->cell]) == pub) {
        FL_STEP("break:seen");
        broken = atomic_compare_exchange_strong(&t->map.pub[m->cell], &pub, cell_make(CELL_TAKEN, 0, 0, 0));
    }
    record_unpin(t, m->cell);
    return broken;
}

bool crowd_break(table *t, table_entry *entry, uint64_t token)
{
    for (uint32_t c = 1, used = cells_in_use(&t->map); c <= used; c++) {
        member m;
        if (!read_member(&t->map, c, entry_index(&t->map, entry), &m) || !cell_holds(m.pub) ||
            cell_is_over(m.pub, os_now()) || !break_member(t, &m, token))
            continue;
        crowd_wake(t, entry);
        return true;
    }
    return false;
}

/* ---- for status: reads only */

static bool is_live(table *t, const member *m, int *fd)
{
    fl_error ignored;
    owner_state state = slot_peek(t, m->cell, fd, &ignored);
    return state == OWNER_ALIVE || state == OWNER_SELF || state == OWNER_UNKNOWN;
}

void crowd_look(table *t, const table_entry *entry, bool is_free, int *fd, crowd_view *view)
{
    int64_t now = os_now();
    *view = (crowd_view){0};
    for (uint32_t c = 1, used = cells_in_use(&t->map); c <= used; c++) {
        member m;
        if (!read_member(&t->map, c, entry_index(&t->map, entry), &m) || cell_is_over(m.pub, now) ||
            !is_live(t, &m, fd))
            continue;
        if (cell_waits(m.pub))
            view->waiters += !(is_free && is_silent(t, &m));
        if (!cell_holds(m.pub))
            continue;
        int64_t since = atomic_load_explicit(&t->map.record[c].since, memory_order_relaxed);
        if (view->holders++ > 0 && since >= view->since)
            continue;
        view->longest = c;
        view->since = since;
        view->pub = m.pub;
    }
}
