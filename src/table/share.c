/*
 * Leases that live in a cell instead of the word: readers and holders of permits; and the ways from a reader to the writer and
 * back.
 *
 *   in:        let in by the crowd -> cell published as held -> let in once more -> free word swapped to a free word with the
 *              next token and SHARE -> cell still as published? -> only now it is believed (I4)
 *   upgrade:   CELL_SHARED -> CELL_UPGRADING (no reader comes in any more) -> alone? -> word swapped to mine -> cell freed
 *   downgrade: cell published as CELL_SHARED -> word mine -> free with SHARE
 */
#include "table.h"

static table_entry *entry_of(const table *t, const fl_lease *l)
{
    return &t->map.entry[l->priv[MY_ENTRY]];
}

static uint32_t cell_of(const fl_lease *l)
{
    return (uint32_t)l->priv[MY_RECORD];
}

static uint32_t next_sequence(table_record *record)
{
    uint32_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->sequence, sequence, memory_order_relaxed);
    return sequence;
}

/* What the lease's cell says in `state`: each time a value of its own. */
static uint64_t next_pub(table *t, const fl_lease *l, uint32_t cell, unsigned state)
{
    uint32_t sequence = next_sequence(&t->map.record[cell]);
    return cell_make(state, (uint32_t)l->priv[MY_ENTRY], cell_time(l->deadline), sequence);
}

static void fill_record(table *t, const fl_lease *l, uint32_t cell, uint64_t token)
{
    table_record *record = &t->map.record[cell];
    atomic_store_explicit(&record->entry, (uint32_t)l->priv[MY_ENTRY], memory_order_relaxed);
    atomic_store_explicit(&record->token, token, memory_order_relaxed);
    atomic_store_explicit(&record->since, l->since, memory_order_relaxed);
    atomic_store_explicit(&record->ttl, l->ttl, memory_order_relaxed);
    atomic_store_explicit(&record->secret[0], l->permits, memory_order_relaxed);
}

static void set_end(fl_lease *l, int64_t now, int64_t ttl)
{
    l->ttl = ttl;
    l->deadline = ttl == INT64_MAX ? INT64_MAX : deadline_after(now, ttl);
}

/* ---- in */

static uint64_t publish(table *t, fl_lease *l, const table_found *found, uint32_t cell, uint64_t w, int64_t now)
{
    table_bucket *bucket = bucket_of(&t->map, l->name.hash);
    uint64_t token = token_next(bucket, token_last(&t->map, bucket, w));
    l->token = t->map.first_token + token;
    l->since = now;
    set_end(l, now, l->ttl);
    l->priv[MY_ENTRY] = entry_index(&t->map, found->entry);
    fill_record(t, l, cell, token);
    uint64_t pub = next_pub(t, l, cell, l->kind == FL_SHARED ? CELL_SHARED : CELL_PERMIT);
    atomic_store(&t->map.pub[cell], pub);
    FL_STEP("share:published");
    return pub;
}

/* The word says that the cells have changed, by the next token. */
static bool commit(table *t, const fl_lease *l, table_entry *entry, uint64_t w, bool waiting)
{
#ifdef FL_NEGATIVE_CONTROL_SHARE
    /* What the torture program must find: believing in a published cell without a swap. */
    (void)t, (void)l, (void)waiting;
    return atomic_load(&entry->word) == w;
#endif
    uint64_t next = word_free(l->token - t->map.first_token) | WORD_SHARE | (waiting ? WORD_WAIT : 0);
    uint32_t left = word_record(w) != 0 ? handover_seen(t, w) : 0;
    if (!atomic_compare_exchange_strong(&entry->word, &w, next))
        return false;
    FL_STEP("share:committed");
    if (word_record(w) != 0 && !word_is_binding(w)) {
        handover_clear(t, record_of(&t->map, w), left);
        count(t, COUNT_EXPIRED);
    }
    if ((w & WORD_WAIT) && !waiting)
        crowd_restore_wait(t, entry);
    return true;
}

/* The path was compared lately enough? FL_LOST: the cell went with the table. */
static fl_result confirm(table *t, fl_error *error)
{
    t->now = os_now();
    return t->now - t->checked < CHECK_EVERY ? FL_OK : table_check_path(t, error);
}

