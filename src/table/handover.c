/*
 * Handing over: a lease that outlives its owner's orderly end, and the key with which somebody takes it over.
 *
 *   own[r] = me      the owner lives; when it is killed, the lease is free
 *          | LEFT    the owner went in order: the lease stays until its deadline
 *
 * A key names table, record and entry, and proves itself by the token and a secret of 128 random bits in the record. Taking over
 * is one swap of the word from that record to one of mine: of two who have the key one wins, and the old owner has lost.
 * Nobody owns a left record: whoever swaps it out of the word gives it back (handover_clear()).
 */
#include "table.h"

#include <errno.h>
#include <stdio.h>

typedef struct {
    uint64_t nonce, token, secret[2];
    uint32_t record, entry;
} key_parts;

/* ---- left records */

/* Each leaving has a value of its own, so that nobody clears another's (the record may have been claimed and left anew). */
static uint32_t left_value(const table *t, uint32_t record)
{
    uint32_t sequence = atomic_load_explicit(&t->map.record[record].sequence, memory_order_relaxed);
    return t->me | OWN_LEFT | (sequence & OWN_SEQUENCE) << OWN_SEQUENCE_SHIFT;
}

uint32_t handover_seen(const table *t, uint64_t w)
{
    uint32_t own = atomic_load(&t->map.own[record_of(&t->map, w)]);
    return (own & OWN_LEFT) ? own : 0;
}

void handover_clear(table *t, uint32_t record, uint32_t left)
{
    FL_STEP("handover:clear");
    if (left != 0)
        atomic_compare_exchange_strong(&t->map.own[record], &left, 0);
}

void handover_sweep(table *t)
{
    const table_geometry *g = &t->map.geometry;
    for (uint32_t r = g->cells + 1; r < g->records; r++) {
        uint32_t left = atomic_load(&t->map.own[r]);
        if (!(left & OWN_LEFT))
            continue;
        uint32_t entry = atomic_load(&t->map.record[r].entry);
        /* Once the word does not name it, no word ever will: nobody owns it (I1). */
        if (entry >= g->capacity || word_record(atomic_load(&t->map.entry[entry].word)) != r)
            handover_clear(t, r, left);
    }
}

fl_result handover_leave(fl_store *store, fl_lease *l, fl_error *error)
{
    (void)error;
    table *t = (table *)store;
    fl_result result = lease_verify(store, l);
    if (result != FL_OK)
        return result;
    uint32_t record = (uint32_t)l->priv[MY_RECORD], left = left_value(t, record);
    atomic_store(&t->map.own[record], left);
    t->owned--;
    FL_STEP("leave:left");
    /* Taken over or broken between the look and this: then nobody else gives the record back. */
    uint64_t w = atomic_load(&t->map.entry[l->priv[MY_ENTRY]].word);
    if (word_record(w) != record)
        handover_clear(t, record, left);
    return FL_OK;
}

/* ---- keys */

static fl_result make_secret(table_record *record, fl_error *error)
{
    uint64_t secret[2];
    if (atomic_load(&record->secret[0]) != 0)
        return FL_OK;
    do {
        if (!os_random(secret, sizeof secret))
            return fl_fail(error, errno, "filelock: no random bytes for a key");
    } while (secret[0] == 0);
    atomic_store(&record->secret[1], secret[1]);
    atomic_store(&record->secret[0], secret[0]);
    return FL_OK;
}

fl_result handover_get_key(fl_store *store, fl_lease *l, char key[FL_KEY_SIZE], fl_error *error)
{
    table *t = (table *)store;
    if (lease_verify(store, l) != FL_OK)
        return FL_LOST;
    uint32_t index = (uint32_t)l->priv[MY_RECORD];
    table_record *record = &t->map.record[index];
    if (make_secret(record, error) != FL_OK)
        return FL_ERROR;
    snprintf(key, FL_KEY_SIZE, "t1-%016llx-%05x%05x%016llx%016llx%016llx", (unsigned long long)t->map.header->nonce[0],
             (unsigned)index, (unsigned)l->priv[MY_ENTRY], (unsigned long long)(l->token - t->map.first_token),
             (unsigned long long)atomic_load(&record->secret[0]), (unsigned long long)atomic_load(&record->secret[1]));
    return FL_OK;
}

