/* The contract of a lease, on a shared directory: what fl_try() and the others promise whatever the store. */
#include "share.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "testing.h"

static fl_error error;

static void one_at_a_time(void **state)
{
    (void)state;
    peer other;
    fl_lease a, b;
    fl_store *store = open_store(share());
    peer_open(&other, share());
    TRY(FL_OK, store, &a, "x", 10);
    TRY(FL_BUSY, store, &b, "x", 10);
    EXPECT(&other, "busy", "try 0 10 x");
    EXPECT(&other, "lost", "release 0");
    EXPECT(&other, "ok", "try 1 10 y");
    assert_int_equal(kind_of("x"), 'H');
    RESULT(FL_OK, fl_verify(&a));
    RESULT(FL_OK, fl_release(&a, &error));
    RESULT(FL_LOST, fl_release(&a, &error));
    assert_int_equal(kind_of("x"), 'F');
    EXPECT(&other, "ok", "try 0 10 x");
    TRY(FL_BUSY, store, &a, "x", 10);
    fl_close(store);
}

static void a_late_holder_has_lost_it(void **state)
{
    (void)state;
    fl_lease a, b, c;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    TRY(FL_OK, store, &b, "y", 10);
    pass_time(9.9);
    TRY(FL_BUSY, second, &c, "x", 10);
    pass_time(0.15); /* expired, within the grace */
    TRY(FL_BUSY, second, &c, "x", 10);
    RESULT(FL_LOST, fl_refresh(&b, NULL, &error));
    assert_int_equal(kind_of("y"), 'F');
    pass_time(3);
    TRY(FL_OK, second, &c, "x", 10);
    assert_true(c.token > a.token);
    RESULT(FL_LOST, fl_verify(&a));
    RESULT(FL_LOST, fl_release(&a, &error));
    RESULT(FL_OK, fl_verify(&c));
    fl_close(store);
    RESULT(FL_OK, fl_release(&c, &error));
    fl_close(second);
}

static void an_expired_lease_is_lost_before_anybody_takes_it(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    pass_time(10.02);
    RESULT(FL_LOST, fl_release(&a, &error));
    TRY(FL_OK, store, &b, "x", 10); /* given back all the same: no grace to wait for */
    fl_close(store);
}

static void refresh_prolongs(void **state)
{
    (void)state;
    fl_lease a, b;
    double longer = 100;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    uint64_t token = a.token;
    pass_time(9);
    RESULT(FL_OK, fl_refresh(&a, NULL, &error));
    pass_time(9);
    TRY(FL_BUSY, second, &b, "x", 10);
    RESULT(FL_OK, fl_refresh(&a, &longer, &error));
    pass_time(99);
    TRY(FL_BUSY, second, &b, "x", 10);
    assert_true(a.token == token);
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(store);
    fl_close(second);
}

static void a_broken_lease_is_lost(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_FREE, fl_break(second, "x", 1, (int64_t)a.token + 1, &error));
    RESULT(FL_FREE, fl_break(second, "other", 5, 1, &error));
    RESULT(FL_OK, fl_break(second, "x", 1, (int64_t)a.token, &error));
    RESULT(FL_FREE, fl_break(second, "x", 1, (int64_t)a.token, &error));
    RESULT(FL_LOST, fl_release(&a, &error)); /* the breaker's free state is not taken for its own */
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_refresh(&a, NULL, &error));
    RESULT(FL_OK, fl_break(second, "x", 1, (int64_t)a.token, &error)); /* refreshed: the same token */
    TRY(FL_OK, second, &b, "x", 10);
    RESULT(FL_LOST, fl_refresh(&a, NULL, &error));
    RESULT(FL_OK, fl_release(&b, &error));
    fl_close(store);
    fl_close(second);
}

static void tokens_only_grow(void **state)
{
    (void)state;
    fl_lease a;
    uint64_t last = 0;
    fl_store *store = open_store(share());
    for (int i = 0; i < 200; i++) {
        unsigned removed = 0;
        TRY(FL_OK, store, &a, "x", 10);
        assert_true(a.token > last);
        last = a.token;
        RESULT(FL_OK, fl_release(&a, &error));
        if (i % 20 == 0) {
            pass_time(2 * COLLECT_AFTER);
            RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
            assert_int_equal(removed, 1);
        }
    }
    fl_close(store);
}

static void counters_are_not_offered(void **state)
{
    (void)state;
    fl_stats stats;
    fl_store *store = open_store(share());
    RESULT(FL_ERROR, fl_get_stats(store, &stats, &error));
    ASSERT_ERROR(&error, "dir:", "counters", "table:");
    fl_close(store);
    assert_int_equal(entries_in(scratch("d")), 0);
}

