/* Leases by name: what a request, a worker or a command holds. */
#include "suite.h"

#include "testing.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static fl_store *store;
static fl_holdings *set;
static fl_error error;
static char lost_names[500];
static int64_t lost_ago;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t"));
    set = fl_holdings_new(store);
    lost_names[0] = 0;
    return failed;
}

static int end(void **state)
{
    atomic_store(&fl_clock_offset_coarse, 0);
    fl_holdings_free(set);
    fl_close(store);
    return suite_end(state);
}

static fl_result try(const char *name, double ttl)
{
    return fl_holdings_try(set, name, strlen(name), ttl, &error);
}

static fl_result release(const char *name)
{
    return fl_holdings_release(set, name, strlen(name), &error);
}

static fl_result refresh(const char *name)
{
    return fl_holdings_refresh(set, name, strlen(name), NULL, &error);
}

static void note_lost(void *context, const char *name, size_t length, int64_t ago)
{
    (void)context;
    strncat(strncat(lost_names, name, length), " ", 2);
    lost_ago = ago;
}

static void one_name(void **state)
{
    (void)state;
    RESULT(FL_OK, try("x", 100));
    RESULT(FL_BUSY, try("x", 100));
    assert_int_equal(fl_holdings_count(set), 1);
    RESULT(FL_OK, refresh("x"));
    RESULT(FL_OK, release("x"));
    RESULT(FL_LOST, release("x"));
    RESULT(FL_LOST, refresh("x"));
    RESULT(FL_LOST, release("never"));
    assert_int_equal(fl_holdings_count(set), 0);
}

/* The map grows, shrinks by deletion from the middle of its runs, and never loses a name. */
static void many_names(void **state)
{
    (void)state;
    char name[20];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        RESULT(FL_OK, try(name, 1000));
    }
    for (int i = 0; i < 3000; i += 3) {
        snprintf(name, sizeof name, "n%d", i);
        RESULT(FL_OK, release(name));
    }
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%d", i);
        RESULT(i % 3 ? FL_OK : FL_LOST, refresh(name));
    }
    assert_int_equal(fl_holdings_count(set), 2000);
    assert_int_equal(fl_holdings_release_all(set, note_lost, NULL), 2000);
    assert_int_equal(fl_holdings_count(set), 0);
    assert_string_equal(lost_names, "");
}

static void freeing_gives_back(void **state)
{
    (void)state;
    fl_status_t s;
    RESULT(FL_OK, try("x", INFINITY));
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    fl_holdings_free(set);
    RESULT(FL_FREE, fl_status(store, "x", 1, &s, &error));
    set = fl_holdings_new(store);
}

static void pass(double seconds)
{
    atomic_fetch_add(&fl_clock_offset_coarse, (int64_t)(seconds * 1e9));
}

static void a_loss_is_reported_once(void **state)
{
    (void)state;
    RESULT(FL_OK, try("short", 10));
    RESULT(FL_OK, try("long", 1000));
    pass(70);
    fl_holdings_report(set, note_lost, NULL);
    assert_string_equal(lost_names, "short ");
    assert_true(lost_ago >= 59 * INT64_C(1000000000) && lost_ago < 90 * INT64_C(1000000000));
    fl_holdings_report(set, note_lost, NULL);
    assert_int_equal(fl_holdings_release_all(set, note_lost, NULL), 1);
    assert_string_equal(lost_names, "short ");
}

static void a_loss_that_was_told_is_silent(void **state)
{
    (void)state;
    RESULT(FL_OK, try("released", 10));
    RESULT(FL_OK, try("refreshed", 10));
    pass(11);
    RESULT(FL_LOST, release("released"));
    RESULT(FL_LOST, refresh("refreshed"));
    RESULT(FL_LOST, release("refreshed"));
    assert_int_equal(fl_holdings_release_all(set, note_lost, NULL), 0);
    assert_string_equal(lost_names, "");
}

/* Lost, and taken again by the same set: the new lease counts, the loss is told all the same. */
static void taken_again_after_a_loss(void **state)
{
    (void)state;
    RESULT(FL_OK, try("x", 10));
    pass(11);
    RESULT(FL_OK, try("x", 10));
    assert_int_equal(fl_holdings_count(set), 1);
    RESULT(FL_OK, release("x"));
    fl_holdings_release_all(set, note_lost, NULL);
    assert_string_equal(lost_names, "x ");
}

static void a_broken_lease_is_reported(void **state)
{
    (void)state;
    fl_status_t s;
    RESULT(FL_OK, try("x", INFINITY));
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    RESULT(FL_OK, fl_break(store, "x", 1, s.token, &error));
    assert_int_equal(fl_holdings_release_all(set, note_lost, NULL), 0);
    assert_string_equal(lost_names, "x ");
}

static void acquire_of_an_own_name(void **state)
{
    (void)state;
    RESULT(FL_OK, fl_holdings_acquire(set, "x", 1, 100, 0, NULL, &error));
    RESULT(FL_BUSY, fl_holdings_acquire(set, "x", 1, 100, 0, NULL, &error));
    RESULT(FL_SELF, fl_holdings_acquire(set, "x", 1, 100, 1, NULL, &error));
    assert_int_equal(fl_holdings_count(set), 1);
    RESULT(FL_OK, release("x"));
}

static void work_as_child(void **state)
{
    (void)state;
    RESULT(FL_LOST, refresh("x"));
    RESULT(FL_LOST, release("y"));
    fl_holdings_report(set, note_lost, NULL);
    assert_int_equal(fl_holdings_release_all(set, note_lost, NULL), 0);
    assert_string_equal(lost_names, "");
}

/* A child owns nothing, and is not told of losses that are none. */
static void a_child_owns_nothing(void **state)
{
    (void)state;
    RESULT(FL_OK, try("x", INFINITY));
    RESULT(FL_OK, try("y", INFINITY));
    RESULT(FL_OK, try("z", INFINITY));
    in_child(work_as_child);
    assert_int_equal(fl_holdings_release_all(set, note_lost, NULL), 3);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_holdings(void)
{
    static const struct CMUnitTest holdings[] = {
        CASE(one_name),
        CASE(many_names),
        CASE(freeing_gives_back),
        CASE(a_loss_is_reported_once),
        CASE(a_loss_that_was_told_is_silent),
        CASE(taken_again_after_a_loss),
        CASE(a_broken_lease_is_reported),
        CASE(acquire_of_an_own_name),
        CASE(a_child_owns_nothing),
    };
    RUN(holdings);
}
