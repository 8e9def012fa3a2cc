/* Waiting: in time and too late, interrupted, served by a release, an expiry and a death. */
#include "suite.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

static fl_store *store;
static fl_error error;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t"));
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    return suite_end(state);
}

/* Until so many are seen to wait. */
static void await_waiters(uint32_t count)
{
    fl_status_t s = {.waiters = 0};
    while (s.waiters < count) {
        RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    }
}

static void acquire_in_time_and_too_late(void **state)
{
    (void)state;
    fl_store *other = open_store(dsn("t"));
    static fl_lease lease, twin;
    TRY(FL_OK, store, &lease, "x", 100);
    int64_t start = precise_now();
    RESULT(FL_BUSY, fl_acquire(other, &twin, "x", 1, 100, 0.05, NULL, &error));
    assert_true(precise_now() - start >= 50 * INT64_C(1000000));
    RESULT(FL_OK, fl_release(&lease, &error));
    RESULT(FL_OK, fl_acquire(other, &twin, "x", 1, 100, 0.05, NULL, &error));
    fl_close(other);
}

static int stop_at_third(void *context)
{
    return ++*(int *)context >= 3;
}

static void a_wait_is_interrupted(void **state)
{
    (void)state;
    int asked = 0;
    fl_interrupt interrupt = {stop_at_third, &asked};
    fl_store *other = open_store(dsn("t"));
    fl_status_t s;
    static fl_lease lease, twin;
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_INTERRUPTED, fl_acquire(other, &twin, "x", 1, 100, INFINITY, &interrupt, &error));
    assert_int_equal(asked, 3);
    RESULT(FL_OK, fl_release(&lease, &error));
    RESULT(FL_FREE, fl_status(store, "x", 1, &s, &error));
    RESULT(FL_LOST, fl_release(&twin, &error));
    fl_close(other);
}

static volatile sig_atomic_t alarmed;

static void note_alarm(int signal)
{
    (void)signal;
    alarmed = 1;
}

static int stop_when_alarmed(void *context)
{
    (void)context;
    return alarmed;
}

/* A signal handler runs while waiting, and can end the wait, however long that may last. */
static void a_signal_ends_a_wait(void **state)
{
    (void)state;
    static fl_lease lease, twin;
    const struct sigaction action = {.sa_handler = note_alarm, .sa_flags = SA_RESTART};
    const struct itimerval soon = {.it_value = {.tv_usec = 30000}};
    fl_interrupt interrupt = {stop_when_alarmed, NULL};
    fl_store *other = open_store(dsn("t"));
    alarmed = 0;
    TRY(FL_OK, store, &lease, "x", 100);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    RESULT(FL_INTERRUPTED, fl_acquire(other, &twin, "x", 1, 100, INFINITY, &interrupt, &error));
    assert_true(alarmed);
    RESULT(FL_OK, fl_verify(&lease));
    fl_close(other);
}

/* Signals that nobody minds do not shorten it. */
static void other_signals_do_not(void **state)
{
    (void)state;
    static fl_lease lease, twin;
    const struct sigaction action = {.sa_handler = note_alarm};
    const struct itimerval often = {{.tv_usec = 2000}, {.tv_usec = 2000}}, never = {0};
    fl_store *other = open_store(dsn("t"));
    sigaction(SIGALRM, &action, NULL);
    TRY(FL_OK, store, &lease, "x", 100);
    int64_t start = precise_now();
    setitimer(ITIMER_REAL, &often, NULL);
    RESULT(FL_BUSY, fl_acquire(other, &twin, "x", 1, 100, 0.1, NULL, &error));
    setitimer(ITIMER_REAL, &never, NULL);
    assert_true(precise_now() - start >= 100 * INT64_C(1000000));
    fl_close(other);
}

/* One is dead, one is stopped, one has given up: the next one is served all the same. */
static void waiters_that_are_no_more(void **state)
{
    (void)state;
    static fl_lease lease;
    peer dead, stopped, served;
    peer_open(&dead, dsn("t"));
    peer_open(&stopped, dsn("t"));
    peer_open(&served, dsn("t"));
    TRY(FL_OK, store, &lease, "x", INFINITY);
    peer_tell(&dead, "acquire 0 inf inf x");
    await_waiters(1);
    peer_tell(&stopped, "acquire 0 inf 0.05 x");
    await_waiters(2);
    peer_stop(&stopped);
    peer_kill(&dead);
    peer_tell(&served, "acquire 0 inf inf x");
    RESULT(FL_OK, fl_release(&lease, &error));
    peer_answer(&served);
    assert_true(peer_said(&served, "ok"));
    peer_continue(&stopped);
    peer_answer(&stopped);
    assert_true(peer_said(&stopped, "busy"));
    EXPECT(&served, "ok", "verify 0");
}

