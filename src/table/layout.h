/*
 * The table file: format 3. One file, the same for 64-bit little- and big-endian processes of one kernel, glibc or musl.
 *
 *   header    1 page
 *   slot[]    one per attached process or thread: who it is. Alive = holds a write lock on its byte (LAYOUT_LOCKS + index).
 *   own[]     u32, one per record: the slot that owns it + 1; 0 = nobody; with OWN_LEFT: left to its deadline
 *   pub[]     u64, one per cell (a record that can wait or share): what it publishes, for whom
 *   pin[]     u16, one per record: who is about to end its lease from outside; a pinned record is not used for another
 *   record[]  one cache line each: a lease, a waiter
 *   bucket[]  an index over the names: token counter and 7 ways
 *   entry[]   one cache line each: the lock word and the name
 *   rest[]    the bytes of long names from the 49th on
 *
 * THE LOCK WORD of an entry, 64 bits. Every change is one compare-and-swap of the whole word; there is no other lock.
 *
 *   63      62      61      60..43          42..8                7..0
 *   WAIT    SHARE   NOEND   record (18)     time (35)            sequence (8)
 *
 *   record 0: free. time and sequence then are the low 43 bits of the last holder's token, so that a free word never repeats
 *             while its entry bears one name.
 *   record r: owned by own[r]. time = the deadline in units of 2^21 ns (2.1 ms), modulo 2^35 (834 days): expired unless it is
 *             0 < deadline - now <= 240 days, so that a lease stays expired for 594 days without anybody looking.
 *             sequence counts the uses of the record, so that two leases of one tick differ.
 *             NOEND: time TIME_FOREVER = no expiry; TIME_BINDING = out of service, its owner gives it another name.
 *   WAIT:     waiters may exist. SHARE: readers or holders of permits may exist; in an owned word only one that upgrades.
 *
 * INVARIANTS
 *
 *   I1  A word names record r only while own[r] is its taker, which fills the record before the swap and does not use it
 *       again before the word names it no more. So a late writer writes into a record of its own.
 *       The same deadline and sequence can come round within one tick. So who wants to swap the word of a *live* lease from
 *       outside (break, restore) pins the record first and then looks again: as long as it is pinned, its owner may give the
 *       lease back, but nobody fills the record for another one.
 *   I2  A slot's owner holds the write lock on its byte from before the slot is USED until after it is FREE again. Somebody
 *       who got a read lock on the byte knows: the owner is dead, and stays so while the read lock is held. own[] of a dead
 *       slot changes only under the write lock, so whole-word swaps of words naming its records are exact.
 *   I3  A way is VALID only if its entry bore the way's name at that time. The entry's name changes only while the word is in
 *       TIME_BINDING of the renamer, and only after no way leads to it. So: word taken, and the way as before = the right name.
 *   I4  WAIT and SHARE are cleared only by a swap from a free word after a scan of the cells that found none; whoever waits or
 *       shares publishes its cell, then fences, then reads the word. A reader or a permit's holder believes in its cell only
 *       after a swap of the free word of its own (with a new number), and if the cell is as it was: so of it and an exclusive
 *       taker, whichever swaps second sees the other.
 *   I5  Tokens: each lease's is its predecessor's + 1, and the swap of the whole word proves who the predecessor was: a free
 *       word carries the low bits of the last token, an owned one names the record that has it. When an entry loses its name,
 *       the bucket's counter is raised to the last token before the way is emptied, and a name that is bound anew starts there.
 *       An entry's home is 0 while its word does not belong to the chain of a name.
 */
#ifndef FILELOCK_TABLE_LAYOUT_H
#define FILELOCK_TABLE_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../filelock.h"
#include "../name.h"

#define LAYOUT_MAGIC "filelock"
#define LAYOUT_FORMAT 3 /* also raised when the hash of the names changes */
#define LAYOUT_FILE "filelock.table"
#define LAYOUT_GUARD ((INT64_C(1) << 40) - 1) /* byte lock of whoever replaces the table of an earlier boot */
#define LAYOUT_LOCKS (INT64_C(1) << 40)       /* byte locks of the slots: far beyond the end of the file */

