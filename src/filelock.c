#include "filelock.h"

#include <math.h>
#include <stdlib.h>

#include "os.h"
#include "policy.h"
#include "store.h"

static const fl_store_ops *const all_stores[] = {&fl_table_ops};

fl_result fl_open(const char *text, fl_store **store, fl_error *error)
{
    fl_dsn dsn;
    fl_result result = dsn_parse(text, &dsn, error);
    if (result != FL_OK)
        return result;
    for (size_t i = 0; i < sizeof all_stores / sizeof *all_stores; i++)
        if (strcmp(all_stores[i]->scheme, dsn.scheme) == 0)
            return all_stores[i]->open(&dsn, store, error);
    return fl_refuse(error, FL_ARG_DSN, "names a kind of store, \"%s\", that is not compiled in; there is table:",
                     dsn.scheme);
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

fl_result policy_check_name(size_t length, fl_error *error)
{
    return check_name(length, error);
}

fl_result policy_check_ttl(const fl_store *store, double ttl, fl_error *error)
{
    int64_t ns;
    return convert_ttl(store, ttl, &ns, error);
}

/* Everything that try and acquire need: arguments checked, store attached, name packed with the store's seed. */
static inline fl_result prepare(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl,
                                fl_error *error)
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
    name_pack(&lease->name, name, length, store->seed);
    return FL_OK;
}

/* ---- leases */

static inline fl_result settle(fl_lease *lease, fl_result result)
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

fl_result fl_acquire(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl, double timeout,
                     const fl_interrupt *interrupt, fl_error *error)
{
    if (!(timeout >= 0))
        return fl_refuse(error, FL_ARG_TIMEOUT, "must be a number of seconds >= 0, or INF");
    int64_t until = timeout > 0 ? end_of(timeout) : 0;
    fl_result result = prepare(store, lease, name, length, ttl, error);
    if (result != FL_OK)
        return result;
    result = store->ops->try(store, lease, error);
    if (result == FL_BUSY && timeout > 0)
        result = store->ops->wait(store, lease, until, interrupt, error);
    if (result == FL_SELF && !(timeout > 0))
        result = FL_BUSY;
    return settle(lease, result);
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

/* ---- looking */

fl_result fl_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error)
{
    fl_result result = check_name(length, error);
    return result == FL_OK ? store->ops->status(store, name, length, status, error) : result;
}

fl_result fl_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                  fl_error *error)
{
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

fl_result fl_inspect(fl_store *store, fl_info *info, fl_error *error)
{
    return store->ops->inspect(store, info, error);
}

fl_result fl_check(fl_store *store, fl_check_function each, void *context, fl_error *error)
{
    return store->ops->check(store, each, context, error);
}
