/* try, release, refresh, verify, status, list: what each says in each state. */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static fl_store *store;
static fl_error error;

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

static void taken_and_given_back(void **state)
{
    (void)state;
    static fl_lease lease;
    TRY(FL_OK, store, &lease, "x", 100);
    assert_int_equal(lease.state, FL_LEASE_HELD);
    assert_true(lease.token > 0);
    RESULT(FL_OK, fl_verify(&lease));
    RESULT(FL_OK, fl_release(&lease, &error));
    assert_int_equal(lease.state, FL_LEASE_FREE);
    RESULT(FL_LOST, fl_release(&lease, &error));
    RESULT(FL_LOST, fl_verify(&lease));
    RESULT(FL_LOST, fl_refresh(&lease, NULL, &error));
}

static void not_reentrant(void **state)
{
    (void)state;
    static fl_lease lease, again;
    TRY(FL_OK, store, &lease, "x", 100);
    TRY(FL_BUSY, store, &again, "x", 100);
    assert_int_equal(again.state, FL_LEASE_FREE);
    RESULT(FL_OK, fl_verify(&lease));
}

/* To wait for oneself is a mistake of the program; not to wait is an answer. */
static void waiting_for_oneself(void **state)
{
    (void)state;
    static fl_lease lease, again;
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_SELF, fl_acquire(store, &again, "x", 1, 100, INFINITY, NULL, &error));
    RESULT(FL_SELF, fl_acquire(store, &again, "x", 1, 100, 1e-3, NULL, &error));
    RESULT(FL_BUSY, fl_acquire(store, &again, "x", 1, 100, 0, NULL, &error));
    RESULT(FL_OK, fl_release(&lease, &error));
    RESULT(FL_OK, fl_acquire(store, &again, "x", 1, 100, INFINITY, NULL, &error));
}

static void tokens_only_grow(void **state)
{
    (void)state;
    uint64_t last = 0;
    for (int i = 0; i < 1000; i++) {
        fl_lease lease;
        TRY(FL_OK, store, &lease, "x", i % 2 ? 100 : INFINITY);
        assert_true(lease.token > last);
        last = lease.token;
        RESULT(FL_OK, fl_refresh(&lease, NULL, &error));
        assert_int_equal(lease.token, last);
        RESULT(FL_OK, fl_release(&lease, &error));
    }
}

/* A small table forgets names that nobody holds, but not how far their tokens had come. */
static void tokens_outlive_their_names(void **state)
{
    (void)state;
    fl_store *small = open_store(dsn("small?capacity=64"));
    uint64_t last = 0;
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 100; i++) {
            static fl_lease lease;
            char name[20];
            snprintf(name, sizeof name, "name%d", i ? round * 100 + i : 0);
            TRY(FL_OK, small, &lease, name, 100);
            assert_true(i || lease.token > last);
            last = i ? last : lease.token;
            RESULT(FL_OK, fl_release(&lease, &error));
        }
    }
    fl_close(small);
}

/* The deadline is never earlier than promised, and later by the rounding only. */
static void deadline_follows_the_ttl(void **state)
{
    (void)state;
    static fl_lease lease;
    int64_t before = coarse_now();
    TRY(FL_OK, store, &lease, "x", 100);
    int64_t after = coarse_now(), unit = INT64_C(1) << 21;
    assert_true(lease.deadline >= before + 100 * INT64_C(1000000000));
    assert_true(lease.deadline <= after + 100 * INT64_C(1000000000) + unit);
    assert_true(lease.since >= before && lease.since <= after + unit);
    TRY(FL_OK, store, &lease, "y", INFINITY);
    assert_int_equal(lease.deadline, INT64_MAX);
}

static void refresh_starts_anew(void **state)
{
    (void)state;
    static fl_lease lease;
    double longer = 1000, shorter = 10;
    fl_status_t status;
    TRY(FL_OK, store, &lease, "x", 100);
    int64_t first = lease.deadline;
    RESULT(FL_OK, fl_refresh(&lease, &longer, &error));
    assert_true(lease.deadline > first + 890 * INT64_C(1000000000));
    RESULT(FL_OK, fl_refresh(&lease, &shorter, &error));
    assert_true(lease.deadline < first);
    RESULT(FL_OK, fl_refresh(&lease, NULL, &error));
    RESULT(FL_OK, fl_status(store, "x", 1, &status, &error));
    assert_true(status.remaining <= 10.01 && status.remaining > 0);
}

static void refresh_to_and_from_no_end(void **state)
{
    (void)state;
    static fl_lease lease;
    double never = INFINITY, ten = 10;
    fl_status_t status;
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_OK, fl_refresh(&lease, &never, &error));
    RESULT(FL_OK, fl_status(store, "x", 1, &status, &error));
    assert_true(isinf(status.remaining));
    RESULT(FL_OK, fl_refresh(&lease, &ten, &error));
    RESULT(FL_OK, fl_status(store, "x", 1, &status, &error));
    assert_true(status.remaining <= 10.01);
    RESULT(FL_OK, fl_release(&lease, &error));
}

