/* What the files of the table store share: the store object, its mapping, and the verbs of each file. */
#ifndef FILELOCK_TABLE_H
#define FILELOCK_TABLE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "../os.h"
#include "../store.h"
#include "layout.h"

#define CHECK_EVERY \
    (10 * INT64_C(1000000)) /* ns: a grant counts only if path and mapping were compared no longer ago, */
#define QUARANTINE (30 * INT64_C(1000000)) /* so that a new table, which grants nothing for so long, never overlaps */

enum { SPARE_RECORDS = 8, ALIVE_CACHE = 16 };

/* A mapped table file. base NULL: none. */
typedef struct {
    unsigned char *base;
    table_geometry geometry;
    dev_t device;
    ino_t inode;
    bool exclusive; /* nobody but this user (and root) may write the file */
    uint64_t first_token;
    table_header *header;
    table_slot *slot;
    _Atomic uint32_t *own;
    _Atomic uint16_t *pin;
    _Atomic uint64_t *pub;
    table_record *record;
    table_bucket *bucket;
    table_entry *entry;
    table_rest *rest;
} table_map;

/*
 * States: no map -> viewing (read-only map, no slot) -> attached (base.here set, own slot).
 * A forked child finds base.here wiped: the map is not there any more and must not be unmapped.
 */
typedef struct {
    fl_store base;
    table_map map;
    int64_t checked;   /* os_now() before the last comparison of path and mapping */
    int64_t now;       /* os_now() as it was read last: usually still the same */
    dev_t root_device; /* "/" when the path was opened */
    ino_t root_inode;
    uint32_t me;     /* my slot + 1, as in own[] */
    uint32_t owned;  /* records that are mine */
    uint32_t spares; /* records that are mine and unused */
    uint32_t spare[SPARE_RECORDS];
    struct {
        uint32_t slot;
        int64_t now;
    } alive[ALIVE_CACHE]; /* slots known to be alive at a time of the coarse clock */
    bool no_wait_any;     /* the kernel has no futex_waitv() */
    struct {
        uint64_t word; /* the last lease that I took out of a queue, */
        int64_t since; /* when (precise), */
        bool brisk;    /* and whether I gave it back soon */
        uint32_t entry;
    } turn;             /* brisk.c */
    int death_offset;   /* where in my slot's `death` the word is, + 1; 0 = none. Never read back from the table */
    int kept;           /* descriptor that keeps my byte lock where the mapping does not; -1 = none */
    bool own_directory; /* the per-user default: made and verified by us */
    unsigned mode;
    uint32_t capacity;
    size_t label_length;
    char label[FL_LABEL_MAX + 1];
    char directory[FL_DSN_PATH_MAX];
    char path[FL_DSN_PATH_MAX + sizeof LAYOUT_FILE];
} table;

/* map.c: the file as it should be */
/*
 * Opens and checks the table's file, maps it. *fd (if not NULL) is left open for the caller. FL_OK, FL_FREE (there is none),
 * FL_LOST (it is of an earlier boot), FL_ERROR.
 */
fl_result map_open(table *t, bool writable, table_map *map, int *fd, fl_error *error);
void map_close(table_map *map);
/* Opens the directory, checks that it is fit. FL_OK, FL_FREE (there is none), FL_ERROR. */
fl_result directory_open(const table *t, int *fd, fl_error *error);
fl_result directory_make(const table *t, fl_error *error);
uint64_t header_checksum(const table_header *header);
/* What the header of a table made here and now would say: boot and time namespace. */
fl_result header_identify(table_header *header, bool in_memory, const char *path, fl_error *error);

/* create.c */
/* Makes the file if there is none, or replaces that of an earlier boot. FL_OK: there is one now, not necessarily ours. */
fl_result table_create(table *t, fl_error *error);

/* attach.c: getting in and out, and noticing that the file was deleted or replaced */
fl_result table_attach(fl_store *store, fl_error *error);
void table_detach(table *t);
/* Makes t->map readable. FL_OK, FL_FREE (no such table), FL_ERROR. */
fl_result table_view(table *t, fl_error *error);
/* Compares path and mapping. FL_OK, FL_LOST (gone; detached now), FL_ERROR (cannot be known; still attached). */
fl_result table_check_path(table *t, fl_error *error);

