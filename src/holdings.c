/*
 * Leases by name: an open-addressing hash of pointers with linear probing. A deletion shifts the run behind it back, so that
 * there are no tombstones and a worker may run for ever.
 *
 * `lost` holds leases that are out of the map and still have to be reported; it is drained one element at a time, since the
 * function that is told may use the set.
 */
#include <stdlib.h>

#include "os.h"
#include "policy.h"
#include "store.h"

typedef struct holding {
    fl_lease lease;
    struct holding *next; /* in `spare` or `lost` */
} holding;

struct fl_holdings {
    fl_store *store;
    holding **slots;
    size_t mask; /* slots - 1, a power of two less one */
    size_t count;
    uint64_t seed; /* the store's when the slots were filled */
    holding *spare;
    holding *lost;
};

enum { FIRST_SLOTS = 16 };

fl_holdings *fl_holdings_new(fl_store *store)
{
    fl_holdings *h = calloc(1, sizeof *h);
    if (h == NULL)
        return NULL;
    h->store = store;
    h->mask = FIRST_SLOTS - 1;
    h->slots = calloc(FIRST_SLOTS, sizeof *h->slots);
    if (h->slots != NULL)
        return h;
    free(h);
    return NULL;
}

static void free_chain(holding *first)
{
    while (first != NULL) {
        holding *next = first->next;
        free(first);
        first = next;
    }
}

void fl_holdings_free(fl_holdings *h)
{
    if (h == NULL)
        return;
    fl_holdings_release_all(h, NULL, NULL);
    free_chain(h->spare);
    free_chain(h->lost);
    free(h->slots);
    free(h);
}

size_t fl_holdings_count(const fl_holdings *h)
{
    return h->count;
}

/* ---- the map */

FL_HOT size_t find_slot(const fl_holdings *h, const fl_name *name)
{
    size_t i = name->hash & h->mask;
    for (; h->slots[i] != NULL; i = (i + 1) & h->mask)
        if (h->slots[i]->lease.name.hash == name->hash && name_equal(&h->slots[i]->lease.name, name))
            break;
    return i;
}

/* Closes the hole at i: whatever probed over it moves into it. */
FL_HOT void remove_slot(fl_holdings *h, size_t i)
{
    h->slots[i] = NULL;
    h->count--;
    for (size_t j = (i + 1) & h->mask; h->slots[j] != NULL; j = (j + 1) & h->mask) {
        size_t home = h->slots[j]->lease.name.hash & h->mask;
        if (((j - home) & h->mask) < ((j - i) & h->mask))
            continue;
        h->slots[i] = h->slots[j];
        h->slots[j] = NULL;
        i = j;
    }
}

static void place(fl_holdings *h, holding *x)
{
    h->slots[find_slot(h, &x->lease.name)] = x;
}

static bool rebuild(fl_holdings *h, size_t slots)
{
    holding **old = h->slots;
    size_t n = h->mask + 1;
    h->slots = calloc(slots, sizeof *h->slots);
    if (h->slots == NULL) {
        h->slots = old;
        return false;
    }
    h->mask = slots - 1;
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            place(h, old[i]);
    free(old);
    return true;
}

static FL_NOINLINE bool rehash(fl_holdings *h)
{
    for (size_t i = 0; i <= h->mask; i++)
        if (h->slots[i] != NULL)
            h->slots[i]->lease.name.hash = name_hash(&h->slots[i]->lease.name, h->store->seed);
    h->seed = h->store->seed;
    return rebuild(h, h->mask + 1);
}

/* A new attachment of the store has a new seed. */
FL_HOT bool sync_seed(fl_holdings *h)
{
    return FL_LIKELY(h->seed == h->store->seed) || rehash(h);
}

/* ---- one lease in, one lease out */

static fl_result out_of_memory(fl_error *error)
{
    return fl_fail(error, 0, "out of memory for another lease");
}

FL_HOT holding *pop_spare(fl_holdings *h)
{
    holding *x = h->spare;
    if (FL_UNLIKELY(x == NULL))
        return calloc(1, sizeof *x);
    h->spare = x->next;
    return x;
}

FL_HOT void push(holding **chain, holding *x)
{
    x->next = *chain;
    *chain = x;
}

/* Room first, then the lock: nothing may fail once the lease is held. */
FL_HOT bool make_room(fl_holdings *h)
{
    return FL_LIKELY(h->count * 2 <= h->mask) || rebuild(h, (h->mask + 1) * 2);
}

FL_HOT void insert(fl_holdings *h, holding *x)
{
    if (FL_UNLIKELY(!sync_seed(h))) {
        /* Out of memory in the middle of a new attachment: all older leases are lost, so the map may be scanned slowly. */
        h->seed = h->store->seed;
    }
    size_t i = find_slot(h, &x->lease.name);
    if (FL_LIKELY(h->slots[i] == NULL))
        h->count++;
    else
        push(&h->lost, h->slots[i]); /* the same name: I could take it, so the older lease had been lost */
    h->slots[i] = x;
}