static fl_result enter(table *t, fl_lease *l, const table_asker *me, const table_found *found, uint64_t w,
                       uint32_t cell, int64_t now, fl_error *error)
{
    crowd_seen seen = {0};
    table_asker published = *me;
    published.cell = cell;
    uint64_t pub = publish(t, l, found, cell, w, now);
    fl_result result = lease_verdict(crowd_admits(t, found->entry, &published, now, &seen, error));
    /* Somebody who came at the same time: one of us steps back first, and the other gets in. */
    if (result == FL_BUSY || result == FL_SELF)
        result = FL_FREE;
    if (result != FL_OK)
        return result;
    if (!commit(t, l, found->entry, w, seen.waiting) || atomic_load(&t->map.pub[cell]) != pub ||
        atomic_load(found->at) != found->way)
        return FL_FREE;
    l->priv[MY_WORD] = pub;
    l->priv[MY_RECORD] = cell;
    result = confirm(t, error);
    if (result == FL_OK && t->now >= l->deadline)
        result = FL_FREE; /* stopped on the way in: the ttl starts again */
    if (result != FL_OK)
        return result;
    count(t, COUNT_ACQUIRED);
    if (seen.waiting) /* maybe there is room for one more */
        crowd_wake(t, found->entry);
    return FL_OK;
}

/* Not let in: the cell says again what it said before, and who was kept out by it looks again. */
static void step_back(table *t, const table_asker *me, const table_found *found, uint32_t cell, uint64_t before)
{
    atomic_store(&t->map.pub[cell], before);
    FL_STEP("share:stepped-back");
    if (me->cell == 0)
        record_disown(t, cell);
    if (atomic_load(&found->entry->word) & WORD_WAIT)
        crowd_wake(t, found->entry);
}

fl_result share_take(table *t, fl_lease *l, const table_asker *me, const table_found *found, uint64_t w, int64_t now,
                     fl_error *error)
{
    crowd_seen seen = {0};
    /* First without a cell, so that who has no chance disturbs nobody. */
    fl_result result = lease_verdict(crowd_admits(t, found->entry, me, now, &seen, error));
    if (result != FL_OK)
        return result;
    uint32_t cell = me->cell != 0 ? me->cell : record_take_cell(t);
    if (cell == 0)
        return record_no_cell(t, error);
    uint64_t before = atomic_load(&t->map.pub[cell]);
    result = enter(t, l, me, found, w, cell, now, error);
    if (result != FL_OK && result != FL_LOST)
        step_back(t, me, found, cell, before);
    return result;
}

/* ---- out, longer */

bool share_is_mine(const table *t, const fl_lease *l)
{
    return atomic_load(&t->map.pub[cell_of(l)]) == l->priv[MY_WORD];
}

bool share_let_go(table *t, fl_lease *l)
{
    uint64_t pub = l->priv[MY_WORD];
    uint32_t cell = cell_of(l);
    FL_STEP("release:looked");
    bool mine = atomic_compare_exchange_strong(&t->map.pub[cell], &pub, 0);
    FL_STEP("release:freed");
    atomic_store(&t->map.pub[cell], 0); /* CELL_TAKEN */
    record_disown(t, cell);
    if (mine && (atomic_load(&entry_of(t, l)->word) & WORD_WAIT))
        crowd_wake(t, entry_of(t, l));
    return mine;
}

static fl_result lose_cell(table *t, fl_lease *l)
{
    share_let_go(t, l);
    count(t, COUNT_LOST);
    return FL_LOST;
}

/* From what the cell says to `state`, with the lease's deadline. False: somebody has passed it. */
static bool change_pub(table *t, fl_lease *l, unsigned state)
{
    uint64_t pub = l->priv[MY_WORD], next = next_pub(t, l, cell_of(l), state);
    if (!atomic_compare_exchange_strong(&t->map.pub[cell_of(l)], &pub, next))
        return false;
    FL_STEP("share:changed");
    l->priv[MY_WORD] = next;
    return true;
}

bool share_move_deadline(table *t, fl_lease *l, int64_t now, int64_t ttl)
{
    set_end(l, now, ttl);
    atomic_store_explicit(&t->map.record[cell_of(l)].ttl, ttl, memory_order_relaxed);
    return change_pub(t, l, cell_state(l->priv[MY_WORD]));
}

/* ---- reader -> writer */

/* Alone with the word: takes it, as any writer would, and gives up the cell. */
static fl_result become_writer(table *t, fl_lease *l, uint64_t w, bool waiting, int64_t now, fl_error *error)
{
    table_found found;
    fl_lease writer = *l;
    writer.kind = FL_EXCLUSIVE;
    if (!entry_find(&t->map, &l->name, &found) || found.entry != entry_of(t, l))
        return FL_LOST;
    /* SHARE stays, until a later scan: my cell is still there, and should the word not stay mine, I am a reader as before. */
    fl_result result = lease_take(t, &writer, &found, w, WORD_SHARE | (waiting ? WORD_WAIT : 0), now, error);
    if (result != FL_OK)
        return result;
    FL_STEP("upgrade:taken");
    atomic_store(&t->map.pub[cell_of(l)], 0);
    record_disown(t, cell_of(l));
    *l = writer;
    return FL_OK;
}