/* slot.c: who is attached, and who of them is dead */
typedef enum { OWNER_ALIVE, OWNER_SELF, OWNER_DEAD, OWNER_CHANGED, OWNER_UNKNOWN } owner_state;
fl_result slot_register(table *t, int fd, fl_error *error);
/* Gives up all that my slot owns and the slot itself. */
bool slot_leave(table *t); /* false: the mapping has to stay (os_death_disarm) */
void slot_write_label(table *t);
/* The word that changes when the owner of `record` dies; NULL: there is none. See os_death_watch(). */
_Atomic uint32_t *slot_death_word(const table_map *map, uint32_t record);
/* The kernel says that the owner of `record` is dying: do not take it for alive on the strength of what was known before. */
void slot_forget(table *t, uint32_t record);
/* A copy of what slot `slot` says of itself. */
void slot_read(const table_map *map, uint32_t slot, fl_status_t *status);
/*
 * Who owns `record`? OWNER_DEAD: *fd is a descriptor that holds a read lock on the dead one's byte: as long as it is open
 * nothing that the dead one owned changes hands (I2); close it. OWNER_CHANGED: nobody owns it, look again.
 * OWNER_UNKNOWN: error is filled.
 */
owner_state slot_examine(table *t, uint32_t record, int64_t now, int *fd, fl_error *error);
/*
 * The same without locking or writing anything, for status. *fd is -1 before the first of several calls; close it after the
 * last, if it is not -1. OWNER_DEAD is certain only if what led to the record is still there afterwards.
 */
owner_state slot_peek(table *t, uint32_t record, int *fd, fl_error *error);
/* The table's file once more, the same inode, or -1 (errno; ESTALE: it is another file now). */
int table_open_again(const table *t);

/*
 * WHAT IS READ FROM THE TABLE IS NOT TRUSTED AS AN INDEX. Somebody who may write it can deceive those who share it, but cannot make
 * them read or write elsewhere in their memory, nor loop for ever: record 0 and owner 0 stand for nonsense, and whoever looks
 * again and again gives up after LOOKS_MOST.
 */
enum { LOOKS_MOST = 5000 };
fl_result table_is_damaged(const table *t, fl_error *error);

/* The record that a word names, as an index. */
static inline uint32_t record_of(const table_map *map, uint64_t w)
{
    return FL_LIKELY(word_record(w) < map->geometry.records) ? word_record(w) : 0;
}

/* record.c */
/* One of first..last, looking from `start` on; 0 = none is free. */
uint32_t record_claim(table *t, uint32_t first, uint32_t last, uint32_t start);
uint32_t record_claim_another(table *t);
uint32_t record_take_cell(table *t); /* one to publish; 0 = none */
void record_disown(table *t, uint32_t record);
fl_result record_no_cell(const table *t, fl_error *error);

/* One to hold a lease with; 0 = none. */
FL_HOT uint32_t record_take(table *t)
{
    return FL_LIKELY(t->spares > 0) ? t->spare[--t->spares] : record_claim_another(t);
}

/* seq_cst, after the word or cell has been swapped: either I see the pin, or who pins sees the swap (I1). */
FL_HOT void record_give(table *t, uint32_t record)
{
    if (FL_LIKELY(t->spares < SPARE_RECORDS && atomic_load(&t->map.pin[record]) == 0))
        t->spare[t->spares++] = record;
    else
        record_disown(t, record);
}

/* A process that is killed in between takes one record out of service for ever. */
static inline void record_pin(table *t, uint32_t record)
{
    atomic_fetch_add(&t->map.pin[record], 1);
    FL_STEP("record:pinned");
}

static inline void record_unpin(table *t, uint32_t record)
{
    atomic_fetch_sub(&t->map.pin[record], 1);
}

