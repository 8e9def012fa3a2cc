/* Where a directory store works and for whom: machines that look alike, hidden processes, full and wrong file systems. */
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

static void find_states(void *context, const char *finding)
{
    *(int *)context += strstr(finding, "2 states") && strstr(finding, lock_directory("x"));
}

/* Nobody but a stranger makes a second state; the later one counts, and the administrator is told. */
static void a_second_state_is_told(void **state)
{
    (void)state;
    char copy[STATE_PATH_MAX];
    int found = 0;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT_OR(FL_OK, fl_check(store, find_states, &found, &error), &error);
    assert_int_equal(found, 0);
    snprintf(copy, sizeof copy, "%s/1.F.%032d", lock_directory("x"), 0);
    write_file(copy, "x", 1);
    TRY(FL_BUSY, second, &b, "x", 10);
    RESULT_OR(FL_OK, fl_check(store, find_states, &found, &error), &error);
    assert_int_equal(found, 1);
    RESULT(FL_OK, fl_release(&a, &error));
    TRY(FL_OK, second, &b, "x", 10);
    fl_close(store);
    fl_close(second);
}

static void something_else_in_the_place_of_a_lock(void **state)
{
    static const char *const names[] = {"backup", "ffffffffffffffff.F.0123456789abcdef0123456789abcdef"};
    (void)state;
    char from[STATE_PATH_MAX], to[STATE_PATH_MAX];
    fl_lease a = FL_LEASE_INIT;
    fl_store *store = open_store(share());
    for (size_t i = 0; i < COUNT(names); i++) {
        TRY(FL_OK, store, &a, "x", 10);
        RESULT(FL_OK, fl_release(&a, &error));
        snprintf(from, sizeof from, "%s/%s", lock_directory("x"), state_of("x"));
        snprintf(to, sizeof to, "%s/%s", lock_directory("x"), names[i]);
        assert_int_equal(rename(from, to), 0);
        RESULT(FL_ERROR, fl_try(store, &a, "x", 1, 10, &error));
        ASSERT_ERROR(&error, lock_directory("x"), "something else than a lock");
        RESULT(FL_ERROR, fl_status(store, "x", 1, &(fl_status_t){0}, &error));
        ASSERT_ERROR(&error, lock_directory("x"), "something else than a lock");
        assert_int_equal(remove(to), 0);
    }
    TRY(FL_OK, store, &a, "x", 10);
    fl_close(store);
}

static fl_store *vanished;

/* A forked child attaches itself anew, to a store that its parent knew. */
static void does_not_make_it_anew(void **state)
{
    (void)state;
    fl_lease lease = FL_LEASE_INIT;
    fl_error told = {.message = ""};
    RESULT(FL_ERROR, fl_try(vanished, &lease, "x", 1, 10, &told));
    ASSERT_ERROR(&told, scratch("d"), "not mounted");
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
    vanished = store;
    RESULT(FL_LOST, fl_verify(&a));
    RESULT(FL_ERROR, fl_try(store, &b, "x", 1, 10, &error)); /* not made anew where a share was mounted */
    ASSERT_ERROR(&error, scratch("d"), "not mounted");
    in_child(does_not_make_it_anew);
    assert_int_equal(entries_in(scratch("d")), 0);
    fl_close(store);
    store = open_store(share());
    TRY(FL_OK, store, &b, "x", 10);
    assert_true(b.token > a.token);
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
static void become_stranger(void)
{
    if (setgroups(0, NULL) != 0 || setgid(1002) != 0 || setuid(1002) != 0) {
        _exit(1);
    }
}

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
        SHARE_TEST(a_second_state_is_told),
        SHARE_TEST(something_else_in_the_place_of_a_lock),
        SHARE_TEST(two_machines_that_look_alike),
        SHARE_TEST(hidden_processes_in_a_child),
        SHARE_TEST(a_full_file_system_in_a_child),
    };
    RUN(directory_place);
}
