/*
 * The guard of removal. A process that is stopped inside it keeps others from removing that one file, and from nothing else. Without
 * it two would hold one lock: shown by taking it away.
 */
#include "foreign_kit.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static peer remover, taker, looker;

static void begin(const method *m, const char *options)
{
    peer *const all[] = {&remover, &taker, &looker};
    for (size_t i = 0; i < COUNT(all); i++) {
        peer_start(all[i], NULL);
        EXPECT(all[i], "ok", "open %s%s", foreign_dsn(m), options);
    }
    EXPECT(&looker, "ok", "cycle 1 first");
}

/* A stale lock "x", and somebody who is about to remove it. */
static void stop_the_remover(const method *m)
{
    begin(m, "&stale=60");
    m->make(lock_path(m, "x"), getpid());
    set_time(lock_path(m, "x"), time(NULL) - 100, 0);
    EXPECT(&remover, "ok", "arm at guard:judged stop");
    EXPECT(&remover, "stopped", "try 0 1000 x");
    peer_await_stop(&remover);
}

/* A living lock "x" of the taker's, and somebody who is about to break it. */
static void stop_the_breaker(const method *m)
{
    begin(m, "");
    EXPECT(&taker, "ok", "try 0 1000 x");
    EXPECT(&looker, "ok", "status x");
    EXPECT(&remover, "ok", "arm at guard:judged stop");
    EXPECT(&remover, "stopped", "break %llu x", (unsigned long long)peer_token(&looker));
    peer_await_stop(&remover);
}

static void go_on(const char *want)
{
    peer_continue(&remover);
    ANSWER(&remover, want);
}

static void for_each_method(void (*judge)(const method *m))
{
    for (const method *m = methods; m < methods + METHODS; m++)
        if (m->removes) {
            judge(m);
            peers_end();
        }
}

static void judge_taking(const method *m)
{
    stop_the_remover(m);
    EXPECT(&taker, "busy", "try 0 1000 x");
    EXPECT(&looker, "free", "status x");
    EXPECT(&looker, "ok count=0", "list x");
    EXPECT(&taker, "ok", "each 20 other");
    EXPECT(&taker, "ok", "try 1 1000 y");
    EXPECT(&looker, "ok", "status y");
    go_on("ok");
    EXPECT(&taker, "busy", "try 0 1000 x");
    EXPECT(&remover, "ok", "verify 0");
    EXPECT(&remover, "ok", "release 0");
    EXPECT(&taker, "ok", "try 0 1000 x");
}

static void one_name_cannot_be_taken_all_others_can(void **state)
{
    (void)state;
    for_each_method(judge_taking);
}

static void judge_keeping(const method *m)
{
    stop_the_breaker(m);
    EXPECT(&taker, "ok", "verify 0");
    EXPECT(&taker, "ok", "refresh 0 2000");
    EXPECT(&taker, "ok", "release 0");
    EXPECT(&looker, "free", "status x");
    EXPECT(&looker, "ok count=0", "list x");
    EXPECT(&looker, "busy", "try 0 1000 x"); /* it is given back, and still to be removed */
    assert_true(is_there(lock_path(m, "x")));
    go_on("ok");
    assert_false(is_there(lock_path(m, "x")));
    EXPECT(&looker, "ok", "try 0 1000 x");
}

static void keeping_and_giving_back_need_no_guard(void **state)
{
    (void)state;
    for_each_method(judge_keeping);
}

static void judge_given_back(const method *m)
{
    stop_the_breaker(m);
    EXPECT(&taker, "ok", "release 0");
    peer_kill(&remover);
    assert_true(is_there(lock_path(m, "x")));
    EXPECT(&looker, "free", "status x");
    EXPECT(&looker, "ok", "try 0 1000 x");
    EXPECT(&taker, "busy", "try 0 1000 x");
    EXPECT(&looker, "ok", "release 0");
    assert_false(is_there(lock_path(m, "x")));
}

static void what_was_only_marked_can_be_had_when_the_guard_is_free(void **state)
{
    (void)state;
    for_each_method(judge_given_back);
}

/* What the guard is for, and why its file must not be removed: the checker sees two grants without a release between. */
static void judge_no_guard(const method *m)
{
    stop_the_remover(m);
    assert_int_equal(unlink(guard_path(m)), 0);
    EXPECT(&taker, "ok", "try 0 1000 x");
    go_on("ok");
}

static void without_it_two_would_have_one_lock(void **state)
{
    (void)state;
    for_each_method(judge_no_guard);
}

void group_foreign_guard(void)
{
    static const struct CMUnitTest foreign_guard[] = {
        TEST(one_name_cannot_be_taken_all_others_can),
        TEST(keeping_and_giving_back_need_no_guard),
        TEST(what_was_only_marked_can_be_had_when_the_guard_is_free),
        TEST(without_it_two_would_have_one_lock),
    };
    RUN(foreign_guard);
}
