/* Semaphores: never more holders than permits. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

enum { N = 3 };
static fl_store *store[N + 1];
static fl_error error;
static fl_lease lease[N + 1];

static int begin(void **state)
{
    int failed = suite_begin(state);
    for (int i = 0; i <= N; i++) {
        store[i] = open_store(dsn("t"));
    }
    return failed;
}

static int end(void **state)
{
    for (int i = 0; i <= N; i++) {
        fl_close(store[i]);
    }
    return suite_end(state);
}

#define PERMIT(want, i, n, ttl) TAKE(want, store[i], &lease[i], FL_PERMIT, n, "x", ttl)

static void never_more_than_there_are(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= N; n++) {
        for (uint32_t i = 0; i < n; i++) {
            PERMIT(FL_OK, i, n, 100);
        }
        PERMIT(FL_BUSY, n, n, 100);
        assert_int_equal(status_of(store[N], "x").holders, n);
        assert_true(status_of(store[N], "x").shared);
        RESULT(FL_OK, fl_release(&lease[0], &error));
        PERMIT(FL_OK, n, n, 100);
        PERMIT(FL_BUSY, 0, n, 100);
        for (uint32_t i = 1; i <= n; i++) {
            RESULT(FL_OK, fl_release(&lease[i], &error));
        }
        assert_int_equal(status_of(store[N], "x").holders, 0);
    }
}

/* One thread may have several; when it has them all it would wait for itself. */
static void several_of_one_thread(void **state)
{
    (void)state;
    fl_lease more[2];
    TAKE(FL_OK, store[0], &more[0], FL_PERMIT, 2, "x", 100);
    PERMIT(FL_OK, 1, 2, 100);
    TAKE_WITHIN(FL_BUSY, store[0], &more[1], FL_PERMIT, 2, "x", 100, 0.01);
    RESULT(FL_OK, fl_release(&lease[1], &error));
    TAKE(FL_OK, store[0], &more[1], FL_PERMIT, 2, "x", 100);
    TAKE(FL_BUSY, store[0], &lease[0], FL_PERMIT, 2, "x", 100);
    TAKE_WITHIN(FL_SELF, store[0], &lease[0], FL_PERMIT, 2, "x", 100, 10);
    TAKE_WITHIN(FL_SELF, store[0], &lease[0], FL_EXCLUSIVE, 0, "x", 100, 10);
    TAKE_WITHIN(FL_SELF, store[0], &lease[0], FL_SHARED, 0, "x", 100, 10);
    RESULT(FL_OK, fl_release(&more[0], &error));
    RESULT(FL_OK, fl_release(&more[1], &error));
}

/* ... also when somebody else waits already, for whom there is no room before this thread makes it. */
static void waiting_for_oneself_behind_others(void **state)
{
    static const fl_kind held[] = {FL_EXCLUSIVE, FL_SHARED, FL_PERMIT};
    (void)state;
    for (int i = 0; i < 3; i++) {
        peer waiter;
        peer_open(&waiter, dsn("t"));
        TAKE(FL_OK, store[0], &lease[0], held[i], 1, "x", 100);
        peer_tell(&waiter, "take 0 %s 1 100 inf x", held[i] == FL_PERMIT ? "permit" : "exclusive");
        await_waiters(store[1], "x", 1);
        TAKE_WITHIN(FL_SELF, store[0], &lease[1], FL_EXCLUSIVE, 0, "x", 100, 1);
        TAKE_WITHIN(FL_SELF, store[0], &lease[1], FL_PERMIT, 1, "x", 100, 1);
        RESULT(FL_OK, fl_release(&lease[0], &error));
        ANSWER(&waiter, "ok");
        peers_end();
        await_free(store[0], "x");
    }
}

static void locks_and_permits_exclude_each_other(void **state)
{
    static const fl_kind locks[] = {FL_EXCLUSIVE, FL_SHARED};
    (void)state;
    for (int i = 0; i < 2; i++) {
        TAKE(FL_OK, store[0], &lease[0], locks[i], 0, "x", 100);
        PERMIT(FL_BUSY, 1, 5, 100);
        TAKE(FL_BUSY, store[0], &lease[2], FL_PERMIT, 5, "x", 100);
        RESULT(FL_OK, fl_release(&lease[0], &error));
        PERMIT(FL_OK, 1, 5, 100);
        TAKE(FL_BUSY, store[0], &lease[0], locks[i], 0, "x", 100);
        TAKE(FL_BUSY, store[1], &lease[2], locks[i], 0, "x", 100);
        RESULT(FL_OK, fl_release(&lease[1], &error));
    }
}

/* ---- how many there are --------------------------------------------------------------------------------------------- */

#define SAYS_BOTH(i, n, other) \
    do { \
        char mine[20], theirs[20]; \
        fl_request request = {.name = "x", .length = 1, .ttl = 100, .kind = FL_PERMIT, .permits = n}; \
        RESULT(FL_ERROR, fl_take(store[i], &lease[i], &request, &error)); \
        assert_int_equal(error.fault, FL_WORLD_FAILED); \
        sprintf(mine, " %d ", n), sprintf(theirs, " %d ", other); \
        error.message[sizeof error.message - 1] = 0; \
        for (char *at = error.message; (at = strpbrk(at, ",.")) != NULL;) \
            *at = ' '; \
        ASSERT_ERROR(&error, mine, theirs); \
    } while (0)