enum {
    CAPACITY_DEFAULT = 16384,
    CAPACITY_LEAST = 64,
    CAPACITY_MOST = 65536,
    WAYS = 7,
    HEAD_WORDS = 6,  /* of a name, in its entry */
    REST_WORDS = 26, /* beside it */
    LINE = 64,
    HEADER_SIZE = 4096
};

typedef struct {
    char magic[8];
    uint32_t format;
    uint32_t capacity;
    uint64_t size;     /* of the file */
    uint64_t nonce[2]; /* of this table: keys of another one are not accepted */
    uint64_t seed;     /* of the name hash */
    uint64_t time_namespace;
    unsigned char boot[16]; /* 0 where it could not be known (in memory: none is needed) */
    uint64_t first_token;   /* wall clock, ns, at creation: all tokens are counted from it, so that they are larger than
                               any of a table before it */
    uint64_t checksum;      /* over all of the above */
    _Atomic int64_t born;   /* ns, CLOCK_MONOTONIC: set by the first who attaches; no grant before born + quarantine */
    _Alignas(LINE) _Atomic uint32_t slots_used; /* high-water marks: nothing beyond is or was in use */
    _Atomic uint32_t cells_used;
    _Atomic uint32_t fresh_entries; /* entries that never bore a name start here */
    _Atomic uint32_t clock_hand;    /* eviction goes round */
    _Atomic uint32_t sweep_hand;    /* who attaches looks at the next few slots */
} table_header;

enum { SLOT_FREE = 0, SLOT_USED = 1 };
enum { SLOT_HOST_WORDS = 8, SLOT_LABEL_WORDS = 15 };

/* What a slot's owner has counted, and the owners before it: the store's counters are the sums. Written by the owner alone. */
enum {
    COUNT_ACQUIRED,
    COUNT_BUSY,
    COUNT_WAITED,
    COUNT_WAITED_NS,
    COUNT_EXPIRED,
    COUNT_RECOVERED,
    COUNT_BROKEN,
    COUNT_LOST,
    COUNTERS
};

typedef struct {
    _Atomic uint32_t state;
    _Atomic uint32_t version; /* odd while host or label are being written: readers retry */
    _Atomic uint32_t pid, uid;
    unsigned char death[48]; /* what os_death_arm() put there; the owner's C library alone knows what it is */
    _Atomic uint64_t counter[COUNTERS]; /* a line of its own */
    _Atomic uint64_t host[SLOT_HOST_WORDS];
    _Atomic uint64_t label[SLOT_LABEL_WORDS];
    _Atomic uint32_t death_offset; /* + 1, of the word in `death` that changes when the owner dies; 0 = none */
    uint32_t reserved;
} table_slot;

/* own[]: left to its deadline by this slot, which is nobody's business any more. */
#define OWN_LEFT UINT32_C(0x10000)
#define OWN_SEQUENCE UINT32_C(0x7fff) /* and which leaving it was */
#define OWN_SEQUENCE_SHIFT 17

/*
 * A lease or a waiter. Written by its owner only (and `futex`, `awake` by who wakes it), always with atomic stores: others
 * read it at any time and then make sure that the word or pub[] still is what led them here.
 */
typedef struct {
    _Atomic uint32_t entry;
    _Atomic uint32_t sequence; /* survives a change of owner */
    _Atomic uint64_t token;    /* counted from first_token; set before the swap like the rest */
    _Atomic int64_t since;     /* ns, CLOCK_MONOTONIC */
    _Atomic int64_t ttl;       /* ns, INT64_MAX = none */
    _Atomic uint64_t
        secret[2]; /* of a lease's key, 0 = none was made; of a permit or who waits for one: how many there are */
    _Atomic uint32_t futex;
    _Atomic uint32_t ticket;
    /*
     * Of a waiter: when it was called, or looked last (precise); 0 = it sleeps, or is about to. Only a hint of whom to call and
     * who is silent: that no call is lost rests on `futex`, which moves before every wake-up (wait.c).
     */
    _Atomic int64_t awake;
} table_record;

