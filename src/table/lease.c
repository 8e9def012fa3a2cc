/*
 * Taking, giving back, prolonging, breaking: one compare-and-swap of the entry's word each.
 *
 * ORDER of taking: record filled, with the token that follows (I5) -> swap -> way as before? (I3) -> clock read: path compared
 * lately enough? (attach.c) -> only now it is believed.
 *
 * The clock is read once, after the swap, whatever was done before it: a process that is stopped in between is judged by the
 * time at which it goes on. The deadline in the swapped word comes from the last reading, usually of the same tick; if the clock
 * has moved since, a second swap corrects it. Should the first deadline have passed and somebody have taken over, that one fails.
 */
#include "table.h"

#include <unistd.h>

static inline table_entry *entry_of(const table *t, const fl_lease *l)
{
    return &t->map.entry[l->priv[MY_ENTRY]];
}

FL_HOT void set_end(fl_lease *l, int64_t now, int64_t ttl)
{
    l->ttl = ttl;
    l->deadline = ttl == INT64_MAX ? INT64_MAX : deadline_after(now, ttl);
}

/* The word that says: record's, until l->deadline. Each use of a record has a number of its own. */
FL_HOT uint64_t next_word(table_record *record, uint32_t index, const fl_lease *l)
{
    uint32_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->sequence, sequence, memory_order_relaxed);
    if (FL_UNLIKELY(l->deadline == INT64_MAX))
        return word_owned(index, TIME_FOREVER, sequence) | WORD_NOEND;
    return word_owned(index, (uint64_t)l->deadline >> UNIT_SHIFT, sequence);
}

FL_HOT void fill_record(table_record *record, const fl_lease *l, uint32_t entry, uint64_t token)
{
    atomic_store_explicit(&record->entry, entry, memory_order_relaxed);
    atomic_store_explicit(&record->token, token, memory_order_relaxed);
    atomic_store_explicit(&record->since, l->since, memory_order_relaxed);
    atomic_store_explicit(&record->ttl, l->ttl, memory_order_relaxed);
    atomic_store_explicit(&record->secret[0], 0, memory_order_relaxed); /* no key of an earlier lease opens this one */
}

/* Tokens in the table are counted from its creation; a lease's is the whole number. */
static inline uint64_t short_token(const table *t, const fl_lease *l)
{
    return l->token - t->map.first_token;
}

/* From `w` to the lease's word. release: the record is filled before the word names it (I1). */
FL_HOT bool swap_in(table_entry *entry, uint64_t w, uint64_t mine)
{
#ifdef FL_NEGATIVE_CONTROL
    /* What the torture program must find: look, then store. */
    if (atomic_load(&entry->word) != w)
        return false;
    atomic_store(&entry->word, mine);
    return true;
#else
    return atomic_compare_exchange_strong_explicit(&entry->word, &w, mine, memory_order_acq_rel, memory_order_relaxed);
#endif
}

/*
 * mine -> free, if the word still is mine apart from its flags. Returns the word that was there. seq_cst: before the cells are
 * read for waiters (I4).
 */
FL_HOT uint64_t swap_out(table_entry *entry, uint64_t mine, uint64_t token)
{
    uint64_t w = mine;
    while (!atomic_compare_exchange_strong_explicit(&entry->word, &w, word_free(token) | (w & WORD_FLAGS),
                                                    memory_order_seq_cst, memory_order_relaxed))
        if ((w & ~WORD_FLAGS) != mine)
            break;
    FL_STEP("release:freed");
    return w;
}

/* Taken, but not to be believed. */
static FL_NOINLINE void put_back(table *t, table_entry *entry, uint64_t mine, uint32_t record, uint64_t token)
{
    uint64_t w = swap_out(entry, mine, token);
    record_give(t, record);
    if (w & WORD_WAIT)
        crowd_wake(t, entry);
}

/* mine -> mine with another deadline, keeping the flags. */
static bool swap_deadline(table_entry *entry, uint64_t mine, uint64_t next)
{
    uint64_t w = mine;
    while (!atomic_compare_exchange_strong_explicit(&entry->word, &w, next | (w & WORD_FLAGS), memory_order_acq_rel,
                                                    memory_order_relaxed))
        if ((w & ~WORD_FLAGS) != mine)
            return false;
    FL_STEP("refresh:swapped");
    return true;
}

