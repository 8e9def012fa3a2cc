/* Where a directory store works and for whom: rights, machines that look alike, hidden processes, full and wrong file systems. */
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_error error;

/* ---- refused, with the reason ---------------------------------------------------------------------------------------- */

static void refused(const char *text, const char *why, const char *way_out)
{
    fl_lease a = FL_LEASE_INIT;
    fl_status_t s;
    fl_store *store = open_store(text);
    RESULT(FL_ERROR, fl_try(store, &a, "x", 1, 10, &error));
    ASSERT_ERROR(&error, strchr(text, ':') + 1, why, way_out);
    RESULT(FL_ERROR, fl_status(store, "x", 1, &s, &error));
    ASSERT_ERROR(&error, strchr(text, ':') + 1, why, way_out);
    fl_close(store);
}

static void places_that_are_refused(void **state)
{
    (void)state;
    char text[300];
    snprintf(text, sizeof text, "dir:%s", scratch("missing"));
    refused(text, "No such file", "mounted");
    assert_int_equal(mkdir(scratch("sticky"), 0700), 0);
    assert_int_equal(chmod(scratch("sticky"), 01777), 0);
    snprintf(text, sizeof text, "dir:%s", scratch("sticky"));
    refused(text, "sticky", "mkdir -m 2770");
    assert_int_equal(entries_in(scratch("sticky")), 0);
    write_file(scratch("file"), "", 0);
    snprintf(text, sizeof text, "dir:%s", scratch("file"));
    refused(text, "Not a directory", "");
    refused("dir:/proc", "unknown", "NFS");
}

static void another_version_is_refused(void **state)
{
    (void)state;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    fl_close(store);
    write_file(scratch("d/.format/v2-anything"), "", 0);
    refused(share(), "exactly one entry", "the same version");
}

static void the_first_decides(void **state)
{
    (void)state;
    char text[300];
    fl_lease a;
    fl_info info;
    fl_store *store = open_store(share());
    RESULT(FL_OK, fl_inspect(store, &info, &error));
    assert_true(!info.exists && info.mode == 0660);
    TRY(FL_OK, store, &a, "x", 10);
    snprintf(text, sizeof text, "%s?mode=0600", share());
    fl_store *second = open_store(text);
    RESULT(FL_OK, fl_inspect(second, &info, &error));
    assert_true(info.exists && info.mode == 0660 && info.held == 1);
    assert_string_equal(info.path, scratch("d"));
    fl_close(store);
    fl_close(second);
}

static void a_store_that_vanished(void **state)
{
    (void)state;
    char command[300];
    fl_lease a, b = FL_LEASE_INIT;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    snprintf(command, sizeof command, "rm -rf %s/.[a-z]* %s/*", scratch("d"), scratch("d"));
    assert_int_equal(system(command), 0);
    RESULT(FL_LOST, fl_verify(&a));
    RESULT(FL_ERROR, fl_try(store, &b, "x", 1, 10, &error)); /* not made anew where a share was mounted */
    ASSERT_ERROR(&error, scratch("d"), "not mounted");
    assert_int_equal(entries_in(scratch("d")), 0);
    fl_close(store);
    store = open_store(share());
    TRY(FL_OK, store, &b, "x", 10);
    assert_true(b.token > a.token);
    fl_close(store);
}

/* ---- users ------------------------------------------------------------------------------------------------------------ */

static void become_1000_with_group_4000(void)
{
    gid_t group = 4000;
    umask(022);
    if (setgroups(1, &group) != 0 || setgid(1000) != 0 || setuid(1000) != 0) {
        _exit(1);
    }
}

static void become_1001_with_group_4000(void)
{
    gid_t group = 4000;
    umask(022);
    if (setgroups(1, &group) != 0 || setgid(1001) != 0 || setuid(1001) != 0) {
        _exit(1);
    }
}

