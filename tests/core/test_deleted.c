/*
 * Storage that is gone while it is in use: what the old holder and others are told. Whether the grants of the old and of the
 * new table overlap is the matter of test_history.c.
 */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TABLE scratch("t/filelock.table")

/* That the deletion is noticed is promised for a time, so that the time has to pass. */
static void let_time_pass(int ms)
{
    int64_t end = coarse_now() + ms * INT64_C(1000000);
    while (coarse_now() < end) {
        usleep(1000);
    }
}

/* Stopped inside a try on the old table, at every step, until somebody has the name in the new one: it is not granted. */
static void stopped_in_the_old_table(void **state)
{
    int n = 1;
    (void)state;
    for (;; n++) {
        peer late, comer;
        peer_open(&late, dsn("t?capacity=64"));
        EXPECT(&late, "ok", "cycle 1 y");
        EXPECT(&late, "ok", "arm %d stop", n);
        peer_tell(&late, "try 0 inf %s", "x");
        peer_answer(&late);
        if (!peer_said(&late, "stopped")) {
            break;
        }
        peer_await_stop(&late);
        assert_int_equal(unlink(TABLE), 0);
        peer_open(&comer, dsn("t?capacity=64"));
        EXPECT(&comer, "ok", "try 0 inf x");
        peer_continue(&late);
        peer_answer(&late);
        assert_true(peer_said(&late, "busy"));
        EXPECT(&comer, "ok", "verify 0");
        peers_end();
        assert_int_equal(unlink(TABLE), 0);
    }
    assert_true(n > 2);
}

/* Nobody makes a new one: the holder is told all the same. */
static void deleted_and_not_made_again(void **state)
{
    (void)state;
    peer holder;
    peer_open(&holder, dsn("t"));
    EXPECT(&holder, "ok", "try 0 inf x");
    EXPECT(&holder, "ok", "try 1 inf y");
    assert_int_equal(unlink(TABLE), 0);
    assert_int_equal(rmdir(scratch("t")), 0);
    let_time_pass(30);
    EXPECT(&holder, "lost", "verify 0");
    EXPECT(&holder, "lost", "release 1");
    EXPECT(&holder, "free", "status x");
    assert_int_equal(access(scratch("t"), F_OK), -1);
}

/* What replaces the table is none: nobody gets anything, neither by the old map nor by a new one. */
static void replaced_by_garbage(void **state)
{
    (void)state;
    peer holder, comer;
    peer_open(&holder, dsn("t"));
    peer_open(&comer, dsn("t"));
    EXPECT(&holder, "ok", "try 0 inf x");
    write_file(scratch("garbage"), "garbage", 7);
    assert_int_equal(rename(scratch("garbage"), TABLE), 0);
    let_time_pass(30);
    EXPECT(&comer, "error", "try 0 inf x");
    EXPECT(&holder, "error", "try 1 inf y");
    EXPECT(&holder, "error", "status y");
    EXPECT(&holder, "lost", "release 0");
}

/* A way to the file is lost, not the file: what is held stays held, and nothing new is granted. */
static void cannot_look_after(const char *change)
{
    peer holder, other;
    need_root();
    assert_int_equal(mkdir(scratch("closed"), 0700), 0);
    peer_open(&holder, dsn("closed/t"));
    peer_open(&other, dsn("closed/t"));
    EXPECT(&holder, "ok", "try 0 inf x");
    EXPECT(&holder, "ok", "%s", change);
    let_time_pass(60);
    EXPECT(&holder, "error", "try 1 inf y");
    EXPECT(&holder, "ok", "verify 0");
    EXPECT(&other, "busy", "try 0 inf x");
    EXPECT(&holder, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 inf x");
}

static void after_setuid(void **state)
{
    (void)state;
    cannot_look_after("setuid 65534");
}

static void after_chroot(void **state)
{
    char change[600];
    (void)state;
    assert_int_equal(mkdir(scratch("root"), 0755), 0);
    snprintf(change, sizeof change, "chroot %s", scratch("root"));
    cannot_look_after(change);
    assert_int_equal(entries_in(scratch("root")), 0);
}

void group_deleted(void)
{
    static const struct CMUnitTest deleted[] = {
        TEST(stopped_in_the_old_table),
        TEST(deleted_and_not_made_again),
        TEST(replaced_by_garbage),
        TEST(after_setuid),
        TEST(after_chroot),
    };
    RUN(deleted);
}