/* Gives the lease a new ttl and a deadline counted from `now`. False: it is somebody else's. */
static bool move_deadline(table *t, fl_lease *l, int64_t now, int64_t ttl)
{
    uint32_t index = (uint32_t)l->priv[MY_RECORD];
    table_record *record = &t->map.record[index];
    int64_t before = l->ttl;
    set_end(l, now, ttl);
    uint64_t next = next_word(record, index, l);
    /* A status never shows more than the ttl; it may be read between any two of these. */
    if (ttl > before)
        atomic_store_explicit(&record->ttl, ttl, memory_order_relaxed);
    FL_STEP("refresh:filled");
    if (!swap_deadline(entry_of(t, l), l->priv[MY_WORD], next))
        return false;
    atomic_store_explicit(&record->ttl, ttl, memory_order_relaxed);
    l->priv[MY_WORD] = next;
    return true;
}

/* The clock has moved since the deadline was counted, or the path has to be compared again. */
static FL_NOINLINE fl_result confirm(table *t, fl_lease *l, int64_t now, fl_error *error)
{
    uint32_t record = (uint32_t)l->priv[MY_RECORD];
    fl_result result = now - t->checked < CHECK_EVERY ? FL_OK : table_check_path(t, error);
    if (result == FL_LOST)
        return FL_LOST; /* the record went with the old attachment */
    t->now = now;
    if (result == FL_OK) {
        l->since = now;
        atomic_store_explicit(&t->map.record[record].since, now, memory_order_relaxed);
        if (move_deadline(t, l, now, l->ttl)) {
            count(t, COUNT_ACQUIRED);
            return FL_OK;
        }
        result = FL_FREE;
    }
    put_back(t, entry_of(t, l), l->priv[MY_WORD], record, short_token(t, l));
    return result;
}

/* The word was an expired lease's. */
static FL_NOINLINE void passed_over(table *t, uint64_t w, uint32_t left)
{
    if (word_is_binding(w))
        return;
    handover_clear(t, record_of(&t->map, w), left);
    count(t, COUNT_EXPIRED);
}

FL_HOT fl_result take(table *t, fl_lease *l, const table_found *found, uint64_t w, uint64_t keep, int64_t now,
                      fl_error *error)
{
    uint32_t index = record_take(t);
    if (FL_UNLIKELY(index == 0))
        return fl_fail(error, 0, "filelock: table full: %s has no record left for another lease", t->path);
    table_record *record = &t->map.record[index];
    table_entry *entry = found->entry;
    table_bucket *bucket = bucket_of(&t->map, l->name.hash);
    uint64_t token = token_next(bucket, token_last(&t->map, bucket, w));
    l->token = t->map.first_token + token;
    l->since = now;
    set_end(l, now, l->ttl);
    fill_record(record, l, entry_index(&t->map, entry), token);
    uint64_t mine = next_word(record, index, l);
    uint32_t left = FL_UNLIKELY(word_record(w) != 0) ? handover_seen(t, w) : 0;
    FL_STEP("try:filled");
    if (FL_UNLIKELY(!swap_in(entry, w, mine | keep))) {
        record_give(t, index);
        return FL_FREE;
    }
    FL_STEP("try:taken");
    if (FL_UNLIKELY(word_record(w) != 0))
        passed_over(t, w, left);
    /* acquire: the swap above read what the last renamer wrote after it had emptied the old way. */
    if (FL_UNLIKELY(atomic_load_explicit(found->at, memory_order_acquire) != found->way)) {
        put_back(t, entry, mine, index, token);
        return FL_FREE;
    }
    l->priv[MY_WORD] = mine;
    l->priv[MY_ENTRY] = entry_index(&t->map, entry);
    l->priv[MY_RECORD] = index;
    int64_t after = os_now();
    if (FL_LIKELY(after == now && after - t->checked < CHECK_EVERY)) {
        count(t, COUNT_ACQUIRED);
        return FL_OK;
    }
    return confirm(t, l, after, error);
}

fl_result lease_take(table *t, fl_lease *l, const table_found *found, uint64_t w, uint64_t keep, int64_t now,
                     fl_error *error)
{
    fl_result result = take(t, l, found, w, keep, now, error);
    if ((w & WORD_WAIT) && !(keep & WORD_WAIT) && result != FL_LOST)
        crowd_restore_wait(t, found->entry);
    return result;
}

