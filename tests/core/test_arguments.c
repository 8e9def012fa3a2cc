/* Bad arguments are refused with a text that helps, before anything is touched; every other argument works. */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char long_name[FL_NAME_MAX + 2];

static fl_error refused(fl_store *store, size_t length, double ttl, fl_argument argument)
{
    fl_lease lease = FL_LEASE_INIT;
    fl_error error = {.message = ""};
    RESULT(FL_ERROR, fl_try(store, &lease, long_name, length, ttl, &error));
    assert_int_equal(error.fault, FL_BAD_ARGUMENT);
    assert_int_equal(error.argument, argument);
    assert_int_equal(lease.state, FL_LEASE_FREE);
    return error;
}

static void refuses_names(void **state)
{
    (void)state;
    fl_store *store = open_store(dsn("t"));
    fl_status_t status;
    fl_error error = refused(store, 0, 1, FL_ARG_NAME);
    ASSERT_ERROR(&error, "must not be empty");
    error = refused(store, FL_NAME_MAX + 1, 1, FL_ARG_NAME);
    ASSERT_ERROR(&error, "at most 255 bytes", "256");
    RESULT(FL_ERROR, fl_status(store, "", 0, &status, &error));
    RESULT(FL_ERROR, fl_break(store, "", 0, 1, &error));
    assert_int_equal(access(scratch("t"), F_OK), -1);
    fl_close(store);
}

static void refuses_ttls(void **state)
{
    (void)state;
    static const double bad[] = {0.0, -0.0, -1.0, NAN, -INFINITY, FL_TTL_MAX + 1, 1e300};
    fl_store *store = open_store(dsn("t"));
    for (size_t i = 0; i < COUNT(bad); i++) {
        fl_error error = refused(store, 1, bad[i], FL_ARG_TTL);
        ASSERT_ERROR(&error, "seconds > 0", "240 days", "INF");
    }
    assert_int_equal(access(scratch("t"), F_OK), -1);
    fl_close(store);
}

static void refuses_timeouts(void **state)
{
    (void)state;
    static const double bad[] = {-0.001, -1.0, NAN, -INFINITY};
    fl_store *store = open_store(dsn("t"));
    for (size_t i = 0; i < COUNT(bad); i++) {
        fl_lease lease = FL_LEASE_INIT;
        fl_error error;
        RESULT(FL_ERROR, fl_acquire(store, &lease, "x", 1, 1, bad[i], NULL, &error));
        assert_int_equal(error.argument, FL_ARG_TIMEOUT);
        ASSERT_ERROR(&error, "seconds >= 0", "INF");
    }
    fl_close(store);
}

static void refuses_tokens(void **state)
{
    (void)state;
    static const int64_t bad[] = {0, -1, INT64_MIN};
    fl_store *store = open_store(dsn("t"));
    for (size_t i = 0; i < COUNT(bad); i++) {
        fl_error error;
        RESULT(FL_ERROR, fl_break(store, "x", 1, bad[i], &error));
        assert_int_equal(error.argument, FL_ARG_TOKEN);
    }
    fl_close(store);
}

static void bad_refresh_leaves_the_lease(void **state)
{
    (void)state;
    static const double bad[] = {0.0, -1.0, NAN, FL_TTL_MAX + 1};
    fl_store *store = open_store(dsn("t"));
    fl_lease lease;
    TRY(FL_OK, store, &lease, "x", 100);
    int64_t deadline = lease.deadline;
    for (size_t i = 0; i < COUNT(bad); i++) {
        fl_error error;
        RESULT(FL_ERROR, fl_refresh(&lease, &bad[i], &error));
        assert_int_equal(error.argument, FL_ARG_TTL);
        assert_int_equal(lease.deadline, deadline);
        RESULT(FL_OK, fl_verify(&lease));
    }
    fl_close(store);
}

static void accepts_the_extremes(void **state)
{
    (void)state;
    static const double good[] = {1e-9, 0.5, FL_TTL_MAX, INFINITY};
    fl_store *store = open_store(dsn("t"));
    fl_error error;
    for (size_t i = 0; i < COUNT(good); i++) {
        fl_lease lease = FL_LEASE_INIT;
        RESULT_OR(FL_OK, fl_try(store, &lease, long_name, FL_NAME_MAX, good[i], &error), &error);
        fl_release(&lease, &error);
        RESULT_OR(FL_OK, fl_acquire(store, &lease, "x", 1, good[i], i ? INFINITY : 0, NULL, &error), &error);
        fl_release(&lease, &error);
    }
    fl_close(store);
}

/* Names that differ in one odd byte, or only in their length, are different names. */
static void any_bytes_are_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
    } names[] = {{"a", 1}, {"a\0", 2},      {"a\0\0", 3}, {"a\0b", 3}, {"\0", 1},  {"\0\0", 2}, {"../a", 4},
                 {"/", 1}, {"\xff\xfe", 2}, {"a\n", 2},   {" ", 1},    {"%61", 3}, {".", 1},    {"..", 2}};
    static fl_lease leases[COUNT(names)];
    fl_store *store = open_store(dsn("t"));
    for (size_t i = 0; i < COUNT(names); i++) {
        fl_lease twin = FL_LEASE_INIT;
        fl_status_t status;
        fl_error error;
        RESULT_OR(FL_OK, fl_try(store, &leases[i], names[i].bytes, names[i].length, 100, &error), &error);
        RESULT(FL_BUSY, fl_try(store, &twin, names[i].bytes, names[i].length, 100, &error));
        RESULT(FL_OK, fl_status(store, names[i].bytes, names[i].length, &status, &error));
        assert_int_equal(status.name_length, names[i].length);
        assert_memory_equal(status.name, names[i].bytes, names[i].length);
    }
    assert_int_equal(entries_in(scratch(".")), 1);
    assert_int_equal(entries_in(scratch("t")), 1);
    fl_close(store);
}

