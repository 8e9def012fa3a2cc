/* What waiting costs, how long it takes, and what is left of it. Bounds are the issue's own; medians, since machines are busy. */
#include "image.h"
#include "kinds.h"

#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_store *store;
static fl_error error;
static fl_lease lease;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t?capacity=64"));
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    return suite_end(state);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* 0.35 s are 0.35 s. */
static void a_timeout_is_kept(void **state)
{
    enum { ROUNDS = 5 };
    double took[ROUNDS];
    fl_store *other = open_store(dsn("t"));
    fl_lease late = FL_LEASE_INIT;
    (void)state;
    TRY(FL_OK, store, &lease, "x", 100);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t start = precise_now();
        RESULT(FL_BUSY, fl_acquire(other, &late, "x", 1, 100, 0.35, NULL, &error));
        took[i] = (double)(precise_now() - start) / 1e9;
        assert_true(took[i] >= 0.35);
    }
    assert_true(median(took, ROUNDS) < 0.37);
    fl_close(other);
}

static const char *const kinds[] = {"exclusive", "shared", "permit"};

/* How long after its end a lease of each kind is taken over by one who has waited for `ttl`: the median in ms. All at a time. */
static void delays_after(double ttl, size_t rounds, double medians[COUNT(kinds)])
{
    double late[COUNT(kinds)][16], deadline[COUNT(kinds)];
    peer holder[COUNT(kinds)], waiter[COUNT(kinds)];
    for (size_t k = 0; k < COUNT(kinds); k++) {
        peer_open(&holder[k], dsn("t"));
        peer_open(&waiter[k], dsn("t"));
    }
    for (size_t i = 0; i < rounds; i++) {
        for (size_t k = 0; k < COUNT(kinds); k++) {
            EXPECT(&holder[k], "ok", "take 0 %s 1 %f 0 %s", kinds[k], ttl, kinds[k]);
            deadline[k] = peer_number(&holder[k], "deadline=");
            peer_tell(&waiter[k], "take 0 exclusive 0 100 inf %s", kinds[k]);
        }
        for (size_t k = 0; k < COUNT(kinds); k++) {
            ANSWER(&waiter[k], "ok");
            late[k][i] = (peer_number(&waiter[k], "at=") - deadline[k]) / 1e6;
            assert_true(late[k][i] >= 0);
            EXPECT(&waiter[k], "ok", "release 0");
        }
    }
    for (size_t k = 0; k < COUNT(kinds); k++) {
        medians[k] = median(late[k], rounds);
    }
}

static void an_expiry_is_noticed(void **state)
{
    double soon[COUNT(kinds)], later[COUNT(kinds)];
    (void)state;
    delays_after(0.1, 7, soon);
    delays_after(1.3, 3, later);
    for (size_t k = 0; k < COUNT(kinds); k++) {
        print_message("%s: taken over %.1f ms after its end, %.1f ms when waited for longer\n", kinds[k], soon[k],
                      later[k]);
        assert_true(soon[k] <= 20 && later[k] <= 20);
    }
}

/* A waiter of 10 s may use 60 ms; of 3 s no more than a third, with the first second counted in full. */
static void waiting_costs_next_to_nothing(void **state)
{
    peer waiter;
    (void)state;
    peer_open(&waiter, dsn("t"));
    TRY(FL_OK, store, &lease, "x", 100);
    EXPECT(&waiter, "busy", "try 0 100 x");
    EXPECT(&waiter, "ok", "cpu");
    double before = peer_number(&waiter, "us=");
    EXPECT(&waiter, "busy", "take 0 exclusive 0 100 3 x");
    EXPECT(&waiter, "ok", "cpu");
    double used = (peer_number(&waiter, "us=") - before) / 1000;
    print_message("%.1f ms of 3 s\n", used);
    assert_true(used < 30);
}

static unsigned cells_in_use(void)
{
    table_counts counts;
    assert_true(image_count(scratch("t/filelock.table"), &counts));
    return counts.waiting;
}

/* Broken off, timed out or served: nothing of a waiter stays. */
static void no_cell_is_left_behind(void **state)
{
    static const char *const kinds[] = {"exclusive", "shared", "permit"};
    peer waiter;
    (void)state;
    peer_open(&waiter, dsn("t"));
    for (int i = 0; i < 3; i++) {
        TRY(FL_OK, store, &lease, "x", 100);
        EXPECT(&waiter, "ok", "patience 3");
        EXPECT(&waiter, "interrupted", "take 0 %s 2 100 inf x", kinds[i]);
        assert_int_equal(cells_in_use(), 0);
        EXPECT(&waiter, "lost", "release 0");
        EXPECT(&waiter, "busy", "take 0 %s 2 100 0.02 x", kinds[i]);
        assert_int_equal(cells_in_use(), 0);
        peer_tell(&waiter, "take 0 %s 2 100 inf x", kinds[i]);
        await_waiters(store, "x", 1);
        RESULT(FL_OK, fl_release(&lease, &error));
        ANSWER(&waiter, "ok");
        assert_int_equal(cells_in_use(), i > 0);
        EXPECT(&waiter, "ok", "release 0");
        assert_int_equal(cells_in_use(), 0);
    }
}

