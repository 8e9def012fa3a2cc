/*
 * The single operations that a dir: store relies on, tried one after the other: the directory's clock, renames of directories, hard
 * links, the age of listings.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "directory/files.h"
#include "os.h"
#include "selftest/selftest_parts.h"

enum { PATH_SIZE = FL_DSN_PATH_MAX + 64, MODE = 0700 };

#define CLOCK_PATIENCE (6 * NS_PER_SECOND)
#define LISTING_PATIENCE (40 * NS_PER_SECOND)

static const char *path_in(char path[PATH_SIZE], const selftest *t, int mount, const char *rest)
{
    snprintf(path, PATH_SIZE, "%s/%s", t->path[mount], rest);
    return path;
}

static bool make(selftest *t, const char *rest, bool directory)
{
    char path[PATH_SIZE];
    path_in(path, t, 0, rest);
    if ((directory ? files.make_directory(path, MODE, -1) : files.make_file(path, NULL, 0, 0600, -1)) == 0)
        return true;
    return selftest_fail(t, "cannot make %s: %s", path, strerror(errno));
}

/* ---- the clock */

/* The directory's time right after a change of one's own through this mount. */
static bool stamp(selftest *t, int mount, int64_t *time)
{
    char path[PATH_SIZE], file[PATH_SIZE];
    path_in(file, t, mount, "clock/tick");
    if (files.make_file(file, NULL, 0, 0600, -1) != 0)
        return selftest_fail(t, "cannot make %s: %s", file, strerror(errno));
    int result = files.stamp(path_in(path, t, mount, "clock"), time);
    int code = errno;
    files.remove_file(file);
    return result == 0 || selftest_fail(t, "cannot read the time of %s: %s", path, strerror(code));
}

/* Looks until the time has changed a few times, or has not for long. */
static bool watch_clock(selftest *t)
{
    int64_t last, now, step = INT64_MAX, begun = os_now_precise();
    if (!stamp(t, 0, &last))
        return false;
    for (int changes = 0; changes < 20 && (changes < 2 || os_now_precise() - begun < NS_PER_SECOND / 5); last = now) {
        if (selftest_is_stopped(t) || !stamp(t, 0, &now))
            return false;
        if (now < last)
            return selftest_fail(t, "the time of a directory went back by %.3f s", (double)(last - now) / 1e9);
        if (now == last && os_now_precise() - begun > CLOCK_PATIENCE)
            return selftest_fail(t, "the modification time of a directory does not change with what is in it");
        step = now > last && now - last < step ? now - last : step;
        changes += now > last;
    }
    t->report->granularity = (double)step / 1e9;
    return true;
}

/* Two mounts of one server tell one time; else it is the client's. */
static bool compare_clocks(selftest *t)
{
    int64_t time[2];
    int64_t before = os_wall();
    if (!stamp(t, 0, &time[0]) || !stamp(t, t->two, &time[1]))
        return false;
    int64_t after = os_wall();
    t->report->clock_ahead = (double)(time[0] - before) / 1e9;
    double apart = fabs((double)(time[1] - time[0])) / 1e9;
    if (apart > (double)(after - before) / 1e9 + t->report->granularity + 1)
        return selftest_fail(t, "the two mounts tell times that are %.1f s apart: they are not the server's", apart);
    return true;
}

bool selftest_clock(selftest *t)
{
    return make(t, "clock", true) && watch_clock(t) && compare_clocks(t);
}

/* ---- renames of directories */

static bool exists(const selftest *t, int mount, const char *rest)
{
    char path[PATH_SIZE];
    return files.exists(path_in(path, t, mount, rest)) == 0;
}

static int move(const selftest *t, int mount, const char *from, const char *to)
{
    char source[PATH_SIZE], target[PATH_SIZE];
    return files.rename(path_in(source, t, mount, from), path_in(target, t, mount, to));
}

/* Error numbers may lie, what is there afterwards counts. */
bool selftest_directories(selftest *t)
{
    if (!make(t, "one", true) || !make(t, "one/a", false) || !make(t, "two", true) || !make(t, "two/b", false))
        return false;
    int result = move(t, 0, "one", "two");
    if (result == 0 || !exists(t, 0, "two/b") || !exists(t, 0, "one/a") || exists(t, 0, "two/a"))
        return selftest_fail(t, "a directory can be renamed on another one that is not empty");
    (void)move(t, 0, "one", "three");
    if (!exists(t, 0, "three/a") || exists(t, 0, "one/a"))
        return selftest_fail(t, "a directory with a file in it cannot be renamed");
    return true;
}

/* ---- hard links: nothing that a dir: store needs */

bool selftest_links(selftest *t)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    if (!make(t, "linked", false))
        return false;
    (void)!link(path_in(from, t, 0, "linked"), path_in(to, t, 0, "link"));
    t->report->hard_links = exists(t, 0, "link");
    return true;
}

/* ---- listings */

typedef struct {
    const char *want;
    bool found;
} search;

static bool is_wanted(void *context, const char *entry)
{
    search *s = context;
    s->found = s->found || strcmp(entry, s->want) == 0;
    return true;
}

static bool is_listed(const selftest *t, int mount, const char *directory, const char *want)
{
    char path[PATH_SIZE];
    search s = {.want = want};
    files.list(path_in(path, t, mount, directory), is_wanted, &s);
    return s.found;
}

/* Until a listing through the second mount shows what was renamed through the first. */
static bool await_listing(selftest *t, const char *want)
{
    int64_t begun = os_now_precise();
    while (!is_listed(t, 1, "listing", want)) {
        if (selftest_is_stopped(t))
            return false;
        if (os_now_precise() - begun > LISTING_PATIENCE)
            return selftest_fail(t, "a rename through %s is not seen in listings through %s within %.0f s",
                                 t->plan->directory, t->plan->second, LISTING_PATIENCE / 1e9);
        os_sleep_until(os_now_precise() + NS_PER_SECOND / 500);
    }
    double took = (double)(os_now_precise() - begun) / 1e9;
    t->report->stale = took > t->report->stale ? took : t->report->stale;
    return true;
}

bool selftest_listing(selftest *t)
{
    static const char *const names[] = {"0", "1", "2", "3", "4", "5"};
    char from[16], to[16];
    if (!t->two)
        return true;
    t->report->stale = 0;
    if (!make(t, "listing", true) || !make(t, "listing/0", false) || !await_listing(t, "0"))
        return false;
    for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
        snprintf(from, sizeof from, "listing/%s", names[i - 1]);
        snprintf(to, sizeof to, "listing/%s", names[i]);
        if (move(t, 0, from, to) != 0 && !exists(t, 0, to))
            return selftest_fail(t, "a file cannot be renamed: %s", strerror(errno));
        if (!await_listing(t, names[i]))
            return false;
    }
    return true;
}
