/* Looking, and breaking what was seen. Writes nothing but in show_break(). */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"

static double seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* The time of a file of ours tells its deadline, and not when it was taken; that of a flock's file nothing at all. */
static void fill_times(const foreign *f, const owner *o, const holding *mine, fl_status_t *status)
{
    int64_t now = os_wall(), time = file_time(&o->st);
    status->remaining = INFINITY;
    if (mine != NULL && mine->deadline != INT64_MAX)
        status->remaining = fmax(0, seconds(mine->deadline - os_boottime()));
    else if (mine == NULL && f->stale != INT64_MAX)
        status->remaining = fmax(0, seconds(time + f->stale - now));
    status->approximate = mine == NULL && f->stale != INT64_MAX;
    if (mine != NULL)
        status->since = seconds(mine->since);
    else if (o->ours)
        status->since = seconds(o->since);
    else
        status->since = f->method->remove == NULL || time > now ? NAN : seconds(time);
}

static void fill_process(const foreign *f, const owner *o, const holding *mine, fl_status_t *status)
{
    const char *host = mine != NULL ? f->host : o->host, *label = mine != NULL ? f->label : o->label;
    status->pid = mine != NULL ? f->pid : o->pid > 0 ? o->pid : -1;
    status->uid = f->method->remove != NULL ? (int64_t)o->st.st_uid : mine != NULL ? (int64_t)geteuid() : -1;
    snprintf(status->host, sizeof status->host, "%s", host);
    snprintf(status->label, sizeof status->label, "%s", label);
}

static void fill(const foreign *f, const owner *o, const char *name, size_t length, fl_status_t *status)
{
    const holding *mine = judge_find_mine(f, o);
    memset(status, 0, sizeof *status);
    memcpy(status->name, name, length);
    status->name_length = length;
    status->mine = mine != NULL;
    status->holders = o->holders > 0 ? o->holders : 1;
    status->waiters = o->waiters;
    status->shared = o->shared;
    status->token = judge_token(o);
    fill_process(f, o, mine, status);
    fill_times(f, o, mine, status);
}

static fl_result cannot_read(const foreign *f, const place *p, fl_error *error)
{
    judge_tell(f, "see who has", p, error);
    int code = error->code;
    if (code == EAGAIN && f->method->remove == NULL)
        fl_advise(error, "the kernel's list of locks changes too fast to be read; a try works");
    if (code == ENOTSUP && f->method->remove == NULL)
        fl_advise(error, "the kernel's list of flocks shows all holders only outside of containers; a try works");
    return FL_ERROR;
}

static fl_result read_any(const foreign *f, const place *p, owner *o, fl_error *error)
{
    if (f->method->read(p, o) == 0)
        return FL_OK;
    return errno == ENOENT ? FL_FREE : cannot_read(f, p, error);
}

/* FL_OK: somebody holds it. */
static fl_result look(const foreign *f, const place *p, owner *o, fl_error *error)
{
    fl_result result = read_any(f, p, o, error);
    if (result != FL_OK)
        return result;
    if (!judge_is_lock(f, o))
        return cannot_read(f, p, error);
    return judge_is_stale(f, o, os_wall()) ? FL_FREE : FL_OK;
}

static fl_result look_at_name(foreign *f, const char *name, size_t length, place *p, owner *o, fl_error *error)
{
    fl_result result = place_look(f, error);
    if (result == FL_OK)
        result = place_of_name(f, name, length, p, error);
    return result == FL_OK ? look(f, p, o, error) : result;
}

fl_result show_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error)
{
    foreign *f = (foreign *)store;
    place p;
    owner o;
    fl_result result = look_at_name(f, name, length, &p, &o, error);
    if (result == FL_OK)
        fill(f, &o, name, length, status);
    return result;
}

fl_result show_break(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error)
{
    foreign *f = (foreign *)store;
    place p;
    owner o;
    if (f->method->remove == NULL)
        return fl_not_offered(
            error, FL_ARG_NONE,
            "a file: store with method=%s cannot take a lock from its holder: the kernel gives it back "
            "when that process ends; a table: store can",
            f->method->name);
    fl_result result = look_at_name(f, name, length, &p, &o, error);
    if (result != FL_OK || judge_token(&o) != (int64_t)token)
        return result == FL_OK ? FL_FREE : result;
    if (remove_broken(f, &p, (int64_t)token) == 0)
        return FL_OK;
    if (errno == ENOENT || errno == ESTALE)
        return FL_FREE;
    return fl_fail(error, errno, "filelock: cannot break the lock %s", p.path);
}

/* ---- all */

typedef struct {
    foreign *f;
    const char *prefix;
    size_t length;
    fl_list_function each;
    void *context;
    fl_error *error;
    bool stopped;
} listing;

/* What is not there any more is not listed, nor what is no lock of this method but only called so. */
static fl_result list_one(listing *l, const place *p, const char *name, size_t length)
{
    owner o;
    fl_status_t status;
    if (length < l->length || memcmp(name, l->prefix, l->length) != 0)
        return FL_OK;
    fl_result result = read_any(l->f, p, &o, l->error);
    if (result != FL_OK)
        return result == FL_ERROR ? result : FL_OK;
    if (!judge_is_lock(l->f, &o) || judge_is_stale(l->f, &o, os_wall()))
        return FL_OK;
    fill(l->f, &o, name, length, &status);
    l->stopped = l->each(l->context, &status) != 0;
    return FL_OK;
}

static fl_result list_directory(listing *l)
{
    char name[FL_NAME_MAX + 1];
    size_t n;
    place p;
    fl_result result = FL_OK;
    DIR *stream = opendir(l->f->path);
    if (stream == NULL)
        return fl_fail(l->error, errno, "filelock: cannot read %s", l->f->path);
    for (struct dirent *entry; result == FL_OK && !l->stopped && (entry = readdir(stream)) != NULL;)
        if (place_to_name(l->f, entry->d_name, name, &n)) {
            place_of_file(l->f, entry->d_name, &p);
            result = list_one(l, &p, name, n);
        }
    closedir(stream);
    return result;
}

static fl_result list_single(listing *l)
{
    place p;
    const char *name = strrchr(l->f->path, '/') + 1;
    size_t length = strlen(name) - strlen(l->f->suffix);
    fl_result result = place_of_name(l->f, name, length, &p, l->error);
    return result == FL_OK ? list_one(l, &p, name, length) : result;
}

fl_result show_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                    fl_error *error)
{
    foreign *f = (foreign *)store;
    listing l = {f, prefix, length, each, context, error, false};
    fl_result result = place_look(f, error);
    if (result != FL_OK)
        return result;
    return f->single ? list_single(&l) : list_directory(&l);
}
