/* The file operations below the directory store, where the system refuses what it usually does. */
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pretend.h"
#include "testing.h"

static fl_error error;

static void make_fails(int code)
{
    assert_int_equal(files.make_file(scratch("new"), "bytes", 5, 0660, -1), -1);
    assert_int_equal(errno, code);
    assert_int_equal(access(scratch("new"), F_OK), -1); /* nothing half made stays */
}

static void a_file_is_complete_or_not_there(void **state)
{
    (void)state;
    pretend.short_write = true;
    make_fails(ENOSPC);
    pretend_end();
    pretend.close = EDQUOT; /* where network file systems tell it */
    make_fails(EDQUOT);
    pretend_end();
    pretend.fchmod = EIO;
    make_fails(EIO);
    pretend.fchmod = EPERM; /* no rights on this file system */
    assert_int_equal(files.make_file(scratch("new"), "bytes", 5, 0660, -1), 0);
    pretend_end();
    assert_int_equal(files.make_file(scratch("new"), "bytes", 5, 0660, -1), -1);
    assert_int_equal(errno, EEXIST);
}

static void remove_what_was_made(const char *label)
{
    if (strcmp(label, "files:chmod") == 0) {
        assert_int_equal(rmdir(scratch("new")), 0);
    }
}

static void a_directory_has_its_mode_or_is_not_there(void **state)
{
    (void)state;
    fl_step_hook = remove_what_was_made;
    assert_int_equal(files.make_directory(scratch("new"), 0770, -1), -1);
    assert_int_equal(errno, ENOENT);
    fl_step_hook = NULL;
    assert_int_equal(access(scratch("new"), F_OK), -1);
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    char bytes[8];
    size_t got = 0;
    assert_int_equal(files.read(scratch("missing"), bytes, sizeof bytes, &got), -1);
    assert_int_equal(errno, ENOENT);
}

/* ---- a sandbox that refuses statx(2) --------------------------------------------------------------------------------- */

static void works_without_statx(int code)
{
    fl_lease a, b;
    char name[20];
    snprintf(name, sizeof name, "%d", code);
    fl_store *store = open_store(share()), *second = open_store(share());
    pretend.statx = code;
    TRY(FL_OK, store, &a, name, 10);
    uint64_t token = a.token;
    TRY(FL_BUSY, second, &b, name, 10);
    lie_rename(FAIL_AFTER, ENOENT, 1); /* then what was made is looked for */
    RESULT(FL_OK, fl_refresh(&a, NULL, &error));
    pass_time(13);
    TRY(FL_OK, second, &b, name, 10);
    assert_true(b.token > token);
    RESULT(FL_LOST, fl_release(&a, &error));
    RESULT(FL_OK, fl_release(&b, &error));
    pretend_end();
    fl_close(store);
    fl_close(second);
}

static void a_sandbox_without_statx(void **state)
{
    (void)state;
    works_without_statx(ENOSYS);
    works_without_statx(EPERM);
}

/* Made by another user at this moment, with the mode that it has until it is complete. */
static void make_unreadable(int64_t time)
{
    struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time}};
    assert_int_equal(mkdir(scratch("hidden"), 0700), 0);
    assert_int_equal(utimensat(AT_FDCWD, scratch("hidden"), times, 0), 0);
}

static void the_time_of_what_may_not_be_opened(void **state)
{
    (void)state;
    int64_t time = 0;
    need_root();
    make_unreadable(1234567890);
    assert_int_equal(seteuid(1000), 0);
    pretend.statx = ENOSYS;
    int result = files.stamp(scratch("hidden"), &time), missing = files.exists(scratch("missing"));
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(result, 0);
    assert_true(time == INT64_C(1234567890) * 1000000000);
    assert_int_equal(missing, -1);
}

/* As nanoseconds, 64 bits do not hold these: they stay in the past and in the future. */
static void a_time_that_is_far(void **state)
{
    static const int64_t far[] = {-253402300799, -9223372037, 9223372037, 253402300799, INT64_MAX};
    (void)state;
    assert_int_equal(mkdir(scratch("far"), 0700), 0);
    for (size_t i = 0; i < 2 * COUNT(far); i++) {
        int64_t seconds = far[i / 2], time = 0;
        struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
        assert_int_equal(utimensat(AT_FDCWD, scratch("far"), times, 0), 0);
        pretend.statx = i % 2 ? ENOSYS : 0;
        assert_int_equal(files.stamp(scratch("far"), &time), 0);
        assert_true(seconds < 0 ? time < INT64_MIN / 4 : time > INT64_MAX / 4);
    }
}

void group_directory_files(void)
{
    static const struct CMUnitTest directory_files[] = {
        SHARE_TEST(a_file_is_complete_or_not_there),
        SHARE_TEST(a_directory_has_its_mode_or_is_not_there),
        SHARE_TEST(what_cannot_be_read),
        SHARE_TEST(a_sandbox_without_statx),
        SHARE_TEST(the_time_of_what_may_not_be_opened),
        SHARE_TEST(a_time_that_is_far),
    };
    RUN(directory_files);
}