/* One look. FL_OK, FL_BUSY (others read), FL_SELF, FL_FREE (again), FL_LOST, FL_ERROR; *senior: somebody else upgrades. */
static fl_result look_alone(table *t, fl_lease *l, const table_asker *me, uint64_t *w, bool *senior, fl_error *error)
{
    crowd_seen seen = {0};
    int64_t now = t->now = os_now();
    fl_result result = now - t->checked < CHECK_EVERY ? FL_OK : table_check_path(t, error);
    if (result != FL_OK)
        return result;
    if (now >= l->deadline || !share_is_mine(t, l))
        return FL_LOST;
    *w = atomic_load(&entry_of(t, l)->word);
    if (word_record(*w) != 0) /* my own that expired while I was stopped; or somebody's, who has passed me */
        return word_is_expired(*w, now) ? become_writer(t, l, *w, true, now, error) : FL_LOST;
    result = lease_verdict(crowd_admits(t, entry_of(t, l), me, now, &seen, error));
    *senior = seen.senior;
    return result == FL_OK ? become_writer(t, l, *w, seen.waiting, now, error) : result;
}

static fl_result upgrade_in_turn(table *t, fl_lease *l, const table_asker *me, int64_t until,
                                 const fl_interrupt *interrupt, fl_error *error)
{
    int looks = 0;
    for (;;) {
        bool senior = false;
        uint64_t w = 0;
        uint32_t seen = atomic_load(&t->map.record[me->cell].futex);
        fl_result result = look_alone(t, l, me, &w, &senior, error);
        if (result == FL_FREE && ++looks < LOOKS_MOST)
            continue;
        if (result == FL_FREE)
            return table_is_damaged(t, error);
        if (result != FL_BUSY || senior || os_now_precise() >= until)
            return result;
        if (!wait_flag(entry_of(t, l), w))
            continue;
        result = wait_sleep(t, me->cell, seen, w, true, until, interrupt);
        if (result != FL_OK || !store_is_ready(&t->base) || l->epoch != t->base.epoch)
            return result != FL_OK ? result : FL_LOST;
    }
}

fl_result share_upgrade(fl_store *store, fl_lease *l, int64_t until, const fl_interrupt *interrupt, fl_error *error)
{
    table *t = (table *)store;
    if (lease_verify(store, l) != FL_OK)
        return FL_LOST;
    table_asker me = {.kind = FL_EXCLUSIVE, .upgrades = true, .cell = cell_of(l), .queued = true};
    me.ticket = atomic_fetch_add(&entry_of(t, l)->tickets, 1);
    atomic_store_explicit(&t->map.record[me.cell].ticket, me.ticket, memory_order_relaxed);
    fl_result result = change_pub(t, l, CELL_UPGRADING) ? upgrade_in_turn(t, l, &me, until, interrupt, error) : FL_LOST;
    if (result == FL_OK || !store_is_ready(store) || l->epoch != store->epoch)
        return result;
    if (result == FL_LOST || !change_pub(t, l, CELL_SHARED))
        return lose_cell(t, l);
    count(t, COUNT_BUSY);
    crowd_wake(t, entry_of(t, l)); /* readers may come in again */
    return result;
}

/* ---- writer -> reader */

fl_result share_downgrade(fl_store *store, fl_lease *l, fl_error *error)
{
    table *t = (table *)store;
    if (lease_verify(store, l) != FL_OK)
        return FL_LOST;
    uint32_t cell = record_take_cell(t);
    if (cell == 0)
        return record_no_cell(t, error);
    fill_record(t, l, cell, l->token - t->map.first_token);
    uint64_t pub = next_pub(t, l, cell, CELL_SHARED);
    atomic_store(&t->map.pub[cell], pub);
    FL_STEP("downgrade:published");
    fl_lease writer = *l;
    l->kind = FL_SHARED;
    l->priv[MY_WORD] = pub;
    l->priv[MY_RECORD] = cell;
    uint64_t w = atomic_load(&entry_of(t, l)->word), mine = writer.priv[MY_WORD];
    while ((w & ~WORD_FLAGS) == mine) {
        uint64_t next = word_free(l->token - t->map.first_token) | WORD_SHARE | (w & WORD_FLAGS);
        if (!atomic_compare_exchange_strong(&entry_of(t, l)->word, &w, next))
            continue;
        FL_STEP("downgrade:swapped");
        record_give(t, (uint32_t)writer.priv[MY_RECORD]);
        if (w & WORD_WAIT)
            crowd_wake(t, entry_of(t, l));
        if (share_is_mine(t, l) && os_now() < l->deadline)
            return FL_OK;
        return lose_cell(t, l);
    }
    record_give(t, (uint32_t)writer.priv[MY_RECORD]);
    return lose_cell(t, l);
}