FL_HOT fl_result keep(fl_holdings *h, holding *x, fl_result result)
{
    if (result == FL_OK)
        insert(h, x);
    else
        push(&h->spare, x);
    return result;
}

fl_result fl_holdings_try(fl_holdings *h, const char *name, size_t length, double ttl, fl_error *error)
{
    holding *x = FL_LIKELY(make_room(h)) ? pop_spare(h) : NULL;
    if (FL_UNLIKELY(x == NULL))
        return out_of_memory(error);
    return keep(h, x, fl_try(h->store, &x->lease, name, length, ttl, error));
}

fl_result fl_holdings_acquire(fl_holdings *h, const char *name, size_t length, double ttl, double timeout,
                              const fl_interrupt *interrupt, fl_error *error)
{
    holding *x = pop_spare(h);
    if (x == NULL)
        return out_of_memory(error);
    fl_result result = fl_acquire(h->store, &x->lease, name, length, ttl, timeout, interrupt, error);
    /* The interrupt function may have filled the map meanwhile. */
    if (result == FL_OK && !make_room(h)) {
        fl_release(&x->lease, error);
        result = out_of_memory(error);
    }
    return keep(h, x, result);
}

/* The slot of a name that is in the set, or SIZE_MAX. */
FL_HOT size_t lookup(fl_holdings *h, const char *name, size_t length)
{
    if (FL_UNLIKELY(h->count == 0 || length - 1 >= FL_NAME_MAX || !sync_seed(h)))
        return SIZE_MAX;
    fl_name key;
    name_pack(&key, name, length, h->seed);
    size_t i = find_slot(h, &key);
    return h->slots[i] != NULL ? i : SIZE_MAX;
}

/* A name that I do not hold is lost, but one that cannot be a name is an error, and so is a ttl that cannot be one. */
static FL_NOINLINE fl_result not_in_set(const fl_holdings *h, const char *name, size_t length, const double *ttl,
                                        fl_error *error)
{
    if (policy_check_name(h->store, name, length, error) != FL_OK ||
        (ttl != NULL && policy_check_ttl(h->store, *ttl, error) != FL_OK))
        return FL_ERROR;
    return FL_LOST;
}

fl_result fl_holdings_release(fl_holdings *h, const char *name, size_t length, fl_error *error)
{
    size_t i = lookup(h, name, length);
    if (i == SIZE_MAX)
        return not_in_set(h, name, length, NULL, error);
    holding *x = h->slots[i];
    remove_slot(h, i);
    fl_result result = fl_release(&x->lease, error);
    push(&h->spare, x);
    return result;
}

fl_result fl_holdings_refresh(fl_holdings *h, const char *name, size_t length, const double *ttl, fl_error *error)
{
    size_t i = lookup(h, name, length);
    if (i == SIZE_MAX)
        return not_in_set(h, name, length, ttl, error);
    holding *x = h->slots[i];
    fl_result result = fl_refresh(&x->lease, ttl, error);
    if (result == FL_LOST) {
        remove_slot(h, i);
        push(&h->spare, x);
    }
    return result;
}

/* ---- all of them */

static void set_lost_aside(fl_holdings *h, holding *x)
{
    push(lease_is_inherited(&x->lease) ? &h->spare : &h->lost, x);
}

static int64_t expired_ago(const fl_lease *lease)
{
    int64_t now = os_now();
    return now >= lease->deadline ? now - lease->deadline : -1;
}

static void report_lost(fl_holdings *h, fl_lost_function lost, void *context)
{
    while (h->lost != NULL) {
        holding *x = h->lost;
        h->lost = x->next;
        char name[FL_NAME_MAX + 1];
        size_t length = name_unpack(&x->lease.name, name);
        int64_t ago = expired_ago(&x->lease);
        bool inherited = lease_is_inherited(&x->lease);
        push(&h->spare, x);
        if (lost != NULL && !inherited)
            lost(context, name, length, ago);
    }
}

void fl_holdings_report(fl_holdings *h, fl_lost_function lost, void *context)
{
    for (size_t i = 0; i <= h->mask; i++) {
        holding *x = h->slots[i];
        if (x == NULL || fl_verify(&x->lease) == FL_OK)
            continue;
        remove_slot(h, i);
        set_lost_aside(h, x);
        i--; /* the run behind it moved up */
    }
    report_lost(h, lost, context);
}

size_t fl_holdings_release_all(fl_holdings *h, fl_lost_function lost, void *context)
{
    size_t mine = 0;
    fl_error error;
    for (size_t i = 0; h->count > 0 && i <= h->mask; i++) {
        holding *x = h->slots[i];
        if (x == NULL)
            continue;
        h->slots[i] = NULL;
        h->count--;
        if (fl_release(&x->lease, &error) == FL_OK) {
            push(&h->spare, x);
            mine++;
        } else
            set_lost_aside(h, x);
    }
    report_lost(h, lost, context);
    return mine;
}
