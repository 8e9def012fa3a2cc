/* Containers on one table: two processes with the same pid, and clocks that do not agree. */
#include "suite.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void start_as_process_one(peer *p)
{
    static const peer_options options = {.clone_flags = CLONE_NEWPID};
    peer_start(p, &options);
    EXPECT(p, "ok", "pid");
    assert_true(peer_number(p, "pid=") == 1);
    EXPECT(p, "ok", "open %s", dsn("t"));
}

static void two_processes_with_pid_one(void **state)
{
    (void)state;
    peer a, b;
    need_root();
    start_as_process_one(&a);
    start_as_process_one(&b);
    EXPECT(&a, "ok", "try 0 inf x");
    EXPECT(&b, "busy", "try 0 inf x");
    EXPECT(&b, "lost", "release 0");
    EXPECT(&b, "ok", "try 1 inf y");
    EXPECT(&a, "busy", "try 1 inf y");
    EXPECT(&a, "ok", "verify 0");
    EXPECT(&a, "ok", "release 0");
    EXPECT(&b, "ok", "try 0 inf x");
    EXPECT(&b, "ok", "status x");
    assert_true(peer_number(&b, "mine=") == 1);
    EXPECT(&a, "ok", "status x");
    assert_true(peer_number(&a, "mine=") == 0);
}

static void one_recovers_the_death_of_the_other(void **state)
{
    (void)state;
    peer a, b;
    need_root();
    for (int i = 0; i < 5; i++) {
        start_as_process_one(&a);
        start_as_process_one(&b);
        EXPECT(&a, "ok", "try 0 inf x");
        EXPECT(&b, "busy", "try 0 inf x");
        peer_kill(&a);
        EXPECT(&b, "free", "status x");
        EXPECT(&b, "ok", "try 0 inf x");
        start_as_process_one(&a);
        EXPECT(&a, "busy", "try 0 inf x");
        peer_kill(&a);
        EXPECT(&b, "ok", "verify 0");
        peer_kill(&b);
    }
}

static void a_waiter_in_another_namespace(void **state)
{
    (void)state;
    peer a, b;
    need_root();
    start_as_process_one(&a);
    start_as_process_one(&b);
    EXPECT(&a, "ok", "try 0 inf x");
    peer_tell(&b, "acquire 0 inf inf x");
    EXPECT(&a, "ok", "release 0");
    peer_answer(&b);
    assert_true(peer_said(&b, "ok"));
    peer_tell(&a, "acquire 0 inf inf x");
    peer_kill(&b);
    peer_answer(&a);
    assert_true(peer_said(&a, "ok"));
}

/* In the child of a process that moved its children's monotonic clock by 1,000 s. */
static void try_with_another_clock(void **state)
{
    static fl_lease lease;
    fl_store *store = open_store(dsn("t"));
    fl_status_t status;
    fl_error error = {.message = ""};
    (void)state;
    TRY(FL_ERROR, store, &lease, "x", 10);
    RESULT(FL_ERROR, fl_try(store, &lease, "x", 1, 10, &error));
    ASSERT_ERROR(&error, "time namespace", scratch("t"));
    RESULT(FL_ERROR, fl_status(store, "x", 1, &status, &error));
    ASSERT_ERROR(&error, "time namespace", scratch("t"));
}

static void enter_time_namespace(void **state)
{
    static const char offsets[] = "monotonic 1000 0\n";
    (void)state;
    if (unshare(CLONE_NEWTIME) != 0) {
        SKIP("no time namespaces here");
    }
    int fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(write(fd, offsets, sizeof offsets - 1) > 0);
    close(fd);
    in_child(try_with_another_clock);
}

static void another_time_namespace_is_refused(void **state)
{
    (void)state;
    peer a;
    need_root();
    peer_open(&a, dsn("t"));
    EXPECT(&a, "ok", "try 0 inf x");
    in_child(enter_time_namespace);
    EXPECT(&a, "ok", "verify 0");
    EXPECT(&a, "ok", "try 1 inf y");
}

void group_namespaces(void)
{
    static const struct CMUnitTest namespaces[] = {
        TEST(two_processes_with_pid_one),
        TEST(one_recovers_the_death_of_the_other),
        TEST(a_waiter_in_another_namespace),
        TEST(another_time_namespace_is_refused),
    };
    RUN(namespaces);
}