/* ---- the slow way */

/* The table was replaced under us: attach to what is there now, with its seed. */
static FL_NOINLINE fl_result attach_again(table *t, fl_lease *l, fl_error *error)
{
    fl_result result = table_attach(&t->base, error);
    l->name.hash = name_hash(&l->name, t->base.seed);
    return result;
}

static inline fl_result check_path_now_and_then(table *t, fl_lease *l, int64_t now, fl_error *error)
{
    if (!store_is_ready(&t->base)) /* a signal handler of a waiter forked, and this is the child */
        return attach_again(t, l, error);
    if (FL_LIKELY(now - t->checked < CHECK_EVERY))
        return FL_OK;
    fl_result result = table_check_path(t, error);
    return result == FL_LOST ? attach_again(t, l, error) : result;
}

/* The way becomes valid last; if it cannot, another entry has the name, and what was taken is given back. */
static fl_result take_bound(table *t, fl_lease *l, table_found *found, uint64_t w, int64_t now, fl_error *error)
{
    fl_result result = lease_take(t, l, found, w, 0, now, error);
    if (result != FL_OK)
        return result;
    bool valid = entry_make_valid(found, &l->name);
    if (os_now() - t->checked >= CHECK_EVERY) /* stopped since it was confirmed */
        result = table_check_path(t, error);
    if (result == FL_OK && valid) {
        if (lease_verify(&t->base, l) == FL_OK)
            return FL_OK;
        return store_is_ready(&t->base) ? FL_FREE : FL_LOST;
    }
    if (result != FL_LOST)
        lease_let_go(t, l);
    return result == FL_OK ? FL_FREE : result;
}

/* Who shares needs a free word: the entry comes into service, and the next look finds it. */
static fl_result share_bound(table *t, const fl_lease *l, table_found *found, uint64_t w)
{
    word_put_into_service(t, found->entry, w);
    entry_make_valid(found, &l->name);
    return FL_FREE;
}

/* A name without an entry: one is bound to it and taken out of the binder's hands. */
static fl_result take_new(table *t, fl_lease *l, int64_t now, fl_error *error)
{
    table_found found;
    uint32_t binder = record_take(t);
    if (binder == 0)
        return fl_fail(error, 0, "filelock: table full: %s has no record left for another name", t->path);
    fl_result result = entry_bind(t, &l->name, binder, &found, error);
    if (result == FL_OK) {
        uint64_t w = atomic_load_explicit(&found.entry->word, memory_order_relaxed);
        result = l->kind == FL_EXCLUSIVE ? take_bound(t, l, &found, w, now, error) : share_bound(t, l, &found, w);
        /* Not taken: back into service. Only I can change a word in binding, so nothing is in the way. */
        if (result != FL_OK && result != FL_LOST && word_record(w) == binder)
            word_set_free(t, found.entry, w);
    } else if (result == FL_BUSY)
        result = FL_FREE;
    if (result != FL_LOST)
        record_give(t, binder);
    return result;
}

/* What a look at the crowd means for the asker. */
fl_result lease_verdict(owner_state state)
{
    static const fl_result results[] = {
        [OWNER_ALIVE] = FL_BUSY,   [OWNER_SELF] = FL_SELF,     [OWNER_DEAD] = FL_OK,
        [OWNER_CHANGED] = FL_FREE, [OWNER_UNKNOWN] = FL_ERROR,
    };
    return results[state];
}

/* The word is free or expired: nobody shares it, and it is nobody else's turn? */
static fl_result take_in_turn(table *t, fl_lease *l, const table_found *found, uint64_t w, const table_asker *me,
                              int64_t now, fl_error *error)
{
    crowd_seen seen = {0};
    fl_result result = FL_OK;
    if (me->kind != FL_EXCLUSIVE)
        return share_take(t, l, me, found, w, now, error);
    if (w & WORD_FLAGS)
        result = lease_verdict(crowd_admits(t, found->entry, me, now, &seen, error));
    return result == FL_OK ? lease_take(t, l, found, w, seen.waiting ? WORD_WAIT : 0, now, error) : result;
}

