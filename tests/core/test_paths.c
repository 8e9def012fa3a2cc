/* One table by two paths, in one process: a link above it, a bind mount. Two paths are no two tables. */
#include "suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static fl_error error;
static fl_lease a, b;

static void exclude_each_other(fl_store *one, fl_store *two)
{
    fl_status_t s;
    TRY(FL_OK, one, &a, "x", INFINITY);
    TRY(FL_BUSY, two, &b, "x", INFINITY);
    RESULT(FL_OK, fl_status(two, "x", 1, &s, &error));
    assert_false(s.mine);
    TRY(FL_OK, two, &b, "y", INFINITY);
    RESULT(FL_OK, fl_release(&a, &error));
    TRY(FL_OK, two, &a, "x", INFINITY);
    fl_close(one); /* takes nothing of the other's with it */
    RESULT(FL_OK, fl_verify(&a));
    RESULT(FL_OK, fl_release(&b, &error));
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(two);
}

static void through_a_link_above(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch("real"), 0755), 0);
    assert_int_equal(symlink(scratch("real"), scratch("link")), 0);
    exclude_each_other(open_store(dsn("real/t")), open_store(dsn("link/t")));
    exclude_each_other(open_store(dsn("link/t")), open_store(dsn("real/t")));
}

static void mount_and_compare(void **state)
{
    (void)state;
    private_mounts();
    assert_int_equal(mount(scratch("real"), scratch("bound"), NULL, MS_BIND, NULL), 0);
    exclude_each_other(open_store(dsn("real/t")), open_store(dsn("bound/t")));
}

static void through_a_bind_mount(void **state)
{
    (void)state;
    need_root();
    assert_int_equal(mkdir(scratch("real"), 0755), 0);
    assert_int_equal(mkdir(scratch("bound"), 0755), 0);
    in_child(mount_and_compare);
}

/* The same path after the working directory or the umask changed: both do not matter. */
static void compare_with_umask(void **state)
{
    (void)state;
    umask(0777);
    assert_int_equal(chdir("/"), 0);
    fl_store *one = open_store(dsn("t?mode=0640"));
    TRY(FL_OK, one, &a, "w", 1);
    umask(0);
    exclude_each_other(one, open_store(dsn("t?mode=0640")));
}

static void umask_does_not_matter(void **state)
{
    (void)state;
    struct stat st;
    in_child(compare_with_umask);
    assert_int_equal(stat(scratch("t/filelock.table"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
}

/* The first who creates it decides about mode and capacity. */
static void the_first_creator_wins(void **state)
{
    (void)state;
    fl_info info;
    fl_store *first = open_store(dsn("t?mode=0600&capacity=128"));
    fl_store *second = open_store(dsn("t?mode=0660&capacity=256"));
    TRY(FL_OK, first, &a, "x", INFINITY);
    TRY(FL_BUSY, second, &b, "x", INFINITY);
    RESULT_OR(FL_OK, fl_inspect(second, &info, &error), &error);
    assert_true(info.exists);
    assert_int_equal(info.capacity, 128);
    assert_int_equal(info.mode & 0777, 0600);
    assert_int_equal(info.held, 1);
    assert_int_equal(info.attached, 2);
    assert_string_equal(info.path, scratch("t/filelock.table"));
    fl_close(second);
    fl_close(first);
}

/* Two directories are two tables. */
static void two_tables(void **state)
{
    (void)state;
    fl_store *one = open_store(dsn("t")), *two = open_store(dsn("u"));
    TRY(FL_OK, one, &a, "x", INFINITY);
    TRY(FL_OK, two, &b, "x", INFINITY);
    fl_close(two);
    fl_close(one);
}

/* An application moves its directory's parent link to a new release: that is a new table, and the old leases are lost. */
static void a_link_that_is_switched(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch("r1"), 0755), 0);
    assert_int_equal(mkdir(scratch("r2"), 0755), 0);
    assert_int_equal(symlink("r1", scratch("current")), 0);
    peer p;
    peer_open(&p, dsn("current/t"));
    EXPECT(&p, "ok", "try 0 inf x");
    uint64_t token = peer_token(&p);
    assert_int_equal(symlink("r2", scratch("new")), 0);
    assert_int_equal(rename(scratch("new"), scratch("current")), 0);
    int64_t end = coarse_now() + 40 * INT64_C(1000000);
    while (coarse_now() < end) {
        peer_ask(&p, "status y"); /* any traffic while the check becomes due */
    }
    EXPECT(&p, "ok", "try 1 inf x");
    assert_true(peer_token(&p) > token);
    EXPECT(&p, "lost", "release 0");
    EXPECT(&p, "ok", "verify 1");
}

void group_paths(void)
{
    static const struct CMUnitTest paths[] = {
        TEST(through_a_link_above),   TEST(through_a_bind_mount), TEST(umask_does_not_matter),
        TEST(the_first_creator_wins), TEST(two_tables),           TEST(a_link_that_is_switched),
    };
    RUN(paths);
}