static void status_tells_who(void **state)
{
    (void)state;
    fl_status_t s;
    static fl_lease lease;
    char host[256];
    struct timespec time;
    gethostname(host, sizeof host);
    clock_gettime(CLOCK_REALTIME, &time);
    fl_set_label(store, "the \xc3\xbc tester", 13);
    RESULT(FL_FREE, fl_status(store, "x", 1, &s, &error));
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    assert_string_equal(s.name, "x");
    assert_int_equal(s.token, lease.token);
    assert_int_equal(s.pid, getpid());
    assert_int_equal(s.uid, geteuid());
    assert_int_equal(s.holders, 1);
    assert_int_equal(s.waiters, 0);
    assert_true(s.mine && !s.shared);
    assert_string_equal(s.label, "the \xc3\xbc tester");
    assert_int_equal(strncmp(s.host, host, FL_HOST_MAX), 0);
    assert_true(fabs(s.since - (double)time.tv_sec) < 60);
    assert_true(s.remaining > 0 && s.remaining <= 100.01);
    RESULT(FL_OK, fl_release(&lease, &error));
    RESULT(FL_FREE, fl_status(store, "x", 1, &s, &error));
}

static void a_label_changes_and_is_cut(void **state)
{
    (void)state;
    char label[400];
    fl_status_t s;
    static fl_lease lease;
    memset(label, 'l', sizeof label);
    TRY(FL_OK, store, &lease, "x", 100);
    fl_set_label(store, label, sizeof label);
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    assert_int_equal(strlen(s.label), FL_LABEL_MAX);
    fl_set_label(store, "", 0);
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    assert_string_equal(s.label, "");
}

static void another_store_is_another_owner(void **state)
{
    (void)state;
    fl_store *other = open_store(dsn("t"));
    fl_status_t s;
    static fl_lease lease, twin;
    TRY(FL_OK, store, &lease, "x", 100);
    TRY(FL_BUSY, other, &twin, "x", 100);
    RESULT(FL_OK, fl_status(other, "x", 1, &s, &error));
    assert_false(s.mine);
    fl_close(other);
    RESULT(FL_OK, fl_verify(&lease));
}

static void closing_gives_back(void **state)
{
    (void)state;
    fl_store *other = open_store(dsn("t"));
    static fl_lease lease, twin;
    TRY(FL_OK, other, &lease, "x", INFINITY);
    TRY(FL_BUSY, store, &twin, "x", INFINITY);
    fl_close(other);
    TRY(FL_OK, store, &twin, "x", INFINITY);
}

static int collect(void *context, const fl_status_t *s)
{
    strcat(strcat(context, s->name), " ");
    return strcmp(s->name, "stop") == 0;
}

static const char *listed(const char *prefix)
{
    static char names[1000];
    names[0] = 0;
    RESULT_OR(FL_OK, fl_list(store, prefix, strlen(prefix), collect, names, &error), &error);
    return names;
}

static void list_shows_what_is_held(void **state)
{
    (void)state;
    static fl_lease a, b, c;
    assert_string_equal(listed(""), "");
    TRY(FL_OK, store, &a, "import/a", 100);
    TRY(FL_OK, store, &b, "import/b", INFINITY);
    TRY(FL_OK, store, &c, "export", 100);
    assert_int_equal(strlen(listed("")), strlen("import/a import/b export "));
    assert_string_equal(listed("exp"), "export ");
    assert_string_equal(listed("export2"), "");
    assert_non_null(strstr(listed("import/"), "import/a "));
    assert_non_null(strstr(listed("import/"), "import/b "));
    RESULT(FL_OK, fl_release(&a, &error));
    assert_string_equal(listed("import/"), "import/b ");
}

static void list_ends_when_told(void **state)
{
    (void)state;
    static fl_lease lease;
    TRY(FL_OK, store, &lease, "stop", 100);
    assert_string_equal(listed("stop"), "stop ");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_lease(void)
{
    static const struct CMUnitTest lease[] = {
        CASE(taken_and_given_back),
        CASE(not_reentrant),
        CASE(waiting_for_oneself),
        CASE(tokens_only_grow),
        CASE(tokens_outlive_their_names),
        CASE(deadline_follows_the_ttl),
        CASE(refresh_starts_anew),
        CASE(refresh_to_and_from_no_end),
        CASE(status_tells_who),
        CASE(a_label_changes_and_is_cut),
        CASE(another_store_is_another_owner),
        CASE(closing_gives_back),
        CASE(list_shows_what_is_held),
        CASE(list_ends_when_told),
    };
    RUN(lease);
}