static fl_result refuse_or_recover(table *t, table_entry *entry, uint64_t w, int64_t now, fl_error *error)
{
    owner_state state = word_examine(t, entry, w, now, error);
    return state == OWNER_DEAD ? FL_FREE : lease_verdict(state);
}

static fl_result evaluate_once(table *t, fl_lease *l, const table_asker *me, fl_error *error)
{
    table_found found;
    int64_t now = t->now = os_now();
    if (!entry_find(&t->map, &l->name, &found))
        return take_new(t, l, now, error);
    uint64_t w = atomic_load(&found.entry->word); /* seq_cst: a waiter has published before it reads (I4) */
    l->priv[MY_WORD] = w;
    l->priv[MY_ENTRY] = entry_index(&t->map, found.entry);
    if (word_is_binding(w)) {
        entry_abandon(t, &l->name, &found, w);
        return FL_FREE;
    }
    if (word_is_held(w, now))
        return refuse_or_recover(t, found.entry, w, now, error);
    return take_in_turn(t, l, &found, w, me, now, error);
}

fl_result lease_evaluate(table *t, fl_lease *l, const table_asker *me, fl_error *error)
{
    fl_result result;
    table_asker asker = *me;
    uint32_t epoch = t->base.epoch;
    int looks = 0;
    do {
        result = check_path_now_and_then(t, l, os_now(), error);
        if (t->base.epoch != epoch)
            asker.queued = false, asker.cell = 0; /* in the table before */
        if (result == FL_OK)
            result = evaluate_once(t, l, &asker, error);
        if (result == FL_LOST)
            result = attach_again(t, l, error) == FL_OK ? FL_FREE : FL_ERROR;
        if (result == FL_FREE && ++looks == LOOKS_MOST)
            return table_is_damaged(t, error);
    } while (result == FL_FREE);
    return result;
}

/* ---- the fast way */

static FL_NOINLINE fl_result try_slowly(table *t, fl_lease *l, fl_error *error)
{
    const table_asker newcomer = {.kind = l->kind, .permits = l->permits};
    return lease_evaluate(t, l, &newcomer, error);
}

fl_result lease_try_first(table *t, fl_lease *l, fl_error *error)
{
    table_found found;
    if (FL_UNLIKELY(!entry_find(&t->map, &l->name, &found)))
        return try_slowly(t, l, error);
    uint64_t w = atomic_load_explicit(&found.entry->word, memory_order_acquire);
    if (FL_LIKELY((w & ~WHEN_MASK) == 0 && l->kind == FL_EXCLUSIVE)) {
        fl_result result = take(t, l, &found, w, 0, t->now, error);
        if (FL_LIKELY(result == FL_OK))
            return FL_OK;
        if (result == FL_ERROR || (result == FL_LOST && attach_again(t, l, error) != FL_OK))
            return FL_ERROR;
        return try_slowly(t, l, error);
    }
    int64_t now = os_now();
    fl_result result = FL_FREE;
    if (FL_LIKELY(now - t->checked < CHECK_EVERY && word_is_held(w, now)))
        result = refuse_or_recover(t, found.entry, w, now, error);
    return result == FL_FREE ? try_slowly(t, l, error) : result;
}

fl_result lease_try(fl_store *store, fl_lease *l, fl_error *error)
{
    fl_result result = lease_try_first((table *)store, l, error);
    if (FL_UNLIKELY(result == FL_BUSY || result == FL_SELF))
        count((table *)store, COUNT_BUSY);
    return result;
}

/* Returns whether the word was mine until now. */
FL_HOT bool let_go(table *t, fl_lease *l)
{
    table_entry *entry = entry_of(t, l);
    FL_STEP("release:looked");
    uint64_t w = swap_out(entry, l->priv[MY_WORD], short_token(t, l));
    bool mine = (w & ~WORD_FLAGS) == l->priv[MY_WORD];
    record_give(t, (uint32_t)l->priv[MY_RECORD]);
    if (FL_UNLIKELY(mine && (w & WORD_WAIT))) {
        brisk_end(t, l);
        crowd_wake(t, entry);
    }
    return mine;
}

bool lease_let_go(table *t, fl_lease *l)
{
    return l->kind == FL_EXCLUSIVE ? let_go(t, l) : share_let_go(t, l);
}

