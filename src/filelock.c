#include "filelock.h"

#include <math.h>
#include <stdlib.h>

#include "os.h"
#include "policy.h"
#include "store.h"

static const fl_store_ops *const all_stores[] = {&fl_table_ops, &fl_directory_ops, &fl_foreign_ops};

fl_result fl_open(const char *text, fl_store **store, fl_error *error)
{
    fl_dsn dsn;
    fl_result result = dsn_parse(text, &dsn, error);
    if (result != FL_OK)
        return result;
    for (size_t i = 0; i < sizeof all_stores / sizeof *all_stores; i++)
        if (strcmp(all_stores[i]->scheme, dsn.scheme) == 0)
            return all_stores[i]->open(&dsn, store, error);
    return fl_refuse(
        error, FL_ARG_DSN,
        "names a kind of store, \"%s\", that is not compiled in; there are table:, dir: and file:", dsn.scheme);
}

void fl_close(fl_store *store)
{
    if (store != NULL)
        store->ops->close(store);
}

void fl_set_label(fl_store *store, const char *label, size_t length)
{
    store->ops->set_label(store, label, length);
}

unsigned fl_capabilities(const fl_store *store)
{
    return store->ops->capabilities;
}

double fl_grace(const fl_store *store, double ttl)
{
    return store->ops->grace != NULL ? (double)store->ops->grace(store, (int64_t)(ttl * 1e9)) / 1e9 : INFINITY;
}

/* ---- arguments */

static FL_NOINLINE fl_result refuse_name(size_t length, fl_error *error)
{
    if (length == 0)
        return fl_refuse(error, FL_ARG_NAME, "must not be empty");
    return fl_refuse(error, FL_ARG_NAME, "must be at most %d bytes long, it has %zu; hash longer names", FL_NAME_MAX,
                     length);
}

static inline fl_result check_name(size_t length, fl_error *error)
{
    return FL_LIKELY(length - 1 < FL_NAME_MAX) ? FL_OK : refuse_name(length, error);
}

static FL_NOINLINE fl_result convert_odd_ttl(const fl_store *store, double ttl, int64_t *ns, fl_error *error)
{
    *ns = INT64_MAX;
    if (!isinf(ttl) || ttl < 0)
        return fl_refuse(error, FL_ARG_TTL, "must be a number of seconds > 0 and at most %.0f (240 days), or INF",
                         FL_TTL_MAX);
    if (fl_capabilities(store) & FL_CAN_FOREVER)
        return FL_OK;
    return fl_not_offered(error, FL_ARG_TTL,
                          "must be finite: a %s: store cannot see whether a holder lives; a table: store can",
                          store->ops->scheme);
}

static inline fl_result convert_ttl(const fl_store *store, double ttl, int64_t *ns, fl_error *error)
{
    if (FL_UNLIKELY(!(ttl > 0 && ttl <= FL_TTL_MAX)))
        return convert_odd_ttl(store, ttl, ns, error);
    *ns = (int64_t)(ttl * 1e9);
    return FL_OK;
}

fl_result policy_check_name(const fl_store *store, const char *name, size_t length, fl_error *error)
{
    fl_result result = check_name(length, error);
    return result == FL_OK && store->ops->check_name != NULL ? store->ops->check_name(store, name, length, error)
                                                             : result;
}

fl_result policy_check_ttl(const fl_store *store, double ttl, fl_error *error)
{
    int64_t ns;
    return convert_ttl(store, ttl, &ns, error);
}

/* Everything that try and acquire need: arguments checked, store attached, name packed with the store's seed. */
FL_HOT fl_result prepare(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl, fl_error *error)
{
    fl_result result = check_name(length, error);
    if (FL_UNLIKELY(result != FL_OK))
        return result;
    result = convert_ttl(store, ttl, &lease->ttl, error);
    if (FL_UNLIKELY(result != FL_OK))
        return result;
    if (FL_UNLIKELY(!store_is_ready(store))) {
        result = store->ops->attach(store, error);
        if (result != FL_OK)
            return result;
    }
    lease->store = store;
    lease->state = FL_LEASE_FREE;
    lease->kind = FL_EXCLUSIVE;
    name_pack(&lease->name, name, length, store->seed);
    return FL_OK;
}

/* ---- leases */

FL_HOT fl_result settle(fl_lease *lease, fl_result result)
{
    if (result == FL_OK) {
        lease->state = FL_LEASE_HELD;
        lease->epoch = lease->store->epoch;
    }
    return result;
}