/* entry.c: from a name to its entry, and new names */
typedef struct {
    table_entry *entry;
    _Atomic uint64_t *at; /* the way that led here */
    uint64_t way;         /* its value then */
} table_found;
/* Empties the way that was found. False: it had changed. */
bool entry_unlink(const table_found *found);
/* The entry found for `name` is out of service (`w`: in binding): the name has to find another one. */
void entry_abandon(table *t, const fl_name *name, const table_found *found, uint64_t w);
/*
 * Gives the name an entry, in state TIME_BINDING by `binder`, found by a TENTATIVE way. The caller puts the word into service, by
 * taking or freeing it, and only then makes the way valid: so a VALID way leads to a word in binding only while the entry is
 * about to lose the name. FL_OK, FL_BUSY (somebody else did it), FL_ERROR (full).
 */
fl_result entry_bind(table *t, const fl_name *name, uint32_t binder, table_found *found, fl_error *error);
bool entry_make_valid(table_found *found, const fl_name *name);
/* Before a word in binding, whose owner is dead or gives up, becomes free. */
void entry_clean(table *t, table_entry *entry, uint64_t w);
size_t entry_name(const table_map *map, const table_entry *entry, char *name);

FL_HOT bool entry_has_name(const table_map *map, uint32_t index, const fl_name *name)
{
    const table_entry *entry = &map->entry[index];
    size_t n = name_words(name->length), head = n < HEAD_WORDS ? n : HEAD_WORDS;
    if (FL_UNLIKELY(index >= map->geometry.capacity))
        return false;
    if (home_length(atomic_load_explicit(&entry->home, memory_order_relaxed)) != name->length)
        return false;
    for (size_t i = 0; i < head; i++)
        if (atomic_load_explicit(&entry->head[i], memory_order_relaxed) != name->words[i])
            return false;
    for (size_t i = HEAD_WORDS; i < n; i++)
        if (atomic_load_explicit(&map->rest[index].word[i - HEAD_WORDS], memory_order_relaxed) != name->words[i])
            return false;
    return true;
}

static inline uint32_t entry_index(const table_map *map, const table_entry *entry)
{
    return (uint32_t)(entry - map->entry);
}

static inline table_bucket *bucket_of(const table_map *map, uint64_t hash)
{
    return &map->bucket[hash & (map->geometry.buckets - 1)];
}

/* Inline: this is half of what a lock costs. */
FL_HOT bool entry_find(const table_map *map, const fl_name *name, table_found *found)
{
    table_bucket *bucket = bucket_of(map, name->hash);
    for (size_t i = 0; i < WAYS; i++) {
        /* acquire: pairs with the swap that published the way after the name was written (I3). */
        uint64_t way = atomic_load_explicit(&bucket->way[i], memory_order_acquire);
        if (!way_matches(way, WAY_VALID, name->hash) || !entry_has_name(map, way_entry(way), name))
            continue;
        *found = (table_found){&map->entry[way_entry(way)], &bucket->way[i], way};
        return true;
    }
    return false;
}

/* The token of the last lease of a word that was read as `w`; true only if a later swap finds w unchanged (I5). */
FL_HOT uint64_t token_last(const table_map *map, const table_bucket *bucket, uint64_t w)
{
    uint32_t record = word_record(w);
    if (FL_UNLIKELY(record != 0))
        return atomic_load_explicit(&map->record[record_of(map, w)].token, memory_order_acquire);
    return token_from_word(w, atomic_load_explicit(&bucket->token, memory_order_acquire));
}

void token_raise(table_bucket *bucket, uint64_t token);

/* The successor's. Once in 2^41 leases the counter has to follow. */
FL_HOT uint64_t token_next(table_bucket *bucket, uint64_t last)
{
    uint64_t counter = atomic_load_explicit(&bucket->token, memory_order_relaxed);
    if (FL_UNLIKELY(last > counter && last - counter >= UINT64_C(1) << 41))
        token_raise(bucket, last);
    return last + 1;
}

/* How somebody asks to be let in. */
typedef struct {
    fl_kind kind;
    bool upgrades; /* is a reader; kind is FL_EXCLUSIVE */
    uint32_t permits;
    uint32_t cell; /* mine: not counted; 0 = none */
    bool queued;   /* waiting, with this ticket; upgrading: the order of upgraders */
    uint32_t ticket;
} table_asker;