/* Exactly what handover_get_key() writes, nothing that merely reads like it. */
static bool parse_hex(const char **at, size_t digits, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < digits; i++, (*at)++) {
        char c = **at;
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        *number = *number << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static bool parse_key(const char *key, size_t length, key_parts *k)
{
    uint64_t record, entry;
    if (length != 3 + 16 + 1 + 10 + 48 || memcmp(key, "t1-", 3) != 0 || key[19] != '-')
        return false;
    const char *at = key + 3;
    if (!parse_hex(&at, 16, &k->nonce))
        return false;
    at++;
    if (!parse_hex(&at, 5, &record) || !parse_hex(&at, 5, &entry) || !parse_hex(&at, 16, &k->token) ||
        !parse_hex(&at, 16, &k->secret[0]) || !parse_hex(&at, 16, &k->secret[1]))
        return false;
    k->record = (uint32_t)record;
    k->entry = (uint32_t)entry;
    return true;
}

/* In a time that does not tell how much of it was right. */
static bool is_proven(const table_record *record, const key_parts *k)
{
    uint64_t secret[2] = {atomic_load(&record->secret[0]), atomic_load(&record->secret[1])};
    uint64_t wrong = (secret[0] ^ k->secret[0]) | (secret[1] ^ k->secret[1]) | (atomic_load(&record->token) ^ k->token);
    return secret[0] != 0 && wrong == 0;
}

/* ---- taking over */

static bool fits(const table *t, const key_parts *k)
{
    const table_geometry *g = &t->map.geometry;
    return k->nonce == t->map.header->nonce[0] && k->record > g->cells && k->record < g->records &&
           k->entry < g->capacity;
}

/* My record says what the old one said: the lease goes on. */
static void copy_record(table_record *to, const table_record *from)
{
    atomic_store_explicit(&to->entry, atomic_load(&from->entry), memory_order_relaxed);
    atomic_store_explicit(&to->token, atomic_load(&from->token), memory_order_relaxed);
    atomic_store_explicit(&to->since, atomic_load(&from->since), memory_order_relaxed);
    atomic_store_explicit(&to->ttl, atomic_load(&from->ttl), memory_order_relaxed);
    atomic_store_explicit(&to->secret[0], 0, memory_order_relaxed);
}

static void fill_lease(table *t, fl_lease *l, const key_parts *k, uint64_t word, uint32_t record, int64_t now)
{
    const table_record *r = &t->map.record[record];
    char name[FL_NAME_MAX + 1];
    table_entry *entry = &t->map.entry[k->entry];
    size_t length = entry_name(&t->map, entry, name);
    name_pack(&l->name, name, length, t->base.seed);
    int64_t unit = now >> UNIT_SHIFT, ahead = (int64_t)((word_time(word) - (uint64_t)unit) & TIME_MASK);
    l->store = &t->base;
    l->kind = FL_EXCLUSIVE;
    l->ttl = atomic_load(&r->ttl);
    l->since = atomic_load(&r->since);
    l->deadline = (unit + ahead) << UNIT_SHIFT;
    l->token = t->map.first_token + atomic_load(&r->token);
    l->priv[MY_WORD] = word;
    l->priv[MY_ENTRY] = entry_index(&t->map, entry);
    l->priv[MY_RECORD] = record;
}

/* FL_OK, FL_FREE (not to be had), FL_BUSY (the word has changed, look again), FL_ERROR. */
static fl_result take_over(table *t, fl_lease *l, const key_parts *k, uint32_t mine, fl_error *error)
{
    table_entry *entry = &t->map.entry[k->entry];
    table_record *record = &t->map.record[mine];
    int64_t now = os_now();
    uint64_t w = atomic_load(&entry->word);
    if (word_record(w) != k->record || !word_is_held(w, now) || (w & WORD_NOEND) ||
        !is_proven(&t->map.record[k->record], k))
        return FL_FREE;
    owner_state state = word_examine(t, entry, w, now, error);
    if (state == OWNER_CHANGED || state == OWNER_UNKNOWN)
        return state == OWNER_CHANGED ? FL_BUSY : FL_ERROR;
    copy_record(record, &t->map.record[k->record]);
    uint32_t sequence = atomic_load_explicit(&record->sequence, memory_order_relaxed) + 1;
    atomic_store_explicit(&record->sequence, sequence, memory_order_relaxed);
    uint64_t next = word_owned(mine, word_time(w), sequence);
    uint32_t left = handover_seen(t, w);
    FL_STEP("restore:filled");
    if (!atomic_compare_exchange_strong(&entry->word, &w, next | (w & WORD_FLAGS)))
        return FL_BUSY;
    FL_STEP("restore:swapped");
    handover_clear(t, k->record, left);
    fill_lease(t, l, k, next, mine, now);
    return FL_OK;
}

fl_result handover_restore(fl_store *store, fl_lease *l, const char *key, size_t length, fl_error *error)
{
    table *t = (table *)store;
    key_parts k;
    fl_result result = table_check_path(t, error);
    if (result != FL_OK || !parse_key(key, length, &k) || !fits(t, &k))
        return result == FL_ERROR ? FL_ERROR : FL_FREE;
    uint32_t mine = record_take(t);
    if (mine == 0)
        return fl_fail(error, 0, "filelock: table full: %s has no record left for another lease", t->path);
    record_pin(t, k.record);
    int looks = 0;
    do {
        result = looks++ < LOOKS_MOST ? take_over(t, l, &k, mine, error) : table_is_damaged(t, error);
    } while (result == FL_BUSY);
    record_unpin(t, k.record);
    if (result != FL_OK) {
        record_give(t, mine);
        return result;
    }
    /* Judged by the time at which it is done, and by the path, as every grant is. */
    if (lease_verify(store, l) != FL_OK)
        return FL_FREE;
    count(t, COUNT_ACQUIRED);
    return FL_OK;
}