fl_result fl_try(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl, fl_error *error)
{
    fl_result result = prepare(store, lease, name, length, ttl, error);
    if (FL_UNLIKELY(result != FL_OK))
        return result;
    result = settle(lease, store->ops->try(store, lease, error));
    return result == FL_SELF ? FL_BUSY : result;
}

static int64_t end_of(double timeout)
{
    int64_t now = os_now_precise();
    return timeout < 9e9 ? now + (int64_t)(timeout * 1e9) : INT64_MAX;
}

static fl_result not_offered(const fl_store *store, const char *what, fl_error *error)
{
    return fl_not_offered(error, FL_ARG_NONE, "a %s: store offers no %s; a table: store does", store->ops->scheme,
                          what);
}

static fl_result check_kind(const fl_store *store, const fl_request *request, fl_error *error)
{
    unsigned can = fl_capabilities(store);
    if (request->kind == FL_SHARED && !(can & FL_CAN_SHARE))
        return not_offered(store, "shared locks", error);
    if (request->kind == FL_PERMIT && !(can & FL_CAN_COUNT))
        return not_offered(store, "semaphores", error);
    if (request->kind == FL_PERMIT && request->permits - 1 >= FL_PERMITS_MAX)
        return fl_refuse(error, FL_ARG_PERMITS, "must be between 1 and %d", FL_PERMITS_MAX);
    return FL_OK;
}

static fl_result check_timeout(double timeout, int64_t *until, fl_error *error)
{
    if (!(timeout >= 0))
        return fl_refuse(error, FL_ARG_TIMEOUT, "must be a number of seconds >= 0, or INF");
    *until = timeout > 0 ? end_of(timeout) : 0;
    return FL_OK;
}

fl_result fl_take(fl_store *store, fl_lease *lease, const fl_request *request, fl_error *error)
{
    int64_t until = 0;
    if (check_timeout(request->timeout, &until, error) != FL_OK || check_kind(store, request, error) != FL_OK)
        return FL_ERROR;
    fl_result result = prepare(store, lease, request->name, request->length, request->ttl, error);
    if (result != FL_OK)
        return result;
    lease->kind = request->kind;
    lease->permits = request->permits;
    if (until == 0)
        result = store->ops->try(store, lease, error);
    else if (store->ops->wait != NULL)
        result = store->ops->wait(store, lease, until, request->interrupt, error);
    else
        result = policy_poll(store, lease, until, request->interrupt, error);
    if (result == FL_SELF && until == 0)
        result = FL_BUSY;
    return settle(lease, result);
}

fl_result fl_acquire(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl, double timeout,
                     const fl_interrupt *interrupt, fl_error *error)
{
    fl_request request = {.name = name, .length = length, .ttl = ttl, .timeout = timeout, .interrupt = interrupt};
    return fl_take(store, lease, &request, error);
}

fl_result fl_release(fl_lease *lease, fl_error *error)
{
    if (lease->state != FL_LEASE_HELD || FL_UNLIKELY(!lease_is_current(lease))) {
        lease->state = FL_LEASE_FREE;
        return FL_LOST;
    }
    lease->state = FL_LEASE_FREE;
    return lease->store->ops->release(lease->store, lease, error);
}

static fl_result note_loss(fl_lease *lease, fl_result result)
{
    if (result == FL_LOST)
        lease->state = FL_LEASE_LOST;
    return result;
}

fl_result fl_refresh(fl_lease *lease, const double *ttl, fl_error *error)
{
    int64_t ns = lease->ttl;
    fl_result result = ttl != NULL ? convert_ttl(lease->store, *ttl, &ns, error) : FL_OK;
    if (result != FL_OK)
        return result;
    if (lease->state != FL_LEASE_HELD)
        return FL_LOST;
    if (!lease_is_current(lease))
        return note_loss(lease, FL_LOST);
    return note_loss(lease, lease->store->ops->refresh(lease->store, lease, ns, error));
}

fl_result fl_verify(fl_lease *lease)
{
    if (lease->state != FL_LEASE_HELD)
        return FL_LOST;
    if (!lease_is_current(lease))
        return note_loss(lease, FL_LOST);
    return note_loss(lease, lease->store->ops->verify(lease->store, lease));
}

/* ---- from one kind to the other */