/* As many as the table has cells for, then a clear error, for readers and waiters alike. */
static void more_than_there_is_room_for(void **state)
{
    enum { CELLS = 1024 };
    static fl_lease readers[CELLS];
    fl_store *other = open_store(dsn("t?capacity=64"));
    fl_request wait = {.name = "y", .length = 1, .ttl = 100, .timeout = 1};
    fl_lease late = FL_LEASE_INIT;
    (void)state;
    TRY(FL_OK, other, &lease, "y", 100);
    for (int i = 0; i < CELLS; i++) {
        TAKE(FL_OK, store, &readers[i], FL_SHARED, 0, "x", 100);
    }
    RESULT(FL_ERROR, fl_take(store, &late, &wait, &error));
    ASSERT_ERROR(&error, "table full", "1024", scratch("t/filelock.table"));
    wait = (fl_request){.name = "z", .length = 1, .ttl = 100, .kind = FL_SHARED};
    RESULT(FL_ERROR, fl_take(store, &late, &wait, &error));
    ASSERT_ERROR(&error, "table full");
    TRY(FL_OK, store, &late, "z", 100); /* who needs no cell is not concerned */
    RESULT(FL_OK, fl_release(&readers[7], &error));
    TAKE_WITHIN(FL_BUSY, store, &late, FL_EXCLUSIVE, 0, "y", 100, 0.01);
    fl_close(other);
}

/* ---- a hog ------------------------------------------------------------------------------------------------------------ */

enum { RUNNERS = 5 };
static struct turns {
    _Atomic int ready, started, finished;
    _Atomic long count[RUNNERS];
} * turns;

static _Noreturn void run(int me, fl_store *mine)
{
    fl_lease turn = FL_LEASE_INIT;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    fl_try(mine, &turn, "mine", 4, 100, &error); /* attached */
    atomic_fetch_add(&turns->ready, 1);
    while (!atomic_load(&turns->started)) {
        usleep(100);
    }
    while (!atomic_load(&turns->finished)) {
        if (fl_acquire(mine, &turn, "x", 1, 100, INFINITY, NULL, &error) != FL_OK) {
            _exit(1);
        }
        atomic_fetch_add(&turns->count[me], 1);
        while (!atomic_load(&turns->finished) && status_of(mine, "x").waiters < RUNNERS - 1) {
            usleep(20);
        }
        fl_release(&turn, &error);
    }
    _exit(0);
}

/* All want it again as soon as they have given it back, and all others wait then: no turns differ by more than a tenth. */
static void a_hog_gets_its_share(void **state)
{
    pid_t runner[RUNNERS];
    long least = LONG_MAX, most = 0;
    (void)state;
    turns = mmap(NULL, sizeof *turns, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < RUNNERS; i++) {
        runner[i] = fork();
        if (runner[i] == 0) {
            run(i, open_store(dsn("t?capacity=64")));
        }
    }
    while (atomic_load(&turns->ready) < RUNNERS) {
        usleep(100);
    }
    TRY(FL_OK, store, &lease, "x", 100);
    atomic_store(&turns->started, 1);
    await_waiters(store, "x", RUNNERS);
    RESULT(FL_OK, fl_release(&lease, &error));
    usleep(1500000); /* how long it runs, no more */
    atomic_store(&turns->finished, 1);
    for (int i = 0; i < RUNNERS; i++) {
        int status = 1;
        waitpid(runner[i], &status, 0);
        assert_int_equal(status, 0);
        long count = atomic_load(&turns->count[i]);
        print_message("%ld turns\n", count);
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    munmap(turns, sizeof *turns);
    assert_true(most > 20 && (double)(most - least) <= 0.1 * (double)most);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_waiting(void)
{
    static const struct CMUnitTest waiting[] = {
        CASE(a_timeout_is_kept),      CASE(an_expiry_is_noticed),        CASE(waiting_costs_next_to_nothing),
        CASE(no_cell_is_left_behind), CASE(more_than_there_is_room_for), CASE(a_hog_gets_its_share),
    };
    RUN(waiting);
}
