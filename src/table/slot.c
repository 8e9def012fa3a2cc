/*
 * Who is attached, and who of them is dead (I2).
 *
 * A slot's owner holds a write lock on its byte; the kernel drops it when the process is gone, however it went. Looking at a
 * dead owner's words takes a *read* lock on that byte: several may look at once, none of them keeps another from seeing that
 * the owner is dead, wherever it is stopped; and nobody can take the slot meanwhile, so that what was read stays true.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <errno.h>
#include <unistd.h>

static int64_t byte_of(uint32_t slot)
{
    return LAYOUT_LOCKS + slot;
}

/* ---- what a slot owned */

/* The word that names the record, if one does, becomes free; the owner is dead or myself. True: that ended a lease. */
static bool free_word_of(table *t, uint32_t record)
{
    uint32_t e = atomic_load_explicit(&t->map.record[record].entry, memory_order_relaxed);
    if (e >= t->map.geometry.capacity)
        return false;
    table_entry *entry = &t->map.entry[e];
    uint64_t w = atomic_load_explicit(&entry->word, memory_order_acquire);
    for (; word_record(w) == record; w = atomic_load_explicit(&entry->word, memory_order_acquire))
        if (word_set_free(t, entry, w))
            return !word_is_binding(w);
    return false;
}

static bool withdraw_cell(table *t, uint32_t record)
{
    if (record > t->map.geometry.cells)
        return false;
    uint64_t p = atomic_exchange(&t->map.pub[record], 0);
    if (p != 0)
        crowd_wake(t, &t->map.entry[cell_entry(p) % t->map.geometry.capacity]);
    return cell_holds(p);
}

typedef void (*record_function)(table *t, uint32_t record);

static void for_each_owned(table *t, uint32_t slot, record_function each)
{
    for (uint32_t r = 1; r < t->map.geometry.records; r++)
        if (atomic_load_explicit(&t->map.own[r], memory_order_relaxed) == slot + 1)
            each(t, r);
}

static void free_what_it_held(table *t, uint32_t record)
{
    free_word_of(t, record);
    withdraw_cell(t, record);
}

static void recover_what_it_held(table *t, uint32_t record)
{
    if (free_word_of(t, record) | withdraw_cell(t, record))
        count(t, COUNT_RECOVERED);
}

static void disown_dead(table *t, uint32_t record)
{
    atomic_store_explicit(&t->map.own[record], 0, memory_order_release);
}

/*
 * fd is open for writing. Under the read lock the words become free, which others may do at the same time; only then, when no
 * word names the records any more, they are given away under the write lock. Stopped anywhere, nobody waits for this.
 */
static bool recover_slot(table *t, int fd, uint32_t slot)
{
    if (os_lock_byte(fd, byte_of(slot), OS_LOCK_READ) != 0)
        return false;
    FL_STEP("recover:read-locked");
    for_each_owned(t, slot, recover_what_it_held);
    if (os_lock_byte(fd, byte_of(slot), OS_LOCK_WRITE) != 0) {
        os_lock_byte(fd, byte_of(slot), OS_LOCK_NONE);
        return false;
    }
    FL_STEP("recover:write-locked");
    for_each_owned(t, slot, disown_dead);
    FL_STEP("recover:disowned");
    atomic_store_explicit(&t->map.slot[slot].state, SLOT_FREE, memory_order_release);
    return true;
}

/* ---- taking a slot */

static void store_text(_Atomic uint64_t *to, const char *text, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, text + i * sizeof word, sizeof word);
        atomic_store_explicit(&to[i], word, memory_order_release);
    }
}

/*
 * A sequence lock with one writer, the owner: odd, write, even. What is written is stored with release and loaded with acquire
 * (and not with fences, which race detectors do not understand): who reads a new value sees the odd number, too.
 */
static void begin_write(table_slot *slot)
{
    uint32_t v = atomic_load_explicit(&slot->version, memory_order_relaxed);
    atomic_store_explicit(&slot->version, v | 1, memory_order_relaxed);
}

static void end_write(table_slot *slot)
{
    uint32_t v = atomic_load_explicit(&slot->version, memory_order_relaxed);
    atomic_store_explicit(&slot->version, v + 1, memory_order_release);
}

void slot_write_label(table *t)
{
    char text[SLOT_LABEL_WORDS * 8] = {0};
    memcpy(text, t->label, t->label_length);
    table_slot *slot = &t->map.slot[t->me - 1];
    begin_write(slot);
    store_text(slot->label, text, SLOT_LABEL_WORDS);
    end_write(slot);
}

static void raise_mark(_Atomic uint32_t *mark, uint32_t value)
{
    uint32_t seen = atomic_load_explicit(mark, memory_order_relaxed);
    while (seen < value && !atomic_compare_exchange_weak(mark, &seen, value))
        ;
}

