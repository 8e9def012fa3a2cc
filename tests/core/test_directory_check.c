/* What the administrator is told of a directory store: whom it serves, what is unsafe or surprising about it, how long it waits. */
#include "share.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pretend.h"

static fl_error error;
static char told[4096];

static void note(void *context, const char *sentence)
{
    (void)context;
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", sentence);
}

static const char *check(fl_store *store)
{
    told[0] = '\0';
    RESULT_OR(FL_OK, fl_check(store, note, NULL, &error), &error);
    return told;
}

#define SAYS(store, words) assert_non_null(strstr(check(store), words))
#define IS_SILENT(store, words) assert_null(strstr(check(store), words))

/* A store that is in use: its format was made. */
static fl_store *used_store(const char *text)
{
    fl_lease a;
    fl_store *store = open_store(text);
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    return store;
}

static void where_it_lies(void **state)
{
    (void)state;
    fl_store *store = used_store(share());
    SAYS(store, "a table: store is faster");
    pretend = (pretences){.file_system = "overlayfs", .local = true};
    SAYS(store, "no other container shares it");
    pretend = (pretences){.file_system = "FUSE", .mount = "fuse.sshfs"};
    SAYS(store, "dir_cache=no");
    IS_SILENT(store, "a table: store is faster");
    pretend = (pretences){.file_system = "NFS", .mount = "nfs4"};
    assert_string_equal(check(store), "");
    pretend.no_machine = true;
    SAYS(store, "without /proc");
    fl_close(store);
}

static void which_mounts_of_fuse(void **state)
{
    static const struct {
        const char *mount;
        fl_result want;
    } mounts[] = {{"fuse.sshfs", FL_OK}, {"virtiofs", FL_OK}, {"fuse.s3fs", FL_ERROR}, {"fuse.glusterfs", FL_ERROR}};
    (void)state;
    fl_lease a;
    for (size_t i = 0; i < COUNT(mounts); i++) {
        fl_store *store = open_store(share());
        pretend = (pretences){.file_system = "FUSE", .mount = mounts[i].mount};
        a = (fl_lease)FL_LEASE_INIT;
        RESULT(mounts[i].want, fl_try(store, &a, "x", 1, 10, &error));
        if (mounts[i].want == FL_ERROR) {
            ASSERT_ERROR(&error, scratch("d"), mounts[i].mount, "export the directory by NFS");
        }
        pretend_end();
        fl_close(store);
    }
}

static void who_may_write(void **state)
{
    (void)state;
    char text[300];
    fl_store *store = used_store(share());
    IS_SILENT(store, "every user can delete");
    IS_SILENT(store, "chmod g+s");
    assert_int_equal(chmod(scratch("d"), 02777), 0);
    SAYS(store, "every user can delete or forge locks");
    assert_int_equal(chmod(scratch("d"), 0770), 0);
    SAYS(store, "chmod g+s");
    snprintf(text, sizeof text, "dir:%s?mode=0600", scratch("d"));
    fl_store *another = open_store(text);
    SAYS(another, "was made with mode 0660, while 0600 is asked for");
    fl_close(store);
    fl_close(another);
}

/* Nothing is known of a store that nobody has used, or that is gone, but what can be seen. */
static void before_and_after(void **state)
{
    (void)state;
    char text[300];
    fl_store *store = open_store(share());
    assert_int_equal(chmod(scratch("d"), 0770), 0);
    IS_SILENT(store, "chmod g+s");
    assert_int_equal(entries_in(scratch("d")), 0);
    fl_close(store);
    store = used_store(share());
    assert_int_equal(rename(scratch("d"), scratch("gone")), 0);
    RESULT(FL_ERROR, fl_check(store, note, NULL, &error));
    ASSERT_ERROR(&error, share() + 4, "not mounted any more");
    fl_close(store);
    snprintf(text, sizeof text, "dir:%s", scratch("missing"));
    store = open_store(text);
    RESULT(FL_ERROR, fl_check(store, note, NULL, &error));
    ASSERT_ERROR(&error, text + 4, "mounted");
    RESULT(FL_ERROR, fl_inspect(store, &(fl_info){0}, &error));
    ASSERT_ERROR(&error, text + 4, "mounted");
    fl_close(store);
}

