/*
 * From a name to its entry, and new names.
 *
 * An entry changes its name only in state TIME_BINDING: it was free, and one process owns its word without an end, as long as
 * it lives. Whoever meets a way that leads to such an entry removes the way and goes on without it, so that a process that is
 * stopped in here takes one entry out of service and keeps nobody waiting.
 *
 * Two who bind one name at the same time both publish a TENTATIVE way, fence, and look for the other: at least one sees the
 * other's. A VALID twin wins, a TENTATIVE one is emptied, and who finds its own emptied starts again.
 */
#include "table.h"

#include <unistd.h>

/* ---- names in entries */

static _Atomic uint64_t *name_word(const table_map *map, uint32_t index, size_t i)
{
    return i < HEAD_WORDS ? &map->entry[index].head[i] : &map->rest[index].word[i - HEAD_WORDS];
}

static void write_name(table *t, table_entry *entry, const fl_name *name)
{
    uint32_t index = entry_index(&t->map, entry), bucket = (uint32_t)name->hash & (t->map.geometry.buckets - 1);
    for (size_t i = 0, n = name_words(name->length); i < n; i++)
        atomic_store_explicit(name_word(&t->map, index, i), name->words[i], memory_order_relaxed);
    atomic_store_explicit(&entry->home, home_make(bucket, name->length), memory_order_release);
}

size_t entry_name(const table_map *map, const table_entry *entry, char *bytes)
{
    fl_name name;
    name.length = home_length(atomic_load_explicit(&entry->home, memory_order_relaxed));
    for (size_t i = 0, n = name_words(name.length); i < n; i++)
        name.words[i] = atomic_load_explicit(name_word(map, entry_index(map, entry), i), memory_order_relaxed);
    return name_unpack(&name, bytes);
}

/* ---- ways */

static uint64_t emptied(uint64_t way)
{
    return way_make(WAY_EMPTY, 0, 0, way + 1);
}

bool entry_unlink(const table_found *found)
{
    uint64_t way = found->way;
    bool done = atomic_compare_exchange_strong(found->at, &way, emptied(way));
    FL_STEP("unlink:emptied");
    return done;
}

void token_raise(table_bucket *bucket, uint64_t token)
{
    uint64_t have = atomic_load_explicit(&bucket->token, memory_order_relaxed);
    while (have < token && !atomic_compare_exchange_weak(&bucket->token, &have, token))
        ;
}

/*
 * The renamer may be stopped before it raised the counter, so that has to be done for it; its record still has the name's last
 * token as long as the way is as before, since the renamer empties the way first. The unlink cannot come too late: an entry
 * leaves TIME_BINDING only after its ways have been emptied (by the renamer, or by who recovers a dead one), and a way's value
 * never repeats.
 */
void entry_abandon(table *t, const fl_name *name, const table_found *found, uint64_t w)
{
    uint64_t token = atomic_load_explicit(&t->map.record[record_of(&t->map, w)].token, memory_order_acquire);
    if (atomic_load(&found->entry->word) != w || atomic_load(found->at) != found->way)
        return;
    token_raise(bucket_of(&t->map, name->hash), token);
    FL_STEP("abandon:seen");
    entry_unlink(found);
}

/* ---- entries out of service */

/* May the word be taken for binding? Recovers it from a dead owner. CHANGED: look again. DEAD: yes. */
static owner_state is_claimable(table *t, table_entry *entry, uint64_t w, int64_t now, fl_error *error)
{
    crowd_seen seen;
    const table_asker binder = {.kind = FL_EXCLUSIVE};
    if (word_record(w) != 0 && !word_is_expired(w, now))
        return word_examine(t, entry, w, now, error);
    return (w & WORD_FLAGS) ? crowd_admits(t, entry, &binder, now, &seen, error) : OWNER_DEAD;
}

static table_bucket *home_of(table *t, table_entry *entry)
{
    uint32_t home = atomic_load_explicit(&entry->home, memory_order_relaxed);
    return home != 0 && home_bucket(home) < t->map.geometry.buckets ? &t->map.bucket[home_bucket(home)] : NULL;
}

