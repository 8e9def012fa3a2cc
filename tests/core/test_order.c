/* First come, first served: who is next when the lock is given back, and who is not. */
#include "image.h"
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fl_store *store;
static fl_error error;
static fl_lease lease, other_lease;

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

static double seconds_since(int64_t start)
{
    return (double)(precise_now() - start) / 1e9;
}

/* It waits, and gives back as soon as it was served; what it answers is read later. */
static void queue_up(peer *p, double timeout)
{
    peer_tell(p, "take 0 exclusive 0 inf %f x", timeout);
    peer_tell(p, "release 0");
}

/* Its token is larger than the last one: nobody behind it was served before it. */
static void assert_served_after(peer *p, uint64_t *token)
{
    ANSWER(p, "ok");
    assert_true(peer_token(p) > *token);
    *token = peer_token(p);
    ANSWER(p, "ok");
}

/* Eight, each started when the one before is seen to wait; fifty times. */
static void in_the_order_of_arrival(void **state)
{
    enum { WAITERS = 8, ROUNDS = 50 };
    static peer waiters[WAITERS];
    (void)state;
    for (int i = 0; i < WAITERS; i++) {
        peer_open(&waiters[i], dsn("t"));
    }
    for (int round = 0; round < ROUNDS; round++) {
        TRY(FL_OK, store, &lease, "x", 100);
        uint64_t token = lease.token;
        for (int i = 0; i < WAITERS; i++) {
            queue_up(&waiters[i], INFINITY);
            await_waiters(store, "x", (uint32_t)i + 1);
        }
        RESULT(FL_OK, fl_release(&lease, &error));
        for (int i = 0; i < WAITERS; i++) {
            assert_served_after(&waiters[i], &token);
        }
    }
}

/* A free lock whose next holder is called, but has not looked yet: a newcomer's try is busy, a status says why. */
static void a_newcomer_does_not_overtake(void **state)
{
    peer waiter;
    (void)state;
    fl_store *newcomer = open_store(dsn("t"));
    peer_open(&waiter, dsn("t"));
    TRY(FL_OK, store, &lease, "x", 100);
    peer_tell(&waiter, "take 0 exclusive 0 100 inf x");
    await_waiters(store, "x", 1);
    peer_stop(&waiter);
    int64_t start = precise_now();
    RESULT(FL_OK, fl_release(&lease, &error));
    fl_result exclusive = fl_try(newcomer, &other_lease, "x", 1, 100, &error);
    fl_status_t s = status_of(newcomer, "x");
    if (seconds_since(start) < 0.5) { /* later it may be passed, see below */
        RESULT(FL_BUSY, exclusive);
        assert_int_equal(s.holders, 0);
        assert_int_equal(s.waiters, 1);
        TAKE(FL_BUSY, newcomer, &other_lease, FL_SHARED, 0, "x", 100);
        TAKE(FL_BUSY, newcomer, &other_lease, FL_PERMIT, 3, "x", 100);
    }
    peer_continue(&waiter);
    ANSWER(&waiter, exclusive == FL_BUSY ? "ok" : "busy");
    fl_close(newcomer);
}

/* Both sleep, and are stopped there: nobody looks but who is told to. */
static table_counts stop_both_asleep(peer *a, peer *b)
{
    table_counts counts;
    for (;;) {
        await_asleep(a);
        await_asleep(b);
        peer_stop(a);
        peer_stop(b);
        assert_true(image_count(scratch("t/filelock.table"), &counts));
        if (counts.awake == 0) {
            return counts;
        }
        peer_continue(a);
        peer_continue(b);
    }
}

/* Who gave it back died before it called. A newcomer calls the first in order, also if another's cell comes first, and nobody else. */
static void only_the_first_is_called(void **state)
{
    peer holder, first, second;
    (void)state;
    peer_open(&holder, dsn("t"));
    peer_open(&first, dsn("t"));
    peer_open(&second, dsn("t"));
    EXPECT(&holder, "ok", "take 0 exclusive 0 100 0 x");
    peer_tell(&second, "take 0 exclusive 0 100 0.5 x");
    await_waiters(store, "x", 1);
    peer_tell(&first, "take 0 exclusive 0 100 inf x");
    ANSWER(&second, "busy");
    peer_tell(&second, "take 0 exclusive 0 100 inf x"); /* in the lower cell, which it had before */
    await_waiters(store, "x", 2);
    EXPECT(&holder, "ok", "armat kill release:freed");
    assert_int_equal(stop_both_asleep(&first, &second).waiting, 2);
    peer_tell(&holder, "release 0");
    ANSWER(&holder, "killed");
    TRY(FL_BUSY, store, &lease, "x", 100);
    table_counts counts;
    assert_true(image_count(scratch("t/filelock.table"), &counts));
    assert_int_equal(counts.awake, 1);
    assert_true(counts.first_awake);
    peer_continue(&first);
    ANSWER(&first, "ok");
    peer_continue(&second);
    EXPECT(&first, "ok", "release 0");
    ANSWER(&second, "ok");
}

