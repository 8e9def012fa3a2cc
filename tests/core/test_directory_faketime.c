/*
 * Machines whose wall clocks are an hour apart, over one shared directory. libfaketime moves what a process takes for the time;
 * the times of files are the server's (NO_FAKE_STAT), and a clock that counts from the boot has no hour that could be wrong: left
 * alone, libfaketime would have the clocks of boot and of monotonic time tell the wall's time, which no machine's do (DONT_FAKE_MONOTONIC).
 */
#include "share.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

#define TTL 0.4

static const char *const offsets[] = {"+3600", "-3600", "+0"};
static const char *offset;
static uint64_t last; /* token of the name, whoever had it */

/* In the child, before it becomes the agent. */
static void move_clock(void)
{
    glob_t found;
    if (glob("/usr/lib/*/faketime/libfaketime.so.1", 0, NULL, &found) != 0)
        _exit(1);
    setenv("LD_PRELOAD", found.gl_pathv[0], 1);
    setenv("FAKETIME", offset, 1);
    setenv("NO_FAKE_STAT", "1", 1);
    setenv("DONT_FAKE_MONOTONIC", "1", 1);
}

static void start_machine(peer *p, const char *its_offset)
{
    static const peer_options options = {.before = move_clock};
    offset = its_offset;
    peer_start(p, &options);
    EXPECT(p, "ok", "time");
    assert_true(fabs(peer_number(p, "time=") - (double)time(NULL) - atof(its_offset)) < 60);
    EXPECT(p, "ok", "open %s", share());
}

static void its_token_is_larger(const peer *p)
{
    assert_true(peer_token(p) > last);
    last = peer_token(p);
}

static void for_each_pair(void (*judge)(peer *holder, peer *taker))
{
    for (size_t i = 0; i < COUNT(offsets); i++)
        for (size_t j = 0; j < COUNT(offsets); j++) {
            peer holder, taker;
            start_machine(&holder, offsets[i]);
            start_machine(&taker, offsets[j]);
            judge(&holder, &taker);
            peers_end();
        }
}

/* Everybody may take it when it is over, and nobody before: by the clock of the test, which asked before it began. */
static void take_when_over(peer *taker, int64_t since)
{
    while (strcmp(peer_ask(taker, "try 0 100 x"), "busy") == 0) {
    }
    assert_true(peer_said(taker, "ok"));
    assert_true(precise_now() - since >= (int64_t)(TTL * 1e9));
}

static void hold_too_long(peer *holder, peer *taker)
{
    int64_t since = precise_now();
    EXPECT(holder, "ok", "try 0 %f x", TTL);
    its_token_is_larger(holder);
    take_when_over(taker, since);
    its_token_is_larger(taker);
    EXPECT(holder, "lost", "verify 0");
    EXPECT(holder, "lost", "release 0");
    EXPECT(taker, "ok", "release 0");
}

static void refresh_and_hang(peer *holder, peer *taker)
{
    EXPECT(holder, "ok", "try 0 %f x", TTL);
    EXPECT(taker, "busy", "try 0 100 x");
    int64_t since = precise_now();
    EXPECT(holder, "ok", "refresh 0");
    take_when_over(taker, since);
    EXPECT(holder, "lost", "refresh 0");
    EXPECT(taker, "ok", "release 0");
}

static void nobody_takes_it_early_and_everybody_afterwards(void **state)
{
    (void)state;
    last = 0;
    for_each_pair(hold_too_long);
    for_each_pair(refresh_and_hang);
}

static void leave_alone(peer *holder, peer *other)
{
    EXPECT(holder, "ok", "try 0 1800 x");
    its_token_is_larger(holder);
    EXPECT(other, "busy", "try 0 1 x");
    EXPECT(other, "ok", "status x");
    assert_true(fabs(peer_number(other, "remaining=") - 1800) < 60);
    EXPECT(holder, "ok", "refresh 0");
    peer_kill(holder);
    EXPECT(other, "ok", "try 0 1 x"); /* its death needs no clock */
    its_token_is_larger(other);
}

static void a_long_lease_is_left_alone(void **state)
{
    (void)state;
    last = 0;
    for_each_pair(leave_alone);
}

void group_directory_faketime(void)
{
    static const struct CMUnitTest directory_faketime[] = {
        SHARE_TEST(nobody_takes_it_early_and_everybody_afterwards),
        SHARE_TEST(a_long_lease_is_left_alone),
    };
    RUN(directory_faketime);
}