static void write_identity(table *t, uint32_t index)
{
    table_slot *slot = &t->map.slot[index];
    char host[SLOT_HOST_WORDS * 8] = {0};
    os_host_name(host, sizeof host);
    begin_write(slot);
    atomic_store_explicit(&slot->pid, (uint32_t)getpid(), memory_order_release);
    atomic_store_explicit(&slot->uid, (uint32_t)geteuid(), memory_order_release);
    store_text(slot->host, host, SLOT_HOST_WORDS);
    end_write(slot);
    t->me = index + 1;
    slot_write_label(t);
    /*
     * The C library keeps pointers in the mutex and follows them: only where nobody else can write them. Other tables do without,
     * and their waiters look every few milliseconds.
     */
    t->death_offset = t->map.exclusive ? os_death_arm(slot->death) + 1 : 0;
    atomic_store(&slot->death_offset, (uint32_t)t->death_offset);
}

/* I hold the write lock on the byte: whoever had the slot is gone. */
static void move_in(table *t, uint32_t index)
{
    raise_mark(&t->map.header->slots_used, index + 1);
    write_identity(t, index);
    FL_STEP("slot:identified");
    atomic_store_explicit(&t->map.slot[index].state, SLOT_USED, memory_order_release);
}

static bool is_used(const table_map *map, uint32_t slot)
{
    return atomic_load_explicit(&map->slot[slot].state, memory_order_acquire) == SLOT_USED;
}

static bool take_free_slot(table *t, int fd, uint32_t slot)
{
    if (is_used(&t->map, slot) || os_lock_byte(fd, byte_of(slot), OS_LOCK_WRITE) != 0)
        return false;
    FL_STEP("slot:locked");
    if (is_used(&t->map, slot)) { /* taken and left by its death since I looked */
        os_lock_byte(fd, byte_of(slot), OS_LOCK_NONE);
        return false;
    }
    move_in(t, slot);
    return true;
}

/* Each comer looks after a few slots, so that the dead do not pile up. */
static void sweep_some(table *t, int fd)
{
    enum { FEW = 4 };
    uint32_t used = atomic_load(&t->map.header->slots_used);
    used = used < t->map.geometry.slots ? used : t->map.geometry.slots;
    for (uint32_t i = 0; i < FEW && i < used; i++) {
        uint32_t slot = atomic_fetch_add(&t->map.header->sweep_hand, 1) % used;
        /* Not my own: locks of one open file convert each other. */
        if (slot + 1 != t->me && is_used(&t->map, slot) && recover_slot(t, fd, slot))
            os_lock_byte(fd, byte_of(slot), OS_LOCK_NONE);
    }
}

fl_result slot_register(table *t, int fd, fl_error *error)
{
    for (uint32_t slot = 0; slot < t->map.geometry.slots; slot++)
        if (take_free_slot(t, fd, slot)) {
            sweep_some(t, fd); /* now that I can count what I recover */
            return FL_OK;
        }
    for (uint32_t slot = 0; slot < t->map.geometry.slots; slot++) {
        if (!is_used(&t->map, slot) || !recover_slot(t, fd, slot))
            continue;
        move_in(t, slot);
        return FL_OK;
    }
    fl_fail(error, 0,
            "filelock: %s has room for %u processes, and all are attached (or their places are locked by a reader)",
            t->path, t->map.geometry.slots);
    fl_advise(error, "make it anew with more names: processes are a quarter of capacity");
    return FL_ERROR;
}

bool slot_leave(table *t)
{
    if (t->me == 0)
        return true;
    if (t->owned > t->spares)
        for_each_owned(t, t->me - 1, free_what_it_held);
    FL_STEP("leave:freed");
    if (t->owned > t->spares)
        for_each_owned(t, t->me - 1, record_disown);
    while (t->spares > 0 && t->owned > 0)
        record_disown(t, t->spare[--t->spares]);
    table_slot *slot = &t->map.slot[t->me - 1];
    bool disarmed = t->death_offset == 0 || os_death_disarm(slot->death, t->death_offset - 1);
    atomic_store(&slot->death_offset, 0);
    t->death_offset = 0;
    if (disarmed) /* else the byte lock and the slot stay with the mapping */
        atomic_store_explicit(&slot->state, SLOT_FREE, memory_order_release);
    t->me = t->spares = t->owned = 0;
    return disarmed;
}

_Atomic uint32_t *slot_death_word(const table_map *map, uint32_t record)
{
    uint32_t owner = atomic_load(&map->own[record]);
    if (owner == 0 || (owner & OWN_LEFT) || owner > map->geometry.slots)
        return NULL;
    table_slot *slot = &map->slot[owner - 1];
    uint32_t offset = atomic_load(&slot->death_offset);
    if (offset % sizeof(uint32_t) != 1 || offset > OS_DEATH_SIZE - sizeof(uint32_t) + 1)
        return NULL;
    return (_Atomic uint32_t *)(void *)(slot->death + offset - 1);
}