static void become_stranger(void)
{
    if (setgroups(0, NULL) != 0 || setgid(1002) != 0 || setuid(1002) != 0) {
        _exit(1);
    }
}

static void start_as(peer *p, void (*who)(void))
{
    peer_options options = {.before = who};
    peer_start(p, &options);
    EXPECT(p, "ok", "open %s", share());
}

static void two_users_under_umask_022(void **state)
{
    (void)state;
    peer a, b;
    need_root();
    share();
    assert_int_equal(chown(scratch("d"), 0, 4000), 0);
    assert_int_equal(chmod(scratch("d"), 02770), 0);
    start_as(&a, become_1000_with_group_4000);
    start_as(&b, become_1001_with_group_4000);
    for (int i = 0; i < 2; i++) {
        peer *first = i ? &b : &a, *second = i ? &a : &b;
        EXPECT(first, "ok", "try 0 10 name%d", i);
        EXPECT(second, "busy", "try 0 10 name%d", i);
        EXPECT(second, "ok", "status name%d", i);
        EXPECT(second, "ok count=1", "list name");
        EXPECT(first, "ok", "release 0");
        EXPECT(second, "ok", "try 0 10 name%d", i);
        EXPECT(second, "ok", "release 0");
        EXPECT(first, "ok", "try 0 1000 name%d", i);
        peer_kill(first); /* of another user, and its rename is allowed all the same */
        EXPECT(second, "ok", "try 0 10 name%d", i);
        EXPECT(second, "ok", "release 0");
        start_as(first, i ? become_1001_with_group_4000 : become_1000_with_group_4000);
    }
}

/* Read permission is enough for looking, and nothing changes by it. */
static void a_stranger_may_look(void **state)
{
    (void)state;
    char text[300];
    peer stranger;
    fl_lease a;
    need_root();
    share();
    assert_int_equal(chmod(scratch("d"), 0755), 0);
    snprintf(text, sizeof text, "%s?mode=0644", share());
    assert_int_equal(chmod(scratch("d"), 0755), 0);
    fl_store *store = open_store(text);
    TRY(FL_OK, store, &a, "x", 10);
    struct stat before, after;
    assert_int_equal(stat(lock_directory("x"), &before), 0);
    peer_options options = {.before = become_stranger};
    peer_start(&stranger, &options);
    EXPECT(&stranger, "ok", "open %s", text);
    EXPECT(&stranger, "ok", "status x");
    EXPECT(&stranger, "ok count=1", "list");
    EXPECT(&stranger, "free", "status y");
    EXPECT(&stranger, "error", "try 0 10 y");
    EXPECT(&stranger, "error", "break %llu x", (unsigned long long)a.token);
    RESULT(FL_OK, fl_release(&a, &error));
    EXPECT(&stranger, "free", "status x");
    assert_int_equal(stat(scratch("d"), &after), 0);
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    fl_close(store);
}

/* ---- machines ----------------------------------------------------------------------------------------------------------- */

static void start_as_process_one(peer *p)
{
    static const peer_options options = {.clone_flags = CLONE_NEWPID | CLONE_NEWUTS};
    peer_start(p, &options);
    EXPECT(p, "ok", "open %s", share());
}

/* Same boot, same host name, both process 1, and a /proc that is neither's. */
static void two_machines_that_look_alike(void **state)
{
    (void)state;
    peer a, b;
    need_root();
    start_as_process_one(&a);
    start_as_process_one(&b);
    EXPECT(&a, "ok", "try 0 2 x");
    EXPECT(&b, "busy", "try 0 2 x");
    EXPECT(&b, "ok", "status x");
    assert_true(peer_number(&b, "mine=") == 0 && peer_number(&b, "pid=") == 1);
    EXPECT(&b, "lost", "release 0");
    peer_kill(&a);
    EXPECT(&b, "busy", "try 0 2 x"); /* another machine's: its ttl decides */
    EXPECT(&b, "ok", "acquire 0 2 10 x");
}

