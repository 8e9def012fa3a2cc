/*
 * Deadlines. A peer's clock is moved instead of waiting: to a peer that is an hour ahead, a lease of ten seconds that another
 * one took a moment ago has expired; the other one does not know.
 */
#include "suite.h"

#include <string.h>

#define HOUR "3600"
#define DAYS(n) ((n)*86400.0)

static peer late, next, watcher;

static int begin(void **state)
{
    int failed = suite_begin(state);
    peer_open(&late, dsn("t"));
    peer_open(&next, dsn("t"));
    peer_open(&watcher, dsn("t"));
    return failed;
}

/* `next` has the lease that `late` still thinks is its own. */
static uint64_t overtake(const char *ttl)
{
    EXPECT(&late, "ok", "try 0 10 x");
    uint64_t first = peer_token(&late);
    EXPECT(&next, "busy", "try 0 %s x", ttl);
    EXPECT(&next, "ok", "clock " HOUR " " HOUR);
    EXPECT(&next, "free", "status x");
    EXPECT(&next, "ok", "try 0 %s x", ttl);
    assert_true(peer_token(&next) > first);
    return peer_token(&next);
}

static void assert_untouched(uint64_t token)
{
    EXPECT(&watcher, "ok", "status x");
    assert_true(peer_token(&watcher) == token);
    EXPECT(&next, "ok", "verify 0");
    EXPECT(&watcher, "busy", "try 0 10 x");
    EXPECT(&next, "ok", "release 0");
    EXPECT(&watcher, "free", "status x");
}

static void late_release(void **state)
{
    (void)state;
    uint64_t token = overtake("inf");
    EXPECT(&late, "lost", "release 0");
    assert_untouched(token);
}

static void late_refresh(void **state)
{
    (void)state;
    uint64_t token = overtake("20000");
    EXPECT(&late, "lost", "refresh 0");
    EXPECT(&late, "lost", "refresh 0 inf");
    EXPECT(&late, "lost", "verify 0");
    EXPECT(&late, "lost", "release 0");
    assert_untouched(token);
}

static void late_close(void **state)
{
    (void)state;
    uint64_t token = overtake("inf");
    EXPECT(&late, "ok", "close");
    assert_untouched(token);
}

static void late_death(void **state)
{
    (void)state;
    uint64_t token = overtake("inf");
    peer_kill(&late);
    assert_untouched(token);
}

/* Expired is lost, also when nobody has taken it. */
static void expired_without_a_successor(void **state)
{
    (void)state;
    EXPECT(&late, "ok", "try 0 10 x");
    EXPECT(&late, "ok", "try 1 10 y");
    EXPECT(&late, "ok", "try 2 inf z");
    EXPECT(&late, "ok", "clock 10.1 10.1");
    EXPECT(&late, "free", "status x");
    EXPECT(&late, "lost", "verify 0");
    EXPECT(&late, "lost", "release 0");
    EXPECT(&late, "lost", "refresh 1 1000");
    EXPECT(&late, "ok", "verify 2");
    EXPECT(&next, "ok", "clock 10.1 10.1");
    EXPECT(&next, "ok", "try 1 10 y");
    EXPECT(&next, "ok", "try 0 10 x");
}

static void not_a_moment_too_early(void **state)
{
    (void)state;
    EXPECT(&late, "ok", "try 0 10000 x");
    EXPECT(&next, "ok", "clock 9000 9000");
    EXPECT(&next, "busy", "try 0 10 x");
    EXPECT(&next, "ok", "status x");
    assert_true(peer_number(&next, "remaining=") <= 1000.01);
    EXPECT(&late, "ok", "refresh 0");
    EXPECT(&late, "ok", "release 0");
}

static void refresh_keeps_the_ttl(void **state)
{
    (void)state;
    EXPECT(&late, "ok", "try 0 1000 x");
    EXPECT(&late, "ok", "clock 500 500");
    EXPECT(&late, "ok", "refresh 0");
    EXPECT(&next, "ok", "clock 1400 1400");
    EXPECT(&next, "busy", "try 0 10 x");
    EXPECT(&next, "ok", "clock 1501 1501");
    EXPECT(&next, "ok", "try 0 10 x");
}

/* A refresh with another ttl is the lease's own ttl from then on. */
static void refresh_sets_the_ttl(void **state)
{
    (void)state;
    EXPECT(&late, "ok", "try 0 10 x");
    EXPECT(&late, "ok", "refresh 0 1000");
    EXPECT(&late, "ok", "refresh 0");
    EXPECT(&watcher, "ok", "status x");
    assert_true(peer_number(&watcher, "remaining=") > 100);
}

