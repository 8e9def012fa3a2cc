/* Partners' locks and their times: respected where nothing ages, stale by age where partners say so; and our own mark. */
#include "foreign_kit.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os.h"
#include "testing.h"

static fl_error error;

typedef struct {
    int64_t seconds;
    long nanoseconds;
} file_times;

static const file_times times[] = {
    {0, 0}, {0, 1}, {1, 0}, {315532800, 0}, {946684800, 0}, {790499524, 1}, {790499523, 999999999}, {4294967297, 0}};

/* As nanoseconds, 64 bits do not hold them. The second one of each is 2^64 from our mark. */
static const file_times far[] = {
    {9223372037, 0}, {19237243597, 709551616}, {25000000000, 0}, {253402300799, 0}, {INT64_MAX, 999999999}};
static const file_times long_ago[] = {{-9223372037, 0}, {-17656244550, 290448384}, {-62135596800, 0}, {INT64_MIN, 0}};

static void whatever_its_time_a_lock_without_age_is_held(void **state)
{
    (void)state;
    for (const method *m = methods; m < methods + METHODS; m++) {
        if (!m->removes || m->by_age)
            continue;
        fl_lease lease;
        fl_store *store = open_store(foreign_dsn(m));
        const char *path = lock_path(m, "x");
        m->make(path, getpid());
        for (size_t i = 0; i < COUNT(times); i++) {
            fl_status_t status;
            set_time(path, times[i].seconds, times[i].nanoseconds);
            TRY(FL_BUSY, store, &lease, "x", 10);
            RESULT_OR(FL_OK, fl_status(store, "x", 1, &status, &error), &error);
            assert_true(isinf(status.remaining));
        }
        assert_true(is_there(path));
        fl_close(store);
    }
}

static void held_at(fl_store *store, const char *path, int64_t seconds, long nanoseconds)
{
    fl_lease lease;
    fl_status_t status;
    set_time(path, seconds, nanoseconds);
    TRY(FL_BUSY, store, &lease, "x", 10);
    RESULT_OR(FL_OK, fl_status(store, "x", 1, &status, &error), &error);
    assert_true(status.remaining > 0);
}

/* Who sets a time in the far future wants to keep the lock. */
static void however_far_its_time_is(void **state)
{
    (void)state;
    for (const method *m = methods; m < methods + METHODS; m++) {
        if (!m->removes)
            continue;
        fl_status_t status;
        fl_store *store = open_store(foreign_dsn(m));
        const char *path = lock_path(m, "x");
        m->make(path, getpid());
        for (size_t i = 0; i < COUNT(far); i++)
            held_at(store, path, far[i].seconds, far[i].nanoseconds);
        for (size_t i = 0; i < COUNT(long_ago); i++) {
            set_time(path, long_ago[i].seconds, long_ago[i].nanoseconds);
            RESULT(m->by_age ? FL_FREE : FL_OK, fl_status(store, "x", 1, &status, &error));
        }
        fl_close(store);
    }
}

static void one_that_ages_is_stale_by_the_usual_age(void **state)
{
    (void)state;
    static const int ages[METHODS] = {300, 0, 0, 1800};
    for (const method *m = methods; m < methods + METHODS; m++) {
        if (!m->by_age)
            continue;
        fl_lease lease;
        fl_status_t status;
        fl_store *store = open_store(foreign_dsn(m));
        const char *path = lock_path(m, "x");
        m->make(path, getpid());
        const int64_t held[] = {0, -ages[m - methods] + 20, 4000};
        for (size_t i = 0; i < COUNT(held); i++) {
            set_time(path, time(NULL) + held[i], 0);
            TRY(FL_BUSY, store, &lease, "x", 10);
            RESULT_OR(FL_OK, fl_status(store, "x", 1, &status, &error), &error);
        }
        set_time(path, time(NULL) - ages[m - methods] - 2, 0);
        RESULT(FL_FREE, fl_status(store, "x", 1, &status, &error));
        assert_true(is_there(path)); /* a look removes nothing */
        TRY(FL_OK, store, &lease, "x", 10);
        RESULT(FL_OK, fl_release(&lease, &error));
        fl_close(store);
    }
}

static void an_age_of_the_option(void **state)
{
    (void)state;
    for (const method *m = methods; m < methods + METHODS; m++) {
        if (!m->removes)
            continue;
        fl_lease lease;
        const char *path = lock_path(m, "x");
        char text[400];
        snprintf(text, sizeof text, "%s&stale=77", foreign_dsn(m));
        fl_store *store = open_store(text);
        m->make(path, getpid());
        set_time(path, time(NULL) - 60, 0);
        TRY(FL_BUSY, store, &lease, "x", 10);
        set_time(path, time(NULL) - 79, 0);
        TRY(FL_OK, store, &lease, "x", 10);
        /* Partners count from the file's time: it is stale for them when our time is over. */
        int64_t end = time_of(path) + 77 * INT64_C(1000000000), now = time(NULL) * INT64_C(1000000000);
        assert_true(end >= now + 9 * INT64_C(1000000000) && end <= now + 15 * INT64_C(1000000000));
        RESULT(FL_OK, fl_release(&lease, &error));
        assert_false(is_there(path));
        fl_close(store);
    }
}

static void pause_between_clocks(const char *step)
{
    if (strcmp(step, "clock:between") == 0) {
        atomic_fetch_add(&fl_clock_offset_precise, INT64_C(5000000000));
        atomic_fetch_add(&fl_clock_offset_coarse, INT64_C(5000000000));
    }
}

/* A lease has a deadline on two clocks: what passes between a look at the one and a look at the other must not be given. */
static void who_pauses_between_two_clocks_has_less_time(void **state)
{
    static const char *const dsns[] = {"dir:%s", "file:%s?method=link", "file:%s?method=mkdir", "file:%s?method=flock"};
    (void)state;
    for (size_t i = 0; i < COUNT(dsns); i++) {
        fl_lease lease;
        char dsn[300];
        assert_int_equal(mkdir(scratch("%zu", i), 0755), 0);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(dsn, sizeof dsn, dsns[i], scratch("%zu", i));
#pragma GCC diagnostic pop
        fl_store *store = open_store(dsn);
        fl_step_hook = pause_between_clocks;
        TRY(FL_OK, store, &lease, "x", 20);
        assert_true(lease.deadline - os_now_precise() <= 15 * INT64_C(1000000000));
        RESULT(FL_OK, fl_refresh(&lease, NULL, &error));
        fl_step_hook = NULL;
        assert_true(lease.deadline - os_now_precise() <= 15 * INT64_C(1000000000));
        fl_close(store);
        atomic_store(&fl_clock_offset_precise, 0);
        atomic_store(&fl_clock_offset_coarse, 0);
    }
}

void group_foreign_age(void)
{
    static const struct CMUnitTest foreign_age[] = {
        TEST(whatever_its_time_a_lock_without_age_is_held), TEST(however_far_its_time_is),
        TEST(one_that_ages_is_stale_by_the_usual_age),      TEST(an_age_of_the_option),
        TEST(who_pauses_between_two_clocks_has_less_time),
    };
    RUN(foreign_age);
}