/* The head is stopped: the next one is served all the same, after about a second, and the head when it goes on. */
static void a_stopped_head_is_passed(void **state)
{
    peer head, next;
    (void)state;
    peer_open(&head, dsn("t"));
    peer_open(&next, dsn("t"));
    TRY(FL_OK, store, &lease, "x", 100);
    peer_tell(&head, "take 0 exclusive 0 100 inf x");
    await_waiters(store, "x", 1);
    peer_tell(&next, "take 0 exclusive 0 100 inf x");
    await_waiters(store, "x", 2);
    peer_stop(&head);
    int64_t start = precise_now();
    RESULT(FL_OK, fl_release(&lease, &error));
    ANSWER(&next, "ok");
    double took = (peer_number(&next, "at=") - (double)start) / 1e9;
    print_message("passed after %.2f s\n", took);
    assert_true(took > 0.5 && took < 1.5); /* it may have been awake, and so silent, for a while */
    peer_continue(&head);
    EXPECT(&next, "ok", "release 0");
    ANSWER(&head, "ok");
}

/*
 * One waiter is about to take the lock, having seen nobody else in the queue; another one queues up before it does. The second
 * must not be forgotten: it is seen to wait, and no newcomer overtakes it.
 */
static void who_comes_while_one_takes_is_not_forgotten(void **state)
{
    static const char *const steps[] = {"try:filled", "try:taken"};
    (void)state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        peer first, second;
        peer_open(&first, dsn("t"));
        peer_open(&second, dsn("t"));
        TRY(FL_OK, store, &lease, "x", 100);
        EXPECT(&first, "ok", "armat stop %s", steps[i]);
        peer_tell(&first, "take 0 exclusive 0 100 inf x");
        await_waiters(store, "x", 1);
        RESULT(FL_OK, fl_release(&lease, &error));
        ANSWER(&first, "stopped");
        peer_await_stop(&first);
        peer_tell(&second, "take 0 exclusive 0 100 inf x");
        await_waiters(store, "x", 2); /* the first is still in the queue, whatever it has taken */
        await_asleep(&second);
        peer_continue(&first);
        ANSWER(&first, "ok");
        assert_int_equal(status_of(store, "x").waiters, 1);
        EXPECT(&first, "ok", "release 0");
        TRY(FL_BUSY, store, &other_lease, "x", 100);
        ANSWER(&second, "ok");
        peers_end();
        await_free(store, "x");
    }
}

/* ---- two hundred ---------------------------------------------------------------------------------------------------- */

enum { MANY = 200, FIFTY = 50, SECONDS_TO_WAIT = 3 };
enum { STAYS, DIES, GIVES_UP };
static peer many[MANY];
static unsigned char fate[MANY];

static void draw_fates(void)
{
    for (int what = DIES; what <= GIVES_UP; what++) {
        for (int n = 0; n < FIFTY;) {
            int i = rand() % MANY;
            n += fate[i] == STAYS;
            fate[i] = fate[i] == STAYS ? (unsigned char)what : fate[i];
        }
    }
}

static void all_queue_up(void)
{
    int64_t start = precise_now();
    for (int i = 0; i < MANY; i++) {
        queue_up(&many[i], fate[i] == GIVES_UP ? SECONDS_TO_WAIT : INFINITY);
        await_waiters(store, "x", (uint32_t)i + 1);
    }
    assert_true(seconds_since(start) < SECONDS_TO_WAIT);
}

static void some_die_and_some_give_up(void)
{
    for (int left = FIFTY; left > 0;) {
        int i = rand() % MANY;
        if (fate[i] == DIES && many[i].pid > 0) {
            peer_kill(&many[i]);
            left--;
        }
    }
    for (int i = 0; i < MANY; i++) {
        if (fate[i] == GIVES_UP) {
            ANSWER(&many[i], "busy");
            ANSWER(&many[i], "lost");
        }
    }
}

/* Of 200, 50 are killed and 50 give up: the others are served, each exactly once, in order. */
static void a_long_queue_with_gaps(void **state)
{
    (void)state;
    unsigned seed = (unsigned)precise_now();
    print_message("seed %u\n", seed);
    srand(seed);
    memset(fate, STAYS, sizeof fate);
    draw_fates();
    for (int i = 0; i < MANY; i++) {
        peer_open(&many[i], dsn("t"));
    }
    TRY(FL_OK, store, &lease, "x", 100);
    uint64_t token = lease.token;
    all_queue_up();
    some_die_and_some_give_up();
    await_waiters(store, "x", MANY - 2 * FIFTY);
    RESULT(FL_OK, fl_release(&lease, &error));
    for (int i = 0; i < MANY; i++) {
        if (fate[i] == STAYS) {
            assert_served_after(&many[i], &token);
        }
    }
    TRY(FL_OK, store, &lease, "x", 100);
    assert_true(lease.token == token + 1); /* a hundred leases, and no more */
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_order(void)
{
    static const struct CMUnitTest order[] = {
        CASE(in_the_order_of_arrival),
        CASE(a_newcomer_does_not_overtake),
        CASE(only_the_first_is_called),
        CASE(a_stopped_head_is_passed),
        CASE(who_comes_while_one_takes_is_not_forgotten),
        CASE(a_long_queue_with_gaps),
    };
    RUN(order);
}
