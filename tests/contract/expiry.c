/* The time to live really passes here; how long is decided by the store's declared grace, never by this test's patience. */
#include "contract.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A loaded machine may delay looks; ten times what is declared, and seconds, is not that any more. */
enum { TIMES_GRACE = 10, BUSY_MACHINE = 4 };

#define TTL 0.3

static peer holder, other;

static int64_t hold_for(double ttl)
{
    open_peer(&holder);
    open_peer(&other);
    EXPECT(&other, "ok", "cycle 1 x");
    EXPECT(&holder, "ok", "try 0 %g x", ttl);
    return (int64_t)peer_number(&holder, "deadline=");
}

static void await(int64_t deadline)
{
    while (coarse_now() < deadline) {
        usleep(1000);
    }
}

/* Not a moment too early, and not later than declared by one who tries after that. */
static void await_take_over(int64_t deadline)
{
    int64_t latest = deadline + (int64_t)((TIMES_GRACE * its_grace(TTL) + BUSY_MACHINE) * 1e9);
    for (;;) {
        int64_t asked = coarse_now();
        peer_ask(&other, "try 0 1000 x");
        if (!peer_said(&other, "busy")) {
            break;
        }
        assert_true(asked < latest);
        usleep(1000);
    }
    assert_true(peer_said(&other, "ok"));
    assert_true((int64_t)peer_number(&other, "now=") >= deadline);
}

static void a_late_holder_touches_nobody(void **state)
{
    (void)state;
    await_take_over(hold_for(TTL));
    EXPECT(&holder, "lost", "verify 0");
    EXPECT(&holder, "lost", "refresh 0");
    expect_held_by(&holder, &other, "x");
    EXPECT(&other, "ok", "verify 0");
}

static void a_late_release_touches_nobody(void **state)
{
    (void)state;
    await_take_over(hold_for(TTL));
    EXPECT(&holder, "lost", "release 0");
    expect_held_by(&holder, &other, "x");
    EXPECT(&holder, "busy", "try 0 100 x");
    EXPECT(&other, "ok", "release 0");
    EXPECT(&holder, "ok", "try 0 100 x");
}

static void a_late_refresh_touches_nobody(void **state)
{
    (void)state;
    await_take_over(hold_for(TTL));
    EXPECT(&holder, "lost", "refresh 0 1000");
    expect_held_by(&holder, &other, "x");
    EXPECT(&other, "ok", "refresh 0");
    EXPECT(&other, "ok", "release 0");
}

/* Also when nobody has taken it yet. */
static void expired_is_lost(void **state)
{
    static const char *const calls[] = {"verify 0", "refresh 0", "refresh 0 1000", "release 0"};
    (void)state;
    open_peer(&holder);
    for (size_t i = 0; i < COUNT(calls); i++) {
        EXPECT(&holder, "ok", "try 0 0.05 x");
        await((int64_t)peer_number(&holder, "deadline="));
        EXPECT(&holder, "lost", "%s", calls[i]);
        EXPECT(&holder, "lost", "release 0");
        while (!peer_said(&holder, "ok")) {
            peer_ask(&holder, "try 0 100 x");
        }
        EXPECT(&holder, "ok", "release 0");
    }
}

/* Where nothing enforces the end, others wait until the holder is told. */
static void only_the_holder_is_told(void **state)
{
    (void)state;
    await(hold_for(0.05));
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&other, "ok", "status x");
    EXPECT(&holder, "lost", "verify 0");
    EXPECT(&holder, "lost", "release 0");
    EXPECT(&other, "ok", "try 0 100 x");
}

static void refreshed_in_time(void **state)
{
    (void)state;
    int64_t deadline = hold_for(2);
    EXPECT(&holder, "ok", "refresh 0 1000");
    if (it_can(FL_CAN_EXPIRE)) {
        deadline += (int64_t)(its_grace(2) * 1e9);
    }
    await(deadline);
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&holder, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 100 x");
}

static void a_waiter_takes_it_over(void **state)
{
    (void)state;
    int64_t deadline = hold_for(TTL);
    EXPECT(&other, "ok", "acquire 0 100 inf x");
    assert_true((int64_t)peer_number(&other, "now=") >= deadline);
    EXPECT(&holder, "lost", "release 0");
    EXPECT(&other, "ok", "release 0");
}

static void stopped_beyond_its_time(void **state)
{
    (void)state;
    int64_t deadline = hold_for(TTL);
    peer_stop(&holder);
    await_take_over(deadline);
    peer_continue(&holder);
    EXPECT(&holder, "lost", "refresh 0");
    EXPECT(&holder, "lost", "release 0");
    EXPECT(&other, "ok", "release 0");
}

void contract_expiry(void)
{
    static const contract_case cases[] = {
        WITH(a_late_holder_touches_nobody, FL_CAN_EXPIRE),  WITH(a_late_release_touches_nobody, FL_CAN_EXPIRE),
        WITH(a_late_refresh_touches_nobody, FL_CAN_EXPIRE), ALWAYS(expired_is_lost),
        WITHOUT(only_the_holder_is_told, FL_CAN_EXPIRE),    ALWAYS(refreshed_in_time),
        WITH(a_waiter_takes_it_over, FL_CAN_EXPIRE),        WITH(stopped_beyond_its_time, FL_CAN_EXPIRE),
    };
    RUN_CASES(cases);
}