static fl_result check_held(fl_lease *lease)
{
    if (lease->state != FL_LEASE_HELD)
        return FL_LOST;
    return lease_is_current(lease) ? FL_OK : note_loss(lease, FL_LOST);
}

fl_result fl_upgrade(fl_lease *lease, double timeout, const fl_interrupt *interrupt, fl_error *error)
{
    int64_t until = 0;
    fl_result result = check_timeout(timeout, &until, error);
    if (result == FL_OK)
        result = check_held(lease);
    if (result != FL_OK)
        return result;
    if (lease->kind == FL_PERMIT)
        return not_offered(lease->store, "way from a permit to a lock", error);
    if (lease->kind == FL_EXCLUSIVE)
        return fl_verify(lease);
    result = note_loss(lease, lease->store->ops->upgrade(lease->store, lease, until, interrupt, error));
    return result == FL_SELF && until == 0 ? FL_BUSY : result;
}

fl_result fl_downgrade(fl_lease *lease, fl_error *error)
{
    fl_result result = check_held(lease);
    if (result != FL_OK)
        return result;
    if (lease->kind == FL_PERMIT)
        return not_offered(lease->store, "way from a permit to a lock", error);
    if (lease->kind == FL_SHARED)
        return fl_verify(lease);
    if (!(fl_capabilities(lease->store) & FL_CAN_SHARE))
        return not_offered(lease->store, "shared locks", error);
    return note_loss(lease, lease->store->ops->downgrade(lease->store, lease, error));
}

/* ---- handing over */

static fl_result check_hand_over(fl_lease *lease, fl_error *error)
{
    fl_result result = check_held(lease);
    if (result != FL_OK)
        return result;
    if (!(fl_capabilities(lease->store) & FL_CAN_HAND_OVER))
        return not_offered(lease->store, "leases that outlive their owner, and keys", error);
    if (lease->kind != FL_EXCLUSIVE || lease->ttl == INT64_MAX)
        return fl_not_offered(error, FL_ARG_NONE, "only an exclusive lock with an expiry can be handed over");
    return FL_OK;
}

fl_result fl_leave(fl_lease *lease, fl_error *error)
{
    fl_result result = check_hand_over(lease, error);
    if (result == FL_OK)
        result = lease->store->ops->leave(lease->store, lease, error);
    if (result != FL_ERROR)
        lease->state = FL_LEASE_FREE;
    return result;
}

fl_result fl_get_key(fl_lease *lease, char key[FL_KEY_SIZE], fl_error *error)
{
    fl_result result = check_hand_over(lease, error);
    return result == FL_OK ? note_loss(lease, lease->store->ops->get_key(lease->store, lease, key, error)) : result;
}

fl_result fl_restore(fl_store *store, fl_lease *lease, const char *key, size_t length, fl_error *error)
{
    if (!(fl_capabilities(store) & FL_CAN_HAND_OVER))
        return not_offered(store, "keys", error);
    if (!store_is_ready(store)) {
        fl_result result = store->ops->attach(store, error);
        if (result != FL_OK)
            return result;
    }
    lease->store = store;
    lease->state = FL_LEASE_FREE;
    return settle(lease, store->ops->restore(store, lease, key, length, error));
}

/* ---- looking */

fl_result fl_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error)
{
    fl_result result = check_name(length, error);
    return result == FL_OK ? store->ops->status(store, name, length, status, error) : result;
}

fl_result fl_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                  fl_error *error)
{
    if (length > FL_NAME_MAX)
        return fl_refuse(error, FL_ARG_NAME, "must be at most %d bytes long, as names are; it has %zu", FL_NAME_MAX,
                         length);
    return store->ops->list(store, prefix, length, each, context, error);
}

fl_result fl_break(fl_store *store, const char *name, size_t length, int64_t token, fl_error *error)
{
    fl_result result = check_name(length, error);
    if (result != FL_OK)
        return result;
    if (token <= 0)
        return fl_refuse(error, FL_ARG_TOKEN, "must be a token as seen in a status, which is > 0");
    return store->ops->break_lease(store, name, length, (uint64_t)token, error);
}

fl_result fl_get_stats(fl_store *store, fl_stats *stats, fl_error *error)
{
    return store->ops->stats(store, stats, error);
}

fl_result fl_inspect(fl_store *store, fl_info *info, fl_error *error)
{
    return store->ops->inspect(store, info, error);
}

fl_result fl_check(fl_store *store, fl_check_function each, void *context, fl_error *error)
{
    return store->ops->check(store, each, context, error);
}
