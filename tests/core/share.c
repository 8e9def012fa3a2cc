#include "share.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "pretend.h"
#include "testing.h"

static files_operations honest;
static int64_t server_ahead;

/* ---- clocks */

static int stamp(const char *path, int64_t *time)
{
    int result = honest.stamp(path, time);
    *time += server_ahead;
    return result;
}

void pass_server_time(double seconds)
{
    server_ahead += (int64_t)(seconds * 1e9);
    files.stamp = stamp;
}

void pass_own_time(double seconds)
{
    atomic_fetch_add(&fl_clock_offset_precise, (int64_t)(seconds * 1e9));
    atomic_fetch_add(&fl_clock_offset_coarse, (int64_t)(seconds * 1e9));
}

void pass_time(double seconds)
{
    pass_server_time(seconds);
    pass_own_time(seconds);
}

/* ---- renames */

static lie rename_lie;
static int lie_code, lies_left;
static char late_from[STATE_PATH_MAX], late_to[STATE_PATH_MAX];

static int lying_rename(const char *from, const char *to)
{
    if (lies_left == 0) {
        return honest.rename(from, to);
    }
    lies_left--;
    if (rename_lie == FAIL_AFTER) {
        honest.rename(from, to);
    } else if (rename_lie == LATE) {
        snprintf(late_from, sizeof late_from, "%s", from);
        snprintf(late_to, sizeof late_to, "%s", to);
    }
    errno = lie_code;
    return -1;
}

void lie_rename(lie what, int code, int count)
{
    rename_lie = what;
    lie_code = code;
    lies_left = count;
    files.rename = lying_rename;
}

void lie_execute_late(void)
{
    honest.rename(late_from, late_to);
}

/* ---- listings and files */

enum { OLD_ENTRIES = 64 };
static char old_path[OLD_ENTRIES][STATE_PATH_MAX];
static int old_entries;
static bool old_only;

typedef struct {
    const char *path;
    files_each each;
    void *context;
} listed;

static bool remember(void *context, const char *entry)
{
    listed *l = context;
    if (old_entries < OLD_ENTRIES) {
        snprintf(old_path[old_entries++], STATE_PATH_MAX, "%s/%s", l->path, entry);
    }
    return l->each(l->context, entry);
}

static int tell_old(const char *path, files_each each, void *context)
{
    size_t length = strlen(path);
    for (int i = 0; i < old_entries; i++) {
        if (strncmp(old_path[i], path, length) == 0 && old_path[i][length] == '/') {
            each(context, old_path[i] + length + 1);
        }
    }
    return 0;
}

/* Until lie_list_before() listings are taken down, afterwards read from there. */
static int lying_list(const char *path, files_each each, void *context)
{
    if (old_only) {
        return tell_old(path, each, context);
    }
    old_entries = 0;
    listed l = {path, each, context};
    return honest.list(path, remember, &l);
}

void lie_list_before(void)
{
    old_only = files.list == lying_list;
    files.list = lying_list;
}

void lie_list_truth(void)
{
    old_only = false;
    files.list = honest.list;
}

static int make_file_code;

static int lying_make_file(const char *path, const void *bytes, size_t n, unsigned mode, int group)
{
    (void)path, (void)bytes, (void)n, (void)mode, (void)group;
    errno = make_file_code;
    return -1;
}

void lie_make_file(int code)
{
    make_file_code = code;
    files.make_file = code ? lying_make_file : honest.make_file;
}

/* ---- the share */

const char *share(void)
{
    static char text[256];
    if (!honest.rename) {
        honest = files;
    }
    mkdir(scratch("d"), 0770);
    assert_int_equal(chmod(scratch("d"), 02770), 0);
    snprintf(text, sizeof text, "dir:%s", scratch("d"));
    return text;
}

int share_end(void **state)
{
    if (honest.rename) {
        files = honest;
    }
    fl_step_hook = NULL;
    pretend_end();
    server_ahead = 0;
    lies_left = old_entries = 0;
    old_only = false;
    atomic_store(&fl_clock_offset_precise, 0);
    atomic_store(&fl_clock_offset_coarse, 0);
    atomic_store(&fl_clock_offset_wall, 0);
    return suite_end(state);
}

const char *lock_directory(const char *name)
{
    static lock_path path;
    path_of_name(scratch("d"), name, strlen(name), &path);
    return path.text;
}

const char *state_of(const char *name)
{
    static char found[256];
    int count = 0;
    DIR *directory = opendir(lock_directory(name));
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] != '.') {
            snprintf(found, sizeof found, "%s", entry->d_name);
            count++;
        }
    }
    closedir(directory);
    assert_int_equal(count, 1);
    return found;
}

char kind_of(const char *name)
{
    return strchr(state_of(name), '.')[1];
}