/* The binder's record carries the name's last token on, as any lease's does. */
static bool swap_to_binding(table *t, table_entry *entry, uint64_t w, uint32_t binder)
{
    table_record *record = &t->map.record[binder];
    table_bucket *home = home_of(t, entry);
    uint32_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->sequence, sequence, memory_order_relaxed);
    atomic_store_explicit(&record->entry, entry_index(&t->map, entry), memory_order_relaxed);
    atomic_store_explicit(&record->token, home != NULL ? token_last(&t->map, home, w) : 0, memory_order_relaxed);
    uint64_t binding = word_owned(binder, TIME_BINDING, sequence) | WORD_NOEND;
    return atomic_compare_exchange_strong_explicit(&entry->word, &w, binding, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

/* The counter first, then the way: no way may lead to an entry that gets another name (I3), nor the name lose its token. */
static void retire_name(table *t, table_entry *entry, uint32_t binder)
{
    uint32_t index = entry_index(&t->map, entry);
    table_bucket *home = home_of(t, entry);
    if (home == NULL)
        return;
    token_raise(home, atomic_load_explicit(&t->map.record[binder].token, memory_order_relaxed));
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t way = atomic_load_explicit(&home->way[i], memory_order_acquire);
        if (way_state(way) != WAY_EMPTY && way_entry(way) == index)
            entry_unlink(&(table_found){entry, &home->way[i], way});
    }
    atomic_store_explicit(&entry->home, 0, memory_order_release);
}

/*
 * The owner of w, a word in binding, is dead (or is myself, and gives up): what it left undone, so that the entry can come back
 * into service. Several may do this at once, and one of them late: whatever is read while the word still is w belongs to w, and
 * a way's value never repeats.
 */
void entry_clean(table *t, table_entry *entry, uint64_t w)
{
    table_bucket *home = home_of(t, entry);
    uint64_t token = atomic_load(&t->map.record[record_of(&t->map, w)].token);
    if (home == NULL || atomic_load(&entry->word) != w)
        return;
    token_raise(home, token);
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t way = atomic_load(&home->way[i]);
        if (way_state(way) == WAY_EMPTY || way_entry(way) != entry_index(&t->map, entry))
            continue;
        FL_STEP("clean:seen");
        if (atomic_load(&entry->word) != w)
            return;
        entry_unlink(&(table_found){entry, &home->way[i], way});
    }
}

static bool claim(table *t, table_entry *entry, uint32_t binder, int64_t now)
{
    if (entry_index(&t->map, entry) >= t->map.geometry.capacity)
        return false;
    enum { LOOKS = 4 }; /* one after a recovery; more only while others are at it, too */
    fl_error ignored;   /* an owner that cannot be asked is taken for alive */
    owner_state state = OWNER_CHANGED;
    uint64_t w = 0;
    for (int i = 0; i < LOOKS && state == OWNER_CHANGED; i++) {
        w = atomic_load_explicit(&entry->word, memory_order_acquire);
        state = is_claimable(t, entry, w, now, &ignored);
    }
    if (state != OWNER_DEAD)
        return false;
    uint32_t left = word_record(w) != 0 ? handover_seen(t, w) : 0;
    if (!swap_to_binding(t, entry, w, binder))
        return false;
    FL_STEP("bind:claimed");
    handover_clear(t, record_of(&t->map, w), left);
    retire_name(t, entry, binder);
    FL_STEP("bind:unlinked");
    return true;
}

/* Back into service without a name. */
static void unclaim(table *t, table_entry *entry)
{
    word_set_free(t, entry, atomic_load_explicit(&entry->word, memory_order_relaxed));
}

static table_entry *claim_fresh(table *t, uint32_t binder, int64_t now)
{
    _Atomic uint32_t *fresh = &t->map.header->fresh_entries;
    while (atomic_load_explicit(fresh, memory_order_relaxed) < t->map.geometry.capacity) {
        uint32_t i = atomic_fetch_add(fresh, 1);
        if (i < t->map.geometry.capacity && claim(t, &t->map.entry[i], binder, now))
            return &t->map.entry[i];
    }
    return NULL;
}

/* Round the clock: the first entry that nobody holds or waits for loses its name. */
static table_entry *claim_any(table *t, uint32_t binder, int64_t now)
{
    table_entry *entry = claim_fresh(t, binder, now);
    for (uint32_t i = 0; entry == NULL && i < 2 * t->map.geometry.capacity; i++) {
        uint32_t at = atomic_fetch_add(&t->map.header->clock_hand, 1) % t->map.geometry.capacity;
        if (claim(t, &t->map.entry[at], binder, now))
            entry = &t->map.entry[at];
    }
    return entry;
}

/* ---- a place in the bucket */

