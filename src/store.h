/*
 * The contract of a store. A store is one folder that exports one const fl_store_ops; the policy (filelock.c) has validated
 * every argument before it calls in here: names are packed and hashed, ttl and times are in nanoseconds.
 *
 * A store implements only what every store can do. What it cannot do is missing in `capabilities`, and the policy turns that
 * into a clear error.
 */
#ifndef FILELOCK_STORE_H
#define FILELOCK_STORE_H

#include "dsn.h"
#include "error.h"
#include "filelock.h"
#include "name.h"

typedef struct fl_store_ops {
    const char *scheme;
    unsigned capabilities;

    /* Checks the DSN's options, allocates; no system call. */
    fl_result (*open)(const fl_dsn *dsn, fl_store **store, fl_error *error);
    void (*close)(fl_store *store);
    /* Is there such a lock in this store? NULL: whatever its name. try, status and break ask by themselves. */
    fl_result (*check_name)(const fl_store *store, const char *name, size_t length, fl_error *error);
    void (*set_label)(fl_store *store, const char *label, size_t length);
    int64_t (*grace)(const fl_store *store, int64_t ttl); /* where FL_CAN_EXPIRE; ns */

    /*
     * Makes the store usable for taking: here, seed and epoch are set when this returns FL_OK. Called by the policy whenever
     * store_is_ready() says no: at the first use, in a forked child, and after the storage vanished.
     */
    fl_result (*attach)(fl_store *store, fl_error *error);

    /* lease->name, kind, permits and ttl are set. FL_OK, FL_BUSY, FL_ERROR; FL_SELF: only this very store is in the way. */
    fl_result (*try)(fl_store *store, fl_lease *lease, fl_error *error);
    /*
     * Until `until` (ns, CLOCK_MONOTONIC, INT64_MAX = for ever). FL_OK, FL_BUSY, FL_SELF, FL_INTERRUPTED, FL_ERROR. NULL: nobody
     * wakes a waiter of this store; the policy tries again and again, with growing, jittered pauses (poll.c).
     */
    fl_result (*wait)(fl_store *store, fl_lease *lease, int64_t until, const fl_interrupt *interrupt, fl_error *error);
    /*
     * FL_OK or FL_LOST; refresh, and release where a server can be out of reach, also FL_ERROR. After release, and whenever
     * FL_LOST is returned, the store has let go of all that it kept for the lease.
     */
    fl_result (*release)(fl_store *store, fl_lease *lease, fl_error *error);
    fl_result (*refresh)(fl_store *store, fl_lease *lease, int64_t ttl, fl_error *error);
    fl_result (*verify)(fl_store *store, fl_lease *lease);

    /* Where FL_CAN_SHARE. `until` 0: do not wait. */
    fl_result (*upgrade)(fl_store *store, fl_lease *lease, int64_t until, const fl_interrupt *interrupt,
                         fl_error *error);
    fl_result (*downgrade)(fl_store *store, fl_lease *lease, fl_error *error);

    /* Where FL_CAN_HAND_OVER. */
    fl_result (*leave)(fl_store *store, fl_lease *lease, fl_error *error);
    fl_result (*get_key)(fl_store *store, fl_lease *lease, char key[FL_KEY_SIZE], fl_error *error);
    fl_result (*restore)(fl_store *store, fl_lease *lease, const char *key, size_t length, fl_error *error);

    fl_result (*status)(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error);
    fl_result (*list)(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                      fl_error *error);
    fl_result (*break_lease)(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error);
    fl_result (*stats)(fl_store *store, fl_stats *stats, fl_error *error);
    fl_result (*inspect)(fl_store *store, fl_info *info, fl_error *error);
    fl_result (*check)(fl_store *store, fl_check_function each, void *context, fl_error *error);
} fl_store_ops;

/* The head of every store's own struct. */
struct fl_store {
    const fl_store_ops *ops;
    const uint32_t *here; /* os_fork_page_new() of this attachment; NULL while not attached for taking */
    uint64_t seed;        /* of the name hash; changes only together with epoch */
    uint32_t epoch;       /* a new number for each attachment, see store_next_epoch() */
};

static inline bool store_is_ready(const fl_store *store)
{
    return store->here != NULL && *store->here != 0;
}

static inline bool store_is_forked(const fl_store *store)
{
    return store->here != NULL && *store->here == 0;
}

/* The upper half counts the forks, so that a lease tells "inherited" (silently nobody's) from "its storage vanished". */
static inline void store_next_epoch(fl_store *store, bool forked)
{
    store->epoch = forked ? (store->epoch | 0xffff) + 1 : store->epoch + 1;
}

static inline bool lease_is_current(const fl_lease *lease)
{
    return store_is_ready(lease->store) && lease->epoch == lease->store->epoch;
}

static inline bool lease_is_inherited(const fl_lease *lease)
{
    return store_is_forked(lease->store) || lease->epoch >> 16 != lease->store->epoch >> 16;
}

extern const fl_store_ops fl_table_ops, fl_directory_ops, fl_foreign_ops;

#endif