/* lease->priv. MY_WORD and MY_ENTRY also tell a waiter what refused it. */
enum { MY_WORD = 0, MY_ENTRY = 1, MY_RECORD = 2 };

/* lease.c */
fl_result lease_try(fl_store *store, fl_lease *lease, fl_error *error);
/* The same for somebody who waits if it is refused: not counted as busy. */
fl_result lease_try_first(table *t, fl_lease *lease, fl_error *error);
/* As lease_try(), without the fast way. */
fl_result lease_evaluate(table *t, fl_lease *lease, const table_asker *me, fl_error *error);
/*
 * From the word w, which may be taken, to mine; `keep` is WORD_WAIT if waiters remain. FL_OK; FL_FREE: something changed, look
 * again; FL_LOST: the whole table is gone; FL_ERROR.
 */
fl_result lease_take(table *t, fl_lease *lease, const table_found *found, uint64_t w, uint64_t keep, int64_t now,
                     fl_error *error);
/* What a look at owners or at the crowd means for the asker: FL_BUSY, FL_SELF, FL_OK, FL_FREE, FL_ERROR. */
fl_result lease_verdict(owner_state state);
/* The lease ends for me, however the word or cell looks: nothing of it stays. Was it mine until now? */
bool lease_let_go(table *t, fl_lease *lease);
fl_result lease_release(fl_store *store, fl_lease *lease, fl_error *error);
fl_result lease_refresh(fl_store *store, fl_lease *lease, int64_t ttl, fl_error *error);
fl_result lease_verify(fl_store *store, fl_lease *lease);
fl_result lease_break(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error);

/* free.c: words back to free, whoever owned them */
/* From w, which is mine, to free without more ado. */
bool word_put_into_service(table *t, table_entry *entry, uint64_t w);
/* The owner of w is dead or gone: the entry becomes free if it still says exactly w. Wakes who waits. */
bool word_set_free(table *t, table_entry *entry, uint64_t w);
/* Looks at an owned, unexpired word: OWNER_ALIVE, OWNER_SELF, OWNER_CHANGED (look again: it was recovered or moved). */
owner_state word_examine(table *t, table_entry *entry, uint64_t w, int64_t now, fl_error *error);

/* share.c: leases that live in a cell: readers, permits, and from one to the other */
/* The word w is free or expired: lets me in beside the others. As lease_take(), and FL_BUSY, FL_SELF. */
fl_result share_take(table *t, fl_lease *lease, const table_asker *me, const table_found *found, uint64_t w,
                     int64_t now, fl_error *error);
bool share_let_go(table *t, fl_lease *lease);
bool share_is_mine(const table *t, const fl_lease *lease);
bool share_move_deadline(table *t, fl_lease *lease, int64_t now, int64_t ttl);
fl_result share_upgrade(fl_store *store, fl_lease *lease, int64_t until, const fl_interrupt *interrupt,
                        fl_error *error);
fl_result share_downgrade(fl_store *store, fl_lease *lease, fl_error *error);

/* wait.c */
fl_result table_wait(fl_store *store, fl_lease *lease, int64_t until, const fl_interrupt *interrupt, fl_error *error);
/* Says WAIT in the word w of the entry. False: it has changed, look again. */
bool wait_flag(table_entry *entry, uint64_t w);
/*
 * Sleeps in a cell of the entry that refused, whose word was `word`: until `until`, or as long as one who is `first` need not
 * look; then asks the interrupt function.
 */
fl_result wait_sleep(table *t, uint32_t cell, uint32_t seen, uint64_t word, bool first, int64_t until,
                     const fl_interrupt *interrupt);

/* brisk.c: queues in which everybody's turn is short */
/* I have taken a lease out of a queue. */
void brisk_begin(table *t, const fl_lease *lease, int64_t now);
/* I give it back while others wait. */
void brisk_end(table *t, const fl_lease *lease);
/* Was my last turn at this entry a short one? */
bool brisk_is(const table *t, uint32_t entry);
/* Watches my futex for the length of a few short turns. Has it moved from `seen`? */
bool brisk_watch(const table_record *mine, uint32_t seen);

