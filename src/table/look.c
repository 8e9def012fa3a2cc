/*
 * Status and list: reads only, of a mapping that may be read-only.
 *
 * A snapshot holds if the word is the same before and after everything was read. On a lock that changes hands faster than it
 * can be read, that never happens; then a word that was seen free is a truthful answer, too.
 */
#include "table.h"

#include <math.h>
#include <unistd.h>

enum { PATIENCE = 10000 };

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* `time` is a deadline in units; it was rounded up. */
static double remaining(uint64_t time, int64_t ttl, int64_t now)
{
    int64_t unit = now >> UNIT_SHIFT, ahead = (int64_t)((time - (uint64_t)unit) & TIME_MASK);
    int64_t left = ((unit + ahead) << UNIT_SHIFT) - now;
    return seconds(left < ttl ? left : ttl);
}

static void describe_nobody(fl_status_t *status)
{
    status->mine = status->approximate = false;
    status->token = status->pid = status->uid = -1;
    status->host[0] = status->label[0] = '\0';
    status->since = status->remaining = NAN;
}

static bool describe_owner(const table *t, uint32_t record, fl_status_t *status)
{
    uint32_t owner = atomic_load_explicit(&t->map.own[record], memory_order_acquire);
    if (owner & OWN_LEFT)
        return true;
    status->mine = owner == t->me && owner != 0;
    if (owner == 0 || owner > t->map.geometry.slots)
        return false;
    slot_read(&t->map, owner - 1, status);
    return true;
}

/* `noend`: no deadline; else it is `time`, in units. */
static bool describe_holder(const table *t, uint32_t index, bool noend, uint64_t time, int64_t now, fl_status_t *status)
{
    const table_record *record = &t->map.record[index];
    uint64_t token = atomic_load_explicit(&record->token, memory_order_acquire);
    int64_t since = atomic_load_explicit(&record->since, memory_order_acquire);
    int64_t ttl = atomic_load_explicit(&record->ttl, memory_order_acquire);
    describe_nobody(status);
    status->token = (int64_t)(t->map.first_token + token);
    status->since = seconds(os_wall() - os_now()) + seconds(since);
    status->remaining = noend ? INFINITY : remaining(time, ttl, now);
    return describe_owner(t, index, status);
}

/* Everything between the two readings of the word was read with acquire, so that this one comes after it. */
static bool is_unchanged(const table_entry *entry, uint64_t w)
{
    return (atomic_load_explicit(&entry->word, memory_order_acquire) & ~WORD_FLAGS) == (w & ~WORD_FLAGS);
}

/* The word is free, or its owner dead: readers or permits may be there, and somebody who is about to take it. */
static seen_state look_at_crowd(table *t, const table_entry *entry, uint64_t w, fl_status_t *status, int *fd)
{
    crowd_view view = {0};
    if ((w & WORD_FLAGS) && !word_is_binding(w))
        crowd_look(t, entry, true, fd, &view);
    describe_nobody(status);
    status->holders = view.holders;
    status->waiters = view.waiters;
    if (view.holders == 0)
        return view.waiters > 0 ? SEEN_HELD : SEEN_FREE;
    status->shared = true;
    bool noend = word_time(view.pub) == 0;
    bool same = describe_holder(t, view.longest, noend, word_time(view.pub), os_now(), status) &&
                atomic_load(&t->map.pub[view.longest]) == view.pub;
    return same ? SEEN_HELD : SEEN_CHANGED;
}