/* No counter comes round and makes an old lease look alive. */
static void expired_long_ago(void **state)
{
    (void)state;
    static const double days[] = {0.1, 1, 100, 239, 241, 250, 300, 417, 420, 500, 590};
    static const char *const ttls[] = {"0.001", "10", "20736000"};
    for (size_t i = 0; i < COUNT(ttls); i++) {
        EXPECT(&late, "ok", "try %zu %s name%zu", i, ttls[i], i);
    }
    for (size_t d = 0; d < COUNT(days); d++) {
        EXPECT(&watcher, "ok", "clock %.0f %.0f", DAYS(days[d]), DAYS(days[d]));
        EXPECT(&watcher, "free", "status name0");
        EXPECT(&watcher, "free", "status name1");
        EXPECT(&watcher, days[d] > 240 ? "free" : "ok", "status name2");
        EXPECT(&watcher, "ok", "list name");
        assert_int_equal((int)peer_number(&watcher, "count="), days[d] > 240 ? 0 : 1);
    }
    EXPECT(&next, "ok", "clock %.0f %.0f", DAYS(420), DAYS(420));
    EXPECT(&next, "ok", "try 0 10 name0");
    EXPECT(&next, "ok", "try 1 10 name1");
    EXPECT(&next, "ok", "try 2 10 name2");
}

static void no_expiry_never_expires(void **state)
{
    (void)state;
    static const double days[] = {1, 250, 420, 834, 835, 5000};
    EXPECT(&late, "ok", "try 0 inf x");
    for (size_t d = 0; d < COUNT(days); d++) {
        EXPECT(&next, "ok", "clock %.0f %.0f", DAYS(days[d]), DAYS(days[d]));
        EXPECT(&next, "busy", "try 0 10 x");
        EXPECT(&next, "ok", "status x");
    }
    EXPECT(&late, "ok", "clock %.0f %.0f", DAYS(5000), DAYS(5000));
    EXPECT(&late, "ok", "release 0");
}

/*
 * The precise clock only sleeps. Where it is ahead of the coarse one, a waiter wakes early, and must not take a lease whose
 * holder still sees it as alive: it is served at the deadline on the coarse clock or later, never before.
 */
static void a_precise_clock_that_is_ahead(void **state)
{
    (void)state;
    EXPECT(&next, "ok", "clock 0 0.05");
    for (int i = 0; i < 10; i++) {
        EXPECT(&late, "ok", "try 0 0.07 x");
        double deadline = peer_number(&late, "deadline=");
        EXPECT(&next, "ok", "acquire 0 10 inf x");
        assert_true(peer_number(&next, "now=") >= deadline);
        assert_true(peer_number(&next, "since=") >= deadline);
        EXPECT(&late, "lost", "release 0");
        EXPECT(&next, "ok", "release 0");
    }
}

static void the_holders_precise_clock_is_ahead(void **state)
{
    (void)state;
    EXPECT(&late, "ok", "clock 0 0.05");
    EXPECT(&late, "ok", "try 0 0.07 x");
    double deadline = peer_number(&late, "deadline=");
    EXPECT(&next, "ok", "acquire 0 10 inf x");
    assert_true(peer_number(&next, "now=") >= deadline);
    EXPECT(&late, "lost", "verify 0");
}

/* Stopped for real, beyond a real ttl, and told so when it goes on. */
static void stopped_beyond_the_ttl(void **state)
{
    (void)state;
    EXPECT(&late, "ok", "try 0 0.01 x");
    peer_stop(&late);
    EXPECT(&next, "ok", "acquire 0 inf inf x");
    uint64_t token = peer_token(&next);
    peer_continue(&late);
    EXPECT(&late, "lost", "refresh 0");
    EXPECT(&late, "lost", "release 0");
    assert_untouched(token);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, suite_end)

void group_expiry(void)
{
    static const struct CMUnitTest expiry[] = {
        CASE(late_release),
        CASE(late_refresh),
        CASE(late_close),
        CASE(late_death),
        CASE(expired_without_a_successor),
        CASE(not_a_moment_too_early),
        CASE(refresh_keeps_the_ttl),
        CASE(refresh_sets_the_ttl),
        CASE(expired_long_ago),
        CASE(no_expiry_never_expires),
        CASE(a_precise_clock_that_is_ahead),
        CASE(the_holders_precise_clock_is_ahead),
        CASE(stopped_beyond_the_ttl),
    };
    RUN(expiry);
}
