/* For administrators: what this is, and what is unsafe or surprising about it. Reads only. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "foreign.h"

fl_result show_stats(fl_store *store, fl_stats *stats, fl_error *error)
{
    (void)store;
    memset(stats, 0, sizeof *stats);
    return fl_not_offered(error, FL_ARG_NONE, "a file: store offers no counters; a table: store does");
}

static int count_one(void *context, const fl_status_t *status)
{
    (void)status;
    ((fl_info *)context)->held++;
    return 0;
}

fl_result show_inspect(fl_store *store, fl_info *info, fl_error *error)
{
    foreign *f = (foreign *)store;
    struct stat st = {0};
    memset(info, 0, sizeof *info);
    snprintf(info->path, sizeof info->path, "%s", f->path);
    info->exists = stat(f->directory, &st) == 0;
    info->mode = st.st_mode & 0777;
    snprintf(info->shared_with, sizeof info->shared_with, "who can write there, also other programs that lock by %s",
             f->method->name);
    return show_list(store, "", 0, count_one, info, error);
}

/* ---- findings */

typedef struct {
    const foreign *f;
    fl_check_function each;
    void *context;
} findings;

static void check_method(const findings *c)
{
    const foreign *f = c->f;
    if (f->method == &foreign_touch)
        fl_tell(
            c->each, c->context,
            "programs that look first and touch afterwards can both take one lock: this is their convention's fault");
    if (f->method == &foreign_flock)
        fl_tell(c->each, c->context,
                "a time to live tells only its holder: others get the lock when it is given back or its process ends");
    else if (f->stale == INT64_MAX)
        fl_tell(c->each, c->context,
                "no lock expires for others: method=%s has no usual age; the option stale=SECONDS gives it one",
                f->method->name);
    if (f->method->by_process)
        fl_tell(c->each, c->context,
                "other programs' PIDs mean what they say only if no container shares %s; inside of one they are not "
                "believed",
                f->path);
}

static void check_rights(const findings *c, const struct stat *st)
{
    const foreign *f = c->f;
    if (st->st_mode & S_IWOTH)
        fl_tell(c->each, c->context, "every user can make, and forge, locks in %s (mode %04o)", f->directory,
                (unsigned)st->st_mode & 07777);
    if ((st->st_mode & S_ISVTX) && f->method->remove != NULL)
        fl_tell(c->each, c->context,
                "%s is sticky (mode %04o): the stale lock of another user cannot be taken away there", f->directory,
                (unsigned)st->st_mode & 07777);
}

fl_result show_check(fl_store *store, fl_check_function each, void *context, fl_error *error)
{
    foreign *f = (foreign *)store;
    findings c = {f, each, context};
    struct stat st;
    fl_result result = place_look(f, error);
    if (result != FL_OK)
        return result;
    check_method(&c);
    if (stat(f->directory, &st) == 0)
        check_rights(&c, &st);
    return FL_OK;
}