static FL_NOINLINE fl_result lose(table *t, fl_lease *l)
{
    lease_let_go(t, l);
    count(t, COUNT_LOST);
    return FL_LOST;
}

/* A path that cannot be checked (chroot, setuid) leaves leases as they are; a table that is gone takes them with it. */
FL_HOT bool is_gone(table *t, int64_t now)
{
    fl_error ignored;
    return FL_UNLIKELY(now - t->checked >= CHECK_EVERY) && table_check_path(t, &ignored) == FL_LOST;
}

fl_result lease_release(fl_store *store, fl_lease *l, fl_error *error)
{
    (void)error;
    table *t = (table *)store;
    bool mine = FL_LIKELY(l->kind == FL_EXCLUSIVE) ? let_go(t, l) : share_let_go(t, l);
    int64_t now = t->now = os_now();
    if (FL_LIKELY(mine && now < l->deadline))
        return is_gone(t, now) ? FL_LOST : FL_OK;
    count(t, COUNT_LOST);
    return FL_LOST;
}

static bool still_mine(const table *t, const fl_lease *l, int64_t now)
{
    if (l->kind != FL_EXCLUSIVE)
        return share_is_mine(t, l) && now < l->deadline;
    uint64_t w = atomic_load_explicit(&entry_of(t, l)->word, memory_order_acquire);
    return (w & ~WORD_FLAGS) == l->priv[MY_WORD] && now < l->deadline;
}

fl_result lease_verify(fl_store *store, fl_lease *l)
{
    table *t = (table *)store;
    int64_t now = os_now();
    if (is_gone(t, now))
        return FL_LOST;
    return still_mine(t, l, now) ? FL_OK : lose(t, l);
}

fl_result lease_refresh(fl_store *store, fl_lease *l, int64_t ttl, fl_error *error)
{
    (void)error;
    table *t = (table *)store;
    if (lease_verify(store, l) != FL_OK)
        return FL_LOST;
    int64_t end = l->deadline, before = l->ttl, now = os_now();
    bool moved = l->kind == FL_EXCLUSIVE ? move_deadline(t, l, now, ttl) : share_move_deadline(t, l, now, ttl);
    if (moved && os_now() < end)
        return FL_OK;
    /* Somebody else's; or it expired before the swap, and whoever looked in between saw a free lock. It has no other end. */
    l->deadline = end;
    l->ttl = before;
    return lose(t, l);
}

/* ---- somebody else's */

static bool names_token(const table *t, uint64_t w, uint64_t token)
{
    uint32_t record = record_of(&t->map, w);
    return record != 0 && !word_is_binding(w) && !word_is_expired(w, os_now()) &&
           atomic_load(&t->map.record[record].token) == token;
}

/* FL_OK, FL_FREE (it is gone already), FL_BUSY (only the flags have changed: again). */
static fl_result break_once(table *t, table_entry *entry, uint64_t token)
{
    uint64_t w = atomic_load(&entry->word);
    uint32_t record = record_of(&t->map, w);
    if (record == 0 || word_is_expired(w, os_now()))
        return crowd_break(t, entry, token) ? FL_OK : FL_FREE;
    record_pin(t, record);
    fl_result result = FL_FREE;
    if (atomic_load(&entry->word) != w)
        result = FL_BUSY;
    else if (names_token(t, w, token)) {
        FL_STEP("break:seen");
        result = word_set_free(t, entry, w) ? FL_OK : FL_BUSY;
    }
    record_unpin(t, record);
    return result;
}

fl_result lease_break(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error)
{
    table *t = (table *)store;
    table_found found;
    fl_name key;
    fl_result result = table_view(t, error); /* where there is no table there is nothing to break, and none is made */
    if (result == FL_OK && !store_is_ready(store))
        result = table_attach(store, error);
    if (result == FL_OK)
        result = table_check_path(t, error);
    if (result != FL_OK)
        return result == FL_LOST ? FL_FREE : result;
    name_pack(&key, name, length, store->seed);
    if (!entry_find(&t->map, &key, &found))
        return FL_FREE;
    int looks = 0;
    do {
        result =
            looks++ >= LOOKS_MOST ? table_is_damaged(t, error) : break_once(t, found.entry, token - t->map.first_token);
    } while (result == FL_BUSY);
    if (result == FL_OK)
        count(t, COUNT_BROKEN);
    return result;
}