typedef struct {
    _Atomic uint64_t token;     /* at least the last token of every name that was evicted from here; only grows */
    _Atomic uint64_t way[WAYS]; /* state:2 | fingerprint:14 | entry:18 | version:30 */
} table_bucket;

enum { WAY_EMPTY = 0, WAY_TENTATIVE = 1, WAY_VALID = 2 };

typedef struct {
    _Atomic uint64_t word;
    _Atomic uint32_t tickets;
    _Atomic uint32_t home; /* length of the name:8 | bucket that leads here + 1:24; 0 = none */
    _Atomic uint64_t head[HEAD_WORDS];
} table_entry;

typedef struct {
    _Atomic uint64_t word[REST_WORDS];
} table_rest;

static inline uint32_t home_make(uint32_t bucket, size_t length)
{
    return (uint32_t)length << 24 | (bucket + 1);
}

static inline uint32_t home_length(uint32_t home)
{
    return home >> 24;
}

/* Only if home is not 0. */
static inline uint32_t home_bucket(uint32_t home)
{
    return (home & 0xffffff) - 1;
}

_Static_assert(sizeof(table_header) <= HEADER_SIZE, "the header fits");
_Static_assert(sizeof(table_slot) == 5 * LINE, "slots are 5 lines");
_Static_assert(sizeof(table_record) == LINE && sizeof(table_bucket) == LINE && sizeof(table_entry) == LINE, "lines");

/* ---- geometry: follows from the capacity alone */

typedef struct {
    uint32_t capacity, slots, cells, records, buckets; /* records: 1..cells are cells, then plain ones; 0 is none */
    uint64_t slot, own, pin, pub, record, bucket, entry, rest, size;
} table_geometry;

void geometry_init(table_geometry *g, uint32_t capacity);

/* ---- the word */

#define WORD_WAIT (UINT64_C(1) << 63)
#define WORD_SHARE (UINT64_C(1) << 62)
#define WORD_NOEND (UINT64_C(1) << 61)
#define WORD_FLAGS (WORD_WAIT | WORD_SHARE)

enum { RECORD_SHIFT = 43, SEQUENCE_BITS = 8, UNIT_SHIFT = 21 };
#define RECORD_MASK UINT64_C(0x3ffff)
#define WHEN_MASK ((UINT64_C(1) << RECORD_SHIFT) - 1)
#define TIME_MASK ((UINT64_C(1) << 35) - 1)
#define TIME_FOREVER UINT64_C(0)
#define TIME_BINDING UINT64_C(1)
/* 240 days, and one unit for the rounding. */
#define TIME_AHEAD_MOST ((UINT64_C(240) * 86400 * 1000000000 >> UNIT_SHIFT) + 2)

static inline uint32_t word_record(uint64_t word)
{
    return (uint32_t)(word >> RECORD_SHIFT & RECORD_MASK);
}

static inline uint64_t word_time(uint64_t word)
{
    return word >> SEQUENCE_BITS & TIME_MASK;
}

static inline bool word_is_binding(uint64_t word)
{
    return (word & WORD_NOEND) && word_record(word) != 0 && word_time(word) == TIME_BINDING;
}

/* Owned, and past its deadline? now: ns. */
static inline bool word_is_expired(uint64_t word, int64_t now)
{
    uint64_t ahead = (word_time(word) - ((uint64_t)now >> UNIT_SHIFT)) & TIME_MASK;
    return !(word & WORD_NOEND) && (ahead == 0 || ahead > TIME_AHEAD_MOST);
}

/* By a lease that has not expired; whether its owner lives is another question. */
static inline bool word_is_held(uint64_t word, int64_t now)
{
    return word_record(word) != 0 && !word_is_binding(word) && !word_is_expired(word, now);
}