static void who_disagrees_is_told_both_numbers(void **state)
{
    peer waiter;
    (void)state;
    PERMIT(FL_OK, 0, 4711, 100);
    SAYS_BOTH(1, 4712, 4711);
    SAYS_BOTH(1, 1, 4711);
    RESULT(FL_OK, fl_verify(&lease[0]));
    RESULT(FL_OK, fl_release(&lease[0], &error));
    TRY(FL_OK, store[0], &lease[0], "x", 100);
    peer_open(&waiter, dsn("t"));
    peer_tell(&waiter, "take 0 permit 12 100 inf x");
    await_waiters(store[0], "x", 1);
    RESULT(FL_OK, fl_release(&lease[0], &error));
    ANSWER(&waiter, "ok");
    SAYS_BOTH(1, 13, 12);
    EXPECT(&waiter, "ok", "release 0");
    PERMIT(FL_OK, 1, 13, 100); /* nobody uses it any more: it may have another number */
}

/* The dead, the expired and those who have given up have no say. */
static void the_dead_do_not_disagree(void **state)
{
    peer dead;
    (void)state;
    for (int i = 0; i < 2; i++) {
        peer_open(&dead, dsn("t"));
        TRY(FL_OK, store[0], &lease[0], "x", 100);
        if (i == 1) {
            RESULT(FL_OK, fl_release(&lease[0], &error));
        }
        peer_tell(&dead, "take 0 permit 7 inf inf x");
        i == 0 ? await_waiters(store[1], "x", 1) : await_holders(store[1], "x", 1);
        peer_kill(&dead);
        if (i == 0) {
            RESULT(FL_OK, fl_release(&lease[0], &error));
        }
        PERMIT(FL_OK, 1, 2, 100);
        PERMIT(FL_OK, 2, 2, 100);
        RESULT(FL_OK, fl_release(&lease[1], &error));
        RESULT(FL_OK, fl_release(&lease[2], &error));
    }
    PERMIT(FL_OK, 0, 7, 0.01);
    await_free(store[1], "x");
    PERMIT(FL_OK, 1, 2, 100);
    RESULT(FL_LOST, fl_release(&lease[0], &error));
    RESULT(FL_OK, fl_release(&lease[1], &error));
}

static void how_many_there_can_be(void **state)
{
    fl_request request = {.name = "x", .length = 1, .ttl = 100, .kind = FL_PERMIT};
    (void)state;
    static const uint32_t wrong[] = {0, FL_PERMITS_MAX + 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        request.permits = wrong[i];
        RESULT(FL_ERROR, fl_take(store[0], &lease[0], &request, &error));
        assert_int_equal(error.fault, FL_BAD_ARGUMENT);
        assert_int_equal(error.argument, FL_ARG_PERMITS);
    }
    PERMIT(FL_OK, 0, FL_PERMITS_MAX, 100);
    assert_int_equal(lease[0].permits, FL_PERMITS_MAX);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------ */

static void a_permit_comes_back(void **state)
{
    peer holder;
    (void)state;
    peer_open(&holder, dsn("t"));
    EXPECT(&holder, "ok", "take 0 permit 2 inf 0 x");
    PERMIT(FL_OK, 0, 2, 100);
    PERMIT(FL_BUSY, 1, 2, 100);
    peer_kill(&holder);
    assert_int_equal(status_of(store[1], "x").holders, 1);
    PERMIT(FL_OK, 1, 2, 0.02); /* of a dead one */
    PERMIT(FL_BUSY, 2, 2, 100);
    await_holders(store[2], "x", 1);
    PERMIT(FL_OK, 2, 2, 100); /* of an expired one */
    RESULT(FL_LOST, fl_verify(&lease[1]));
    PERMIT(FL_BUSY, 1, 2, 100);
    RESULT(FL_OK, fl_break(store[1], "x", 1, (int64_t)lease[2].token, &error));
    RESULT(FL_LOST, fl_refresh(&lease[2], NULL, &error));
    PERMIT(FL_OK, 1, 2, 100); /* of a broken one */
    RESULT(FL_OK, fl_verify(&lease[0]));
}

/* Six wait for two permits: they come in two by two, in the order of their arrival. */
static void waiters_come_in_order(void **state)
{
    enum { QUEUE = 6 };
    peer queue[QUEUE];
    (void)state;
    PERMIT(FL_OK, 0, 2, 100);
    PERMIT(FL_OK, 1, 2, 100);
    for (int i = 0; i < QUEUE; i++) {
        peer_open(&queue[i], dsn("t"));
        peer_tell(&queue[i], "take 0 permit 2 100 inf x");
        await_waiters(store[2], "x", (uint32_t)i + 1);
    }
    RESULT(FL_OK, fl_release(&lease[0], &error));
    for (int i = 0; i < QUEUE; i++) {
        ANSWER(&queue[i], "ok");
        fl_status_t s = status_of(store[2], "x");
        assert_int_equal(s.waiters, QUEUE - 1 - i);
        assert_int_equal(s.holders, 2);
        PERMIT(FL_BUSY, 2, 2, 100);
        RESULT(FL_OK, i == 0 ? fl_release(&lease[1], &error) : FL_OK);
        if (i > 0) {
            EXPECT(&queue[i - 1], "ok", "release 0");
        }
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_permit(void)
{
    static const struct CMUnitTest permit[] = {
        CASE(never_more_than_there_are),
        CASE(several_of_one_thread),
        CASE(waiting_for_oneself_behind_others),
        CASE(locks_and_permits_exclude_each_other),
        CASE(who_disagrees_is_told_both_numbers),
        CASE(the_dead_do_not_disagree),
        CASE(how_many_there_can_be),
        CASE(a_permit_comes_back),
        CASE(waiters_come_in_order),
    };
    RUN(permit);
}
