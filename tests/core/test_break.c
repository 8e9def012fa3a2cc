/* A break takes exactly the lease that was seen, and the one who lost it frees nothing that came after. */
#include "suite.h"

#include <string.h>

static fl_store *store, *other;
static fl_error error;
static fl_lease old, lease;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t"));
    other = open_store(dsn("t"));
    return failed;
}

static int end(void **state)
{
    fl_close(other);
    fl_close(store);
    return suite_end(state);
}

static fl_result break_token(uint64_t token)
{
    return fl_break(other, "x", 1, (int64_t)token, &error);
}

static void takes_the_lease(void **state)
{
    (void)state;
    TRY(FL_OK, store, &old, "x", INFINITY);
    RESULT(FL_OK, break_token(old.token));
    RESULT(FL_FREE, break_token(old.token));
    TRY(FL_OK, other, &lease, "x", INFINITY);
    assert_true(lease.token > old.token);
    RESULT(FL_LOST, fl_verify(&old));
    RESULT(FL_LOST, fl_refresh(&old, NULL, &error));
    RESULT(FL_LOST, fl_release(&old, &error));
    RESULT(FL_OK, fl_verify(&lease));
}

static void compares_the_token(void **state)
{
    (void)state;
    RESULT(FL_FREE, break_token(1));
    TRY(FL_OK, store, &old, "x", INFINITY);
    RESULT(FL_OK, fl_release(&old, &error));
    uint64_t before = old.token;
    RESULT(FL_FREE, break_token(before));
    TRY(FL_OK, store, &lease, "x", INFINITY);
    RESULT(FL_FREE, break_token(before));
    RESULT(FL_FREE, break_token(lease.token + 1));
    RESULT(FL_FREE, break_token(lease.token - 1));
    RESULT(FL_OK, fl_verify(&lease));
}

/* The token of a lease stays through a refresh, so that the break of what a status showed still works. */
static void survives_a_refresh(void **state)
{
    (void)state;
    double ttl = 500;
    TRY(FL_OK, store, &old, "x", 100);
    RESULT(FL_OK, fl_refresh(&old, &ttl, &error));
    RESULT(FL_OK, break_token(old.token));
    RESULT(FL_LOST, fl_verify(&old));
}

static void leaves_the_neighbours(void **state)
{
    (void)state;
    static fl_lease neighbour;
    TRY(FL_OK, store, &old, "x", 100);
    TRY(FL_OK, store, &neighbour, "y", 100);
    RESULT(FL_OK, break_token(old.token));
    RESULT(FL_OK, fl_release(&neighbour, &error));
}

/*
 * All within a tick or two of the clock and by one process, so that neither a deadline nor an owner can tell the leases
 * apart: however many came in between, the old lease does not fit the last of them.
 */
static void break_and_succeed(double ttl, fl_store *taker, int successors)
{
    TRY(FL_OK, store, &old, "x", ttl);
    RESULT(FL_OK, break_token(old.token));
    for (int i = 0; i < successors; i++) {
        TRY(FL_OK, taker, &lease, "x", ttl);
        RESULT(FL_OK, fl_release(&lease, &error));
    }
    TRY(FL_OK, taker, &lease, "x", ttl);
    RESULT(FL_LOST, fl_release(&old, &error));
    RESULT(FL_OK, fl_verify(&lease));
    TRY(FL_BUSY, other, &old, "x", ttl);
    RESULT(FL_OK, fl_release(&lease, &error));
}

static void twenty_thousand_successors(void **state)
{
    (void)state;
    break_and_succeed(INFINITY, store, 20000);
    break_and_succeed(100, store, 20000);
    break_and_succeed(INFINITY, other, 20000);
    break_and_succeed(100, other, 20000);
}

/* A small counter that comes round would be met by one of these. */
static void any_number_of_successors(void **state)
{
    (void)state;
    for (int successors = 0; successors < 300; successors++) {
        break_and_succeed(INFINITY, store, successors);
        break_and_succeed(100, store, successors);
    }
    for (int successors = 511; successors < 70000; successors = successors * 2 + 1) {
        break_and_succeed(INFINITY, store, successors);
        break_and_succeed(INFINITY, store, successors + 1);
    }
}

/* Instead of giving it back, the one who lost it refreshes, verifies, or closes. */
static void no_call_fits(void **state)
{
    (void)state;
    TRY(FL_OK, store, &old, "x", 100);
    RESULT(FL_OK, break_token(old.token));
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_LOST, fl_refresh(&old, NULL, &error));
    RESULT(FL_OK, fl_verify(&lease));
    RESULT(FL_OK, fl_break(other, "x", 1, (int64_t)lease.token, &error));
    TRY(FL_OK, other, &old, "x", 100);
    RESULT(FL_LOST, fl_verify(&lease));
    RESULT(FL_OK, fl_verify(&old));
    RESULT(FL_OK, fl_release(&old, &error));
}

/*
 * One who breaks is stopped after it has seen the lease it means. Meanwhile the holder gives back and takes again, so often
 * that any small number in the lock's word comes round: it is another lease, and not to be broken.
 */
static void the_breaker_is_stopped(const char *ttl)
{
    static const int counts[] = {0, 1, 2, 3, 127, 254, 255, 256, 257, 511, 512, 767, 1023, 1024, 4095, 4096, 65535};
    peer holder, breaker;
    peer_open(&holder, dsn("t"));
    peer_open(&breaker, dsn("t"));
    EXPECT(&breaker, "ok", "cycle 1 x");
    for (size_t i = 0; i < COUNT(counts); i++) {
        EXPECT(&holder, "ok", "try 0 %s x", ttl);
        EXPECT(&breaker, "ok", "arm 1 stop");
        peer_tell(&breaker, "break %llu x", (unsigned long long)peer_token(&holder));
        peer_answer(&breaker);
        assert_true(peer_said(&breaker, "stopped"));
        peer_await_stop(&breaker);
        EXPECT(&holder, "ok", "release 0");
        EXPECT(&holder, "ok", "swap %d %s x", counts[i], ttl);
        EXPECT(&holder, "ok", "try 0 %s x", ttl);
        peer_continue(&breaker);
        peer_answer(&breaker);
        assert_true(peer_said(&breaker, "free"));
        EXPECT(&holder, "ok", "release 0");
    }
}

static void what_it_saw_has_gone(void **state)
{
    (void)state;
    the_breaker_is_stopped("inf");
    the_breaker_is_stopped("100");
}

static void a_waiter_gets_what_was_broken(void **state)
{
    (void)state;
    peer waiter;
    peer_open(&waiter, dsn("t"));
    TRY(FL_OK, store, &old, "x", INFINITY);
    peer_tell(&waiter, "acquire 0 inf inf x");
    RESULT(FL_OK, break_token(old.token));
    peer_answer(&waiter);
    assert_true(peer_said(&waiter, "ok"));
    RESULT(FL_LOST, fl_release(&old, &error));
    EXPECT(&waiter, "ok", "verify 0");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_break(void)
{
    static const struct CMUnitTest breaks[] = {
        CASE(takes_the_lease),       CASE(compares_the_token),         CASE(survives_a_refresh),
        CASE(leaves_the_neighbours), CASE(twenty_thousand_successors), CASE(any_number_of_successors),
        CASE(no_call_fits),          CASE(what_it_saw_has_gone),       CASE(a_waiter_gets_what_was_broken),
    };
    RUN(breaks);
}
