/* Killed and stopped: who died has given back, where the store can see that; who is stopped keeps it and stops nobody. */
#include "contract.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static peer holder, other, third;

static void begin(const char *ttl)
{
    open_peer(&holder);
    open_peer(&other);
    EXPECT(&other, "ok", "cycle 1 x");
    EXPECT(&holder, "ok", "try 0 %s x", ttl);
}

static void a_killed_holder_has_given_back(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        begin("1000");
        peer_kill(&holder);
        EXPECT(&other, "free", "status x");
        EXPECT(&other, "ok", "try 0 1000 x");
        EXPECT(&other, "ok", "verify 0");
        EXPECT(&other, "ok", "release 0");
        peer_finish(&other);
    }
}

/* An end that gives nothing back by itself: the process is gone all the same. */
static void a_holder_that_ended_has_given_back(void **state)
{
    (void)state;
    begin("1000");
    peer_finish(&holder);
    do {
        peer_ask(&other, "try 0 1000 x"); /* "alive" may be kept for one tick */
    } while (peer_said(&other, "busy"));
    assert_true(peer_said(&other, "ok"));
    EXPECT(&other, "ok", "release 0");
}

static void a_waiter_comes_after_the_killed(void **state)
{
    (void)state;
    begin("1000");
    peer_tell(&other, "acquire 0 1000 inf x");
    await_asleep(&other);
    peer_kill(&holder);
    ANSWER(&other, "ok");
    EXPECT(&other, "ok", "release 0");
}

/* Nothing tells that it is dead: then its time to live does, and until then the status shows it. */
static void a_killed_holder_keeps_it(void **state)
{
    (void)state;
    begin("1000");
    peer_kill(&holder);
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&other, "ok", "status x");
    EXPECT(&other, "ok", "break %.0f x", peer_number(&other, "token="));
    EXPECT(&other, "ok", "try 0 100 x");
}

static void the_time_of_the_killed_runs_out(void **state)
{
    (void)state;
    begin("0.3");
    int64_t deadline = (int64_t)peer_number(&holder, "deadline=");
    peer_kill(&holder);
    EXPECT(&other, "ok", "acquire 0 100 inf x");
    assert_true(it_can(FL_CAN_RECOVER) || (int64_t)peer_number(&other, "now=") >= deadline);
}

static void a_killed_waiter_is_forgotten(void **state)
{
    (void)state;
    begin("1000");
    open_peer(&third);
    peer_tell(&third, "acquire 0 1000 inf x");
    await_asleep(&third);
    peer_kill(&third);
    EXPECT(&holder, "ok", "verify 0");
    EXPECT(&holder, "ok", "release 0");
    EXPECT(&other, "ok", "acquire 0 100 inf x");
}

static void a_stopped_holder_stops_nobody(void **state)
{
    (void)state;
    begin("1000");
    peer_stop(&holder);
    expect_held_by(&other, &holder, "x");
    EXPECT(&other, "busy", "try 0 100 x");
    EXPECT(&other, "busy", "acquire 0 100 0.02 x");
    EXPECT(&other, "ok", "list ");
    assert_true(peer_number(&other, "count=") == 1);
    EXPECT(&other, "ok", "each 3 others");
    peer_continue(&holder);
    EXPECT(&holder, "ok", "refresh 0");
    EXPECT(&holder, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 100 x");
}

/* Clocks and the times at which processes started are others there: either it sees that the holder lives, or it refuses. */
static void other_clocks(void)
{
    int offsets = unshare(CLONE_NEWTIME) == 0 ? open("/proc/self/timens_offsets", O_WRONLY) : -1;
    if (offsets < 0 || write(offsets, "boottime 100000 0\n", 18) != 18) {
        _exit(125);
    }
    close(offsets);
}

static void seen_from_another_time_namespace(void **state)
{
    (void)state;
    const peer_options options = {.before = other_clocks};
    need_root();
    begin("1000");
    peer_start(&third, &options);
    EXPECT(&third, "ok", "open %s", the_dsn());
    peer_ask(&third, "try 0 1000 x");
    assert_true(peer_said(&third, "busy") || strstr(third.answer, "time namespace"));
    EXPECT(&holder, "ok", "verify 0");
    EXPECT(&holder, "ok", "release 0");
}

void contract_death(void)
{
    static const contract_case cases[] = {
        WITH(a_killed_holder_has_given_back, FL_CAN_RECOVER),
        WITH(a_holder_that_ended_has_given_back, FL_CAN_RECOVER),
        WITH(a_waiter_comes_after_the_killed, FL_CAN_RECOVER),
        WITHOUT(a_killed_holder_keeps_it, FL_CAN_RECOVER),
        WITH(the_time_of_the_killed_runs_out, FL_CAN_EXPIRE),
        ALWAYS(a_killed_waiter_is_forgotten),
        ALWAYS(a_stopped_holder_stops_nobody),
        ALWAYS(seen_from_another_time_namespace),
    };
    RUN_CASES(cases);
}
