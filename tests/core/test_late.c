/*
 * Stopped beyond the time to live, at any step, without anybody having come in between: what has expired is lost all the
 * same. Here the time really passes; how long is decided by the table, not by this test.
 */
#include "kinds.h"

#include <string.h>

#include "testing.h"

static peer late, watcher;

static int begin(void **state)
{
    int failed = suite_begin(state);
    peer_open(&watcher, dsn("t?capacity=64"));
    EXPECT(&watcher, "ok", "cycle 1 x");
    return failed;
}

static void await_expiry(void)
{
    while (strcmp(peer_ask(&watcher, "status x"), "free") != 0) {
    }
}

/* Stops at the n-th step of the command until x is free. Returns false if there is no such step. */
static bool stopped_until_expired(int n, const char *command, bool *done)
{
    peer_open(&late, dsn("t?capacity=64"));
    EXPECT(&late, "ok", "try 0 0.03 x");
    EXPECT(&late, "ok", "arm %d stop", n);
    peer_tell(&late, "%s", command);
    peer_answer(&late);
    if (!peer_said(&late, "stopped")) {
        return false;
    }
    *done = strstr(late.answer, "freed") || strstr(late.answer, "swapped");
    peer_await_stop(&late);
    await_expiry();
    peer_continue(&late);
    peer_answer(&late);
    return true;
}

/* What was done before the stop was done in time; what comes after it comes too late. */
static void told_so(const char *command)
{
    bool done = false;
    int n = 1;
    for (; stopped_until_expired(n, command, &done); n++) {
        if (!done) {
            assert_true(peer_said(&late, "lost"));
        }
        EXPECT(&late, "lost", "verify 0");
        EXPECT(&late, "lost", "release 0");
        EXPECT(&watcher, "ok", "cycle 1 x");
        peer_kill(&late);
    }
    assert_true(n > 1);
}

static void release_too_late(void **state)
{
    (void)state;
    told_so("release 0");
}

static void refresh_too_late(void **state)
{
    (void)state;
    told_so("refresh 0");
}

/* Taken and expired before the taker could look: it is told at its next call. */
static void take_too_late(void **state)
{
    (void)state;
    int n = 1;
    for (;; n++) {
        peer_open(&late, dsn("t?capacity=64"));
        EXPECT(&late, "ok", "cycle 1 y");
        EXPECT(&late, "ok", "arm %d stop", n);
        peer_tell(&late, "try 0 0.01 x");
        peer_answer(&late);
        if (!peer_said(&late, "stopped")) {
            break;
        }
        peer_await_stop(&late);
        EXPECT(&watcher, "ok", "acquire 0 inf inf x");
        peer_continue(&late);
        peer_answer(&late);
        assert_true(peer_said(&late, "ok") || peer_said(&late, "busy"));
        EXPECT(&late, "lost", "verify 0");
        EXPECT(&watcher, "ok", "release 0");
        peer_kill(&late);
    }
    assert_true(n > 1);
}

/* ---- a refresh that finds the lease lost between its last look and its swap leaves the end that the lease has had */

static fl_store *breaker;
static const char *wanted_step;
static int64_t token;

static void break_it(const char *step)
{
    fl_error error;
    if (strcmp(step, wanted_step) == 0) {
        RESULT(FL_OK, fl_break(breaker, "x", 1, token, &error));
    }
}

static void let_it_expire(const char *step)
{
    if (strcmp(step, wanted_step) == 0) {
        atomic_store(&fl_clock_offset_coarse, INT64_C(3600) * 1000000000);
    }
}

static void refresh_lost(fl_kind kind, const char *step, void (*meanwhile)(const char *step))
{
    const double longer = 5000;
    fl_store *store = open_store(dsn("t"));
    fl_lease lease;
    fl_error error;
    TAKE(FL_OK, store, &lease, kind, 0, "x", 10);
    const fl_lease before = lease;
    token = (int64_t)lease.token;
    wanted_step = step;
    fl_step_hook = meanwhile;
    fl_result result = fl_refresh(&lease, &longer, &error);
    fl_step_hook = NULL;
    atomic_store(&fl_clock_offset_coarse, 0);
    RESULT(FL_LOST, result);
    assert_true(lease.deadline == before.deadline);
    assert_true(lease.ttl == before.ttl);
    fl_close(store);
}

static void the_end_stays(void **state)
{
    (void)state;
    breaker = open_store(dsn("t"));
    refresh_lost(FL_EXCLUSIVE, "refresh:filled", break_it);
    refresh_lost(FL_EXCLUSIVE, "refresh:filled", let_it_expire);
    refresh_lost(FL_SHARED, "share:changed", let_it_expire);
    fl_close(breaker);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, suite_end)

void group_late(void)
{
    static const struct CMUnitTest late_ones[] = {
        CASE(release_too_late),
        CASE(refresh_too_late),
        CASE(take_too_late),
        TEST(the_end_stays),
    };
    RUN(late_ones);
}
