/* A process built with musl and one built with glibc on one table: they exclude and wake each other and recover each other's
 * death. */
#include "suite.h"

#include <string.h>

static peer mine, theirs;

static void start_both(void)
{
    peer_options options = {.program = other_agent()};
    if (!*options.program) {
        SKIP("the agent of the other C library is not built");
    }
    peer_open(&mine, dsn("t"));
    peer_start(&theirs, &options);
    EXPECT(&theirs, "ok", "open %s", dsn("t"));
}

static void exclude(peer *a, peer *b)
{
    EXPECT(a, "ok", "try 0 100 x");
    uint64_t token = peer_token(a);
    EXPECT(b, "busy", "try 0 100 x");
    EXPECT(b, "ok", "status x");
    assert_true(peer_token(b) == token);
    assert_int_equal((pid_t)peer_number(b, "pid="), a->pid);
    EXPECT(b, "lost", "release 0");
    EXPECT(a, "ok", "refresh 0");
    EXPECT(a, "ok", "release 0");
    EXPECT(b, "ok", "try 0 inf x");
    assert_true(peer_token(b) > token);
    EXPECT(a, "busy", "try 0 100 x");
    EXPECT(b, "ok", "release 0");
}

static void they_exclude_each_other(void **state)
{
    (void)state;
    start_both();
    exclude(&mine, &theirs);
    exclude(&theirs, &mine);
}

static void they_wake_each_other(void **state)
{
    (void)state;
    start_both();
    EXPECT(&mine, "ok", "try 0 inf x");
    peer_tell(&theirs, "acquire 0 inf inf x");
    EXPECT(&mine, "ok", "release 0");
    peer_answer(&theirs);
    assert_true(peer_said(&theirs, "ok"));
    peer_tell(&mine, "acquire 0 inf inf x");
    EXPECT(&theirs, "ok", "release 0");
    peer_answer(&mine);
    assert_true(peer_said(&mine, "ok"));
}

static void die_and_recover(peer *victim, peer *survivor)
{
    EXPECT(victim, "ok", "try 0 inf x");
    EXPECT(survivor, "busy", "try 0 inf x");
    peer_kill(victim);
    EXPECT(survivor, "free", "status x");
    EXPECT(survivor, "ok", "try 0 inf x");
}

static void i_recover_their_death(void **state)
{
    (void)state;
    start_both();
    die_and_recover(&theirs, &mine);
}

static void they_recover_my_death(void **state)
{
    (void)state;
    start_both();
    die_and_recover(&mine, &theirs);
}

static void the_other_creates_the_table(void **state)
{
    (void)state;
    start_both();
    EXPECT(&theirs, "ok", "try 0 inf x");
    EXPECT(&mine, "busy", "try 0 inf x");
    EXPECT(&theirs, "ok", "close");
    EXPECT(&mine, "ok", "try 0 inf x");
}

void group_libc(void)
{
    static const struct CMUnitTest libc[] = {
        TEST(they_exclude_each_other), TEST(they_wake_each_other),        TEST(i_recover_their_death),
        TEST(they_recover_my_death),   TEST(the_other_creates_the_table),
    };
    RUN(libc);
}
