/*
 * Queues in which turns are short: who goes to the end calls the first that sleeps, before it is its turn. Nobody else may be
 * called before his turn, since that costs processors.
 *
 * This process takes a turn out of a queue, of one length or another, and queues up again behind a holder and a sleeper.
 */
#include "image.h"
#include "kinds.h"

#include <unistd.h>

static fl_store *store;
static fl_error error;
static peer holder, next, sleeper;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t?capacity=64"));
    peer_open(&holder, dsn("t"));
    peer_open(&next, dsn("t"));
    peer_open(&sleeper, dsn("t"));
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    return suite_end(state);
}

static table_counts counts(void)
{
    table_counts c;
    assert_true(image_count(scratch("t/filelock.table"), &c));
    return c;
}

/* While I wait for my turn two others queue up behind me; then the holder makes room. */
static int others_come(void *context)
{
    bool *came = context;
    if (!*came) {
        *came = true;
        peer_tell(&next, "take 0 exclusive 0 100 inf x");
        await_waiters(store, "x", 2);
        peer_tell(&sleeper, "take 0 exclusive 0 100 inf x");
        await_waiters(store, "x", 3);
        await_asleep(&next);
        await_asleep(&sleeper);
        EXPECT(&holder, "ok", "release 0");
    }
    return 0;
}

static void take_a_turn(unsigned us)
{
    bool came = false;
    fl_interrupt interrupt = {others_come, &came};
    fl_lease turn = FL_LEASE_INIT;
    RESULT_OR(FL_OK, fl_acquire(store, &turn, "x", 1, 100, INFINITY, &interrupt, &error), &error);
    if (us > 0) {
        usleep(us); /* how long the turn is */
    }
    RESULT_OR(FL_OK, fl_release(&turn, &error), &error);
}

/* Has the sleeper been called when I queue up behind it? `next` holds the lock all the time. */
static bool is_roused_by_me(void)
{
    fl_lease late = FL_LEASE_INIT;
    ANSWER(&next, "ok");
    do {
        await_asleep(&sleeper);
    } while (counts().awake > 0);
    uint32_t before = counts().calls;
    RESULT_OR(FL_BUSY, fl_acquire(store, &late, "x", 1, 100, 0.005, NULL, &error), &error);
    return counts().calls != before;
}

static bool one_round(unsigned us)
{
    EXPECT(&holder, "ok", "take 0 exclusive 0 100 0 x");
    take_a_turn(us);
    bool roused = is_roused_by_me();
    EXPECT(&next, "ok", "release 0");
    ANSWER(&sleeper, "ok");
    EXPECT(&sleeper, "ok", "release 0");
    return roused;
}

/* A turn of mine is short unless I was interrupted in it: so one of many must have been. */
static void after_a_short_turn_a_sleeper_is_called(void **state)
{
    enum { ROUNDS = 200 };
    (void)state;
    bool roused = false;
    for (int i = 0; i < ROUNDS && !roused; i++) {
        roused = one_round(0);
    }
    assert_true(roused);
}

static void after_a_long_turn_nobody_is(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_false(one_round(1000));
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_brisk(void)
{
    static const struct CMUnitTest brisk[] = {
        CASE(after_a_short_turn_a_sleeper_is_called),
        CASE(after_a_long_turn_nobody_is),
    };
    RUN(brisk);
}