/* Twenty wait at the same time; each gets it once, none is forgotten. */
static void everybody_is_served(void **state)
{
    (void)state;
    enum { WAITERS = 20 };
    static fl_lease lease;
    static peer waiters[WAITERS];
    TRY(FL_OK, store, &lease, "x", INFINITY);
    for (int i = 0; i < WAITERS; i++) {
        peer_open(&waiters[i], dsn("t"));
        peer_tell(&waiters[i], "acquire 0 inf inf x");
        peer_tell(&waiters[i], "release 0");
    }
    await_waiters(WAITERS);
    RESULT(FL_OK, fl_release(&lease, &error));
    for (int i = 0; i < WAITERS; i++) {
        peer_answer(&waiters[i]);
        assert_true(peer_said(&waiters[i], "ok"));
        peer_answer(&waiters[i]);
        assert_true(peer_said(&waiters[i], "ok"));
    }
}

/* A waiter is served by a release, an expiry and a death; the peer waits while this process goes on. */
static void a_waiter_is_served(void **state)
{
    (void)state;
    peer waiter, holder;
    static fl_lease lease;
    peer_open(&waiter, dsn("t"));
    peer_open(&holder, dsn("t"));
    TRY(FL_OK, store, &lease, "x", INFINITY);
    peer_tell(&waiter, "acquire 0 0.03 inf x");
    RESULT(FL_OK, fl_release(&lease, &error));
    peer_answer(&waiter);
    assert_true(peer_said(&waiter, "ok"));
    EXPECT(&holder, "ok", "acquire 0 inf inf x");
    EXPECT(&waiter, "lost", "release 0");
    peer_tell(&waiter, "acquire 0 inf inf x");
    peer_kill(&holder);
    peer_answer(&waiter);
    assert_true(peer_said(&waiter, "ok"));
}

/*
 * A waiter is woken, it does not merely look now and then (every 6 ms at first): of a hundred waits, some end sooner after the
 * release than by looking any of them could. A busy machine makes some late, not all of them.
 */
static void a_release_wakes(void **state)
{
    (void)state;
    enum { WAITS = 100, SOME = 20 };
    static fl_lease lease;
    peer waiter;
    int prompt = 0;
    peer_open(&waiter, dsn("t"));
    for (int i = 0; i < WAITS; i++) {
        TRY(FL_OK, store, &lease, "x", INFINITY);
        peer_tell(&waiter, "acquire 0 inf inf x");
        await_waiters(1);
        int64_t start = precise_now();
        RESULT(FL_OK, fl_release(&lease, &error));
        peer_answer(&waiter);
        prompt += precise_now() - start < 1000000;
        EXPECT(&waiter, "ok", "release 0");
    }
    assert_in_range(prompt, SOME, WAITS);
}

/* Ends the release at its n-th step while somebody waits; false: it has no n-th step. */
static bool release_ends_at(int n, const char *how, peer *giver, peer *waiter)
{
    peer_open(giver, dsn("t"));
    peer_open(waiter, dsn("t"));
    EXPECT(giver, "ok", "try 0 inf x");
    peer_tell(waiter, "acquire 0 inf inf x");
    await_waiters(1);
    EXPECT(giver, "ok", "arm %d %s", n, how);
    peer_tell(giver, "release 0");
    peer_answer(giver);
    return peer_said(giver, "killed") || peer_said(giver, "stopped");
}

/* Who gives it back may be killed or stopped before it has woken the waiter: that one finds out by itself. */
static void nobody_depends_on_being_woken(void **state)
{
    static const char *const ways[] = {"kill", "stop"};
    (void)state;
    for (int i = 0, n = 1; i < 2; n++) {
        peer giver, waiter;
        bool ended = release_ends_at(n, ways[i], &giver, &waiter);
        if (ended && i == 1 && !strstr(giver.answer, "freed") && !strstr(giver.answer, "wake")) {
            peer_await_stop(&giver); /* not given back yet */
            peer_continue(&giver);
        }
        peer_answer(&waiter);
        assert_true(peer_said(&waiter, "ok"));
        peers_end();
        assert_true(ended || n > 2);
        i += !ended;
        n = ended ? n : 0;
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_wait(void)
{
    static const struct CMUnitTest waits[] = {
        CASE(acquire_in_time_and_too_late), CASE(a_wait_is_interrupted),    CASE(a_signal_ends_a_wait),
        CASE(other_signals_do_not),         CASE(waiters_that_are_no_more), CASE(everybody_is_served),
        CASE(a_waiter_is_served),           CASE(a_release_wakes),          CASE(nobody_depends_on_being_woken),
    };
    RUN(waits);
}