/* Where time stamps are whole seconds, everybody waits for longer. */
static void whole_seconds(void **state)
{
    (void)state;
    char fine[300], coarse[300];
    fl_store *store = used_store(share());
    assert_true(fabs(fl_grace(store, 100) - 0.3) < 1e-6);
    IS_SILENT(store, "whole seconds");
    fl_close(store);
    snprintf(fine, sizeof fine, "%s", scratch("d/.format/v1-mode0660-group%u-grain100", (unsigned)getegid()));
    snprintf(coarse, sizeof coarse, "%s", scratch("d/.format/v1-mode0660-group%u-grain3000", (unsigned)getegid()));
    assert_int_equal(rename(fine, coarse), 0);
    store = open_store(share());
    assert_true(fabs(fl_grace(store, 100) - 0.3) < 1e-6); /* not looked yet */
    SAYS(store, "whole seconds: a lock of a dead machine is free 3 s after");
    assert_true(fabs(fl_grace(store, 100) - 6.1) < 1e-6);
    fl_close(store);
}

/* A lock's directory ends with a hash, and is not longer than ours get. */
static void strangers_in_the_store(void **state)
{
    (void)state;
    fl_info info;
    fl_lease a;
    char bucket[300], longest[] = "0123456789012345678901234567890123456789012345678901234567890123456789"
                                  "0123456789012345678901234567890123456789";
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    snprintf(bucket, sizeof bucket, "%s", lock_directory("x"));
    *strrchr(bucket, '/') = '\0';
    const char *strange[] = {longest, "backup", "x-0123456789abcdef0123456789abcdeg"};
    for (size_t i = 0; i < COUNT(strange); i++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s", bucket, strange[i]);
        assert_int_equal(mkdir(path, 0770), 0);
    }
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
    assert_int_equal(info.held, 1);
    IS_SILENT(store, "states");
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(store);
}

static void says_who_shares_it(const char *mode, const char *words)
{
    fl_info info;
    char text[300];
    snprintf(text, sizeof text, "dir:%s?mode=%s", scratch("d%s", mode), mode);
    assert_int_equal(mkdir(scratch("d%s", mode), 0700), 0);
    fl_store *store = used_store(text);
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
    assert_non_null(strstr(info.shared_with, words));
    fl_close(store);
}

static void who_shares_it(void **state)
{
    char me[40];
    (void)state;
    says_who_shares_it("0666", "every user who can enter");
    snprintf(me, sizeof me, "uid %u and the group %u", (unsigned)geteuid(), (unsigned)getegid());
    says_who_shares_it("0660", me);
    snprintf(me, sizeof me, "uid %u, on all machines", (unsigned)geteuid());
    says_who_shares_it("0600", me);
}

static void not_readable(void **state)
{
    (void)state;
    fl_lease a = FL_LEASE_INIT;
    fl_status_t s;
    need_root();
    fl_store *store = open_store(share());
    assert_int_equal(chown(scratch("d"), 1000, 1000), 0);
    assert_int_equal(chmod(scratch("d"), 0300), 0);
    assert_int_equal(seteuid(1000), 0);
    fl_result looked = fl_status(store, "x", 1, &s, &error);
    fl_result tried = fl_try(store, &a, "x", 1, 10, &error);
    assert_int_equal(seteuid(0), 0);
    RESULT(FL_ERROR, looked);
    RESULT(FL_ERROR, tried);
    ASSERT_ERROR(&error, scratch("d"), "cannot read", strerror(EACCES), "a status needs permission to read it");
    fl_close(store);
}

void group_directory_check(void)
{
    static const struct CMUnitTest directory_check[] = {
        SHARE_TEST(where_it_lies),    SHARE_TEST(which_mounts_of_fuse), SHARE_TEST(who_may_write),
        SHARE_TEST(before_and_after), SHARE_TEST(whole_seconds),        SHARE_TEST(strangers_in_the_store),
        SHARE_TEST(who_shares_it),    SHARE_TEST(not_readable),
    };
    RUN(directory_check);
}