seen_state look_at(table *t, uint32_t index, fl_status_t *status, int *fd, fl_error *error)
{
    const table_entry *entry = &t->map.entry[index];
    int64_t now = os_now();
    uint64_t w = atomic_load_explicit(&entry->word, memory_order_acquire);
    status->shared = false;
    status->name_length = entry_name(&t->map, entry, status->name);
    if (!word_is_held(w, now))
        return look_at_crowd(t, entry, w, status, fd);
    bool described = describe_holder(t, record_of(&t->map, w), (w & WORD_NOEND) != 0, word_time(w), now, status);
    FL_STEP("status:read");
    if (!described || !is_unchanged(entry, w))
        return SEEN_CHANGED;
    owner_state state = slot_peek(t, record_of(&t->map, w), fd, error);
    if (state == OWNER_UNKNOWN)
        return SEEN_ERROR;
    if (state == OWNER_CHANGED || (state == OWNER_DEAD && !is_unchanged(entry, w)))
        return SEEN_CHANGED;
    if (state == OWNER_DEAD)
        return look_at_crowd(t, entry, w, status, fd);
    crowd_view view = {0};
    if (w & WORD_WAIT)
        crowd_look(t, entry, false, fd, &view);
    status->holders = 1;
    status->waiters = view.waiters;
    return SEEN_HELD;
}

static seen_state look_for(table *t, const fl_name *key, fl_status_t *status, int *fd, fl_error *error)
{
    table_found found;
    if (!entry_find(&t->map, key, &found))
        return SEEN_FREE;
    seen_state what = look_at(t, entry_index(&t->map, found.entry), status, fd, error);
    /* The entry may have got another name meanwhile. */
    return atomic_load_explicit(found.at, memory_order_acquire) == found.way ? what : SEEN_CHANGED;
}

fl_result look_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error)
{
    table *t = (table *)store;
    fl_result result = table_view(t, error);
    if (result != FL_OK)
        return result;
    fl_name key;
    int fd = -1;
    seen_state what = SEEN_CHANGED;
    name_pack(&key, name, length, t->map.header->seed);
    for (int i = 0; what == SEEN_CHANGED && t->checked != 0 && i < PATIENCE; i++)
        what = look_for(t, &key, status, &fd, error);
    if (fd >= 0)
        close(fd);
    if (what == SEEN_CHANGED && t->checked == 0) /* the table is gone: what is there now? */
        return look_status(store, name, length, status, error);
    if (what == SEEN_CHANGED)
        return fl_fail(error, 0, "filelock: the lock changes hands faster than it can be looked at");
    return what == SEEN_ERROR ? FL_ERROR : what == SEEN_HELD ? FL_OK : FL_FREE;
}

static bool has_prefix(const fl_status_t *status, const char *prefix, size_t length)
{
    return status->name_length >= length && memcmp(status->name, prefix, length) == 0;
}

/* An entry that changes all the time is listed as it was last seen to be held, or not at all. */
static seen_state look_patiently(table *t, uint32_t index, fl_status_t *status, int *fd, fl_error *error)
{
    seen_state what = SEEN_CHANGED;
    for (int i = 0; what == SEEN_CHANGED && t->checked != 0 && i < PATIENCE; i++)
        what = look_at(t, index, status, fd, error);
    return what;
}

fl_result look_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                    fl_error *error)
{
    table *t = (table *)store;
    fl_result result = table_view(t, error);
    if (result != FL_OK)
        return result == FL_FREE ? FL_OK : result;
    int fd = -1;
    uint32_t fresh = atomic_load(&t->map.header->fresh_entries), epoch = store->epoch;
    uint32_t n = fresh < t->map.geometry.capacity ? fresh : t->map.geometry.capacity;
    for (uint32_t i = 0; i < n && result == FL_OK && epoch == store->epoch; i++) {
        fl_status_t status;
        uint64_t w = atomic_load(&t->map.entry[i].word);
        bool maybe = word_is_held(w, os_now()) || (w & WORD_SHARE);
        seen_state what = maybe ? look_patiently(t, i, &status, &fd, error) : SEEN_FREE;
        if (what == SEEN_ERROR)
            result = FL_ERROR;
        else if (what == SEEN_HELD && status.holders > 0 && has_prefix(&status, prefix, length) &&
                 each(context, &status) != 0)
            break;
    }
    if (fd >= 0)
        close(fd);
    return result;
}
