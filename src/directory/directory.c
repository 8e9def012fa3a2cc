/* The directory store: its DSN, its object, its functions. */
#include "directory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static fl_result read_option(directory *d, const fl_dsn *dsn, size_t i, fl_error *error)
{
    uint64_t number;
    if (strcmp(dsn->option[i].key, "mode") == 0) {
        fl_result result = dsn_number(dsn, i, 8, 0600, 0666, &number, error);
        if (result == FL_OK && (number & 0111) != 0)
            return fl_refuse(error, FL_ARG_DSN, "must have a mode without execute bits, such as 0660");
        if (result == FL_OK)
            d->asked_mode = (unsigned)number;
        return result;
    }
    if (strcmp(dsn->option[i].key, "keep") == 0) {
        fl_result result = dsn_number(dsn, i, 10, KEEP_LEAST, 315360000, &number, error);
        if (result == FL_OK)
            d->collect_after = (int64_t)number * 1000;
        return result;
    }
    return fl_refuse(error, FL_ARG_DSN, "has an option \"%s\" that dir: does not know; there are mode and keep",
                     dsn->option[i].key);
}

static fl_result directory_open(const fl_dsn *dsn, fl_store **store, fl_error *error)
{
    if (dsn->path[0] == '\0')
        return fl_refuse(error, FL_ARG_DSN, "must name the shared directory, as in dir:/mnt/shared/locks");
    directory *d = calloc(1, sizeof *d);
    if (d == NULL)
        return fl_fail(error, ENOMEM, "filelock: directory store");
    d->base.ops = &fl_directory_ops;
    d->collect_after = COLLECT_AFTER * INT64_C(1000);
    memcpy(d->path, dsn->path, sizeof d->path);
    for (size_t i = 0; i < dsn->options; i++) {
        if (read_option(d, dsn, i, error) == FL_OK)
            continue;
        free(d);
        return FL_ERROR;
    }
    *store = &d->base;
    return FL_OK;
}

/* In a forked child the leases are the parent's. */
static void directory_close(fl_store *store)
{
    directory *d = (directory *)store;
    if (store_is_ready(store))
        give_all(d);
    while (d->held != NULL)
        give_forget(d, d->held);
    os_fork_page_free(store->here);
    free(d);
}

/* Leases that are held already show it from their next refresh on: a rename of each would make a request's label expensive. */
static void directory_set_label(fl_store *store, const char *label, size_t length)
{
    directory *d = (directory *)store;
    length = length < FL_LABEL_MAX ? length : FL_LABEL_MAX;
    memset(d->label, 0, sizeof d->label);
    memcpy(d->label, label, length);
}

/* Twice the granularity: of the time at which the deadline was set, and of the one at which it is judged. */
static int64_t directory_grace(const fl_store *store, int64_t ttl)
{
    const directory *d = (const directory *)store;
    return 2 * (d->viewed ? d->granularity : GRAIN_FINE) * INT64_C(1000000) + ttl / 1000;
}

const fl_store_ops fl_directory_ops = {
    .scheme = "dir",
    .capabilities = FL_CAN_TOKEN | FL_CAN_HAND_OVER | FL_CAN_EXPIRE | FL_CAN_RECOVER | FL_CAN_BREAK | FL_CAN_LIST,
    .open = directory_open,
    .close = directory_close,
    .set_label = directory_set_label,
    .grace = directory_grace,
    .attach = format_attach,
    .try = take_try,
    .release = give_release,
    .refresh = give_refresh,
    .verify = give_verify,
    .leave = give_leave,
    .get_key = key_get,
    .restore = key_restore,
    .status = view_status,
    .list = view_list,
    .break_lease = give_break,
    .stats = view_stats,
    .inspect = view_inspect,
    .check = view_check,
};
