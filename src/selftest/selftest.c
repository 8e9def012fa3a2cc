#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directory/files.h"
#include "os.h"
#include "selftest/selftest_parts.h"

#define SEEN_PATIENCE (40 * NS_PER_SECOND)

bool selftest_fail(selftest *t, const char *format, ...)
{
    va_list arguments;
    char *verdict = t->report->verdict;
    if (verdict[0] != '\0')
        return false;
    int length = snprintf(verdict, sizeof t->report->verdict, "not: because ");
    va_start(arguments, format);
    vsnprintf(verdict + length, sizeof t->report->verdict - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

bool selftest_is_stopped(selftest *t)
{
    const fl_interrupt *interrupt = t->plan->interrupt;
    if (interrupt == NULL || interrupt->stop(interrupt->context) == 0)
        return false;
    t->report->interrupted = true;
    snprintf(t->report->verdict, sizeof t->report->verdict, "not known: it was interrupted");
    return true;
}

void selftest_tell(const selftest *t, const char *format, ...)
{
    char text[256];
    va_list arguments;
    if (t->plan->progress == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    t->plan->progress(t->plan->context, text);
}

void selftest_dsn(const char *path, char dsn[3 * FL_DSN_PATH_MAX + 8])
{
    char *end = dsn + sprintf(dsn, "dir:");
    for (; *path != '\0'; path++)
        end += sprintf(end, strchr("%?&#", *path) != NULL ? "%%%02X" : "%c", (unsigned char)*path);
}

/* ---- what the store says */

/* Looks only: the directory may be in use as a store. */
static bool ask_store(selftest *t, const char *path)
{
    char dsn[3 * FL_DSN_PATH_MAX + 8];
    fl_store *store;
    fl_info info;
    fl_error error;
    if (path[0] != '/')
        return selftest_fail(t, "the path \"%s\" is not absolute", path);
    if (strlen(path) > FL_DSN_PATH_MAX - 48)
        return selftest_fail(t, "the path is longer than %d bytes", FL_DSN_PATH_MAX - 48);
    selftest_dsn(path, dsn);
    fl_result result = fl_open(dsn, &store, &error);
    if (result == FL_OK) {
        result = fl_inspect(store, &info, &error);
        fl_close(store);
    }
    return result == FL_OK || selftest_fail(t, "%s", error.message);
}

static bool check_plan(selftest *t)
{
    const fl_selftest_plan *p = t->plan;
    if (p->processes < 2 || p->processes > FL_SELFTEST_PROCESSES || !(p->seconds > 0))
        return selftest_fail(t, "it takes 2 to %d processes, and some time", FL_SELFTEST_PROCESSES);
    return ask_store(t, p->directory) && (!t->two || ask_store(t, p->second));
}

/* ---- the own subdirectory, with the rights of the directory */

static bool make_place(selftest *t)
{
    struct stat st;
    uint64_t number;
    const fl_selftest_plan *p = t->plan;
    if (!os_random(&number, sizeof number) || stat(p->directory, &st) != 0)
        return selftest_fail(t, "%s cannot be read: %s", p->directory, strerror(errno));
    for (int i = 0; i < 2; i++)
        snprintf(t->path[i], sizeof t->path[i], "%s/.filelock-verify-%016" PRIx64,
                 i == 1 && t->two ? p->second : p->directory, number);
    if (files.make_directory(t->path[0], st.st_mode & 02777, -1) != 0) {
        selftest_fail(t, "nothing can be made in %s: %s", p->directory, strerror(errno));
        t->path[0][0] = '\0';
        return false;
    }
    return true;
}

/* No listing of a local file system is old. */
static bool is_local(const char *path)
{
    const char *type;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool local = fd >= 0 && os_is_local(fd, &type);
    if (fd >= 0)
        close(fd);
    return local;
}

static bool is_seen_through_both(selftest *t)
{
    int64_t until = os_now_precise() + (t->two && is_local(t->plan->second) ? 0 : SEEN_PATIENCE);
    while (files.exists(t->path[1]) != 0) {
        if (selftest_is_stopped(t))
            return false;
        if (os_now_precise() > until)
            return selftest_fail(t, "%s is not the same directory as %s", t->plan->second, t->plan->directory);
        os_sleep_until(os_now_precise() + NS_PER_SECOND / 100);
    }
    return true;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    remove(path);
    return 0;
}

/* Again where a stale listing has hidden something. */
static bool remove_place(selftest *t)
{
    int64_t until = os_now_precise() + SEEN_PATIENCE;
    while (nftw(t->path[0], remove_entry, 16, FTW_DEPTH | FTW_PHYS), access(t->path[0], F_OK) == 0) {
        if (os_now_precise() > until)
            return selftest_fail(t, "%s cannot be removed", t->path[0]);
        os_sleep_until(os_now_precise() + NS_PER_SECOND / 10);
    }
    return true;
}

/* ---- all of it */

static bool try_operations(selftest *t)
{
    selftest_tell(t, "trying the operations that locks are made of");
    return is_seen_through_both(t) && selftest_clock(t) && selftest_directories(t) && selftest_links(t) &&
           selftest_listing(t) && selftest_renames(t);
}

bool fl_selftest(const fl_selftest_plan *plan, fl_selftest_report *report)
{
    selftest t = {.plan = plan, .report = report, .two = plan->second != NULL};
    *report = (fl_selftest_report){.granularity = NAN, .clock_ahead = NAN, .stale = NAN};
    report->hand_over = report->after_kill = report->after_end = (fl_selftest_times){NAN, NAN, 0};
    if (!check_plan(&t) || !make_place(&t))
        return false;
    report->good = try_operations(&t) && selftest_trial(&t);
    report->good = remove_place(&t) && report->good;
    if (report->good)
        snprintf(report->verdict, sizeof report->verdict, "good enough for a dir: store");
    return report->good;
}
