/*
 * Looking: lists, parses, writes nothing. Without a sample of the server's clock, which needs a write, times are by this
 * machine's wall clock, and marked so.
 */
#include "directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"

static void fill_times(const directory *d, const lock_state *s, fl_status_t *status)
{
    status->approximate = !clock_is_known(d);
    int64_t now = status->approximate ? os_wall() / 1000000 : clock_earliest(d, os_boottime());
    int64_t left = s->deadline - now;
    status->remaining = left > 0 ? (double)left / 1e3 : 0;
    status->since = (double)os_wall() / 1e9 - (double)(now - s->since) / 1e3;
}

static void fill(const directory *d, const lock_state *s, const char *name, size_t length, fl_status_t *status)
{
    memset(status, 0, sizeof *status);
    memcpy(status->name, name, length);
    status->name_length = length;
    status->mine = judge_is_mine(d, s);
    status->holders = 1;
    status->token = (int64_t)s->token;
    status->pid = s->pid;
    status->uid = s->uid;
    memcpy(status->host, s->host, sizeof status->host);
    memcpy(status->label, s->label, sizeof status->label);
    fill_times(d, s, status);
}

/* FL_OK: somebody holds it. */
static fl_result look(const directory *d, const lock_path *path, lock_state *s, fl_error *error)
{
    scan_result found = scan_lock(path, s);
    if (found == SCAN_FAILED)
        return scan_failed(path, error);
    return found == SCAN_STATE && !judge_for_looking(d, path, s) ? FL_OK : FL_FREE;
}

fl_result view_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error)
{
    directory *d = (directory *)store;
    lock_path path;
    lock_state s;
    fl_result result = format_view(d, error);
    if (result != FL_OK)
        return result;
    path_of_name(d->path, name, length, &path);
    result = look(d, &path, &s, error);
    if (result == FL_OK)
        fill(d, &s, name, length, status);
    return result;
}

/* ---- all */

typedef struct {
    directory *d;
    const char *prefix;
    size_t length;
    fl_list_function each;
    void *context;
    lock_path path;
    size_t used; /* of path.text */
    fl_error *error;
    bool stopped, failed;
} listing;

static bool read_name(const listing *l, const lock_state *s, char *name, size_t *length)
{
    char file[STATE_PATH_MAX];
    path_of_state(&l->path, s->text, file);
    return files.read(file, name, FL_NAME_MAX + 1, length) == 0 && *length - 1 < FL_NAME_MAX;
}

/* The hash at the end of the directory's name, as judging needs it. */
static bool parse_hash(const char *entry, uint64_t hash[2])
{
    const char *dash = strrchr(entry, '-');
    return dash != NULL && strlen(dash) == 33 && sscanf(dash, "-%16" SCNx64 "%16" SCNx64, &hash[0], &hash[1]) == 2;
}

static bool list_lock(void *context, const char *entry)
{
    listing *l = context;
    lock_state s;
    char name[FL_NAME_MAX + 1];
    size_t length;
    fl_status_t status;
    if (strlen(entry) > HEAD_MAX + 33 || !parse_hash(entry, l->path.hash))
        return true;
    memcpy(l->path.text + l->used, entry, strlen(entry) + 1);
    fl_result result = look(l->d, &l->path, &s, l->error);
    l->failed = result == FL_ERROR;
    if (result != FL_OK || !read_name(l, &s, name, &length) || length < l->length ||
        memcmp(name, l->prefix, l->length) != 0)
        return !l->failed;
    fill(l->d, &s, name, length, &status);
    l->stopped = l->each(l->context, &status) != 0;
    return !l->stopped;
}

static bool list_bucket(listing *l, unsigned bucket)
{
    char path[FL_DSN_PATH_MAX + 4];
    snprintf(path, sizeof path, "%s/%02x", l->d->path, bucket);
    l->used = (size_t)snprintf(l->path.text, sizeof l->path.text, "%s/", path);
    if (files.list(path, list_lock, l) == 0 || errno == ENOENT || l->failed)
        return !l->failed && !l->stopped;
    fl_fail(l->error, errno, "filelock: cannot read %s", path);
    l->failed = true;
    return false;
}

fl_result view_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                    fl_error *error)
{
    directory *d = (directory *)store;
    listing l = {.d = d, .prefix = prefix, .length = length, .each = each, .context = context, .error = error};
    fl_result result = format_view(d, error);
    if (result != FL_OK)
        return result == FL_FREE ? FL_OK : result;
    for (unsigned bucket = 0; bucket < 256 && list_bucket(&l, bucket); bucket++)
        ;
    return l.failed ? FL_ERROR : FL_OK;
}

/* ---- for administrators */

static int count_one(void *context, const fl_status_t *status)
{
    (void)status;
    ((fl_info *)context)->held++;
    return 0;
}

static void say_who_shares(const directory *d, const fl_info *info, unsigned owner, char *text, size_t size)
{
    if (info->mode & 0002)
        snprintf(text, size, "every user who can enter the directory, on all machines that mount it");
    else if (info->mode & 0020)
        snprintf(text, size, "uid %u and the group %u, on all machines that mount it", owner, d->group);
    else
        snprintf(text, size, "uid %u, on all machines that mount it", owner);
}

fl_result view_inspect(fl_store *store, fl_info *info, fl_error *error)
{
    directory *d = (directory *)store;
    struct stat st = {0};
    memset(info, 0, sizeof *info);
    snprintf(info->path, sizeof info->path, "%s", d->path);
    fl_result result = format_view(d, error);
    if (result == FL_ERROR)
        return result;
    stat(d->path, &st);
    info->exists = result == FL_OK;
    info->mode = info->exists ? d->mode : d->asked_mode != 0 ? d->asked_mode : st.st_mode & 0666;
    say_who_shares(d, info, st.st_uid, info->shared_with, sizeof info->shared_with);
    return fl_list(store, "", 0, count_one, info, error);
}

fl_result view_stats(fl_store *store, fl_stats *stats, fl_error *error)
{
    (void)store;
    memset(stats, 0, sizeof *stats);
    return fl_not_offered(error, FL_ARG_NONE, "a dir: store offers no counters; a table: store does");
}
