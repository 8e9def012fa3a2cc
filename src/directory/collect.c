/*
 * Names that nobody has used for long, and what killed processes left half made.
 *
 * An old free state is removed by its exact name, which a comer's rename of it makes impossible, then the empty directory; a
 * comer in between makes the lock anew. What follows is later than what was removed, because the generation begins at the
 * server's time. Prepared locks are renamed before they are emptied, so that their maker, if it still lives, fails to publish
 * them.
 *
 * Nobody runs this as a job: whoever makes a new lock looks at a few others, and whoever takes his first lock looks for what is half
 * made, so that litter cannot grow without a limit.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "directory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "files.h"

enum { HALF_MADE_FOR = 3600 };

static bool is_old(const directory *d, const lock_state *s)
{
    int64_t changed = (int64_t)(s->generation >> GENERATION_SHIFT);
    return s->kind == STATE_FREE && clock_earliest(d, os_boottime()) - changed > d->collect_after;
}

static bool collect_lock(const directory *d, const lock_path *path)
{
    lock_state s;
    char file[STATE_PATH_MAX];
    scan_result found = scan_lock(path, &s);
    if (found == SCAN_STATE && is_old(d, &s)) {
        path_of_state(path, s.text, file);
        FL_STEP("collect:unlink");
        if (files.remove_file(file) != 0)
            return false;
        FL_STEP("collect:rmdir");
    } else if (found != SCAN_EMPTY)
        return false;
    return files.remove_directory(path->text) == 0;
}

/* ---- a few of a bucket, drawn evenly without keeping a list of all */

enum { DRAWN_MOST = 8 };

typedef struct {
    char entry[DRAWN_MOST][HEAD_MAX + 34];
    int most, seen;
    uint64_t random;
} drawing;

static bool draw_entry(void *context, const char *entry)
{
    drawing *w = context;
    if (strlen(entry) >= sizeof w->entry[0])
        return true;
    w->random = name_mix(w->random, NAME_STEP) + 1;
    int place = w->seen < w->most ? w->seen : (int)(w->random % (uint64_t)(w->seen + 1));
    w->seen++;
    if (place < w->most)
        strcpy(w->entry[place], entry);
    return true;
}

static unsigned collect_drawn(const directory *d, const char *bucket, const drawing *w)
{
    unsigned removed = 0;
    lock_path path;
    for (int i = 0; i < w->seen && i < w->most; i++) {
        size_t used = (size_t)snprintf(path.text, sizeof path.text, "%s/", bucket);
        memcpy(path.text + used, w->entry[i], strlen(w->entry[i]) + 1);
        removed += collect_lock(d, &path);
    }
    return removed;
}

void collect_some(directory *d, const lock_path *near, int most)
{
    char bucket[LOCK_PATH_MAX];
    drawing w = {.most = most < DRAWN_MOST ? most : DRAWN_MOST, .random = near->hash[1] | 1};
    path_of_bucket(near, bucket);
    if (files.list(bucket, draw_entry, &w) == 0)
        collect_drawn(d, bucket, &w);
}

/* ---- everything */

typedef struct {
    const directory *d;
    const char *bucket;
    unsigned removed;
} sweep;

static bool sweep_entry(void *context, const char *entry)
{
    sweep *s = context;
    lock_path path;
    if (strlen(entry) > HEAD_MAX + 33)
        return true;
    size_t used = (size_t)snprintf(path.text, sizeof path.text, "%s/", s->bucket);
    memcpy(path.text + used, entry, strlen(entry) + 1);
    s->removed += collect_lock(s->d, &path);
    return true;
}

static bool remove_inner(void *context, const char *entry)
{
    char path[STATE_PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/%s", (const char *)context, entry);
    files.remove_file(path);
    return true;
}

/* In .new and .clock: entries that are older than anybody works on them. */
static bool sweep_half_made(void *context, const char *entry)
{
    const sweep *s = context;
    char path[FL_DSN_PATH_MAX + 300], dead[FL_DSN_PATH_MAX + 300];
    int64_t made;
    snprintf(path, sizeof path, "%s/%.200s", s->bucket, entry);
    if (files.stamp(path, &made) != 0 ||
        clock_earliest(s->d, os_boottime()) - made / 1000000 < HALF_MADE_FOR * INT64_C(1000))
        return true;
    if (files.remove_file(path) == 0)
        return true;
    snprintf(dead, sizeof dead, "%s/dead-%.200s", s->bucket, entry);
    if (strncmp(entry, "dead-", 5) == 0)
        memcpy(dead, path, sizeof dead);
    else if (files.rename(path, dead) != 0)
        return true;
    files.list(dead, remove_inner, dead);
    files.remove_directory(dead);
    return true;
}

static void sweep_part(const directory *d, const char *part, files_each each, unsigned *removed)
{
    char path[FL_DSN_PATH_MAX + 8];
    sweep s = {.d = d, .bucket = path};
    snprintf(path, sizeof path, "%s/%s", d->path, part);
    files.list(path, each, &s);
    *removed += s.removed;
}

void collect_half_made(directory *d)
{
    unsigned half = 0;
    d->swept = true;
    sweep_part(d, ".new", sweep_half_made, &half);
    sweep_part(d, ".clock", sweep_half_made, &half);
}

unsigned collect_all(directory *d)
{
    unsigned removed = 0;
    char part[8];
    for (unsigned bucket = 0; bucket < 256; bucket++) {
        snprintf(part, sizeof part, "%02x", bucket);
        sweep_part(d, part, sweep_entry, &removed);
    }
    collect_half_made(d);
    return removed;
}

fl_result collect_attached(fl_store *store, unsigned *removed, fl_error *error)
{
    directory *d = (directory *)store;
    fl_result result = store_is_ready(store) ? FL_OK : store->ops->attach(store, error);
    if (result == FL_OK)
        result = clock_sample_now(d, error);
    if (result == FL_OK)
        *removed = collect_all(d);
    return result;
}