/* crowd.c: who shares an entry or waits for it */
typedef struct {
    bool waiting; /* somebody waits: the word must go on saying so */
    bool senior;  /* another reader upgrades already */
} crowd_seen;
/*
 * The entry's word is free or expired. OWNER_DEAD: nobody is in the way. OWNER_ALIVE: somebody is, or is ahead in the queue.
 * OWNER_SELF: only this thread itself could make room. OWNER_CHANGED: look again. OWNER_UNKNOWN: error is filled.
 */
owner_state crowd_admits(table *t, table_entry *entry, const table_asker *me, int64_t now, crowd_seen *seen,
                         fl_error *error);
/* The word is free, or somebody has left: calls who is next. */
void crowd_wake(table *t, table_entry *entry);
/* Calls the first waiter who sleeps, before it is its turn. */
void crowd_rouse(table *t, uint32_t entry);
/* Ends the shared lease or permit with this token; false: there is none. */
bool crowd_break(table *t, table_entry *entry, uint64_t token);
/* WAIT was dropped from a word that had it: says it again if somebody has come to wait since the cells were read (I4). */
void crowd_restore_wait(table *t, table_entry *entry);
/* Calls `each` for the cells that hold (not for `cell`), whoever owns them. */
typedef void (*crowd_function)(void *context, table *t, uint32_t cell);
void crowd_each_holder(table *t, uint32_t entry, uint32_t cell, crowd_function each, void *context);
/* Is nobody before this cell in the queue? */
bool crowd_is_first(const table_map *map, uint32_t entry, uint32_t cell);

typedef struct {
    uint32_t waiters; /* of a free word: only those whom a newcomer would not pass */
    uint32_t holders, longest;
    int64_t since; /* and cell of the one who has held longest */
    uint64_t pub;
} crowd_view;
/* Live ones only. Reads only; *fd as slot_peek(). */
void crowd_look(table *t, const table_entry *entry, bool is_free, int *fd, crowd_view *view);

/* handover.c */
fl_result handover_leave(fl_store *store, fl_lease *lease, fl_error *error);
fl_result handover_get_key(fl_store *store, fl_lease *lease, char key[FL_KEY_SIZE], fl_error *error);
fl_result handover_restore(fl_store *store, fl_lease *lease, const char *key, size_t length, fl_error *error);
/*
 * A word that names a record is about to be swapped: what own[] says if the lease was left, else 0. After the swap that value, and no
 * other, is cleared. Was the lease left in between, then the leaver sees that the word names it no more, and clears it.
 */
uint32_t handover_seen(const table *t, uint64_t w);
void handover_clear(table *t, uint32_t record, uint32_t left);
/* Records of left leases whose takers died before handover_clear(). */
void handover_sweep(table *t);

/* look.c */
typedef enum { SEEN_FREE, SEEN_HELD, SEEN_CHANGED, SEEN_ERROR } seen_state;
/* What entry `index` says now; name, shared, waiters and mine included. *fd as slot_peek(). Writes nothing. */
seen_state look_at(table *t, uint32_t index, fl_status_t *status, int *fd, fl_error *error);
fl_result look_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error);
fl_result look_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                    fl_error *error);

/* stats.c */
fl_result table_stats(fl_store *store, fl_stats *stats, fl_error *error);

/* My slot's counter: one writer, so that a load and a store will do. */
static inline void count_by(table *t, unsigned counter, uint64_t by)
{
    if (FL_UNLIKELY(t->me == 0))
        return; /* not registered yet: who helps others on the way in */
    _Atomic uint64_t *c = &t->map.slot[t->me - 1].counter[counter];
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + by, memory_order_relaxed);
}

static inline void count(table *t, unsigned counter)
{
    count_by(t, counter, 1);
}

/* inspect.c */
fl_result table_inspect(fl_store *store, fl_info *info, fl_error *error);
fl_result table_check(fl_store *store, fl_check_function each, void *context, fl_error *error);

#endif
