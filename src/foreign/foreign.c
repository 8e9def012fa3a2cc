/* The file store: its DSN, its object, its functions. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "foreign.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const foreign_method *const methods[] = {&foreign_link,  &foreign_mkdir,   &foreign_exclusive,
                                                &foreign_touch, &foreign_symlink, &foreign_flock};

static fl_result find_method(foreign *f, const char *name, fl_error *error)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i]->name, name) == 0) {
            f->method = methods[i];
            return FL_OK;
        }
    return fl_refuse(
        error, FL_ARG_DSN,
        "has a method \"%s\" that file: does not know; there are link, mkdir, exclusive, touch, symlink, flock", name);
}

static fl_result read_suffix(foreign *f, const char *value, fl_error *error)
{
    if (strlen(value) >= sizeof f->suffix || strchr(value, '/') != NULL)
        return fl_refuse(error, FL_ARG_DSN, "must have a suffix of at most %zu bytes without a slash",
                         sizeof f->suffix - 1);
    memcpy(f->suffix, value, strlen(value) + 1);
    return FL_OK;
}

static fl_result read_option(foreign *f, const fl_dsn *dsn, size_t i, fl_error *error)
{
    uint64_t seconds;
    const char *key = dsn->option[i].key, *value = dsn->option[i].value;
    if (strcmp(key, "method") == 0)
        return find_method(f, value, error);
    if (strcmp(key, "suffix") == 0)
        return read_suffix(f, value, error);
    if (strcmp(key, "stale") == 0) {
        fl_result result = dsn_number(dsn, i, 10, 1, 315360000, &seconds, error);
        f->stale = result == FL_OK ? (int64_t)seconds * NS_PER_SECOND : 0;
        return result;
    }
    return fl_refuse(error, FL_ARG_DSN,
                     "has an option \"%s\" that file: does not know; there are method, suffix, stale", key);
}

static fl_result read_options(foreign *f, const fl_dsn *dsn, fl_error *error)
{
    for (size_t i = 0; i < dsn->options; i++)
        if (read_option(f, dsn, i, error) != FL_OK)
            return FL_ERROR;
    if (f->method == NULL)
        return fl_refuse(error, FL_ARG_DSN, "must say how the other programs lock, as in file:/var/lock?method=link");
    if (f->method->give != NULL && f->stale != 0)
        return fl_refuse(error, FL_ARG_DSN, "must not have a stale age with method=%s: the kernel sees who lives",
                         f->method->name);
    f->stale = f->stale != 0 ? f->stale : f->method->stale;
    place_decide(f);
    return FL_OK;
}

static fl_result foreign_open(const fl_dsn *dsn, fl_store **store, fl_error *error)
{
    if (dsn->path[0] == '\0')
        return fl_refuse(error, FL_ARG_DSN, "must name a directory or a file, as in file:/var/lock?method=link");
    foreign *f = calloc(1, sizeof *f);
    if (f == NULL)
        return fl_fail(error, ENOMEM, "filelock: file store");
    memcpy(f->path, dsn->path, sizeof f->path);
    memcpy(f->suffix, ".lock", sizeof ".lock");
    if (read_options(f, dsn, error) != FL_OK) {
        free(f);
        return FL_ERROR;
    }
    f->own = fl_foreign_ops;
    f->own.capabilities = f->method->capabilities | (f->stale != INT64_MAX ? FL_CAN_EXPIRE : 0) |
                          (f->method->remove != NULL ? FL_CAN_BREAK : 0);
    f->base.ops = &f->own;
    f->litter_after = 3600;
    f->spare = f->method->remove == NULL ? &f->last : NULL;
    f->last.fd = -1;
    *store = &f->base;
    return FL_OK;
}

/* In a forked child the locks are the parent's: their descriptors are closed there already. */
static void foreign_close(fl_store *store)
{
    foreign *f = (foreign *)store;
    if (store_is_ready(store))
        keep_give_all(f);
    keep_forget_all(f);
    os_fork_page_free(store->here);
    free(f);
}

static void foreign_set_label(fl_store *store, const char *label, size_t length)
{
    foreign *f = (foreign *)store;
    length = length < FL_LABEL_MAX ? length : FL_LABEL_MAX;
    memset(f->label, 0, sizeof f->label);
    memcpy(f->label, label, length);
    for (char *c = f->label; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
}

/* Rounded up to a second; file times of whole seconds, or of two, cost that much more. */
static int64_t foreign_grace(const fl_store *store, int64_t ttl)
{
    (void)store;
    return 4 * NS_PER_SECOND + ttl / 1000;
}

static fl_result foreign_attach(fl_store *store, fl_error *error)
{
    foreign *f = (foreign *)store;
    bool forked = store_is_forked(store);
    if (forked)
        keep_forget_all(f);
    os_fork_page_free(store->here);
    store->here = NULL;
    if (place_look(f, error) != FL_OK)
        return FL_ERROR;
    if ((store->here = os_fork_page_new()) == NULL)
        return fl_fail(error, errno, "filelock: no memory that tells a forked child");
    store_next_epoch(store, forked);
    return FL_OK;
}

const fl_store_ops fl_foreign_ops = {
    .scheme = "file",
    .open = foreign_open,
    .close = foreign_close,
    .check_name = place_check_name,
    .set_label = foreign_set_label,
    .grace = foreign_grace,
    .attach = foreign_attach,
    .try = hold_try,
    .release = keep_release,
    .refresh = keep_refresh,
    .verify = keep_verify,
    .status = show_status,
    .list = show_list,
    .break_lease = show_break,
    .stats = show_stats,
    .inspect = show_inspect,
    .check = show_check,
};