/* ---- looking at others */

void slot_read(const table_map *map, uint32_t index, fl_status_t *status)
{
    enum { TRIES = 100 };
    const table_slot *slot = &map->slot[index];
    for (int i = 0; i < TRIES; i++) {
        uint32_t version = atomic_load_explicit(&slot->version, memory_order_acquire);
        uint64_t host[SLOT_HOST_WORDS], label[SLOT_LABEL_WORDS];
        status->pid = atomic_load_explicit(&slot->pid, memory_order_acquire);
        status->uid = atomic_load_explicit(&slot->uid, memory_order_acquire);
        for (size_t k = 0; k < SLOT_HOST_WORDS; k++)
            host[k] = atomic_load_explicit(&slot->host[k], memory_order_acquire);
        for (size_t k = 0; k < SLOT_LABEL_WORDS; k++)
            label[k] = atomic_load_explicit(&slot->label[k], memory_order_acquire);
        if ((version & 1) || atomic_load_explicit(&slot->version, memory_order_relaxed) != version)
            continue;
        memcpy(status->host, host, sizeof status->host);
        memcpy(status->label, label, sizeof status->label);
        status->host[FL_HOST_MAX] = status->label[FL_LABEL_MAX] = '\0';
        return;
    }
    /* Its writer was stopped or killed in the middle: who it is remains, what it calls itself is not known. */
    status->host[0] = status->label[0] = '\0';
}

static owner_state known_owner(const table *t, uint32_t owner)
{
    if (owner == 0 || (owner & (OWN_LEFT - 1)) > t->map.geometry.slots)
        return OWNER_CHANGED;
    if (owner == t->me)
        return OWNER_SELF;
    return (owner & OWN_LEFT) ? OWNER_ALIVE : OWNER_UNKNOWN;
}

static owner_state cannot_ask(table *t, fl_error *error)
{
    if (errno == ESTALE || errno == ENOENT) {
        t->checked = 0; /* the table is gone: the next look finds that out, and does not go round until it is time to */
        return OWNER_CHANGED;
    }
    fl_fail(error, errno, "filelock: cannot ask whether the holder lives, opening %s", t->path);
    return OWNER_UNKNOWN;
}

static owner_state ask_kernel(table *t, uint32_t record, uint32_t owner, int *fd, fl_error *error)
{
    *fd = table_open_again(t);
    if (*fd < 0)
        return cannot_ask(t, error);
    int code = os_lock_byte(*fd, byte_of(owner - 1), OS_LOCK_READ);
    if (code == 0 && atomic_load(&t->map.own[record]) == owner)
        return OWNER_DEAD;
    close(*fd);
    if (code == 0)
        return OWNER_CHANGED;
    if (code == EAGAIN)
        return OWNER_ALIVE;
    fl_fail(error, code, "filelock: cannot ask whether the holder lives, locking in %s", t->path);
    return OWNER_UNKNOWN;
}

/* One tick of the coarse clock: it saves the question to the kernel, and no taker believes anything on the strength of it. */
static void remember_alive(table *t, uint32_t owner, int64_t now)
{
    t->alive[owner % ALIVE_CACHE].slot = owner;
    t->alive[owner % ALIVE_CACHE].now = now;
}

static void forget_alive(table *t, uint32_t owner)
{
    if (t->alive[owner % ALIVE_CACHE].slot == owner)
        t->alive[owner % ALIVE_CACHE].slot = 0;
}

void slot_forget(table *t, uint32_t record)
{
    forget_alive(t, atomic_load(&t->map.own[record]));
}

owner_state slot_examine(table *t, uint32_t record, int64_t now, int *fd, fl_error *error)
{
    uint32_t owner = atomic_load_explicit(&t->map.own[record], memory_order_acquire);
    owner_state state = known_owner(t, owner);
    if (state != OWNER_UNKNOWN)
        return state;
    uint32_t cached = owner % ALIVE_CACHE;
    if (FL_LIKELY(t->alive[cached].slot == owner && t->alive[cached].now == now))
        return OWNER_ALIVE;
    state = ask_kernel(t, record, owner, fd, error);
    if (state == OWNER_ALIVE)
        remember_alive(t, owner, now);
    return state;
}

owner_state slot_peek(table *t, uint32_t record, int *fd, fl_error *error)
{
    uint32_t owner = atomic_load_explicit(&t->map.own[record], memory_order_acquire);
    owner_state state = known_owner(t, owner);
    if (state != OWNER_UNKNOWN)
        return state;
    if (*fd < 0 && (*fd = table_open_again(t)) < 0)
        return cannot_ask(t, error);
    int locked = os_byte_is_write_locked(*fd, byte_of(owner - 1));
    if (locked < 0)
        return cannot_ask(t, error);
    if (locked)
        return OWNER_ALIVE;
    forget_alive(t, owner); /* a status that says free, and the next try, agree */
    return OWNER_DEAD;
}