/* Everything below the share, with times of change. */
static void take_picture(char *picture, size_t size)
{
    char command[300];
    snprintf(command, sizeof command, "find %s -printf '%%P %%i %%T@ %%C@\\n' | sort", scratch("d"));
    FILE *output = popen(command, "r");
    assert_non_null(output);
    picture[fread(picture, 1, size - 1, output)] = 0;
    pclose(output);
}

static int ignore_status(void *context, const fl_status_t *status)
{
    assert_true(status->holders == 1);
    ++*(int *)context;
    return 0;
}

static void ignore_finding(void *context, const char *finding)
{
    (void)context, (void)finding;
}

static void looking_changes_nothing(void **state)
{
    static char before[16384], after[16384];
    static const char *const names[] = {"free", "held", "expired", "dead", "new"};
    (void)state;
    peer dead;
    fl_lease a;
    fl_info info;
    fl_status_t status;
    int listed = 0;
    fl_store *store = open_store(share()), *second = open_store(share());
    take_picture(before, sizeof before);
    RESULT(FL_FREE, fl_status(second, "free", 4, &status, &error)); /* not even a format yet */
    take_picture(after, sizeof after);
    assert_string_equal(after, before);
    TRY(FL_OK, store, &a, "free", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    TRY(FL_OK, store, &a, "expired", 1);
    TRY(FL_OK, store, &a, "held", 10000);
    peer_open(&dead, share());
    EXPECT(&dead, "ok", "try 0 1000 dead");
    peer_kill(&dead);
    pass_time(100);
    atomic_store(&fl_clock_offset_wall, 100 * INT64_C(1000000000));
    take_picture(before, sizeof before);
    fl_store *const lookers[] = {store, second}; /* one knows the server's clock, one does not */
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < COUNT(names); k++) {
            RESULT(k == 1 ? FL_OK : FL_FREE, fl_status(lookers[i], names[k], strlen(names[k]), &status, &error));
        }
        RESULT(FL_OK, fl_list(lookers[i], "", 0, ignore_status, &listed, &error));
        RESULT(FL_OK, fl_list(lookers[i], "hel", 3, ignore_status, &listed, &error));
        RESULT(FL_OK, fl_list(lookers[i], "x", 1, ignore_status, &listed, &error));
        RESULT(FL_OK, fl_inspect(lookers[i], &info, &error));
        RESULT(FL_OK, fl_check(lookers[i], ignore_finding, NULL, &error));
        assert_int_equal(info.held, 1);
    }
    assert_int_equal(listed, 4);
    take_picture(after, sizeof after);
    assert_string_equal(after, before);
    for (size_t k = 0; k < COUNT(names); k++) {
        TRY(k == 1 ? FL_BUSY : FL_OK, second, &a, names[k], 10); /* as status said */
    }
    fl_close(store);
    fl_close(second);
}

static void bad_options(void **state)
{
    static const char *const bad[] = {"dir:", "dir:x", "dir:/x?mode=0770", "dir:/x?keep=5", "dir:/x?capacity=5"};
    (void)state;
    fl_store *store;
    for (size_t i = 0; i < COUNT(bad); i++) {
        RESULT(FL_ERROR, fl_open(bad[i], &store, &error));
        assert_int_equal(error.argument, FL_ARG_DSN);
    }
}

/* ---- ends of processes */

static void closing_gives_all_back(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    fl_lease a[5], b;
    fl_store *store = open_store(share()), *second = open_store(share());
    for (int i = 0; i < 5; i++) {
        TRY(FL_OK, store, &a[i], names[i], 10);
    }
    RESULT(FL_OK, fl_release(&a[2], &error));
    RESULT(FL_OK, fl_release(&a[4], &error));
    RESULT(FL_OK, fl_release(&a[0], &error));
    fl_close(store);
    for (int i = 0; i < 5; i++) {
        TRY(FL_OK, second, &b, names[i], 10);
    }
    fl_close(second);
}

void group_directory_lease(void)
{
    static const struct CMUnitTest directory_lease[] = {
        SHARE_TEST(one_at_a_time),
        SHARE_TEST(a_late_holder_has_lost_it),
        SHARE_TEST(an_expired_lease_is_lost_before_anybody_takes_it),
        SHARE_TEST(refresh_prolongs),
        SHARE_TEST(a_broken_lease_is_lost),
        SHARE_TEST(tokens_only_grow),
        SHARE_TEST(counters_are_not_offered),
        SHARE_TEST(looking_changes_nothing),
        SHARE_TEST(bad_options),
        SHARE_TEST(closing_gives_all_back),
    };
    RUN(directory_lease);
}
