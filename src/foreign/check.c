/* For administrators: what this is, and what is unsafe or surprising about it. Reads only. */
#include <stdarg.h>
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
    info->exists = stat(f->path, &st) == 0;
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

static void tell(const findings *c, const char *format, ...) FL_PRINTF(2, 3);
static void tell(const findings *c, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    c->each(c->context, text);
}

static void check_method(const findings *c)
{
    const foreign *f = c->f;
    if (f->method == &foreign_touch)
        tell(c,
             "programs that look first and touch afterwards can both take one lock: this is their convention's fault");
    if (f->method == &foreign_flock)
        tell(c, "a time to live tells only its holder: others get the lock when it is given back or its process ends");
    else if (f->stale == INT64_MAX)
        tell(c, "no lock expires for others: method=%s has no usual age; the option stale=SECONDS gives it one",
             f->method->name);
    if (f->method->by_process)
        tell(c,
             "other programs' PIDs mean what they say only if no container shares %s; inside of one they are not "
             "believed",
             f->path);
}

static void check_rights(const findings *c, const struct stat *st)
{
    if (!c->f->single && (st->st_mode & S_IWOTH))
        tell(c, "every user can make, and forge, locks in %s (mode %04o)", c->f->path, (unsigned)st->st_mode & 07777);
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
    if (stat(f->path, &st) == 0)
        check_rights(&c, &st);
    return FL_OK;
}
