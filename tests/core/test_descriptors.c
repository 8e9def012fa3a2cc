/* The library keeps no descriptor that somebody could close, inherit or run out of. */
#include "suite.h"

#include <string.h>

static void low_descriptors_closed_before(void **state)
{
    (void)state;
    static const peer_options options = {.no_standard = true};
    peer p, other;
    peer_start(&p, &options);
    EXPECT(&p, "ok", "countfds");
    double before = peer_number(&p, "count=");
    EXPECT(&p, "ok", "open %s", dsn("t"));
    EXPECT(&p, "ok", "try 0 inf x");
    EXPECT(&p, "ok", "countfds");
    assert_true(peer_number(&p, "count=") == before);
    peer_open(&other, dsn("t"));
    EXPECT(&other, "busy", "try 0 inf x");
    EXPECT(&p, "ok", "closeothers");
    EXPECT(&other, "busy", "try 0 inf x");
    EXPECT(&p, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 inf x");
}

static void use_descriptor_zero(void **state)
{
    (void)state;
    static const peer_options options = {.no_standard = true};
    peer p, q;
    peer_start(&p, &options);
    peer_start(&q, &options);
    EXPECT(&p, "ok", "open %s", dsn("t"));
    EXPECT(&q, "ok", "open %s", dsn("t"));
    EXPECT(&p, "ok", "try 0 inf x");
    EXPECT(&p, "ok", "spawn"); /* a child that inherits whatever is open */
    peer_kill(&p);
    EXPECT(&q, "ok", "try 0 inf x");
}

static void all_closed_behind_its_back(void **state)
{
    (void)state;
    peer p, other;
    peer_open(&p, dsn("t"));
    peer_open(&other, dsn("t"));
    EXPECT(&p, "ok", "try 0 inf x");
    EXPECT(&p, "ok", "closeothers");
    EXPECT(&other, "ok", "status x");
    EXPECT(&other, "busy", "try 0 inf x");
    EXPECT(&p, "ok", "verify 0");
    EXPECT(&p, "ok", "try 1 inf y");
    EXPECT(&other, "busy", "try 1 inf y");
    EXPECT(&p, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 inf x");
    peer_kill(&other);
    EXPECT(&p, "ok", "try 0 inf x");
    peer_kill(&p);
    peer_open(&other, dsn("t"));
    EXPECT(&other, "ok", "try 0 inf x");
    EXPECT(&other, "ok", "try 1 inf y");
}

/* A descriptor number that the library used once and that now is somebody else's file is left alone. */
static void numbers_are_reused_by_others(void **state)
{
    (void)state;
    peer p, holder;
    peer_open(&p, dsn("t"));
    peer_open(&holder, dsn("t"));
    EXPECT(&p, "ok", "try 0 inf x");
    EXPECT(&holder, "ok", "try 0 inf y");
    EXPECT(&p, "ok", "closeothers");
    EXPECT(&p, "ok", "nofile 64");
    EXPECT(&p, "ok", "fillfds");
    double before = peer_number(&p, "count=");
    EXPECT(&p, "ok", "close");
    EXPECT(&p, "ok", "closeothers");
    EXPECT(&p, "ok", "fillfds");
    assert_true(peer_number(&p, "count=") == before);
    EXPECT(&holder, "ok", "try 1 inf x");
    EXPECT(&holder, "ok", "verify 0");
}

static void sixteen_descriptors(void **state)
{
    (void)state;
    peer p, q;
    peer_start(&p, NULL);
    peer_start(&q, NULL);
    EXPECT(&p, "ok", "nofile 22"); /* the pipe of the agent is at 20 and 21: 16 are free below */
    EXPECT(&p, "ok", "open %s", dsn("t"));
    EXPECT(&p, "ok", "try 0 inf x");
    EXPECT(&q, "ok", "open %s", dsn("t"));
    EXPECT(&q, "busy", "try 0 inf x");
    EXPECT(&q, "ok", "try 1 inf y");
    peer_kill(&q);
    EXPECT(&p, "ok", "try 1 inf y");
    EXPECT(&p, "ok", "release 0");
}

/*
 * All used up: what needs no look at the file system goes on; whether a holder is dead may not be known then, and the answer
 * must not be "taken". It is never granted wrongly, and works again as soon as there is a descriptor.
 */
static void all_used_up(void **state)
{
    (void)state;
    peer p, holder;
    peer_open(&p, dsn("t"));
    peer_open(&holder, dsn("t"));
    EXPECT(&holder, "ok", "try 0 inf x");
    EXPECT(&holder, "ok", "try 1 inf z");
    EXPECT(&p, "ok", "try 0 inf y");
    EXPECT(&p, "ok", "nofile 40");
    EXPECT(&p, "ok", "fillfds");
    EXPECT(&p, "ok", "try 2 inf free");
    EXPECT(&p, "ok", "release 2");
    EXPECT(&p, "ok", "verify 0");
    EXPECT(&p, "ok", "release 0");
    assert_string_not_equal(peer_ask(&p, "status x"), "free");
    peer_ask(&p, "try 3 inf x");
    assert_false(peer_said(&p, "ok"));
    peer_kill(&holder);
    peer_ask(&p, "try 4 inf z");
    assert_true(peer_said(&p, "ok") || peer_said(&p, "busy") || peer_said(&p, "error"));
    EXPECT(&p, "ok", "closeothers");
    EXPECT(&p, "ok", "try 5 inf x");
}

static void used_up_before_the_first_use(void **state)
{
    (void)state;
    peer p, other;
    peer_open(&p, dsn("t"));
    EXPECT(&p, "ok", "nofile 40");
    EXPECT(&p, "ok", "fillfds");
    EXPECT(&p, "error", "try 0 inf x");
    assert_non_null(strstr(p.answer, "filelock"));
    assert_true(peer_number(&p, "code=") == 24); /* EMFILE */
    EXPECT(&p, "ok", "closeothers");
    EXPECT(&p, "ok", "try 0 inf x");
    peer_open(&other, dsn("t"));
    EXPECT(&other, "busy", "try 0 inf x");
}

/* Nothing grows with use. */
static void none_is_left_open(void **state)
{
    (void)state;
    peer p, victim;
    peer_open(&p, dsn("t"));
    EXPECT(&p, "ok", "countfds");
    double before = peer_number(&p, "count=");
    for (int i = 0; i < 10; i++) {
        peer_open(&victim, dsn("t"));
        EXPECT(&victim, "ok", "try 0 inf x");
        EXPECT(&p, "busy", "try 0 inf x");
        peer_kill(&victim);
        EXPECT(&p, "ok", "try 0 inf x");
        EXPECT(&p, "ok", "status x");
        EXPECT(&p, "ok", "list ");
        EXPECT(&p, "ok", "release 0");
        EXPECT(&p, "ok", "close");
        EXPECT(&p, "ok", "open %s", dsn("t"));
    }
    EXPECT(&p, "ok", "countfds");
    assert_true(peer_number(&p, "count=") == before);
}

void group_descriptors(void)
{
    static const struct CMUnitTest descriptors[] = {
        TEST(low_descriptors_closed_before), TEST(use_descriptor_zero), TEST(all_closed_behind_its_back),
        TEST(numbers_are_reused_by_others),  TEST(sixteen_descriptors), TEST(all_used_up),
        TEST(used_up_before_the_first_use),  TEST(none_is_left_open),
    };
    RUN(descriptors);
}