/* Every length, and a difference in each byte of a long name: the packing has seams at 8, 47 and 48. */
static void every_byte_counts(void **state)
{
    (void)state;
    static fl_lease leases[2 * FL_NAME_MAX + 1];
    fl_store *store = open_store(dsn("t"));
    fl_error error;
    for (size_t length = 1; length <= FL_NAME_MAX; length++) {
        RESULT_OR(FL_OK, fl_try(store, &leases[length], long_name, length, 100, &error), &error);
    }
    for (size_t i = 0; i < FL_NAME_MAX; i++) {
        fl_lease lease = FL_LEASE_INIT;
        long_name[i] ^= 1;
        RESULT_OR(FL_OK, fl_try(store, &leases[FL_NAME_MAX + 1 + i], long_name, FL_NAME_MAX, 100, &error), &error);
        RESULT(FL_BUSY, fl_try(store, &lease, long_name, FL_NAME_MAX, 100, &error));
        long_name[i] ^= 1;
    }
    fl_close(store);
}

static int no_more(void *context, const fl_status_t *status)
{
    (void)context, (void)status;
    return 0;
}

static void refuses_prefixes(void **state)
{
    (void)state;
    char prefix[FL_NAME_MAX + 2];
    fl_error error;
    fl_store *store = open_store(dsn("t"));
    memset(prefix, 'x', sizeof prefix);
    RESULT(FL_OK, fl_list(store, prefix, FL_NAME_MAX, no_more, NULL, &error));
    RESULT(FL_ERROR, fl_list(store, prefix, FL_NAME_MAX + 1, no_more, NULL, &error));
    assert_int_equal(error.argument, FL_ARG_NAME);
    ASSERT_ERROR(&error, "at most 255 bytes", "it has 256");
    fl_close(store);
}

static void refuses_dsns(void **state)
{
    (void)state;
    static const char *const bad[] = {"table:run/app",
                                      "table:./x",
                                      "table:?mode",
                                      "table:/x?mode=",
                                      "table:/x?mode=9",
                                      "table:/x?mode=07777",
                                      "table:/x?mode=rw",
                                      "table:/x?capacity=0",
                                      "table:/x?capacity=63",
                                      "table:/x?capacity=65537",
                                      "table:/x?capacity=many",
                                      "table:/x?capacity=-64",
                                      "table:/x?colour=red",
                                      "table:/x?mode=0660&mode=0600",
                                      "table:/x?mode=0660&capacity=64&mode=0660",
                                      "table:/x?mode=0660&%6dode=0660",
                                      "table:/x%",
                                      "table:/x%0",
                                      "table:/x%zz",
                                      "table:/x%+1",
                                      "table:/x% 1",
                                      "table:/x%00y",
                                      "/run/app",
                                      "nonsense",
                                      ":",
                                      "tables:/x",
                                      "redis"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        fl_store *store = NULL;
        fl_error error = {.message = ""};
        if (fl_open(bad[i], &store, &error) != FL_ERROR) {
            fail_msg("\"%s\" was accepted", bad[i]);
        }
        assert_int_equal(error.fault, FL_BAD_ARGUMENT);
        assert_int_equal(error.argument, FL_ARG_DSN);
        assert_true(strlen(error.message) > 20);
    }
}

static void refuses_an_endless_dsn(void **state)
{
    (void)state;
    static char text[10000] = "table:/";
    fl_store *store = NULL;
    fl_error error;
    memset(text + 7, 'a', sizeof text - 8);
    RESULT(FL_ERROR, fl_open(text, &store, &error));
    assert_int_equal(error.argument, FL_ARG_DSN);
}

/* Slashes at the end and percent escapes lead to the same directory. */
static void spellings_of_one_table(void **state)
{
    (void)state;
    char escaped[600];
    fl_store *plain = open_store(dsn("t"));
    snprintf(escaped, sizeof escaped, "table:%s/%%74//?mode=0600&capacity=64", scratch("."));
    fl_store *other = open_store(escaped);
    fl_lease lease, twin;
    TRY(FL_OK, plain, &lease, "x", 100);
    TRY(FL_BUSY, other, &twin, "x", 100);
    fl_close(other);
    fl_close(plain);
}

void group_arguments(void)
{
    static const struct CMUnitTest arguments[] = {
        TEST(refuses_names),
        TEST(refuses_ttls),
        TEST(refuses_timeouts),
        TEST(refuses_tokens),
        TEST(bad_refresh_leaves_the_lease),
        TEST(accepts_the_extremes),
        TEST(any_bytes_are_a_name),
        TEST(every_byte_counts),
        TEST(refuses_dsns),
        TEST(refuses_prefixes),
        TEST(refuses_an_endless_dsn),
        TEST(spellings_of_one_table),
    };
    memset(long_name, 'n', sizeof long_name);
    RUN(arguments);
}
