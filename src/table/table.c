/* The table store: its DSN, its object, its functions. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SYSTEM_USERS = 999 };

/*
 * /dev/shm exists on every Linux and is shared by services with a private /tmp; but logind erases there what users have who
 * are not system users, when they log out.
 */
void fl_default_directory(char *buffer, size_t size)
{
    unsigned user = geteuid();
    snprintf(buffer, size, "%s/php-filelock-%u", user <= SYSTEM_USERS ? "/dev/shm" : "/var/tmp", user);
}

static fl_result read_option(table *t, const fl_dsn *dsn, size_t i, fl_error *error)
{
    uint64_t number;
    fl_result result;
    if (strcmp(dsn->option[i].key, "mode") == 0) {
        result = dsn_number(dsn, i, 8, 0600, 0666, &number, error);
        if (result == FL_OK)
            t->mode = (unsigned)number;
        if (result == FL_OK && (number & 0111) != 0)
            return fl_refuse(error, FL_ARG_DSN, "must have a mode without execute bits, such as 0660");
        return result;
    }
    if (strcmp(dsn->option[i].key, "capacity") == 0) {
        result = dsn_number(dsn, i, 10, CAPACITY_LEAST, CAPACITY_MOST, &number, error);
        if (result == FL_OK)
            t->capacity = (uint32_t)number;
        return result;
    }
    return fl_refuse(error, FL_ARG_DSN, "has an option \"%s\" that table: does not know; there are mode and capacity",
                     dsn->option[i].key);
}

static fl_result table_open(const fl_dsn *dsn, fl_store **store, fl_error *error)
{
    table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return fl_fail(error, ENOMEM, "table store");
    t->base.ops = &fl_table_ops;
    t->mode = 0600;
    t->capacity = CAPACITY_DEFAULT;
    t->kept = -1;
    t->own_directory = dsn->path[0] == '\0';
    if (t->own_directory)
        fl_default_directory(t->directory, sizeof t->directory);
    else
        memcpy(t->directory, dsn->path, sizeof t->directory);
    snprintf(t->path, sizeof t->path, "%s/%s", t->directory[1] == '\0' ? "" : t->directory, LAYOUT_FILE);
    for (size_t i = 0; i < dsn->options; i++) {
        if (read_option(t, dsn, i, error) == FL_OK)
            continue;
        free(t);
        return FL_ERROR;
    }
    if (t->own_directory && (t->mode & 077) != 0) {
        free(t);
        return fl_refuse(
            error, FL_ARG_DSN,
            "must name a directory if several users share it, as in table:/run/app?mode=0660: the default one "
            "is this user's alone");
    }
    *store = &t->base;
    return FL_OK;
}

static void table_close(fl_store *store)
{
    table *t = (table *)store;
    table_detach(t);
    free(t);
}

static void table_set_label(fl_store *store, const char *label, size_t length)
{
    table *t = (table *)store;
    t->label_length = length < FL_LABEL_MAX ? length : FL_LABEL_MAX;
    memset(t->label, 0, sizeof t->label);
    memcpy(t->label, label, t->label_length);
    if (store_is_ready(store))
        slot_write_label(t);
}

/* All have one clock. It lags by up to two ticks of 10 ms at most, and a deadline may be rounded up by less than that. */
static int64_t table_grace(const fl_store *store, int64_t ttl)
{
    (void)store, (void)ttl;
    return 20 * (NS_PER_SECOND / 1000);
}

const fl_store_ops fl_table_ops = {
    .scheme = "table",
    .capabilities = FL_CAN_FOREVER | FL_CAN_ORDER | FL_CAN_TOKEN | FL_CAN_SHARE | FL_CAN_COUNT | FL_CAN_HAND_OVER |
                    FL_CAN_BREAK | FL_CAN_LIST | FL_CAN_EXPIRE | FL_CAN_RECOVER,
    .open = table_open,
    .close = table_close,
    .set_label = table_set_label,
    .grace = table_grace,
    .attach = table_attach,
    .try = lease_try,
    .wait = table_wait,
    .release = lease_release,
    .refresh = lease_refresh,
    .verify = lease_verify,
    .upgrade = share_upgrade,
    .downgrade = share_downgrade,
    .leave = handover_leave,
    .get_key = handover_get_key,
    .restore = handover_restore,
    .status = look_status,
    .list = look_list,
    .break_lease = lease_break,
    .stats = table_stats,
    .inspect = table_inspect,
    .check = table_check,
};
