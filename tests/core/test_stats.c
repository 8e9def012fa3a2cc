/* The store's counters: of all processes, also of those that are gone. */
#include "kinds.h"

#include <string.h>
#include <unistd.h>

static fl_store *store, *other;
static fl_error error;
static fl_lease lease, second;
static fl_stats before, now;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t"));
    other = open_store(dsn("t"));
    memset(&before, 0, sizeof before);
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    fl_close(other);
    return suite_end(state);
}

/* By how much each counter has grown since the last time: acquired, busy, waited, expired, recovered, broken, lost. */
static void grown(int line, uint64_t acquired, uint64_t busy, uint64_t waited, uint64_t expired, uint64_t recovered,
                  uint64_t broken, uint64_t lost)
{
    RESULT(FL_OK, fl_get_stats(other, &now, &error));
    uint64_t got[] = {now.acquired - before.acquired, now.busy - before.busy,           now.waited - before.waited,
                      now.expired - before.expired,   now.recovered - before.recovered, now.broken - before.broken,
                      now.lost - before.lost};
    uint64_t want[] = {acquired, busy, waited, expired, recovered, broken, lost};
    for (size_t i = 0; i < COUNT(got); i++) {
        if (got[i] != want[i]) {
            print_error("counter %zu grew by %d instead of %d\n", i, (int)got[i], (int)want[i]);
            _fail(__FILE__, line);
        }
    }
    before = now;
}
#define GROWN(...) grown(__LINE__, __VA_ARGS__)

static void a_store_that_nobody_used(void **state)
{
    static const fl_stats none;
    (void)state;
    memset(&now, 1, sizeof now);
    RESULT(FL_OK, fl_get_stats(store, &now, &error));
    assert_memory_equal(&now, &none, sizeof now);
    assert_int_not_equal(access(scratch("t"), F_OK), 0);
}

static void taken_and_refused(void **state)
{
    static const fl_kind kinds[] = {FL_EXCLUSIVE, FL_SHARED, FL_PERMIT};
    (void)state;
    for (int i = 0; i < 3; i++) {
        TAKE(FL_OK, store, &lease, kinds[i], 1, "x", 100);
        GROWN(1, 0, 0, 0, 0, 0, 0);
        TAKE(FL_BUSY, other, &second, FL_EXCLUSIVE, 0, "x", 100);
        GROWN(0, 1, 0, 0, 0, 0, 0);
        TAKE_WITHIN(FL_BUSY, other, &second, FL_EXCLUSIVE, 0, "x", 100, 0.01);
        GROWN(0, 1, 0, 0, 0, 0, 0);
        RESULT(FL_OK, fl_release(&lease, &error));
        GROWN(0, 0, 0, 0, 0, 0, 0);
    }
}

/* A wait that comes to something is no refusal; its time is known. */
static void waited(void **state)
{
    peer waiter;
    (void)state;
    peer_open(&waiter, dsn("t"));
    TRY(FL_OK, store, &lease, "x", 100);
    int64_t start = precise_now();
    peer_tell(&waiter, "take 0 exclusive 0 100 inf x");
    await_waiters(store, "x", 1);
    RESULT(FL_OK, fl_release(&lease, &error));
    ANSWER(&waiter, "ok");
    GROWN(2, 0, 1, 0, 0, 0, 0);
    assert_true(now.waited_ns > 0 && now.waited_ns <= (uint64_t)(precise_now() - start));
    peer_kill(&waiter);
    TRY(FL_OK, store, &lease, "x", 100);
    GROWN(1, 0, 0, 0, 1, 0, 0); /* the dead one's numbers have not gone with it */
}

static void ended_by_others(void **state)
{
    static const fl_kind kinds[] = {FL_EXCLUSIVE, FL_SHARED, FL_PERMIT};
    (void)state;
    for (int i = 0; i < 3; i++) {
        TAKE(FL_OK, store, &lease, kinds[i], 1, "x", 0.01);
        await_free(other, "x");
        TAKE(FL_OK, other, &second, FL_EXCLUSIVE, 0, "x", 100);
        GROWN(2, 0, 0, 1, 0, 0, 0);
        RESULT(FL_LOST, fl_verify(&lease));
        GROWN(0, 0, 0, 0, 0, 0, 1);
        RESULT(FL_LOST, fl_release(&lease, &error)); /* it was told already */
        RESULT(FL_OK, fl_release(&second, &error));
        TAKE(FL_OK, store, &lease, kinds[i], 1, "x", 100);
        RESULT(FL_OK, fl_break(other, "x", 1, (int64_t)lease.token, &error));
        RESULT(FL_LOST, fl_release(&lease, &error));
        GROWN(1, 0, 0, 0, 0, 1, 1);
    }
}

static void recovered_from_the_dead(void **state)
{
    static const char *const kinds[] = {"exclusive", "shared", "permit"};
    peer dead;
    (void)state;
    TRY(FL_OK, store, &lease, "y", 100);
    GROWN(1, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++) {
        peer_open(&dead, dsn("t"));
        EXPECT(&dead, "ok", "take 0 %s 1 inf 0 x", kinds[i]);
        EXPECT(&dead, "ok", "stats");
        peer_kill(&dead);
        TRY(FL_OK, store, &lease, "x", 100);
        RESULT(FL_OK, fl_release(&lease, &error));
        GROWN(2, 0, 0, 0, 1, 0, 0);
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_stats(void)
{
    static const struct CMUnitTest stats[] = {
        CASE(a_store_that_nobody_used), CASE(taken_and_refused),       CASE(waited),
        CASE(ended_by_others),          CASE(recovered_from_the_dead),
    };
    RUN(stats);
}