static bool place_tentative(table_map *map, const fl_name *name, table_found *found)
{
    table_bucket *bucket = bucket_of(map, name->hash);
    for (size_t i = 0; i < WAYS; i++) {
        uint64_t way = atomic_load_explicit(&bucket->way[i], memory_order_relaxed);
        if (way_state(way) != WAY_EMPTY)
            continue;
        uint64_t next = way_make(WAY_TENTATIVE, name->hash, entry_index(map, found->entry), way + 1);
        /* seq_cst: the other's scan or mine sees both (see the top of this file). */
        if (!atomic_compare_exchange_strong(&bucket->way[i], &way, next))
            continue;
        found->at = &bucket->way[i];
        found->way = next;
        FL_STEP("bind:tentative");
        return true;
    }
    return false;
}

/* All seven ways are taken: one whose entry is out of use makes room. */
static bool make_way(table *t, const fl_name *name, int64_t now)
{
    table_bucket *bucket = bucket_of(&t->map, name->hash);
    uint32_t binder = record_take(t);
    bool made = false;
    for (size_t i = 0; i < WAYS && !made && binder != 0; i++) {
        uint64_t way = atomic_load_explicit(&bucket->way[i], memory_order_acquire);
        if (way_state(way) == WAY_EMPTY)
            made = true;
        else if (claim(t, &t->map.entry[way_entry(way)], binder, now)) {
            entry_unlink(&(table_found){NULL, &bucket->way[i], way});
            unclaim(t, &t->map.entry[way_entry(way)]);
            made = true;
        }
    }
    if (binder != 0)
        record_give(t, binder);
    return made;
}

/* True: a valid twin was found and is in *twin. Tentative twins are emptied. */
static bool meet_twins(const table_map *map, const fl_name *name, const table_found *mine, table_found *twin)
{
    table_bucket *bucket = bucket_of(map, name->hash);
    for (size_t i = 0; i < WAYS;) {
        _Atomic uint64_t *at = &bucket->way[i];
        uint64_t way = atomic_load(at);
        bool same = at != mine->at &&
                    (way_matches(way, WAY_VALID, name->hash) || way_matches(way, WAY_TENTATIVE, name->hash)) &&
                    entry_has_name(map, way_entry(way), name);
        *twin = (table_found){&map->entry[way_entry(way)], at, way};
        if (same && way_state(way) == WAY_VALID)
            return true;
        /* It may have become valid under my hands: look at it again. */
        i += !same || atomic_compare_exchange_strong(at, &way, emptied(way));
    }
    return false;
}

/* The last step: the word is in service. False: somebody has emptied the way, another entry has the name. */
bool entry_make_valid(table_found *found, const fl_name *name)
{
    uint64_t way = found->way, next = way_make(WAY_VALID, name->hash, way_entry(way), way + 1);
    if (!atomic_compare_exchange_strong(found->at, &way, next))
        return false;
    found->way = next;
    FL_STEP("bind:valid");
    return true;
}

static fl_result is_full(const table *t, fl_error *error)
{
    fl_fail(error, 0, "filelock: table full: %s has room for %u names, and all are held or waited for", t->path,
            t->map.geometry.capacity);
    fl_advise(error, "remove it while nobody uses it and ask for more, as in table:%s?capacity=%u", t->directory,
              t->map.geometry.capacity * 2 > CAPACITY_MOST ? CAPACITY_MOST : t->map.geometry.capacity * 2);
    return FL_ERROR;
}

fl_result entry_bind(table *t, const fl_name *name, uint32_t binder, table_found *found, fl_error *error)
{
    int64_t now = os_now();
    table_found twin;
    found->entry = claim_any(t, binder, now);
    if (found->entry == NULL)
        return is_full(t, error);
    /* acquire: whoever emptied a way of this name raised the counter before; a way that is still there is a twin. */
    uint64_t last = atomic_load(&bucket_of(&t->map, name->hash)->token);
    atomic_store_explicit(&t->map.record[binder].token, last, memory_order_release);
    write_name(t, found->entry, name);
    FL_STEP("bind:named");
    while (!place_tentative(&t->map, name, found)) {
        if (make_way(t, name, now))
            continue;
        unclaim(t, found->entry);
        return is_full(t, error);
    }
    if (!meet_twins(&t->map, name, found, &twin))
        return FL_OK;
    entry_unlink(found);
    unclaim(t, found->entry);
    return FL_BUSY;
}