static inline uint64_t word_owned(uint32_t record, uint64_t time, uint32_t sequence)
{
    return (uint64_t)record << RECORD_SHIFT | (time & TIME_MASK) << SEQUENCE_BITS | (sequence & 0xff);
}

static inline uint64_t word_free(uint64_t fresh)
{
    return fresh & WHEN_MASK;
}

/*
 * The last token of a name whose word is free, from its low bits and the bucket's counter, from which it is less than 2^42 away
 * (see token_next()). The counter may have passed it, for another name's sake; then the name goes on from there.
 */
static inline uint64_t token_from_word(uint64_t word, uint64_t counter)
{
    int64_t ahead = (int64_t)((word - counter) << (64 - RECORD_SHIFT)) >> (64 - RECORD_SHIFT);
    return ahead > 0 ? counter + (uint64_t)ahead : counter;
}

/* The deadline of a lease taken at `now`: the next whole unit after it; in ns. */
static inline int64_t deadline_after(int64_t now, int64_t ttl)
{
    return (((now + ttl) >> UNIT_SHIFT) + 1) << UNIT_SHIFT;
}

/* ---- what a cell publishes: state:3 | entry:18 | time of its end:35, 0 = none | sequence:8 */

enum {
    CELL_FREE = 0,
    CELL_WAIT_EXCLUSIVE,
    CELL_WAIT_SHARED,
    CELL_WAIT_PERMIT,
    CELL_SHARED,    /* a reader */
    CELL_PERMIT,    /* a permit's holder */
    CELL_UPGRADING, /* a reader that wants to be the writer */
    CELL_TAKEN      /* an expired one that somebody else has passed: its owner has lost it */
};

static inline uint64_t cell_make(unsigned state, uint32_t entry, uint64_t time, uint32_t sequence)
{
    return (uint64_t)state << 61 | word_owned(entry, time, sequence);
}

static inline unsigned cell_state(uint64_t cell)
{
    return (unsigned)(cell >> 61);
}

static inline uint32_t cell_entry(uint64_t cell)
{
    return word_record(cell);
}

static inline bool cell_waits(uint64_t cell)
{
    return cell_state(cell) >= CELL_WAIT_EXCLUSIVE && cell_state(cell) <= CELL_WAIT_PERMIT;
}

static inline bool cell_holds(uint64_t cell)
{
    return cell_state(cell) >= CELL_SHARED && cell_state(cell) <= CELL_UPGRADING;
}

/* The time of an end in ns; INT64_MAX = none. The one time in 2^35 that would read as "none" is one unit later. */
static inline uint64_t cell_time(int64_t end)
{
    uint64_t time = end == INT64_MAX ? 0 : (uint64_t)end >> UNIT_SHIFT & TIME_MASK;
    return time == 0 && end != INT64_MAX ? 1 : time;
}

/* A lease past its deadline, or a waiter that is stopped beyond its own timeout: nobody any more. */
static inline bool cell_is_over(uint64_t cell, int64_t now)
{
    uint64_t ahead = (word_time(cell) - ((uint64_t)now >> UNIT_SHIFT)) & TIME_MASK;
    return word_time(cell) != 0 && (ahead == 0 || ahead > TIME_AHEAD_MOST);
}

/* ---- the ways of a bucket */

static inline uint64_t way_make(unsigned state, uint64_t hash, uint32_t entry, uint64_t version)
{
    return (uint64_t)state << 62 | (hash >> 50) << 48 | (uint64_t)entry << 30 | (version & 0x3fffffff);
}

static inline unsigned way_state(uint64_t way)
{
    return (unsigned)(way >> 62);
}

static inline uint32_t way_entry(uint64_t way)
{
    return (uint32_t)(way >> 30 & RECORD_MASK);
}

/* State and fingerprint in one comparison. */
static inline bool way_matches(uint64_t way, unsigned state, uint64_t hash)
{
    return way >> 48 == ((uint64_t)state << 14 | hash >> 50);
}

#endif