/* A live process that cannot be seen is not dead: neither its entry in /proc nor a signal says so. */
static void hidden_processes(void **state)
{
    (void)state;
    peer a;
    need_root();
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("proc", "/proc", "proc", 0, "hidepid=2") != 0) {
        SKIP("no mounts here");
    }
    share();
    assert_int_equal(chmod(scratch("d"), 0777), 0);
    peer_start(&a, NULL);
    char text[300];
    snprintf(text, sizeof text, "dir:%s", scratch("d"));
    assert_int_equal(chmod(scratch("d"), 0777), 0);
    EXPECT(&a, "ok", "open %s", text);
    EXPECT(&a, "ok", "try 0 1000 x");
    peer b;
    peer_options options = {.before = become_stranger};
    peer_start(&b, &options);
    EXPECT(&b, "ok", "open %s", text);
    EXPECT(&b, "busy", "try 0 10 x");
    EXPECT(&b, "ok", "status x");
    peer_kill(&a);
    EXPECT(&b, "ok", "try 0 10 x"); /* no such process is seen by everybody */
}

static void hidden_processes_in_a_child(void **state)
{
    (void)state;
    need_root();
    in_child(hidden_processes);
}

/* ---- full -------------------------------------------------------------------------------------------------------------- */

static void fill_up(const char *path)
{
    static char block[65536];
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    while (write(fd, block, sizeof block) > 0) {
    }
    assert_int_equal(errno, ENOSPC);
    close(fd);
}

static void a_full_file_system(void **state)
{
    (void)state;
    char text[300];
    fl_lease a, b, c = FL_LEASE_INIT;
    share();
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", scratch("d"), "tmpfs", 0, "size=256k,nr_inodes=40,mode=0700") != 0) {
        SKIP("no mounts here");
    }
    snprintf(text, sizeof text, "dir:%s", scratch("d"));
    fl_store *store = open_store(text);
    TRY(FL_OK, store, &a, "x", 10);
    TRY(FL_OK, store, &b, "y", 10);
    fill_up(scratch("d/filler"));
    RESULT(FL_ERROR, fl_try(store, &c, "new", 3, 10, &error));
    ASSERT_ERROR(&error, "No space left", scratch("d"));
    RESULT_OR(FL_OK, fl_refresh(&a, NULL, &error), &error);
    RESULT_OR(FL_OK, fl_release(&a, &error), &error);
    for (int i = 0; i < 60; i++) { /* and no file left, either */
        int fd = open(scratch("d/file%d", i), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0) {
            close(fd);
        }
    }
    RESULT(FL_ERROR, fl_try(store, &c, "another", 7, 10, &error));
    ASSERT_ERROR(&error, "No space left", scratch("d"));
    RESULT_OR(FL_OK, fl_refresh(&b, NULL, &error), &error);
    RESULT_OR(FL_OK, fl_release(&b, &error), &error);
    fl_close(store);
    store = open_store(text);
    RESULT(FL_ERROR, fl_try(store, &c, "x", 1, 10, &error));
    ASSERT_ERROR(&error, "No space left", "make room");
    fl_close(store);
    umount2(scratch("d"), MNT_DETACH);
}

static void a_full_file_system_in_a_child(void **state)
{
    (void)state;
    need_root();
    in_child(a_full_file_system);
}

void group_directory_place(void)
{
    static const struct CMUnitTest directory_place[] = {
        SHARE_TEST(places_that_are_refused),
        SHARE_TEST(another_version_is_refused),
        SHARE_TEST(the_first_decides),
        SHARE_TEST(a_store_that_vanished),
        SHARE_TEST(two_users_under_umask_022),
        SHARE_TEST(a_stranger_may_look),
        SHARE_TEST(two_machines_that_look_alike),
        SHARE_TEST(hidden_processes_in_a_child),
        SHARE_TEST(a_full_file_system_in_a_child),
    };
    RUN(directory_place);
}
