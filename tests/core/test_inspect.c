/* What administrators are told about a store: figures, and what is unsafe or surprising about it. */
#include "suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static fl_error error;
static char findings[5000];

static void collect(void *context, const char *finding)
{
    (void)context;
    size_t used = strlen(findings);
    snprintf(findings + used, sizeof findings - used, "%s\n", finding);
}

static const char *findings_of(fl_store *store)
{
    findings[0] = 0;
    RESULT_OR(FL_OK, fl_check(store, collect, NULL, &error), &error);
    return findings;
}

/* Before the first use: what it would be created with. */
static void not_there_yet(void **state)
{
    (void)state;
    fl_info info;
    fl_store *store = open_store(dsn("t?mode=0640&capacity=2000"));
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
    assert_false(info.exists);
    assert_string_equal(info.path, scratch("t/filelock.table"));
    assert_int_equal(info.capacity, 2000);
    assert_int_equal(info.mode, 0640);
    assert_int_equal(info.held + info.attached + info.waiting, 0);
    fl_lease lease;
    uint64_t bytes = info.bytes;
    TRY(FL_OK, store, &lease, "x", 1);
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
    assert_true(info.exists);
    assert_int_equal(info.bytes, bytes);
    fl_close(store);
}

static void counts_what_is(void **state)
{
    (void)state;
    peer a, b, waiter, dead;
    fl_info info;
    fl_store *store = open_store(dsn("t"));
    peer_open(&a, dsn("t"));
    peer_open(&b, dsn("t"));
    peer_open(&waiter, dsn("t"));
    peer_open(&dead, dsn("t"));
    EXPECT(&a, "ok", "try 0 inf x");
    EXPECT(&a, "ok", "try 1 100 y");
    EXPECT(&b, "ok", "try 0 inf z");
    EXPECT(&b, "ok", "cycle 1 free");
    EXPECT(&dead, "ok", "try 0 inf of the dead");
    peer_kill(&dead);
    peer_tell(&waiter, "acquire 0 inf inf x");
    do {
        RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
    } while (info.waiting == 0);
    /* It looks at one thing after the other, and the waiter may have come in between. */
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
    assert_int_equal(info.held, 3);
    assert_int_equal(info.waiting, 1);
    assert_int_equal(info.attached, 3);
    fl_close(store);
}

static void says_who_shares(void **state)
{
    (void)state;
    static const struct {
        const char *mode, *words;
    } cases[] = {{"0600", "uid "}, {"0660", "group"}, {"0666", "every user"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        fl_info info;
        fl_store *store = open_store(dsn("t%zu?mode=%s", i, cases[i].mode));
        RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
        assert_non_null(strstr(info.shared_with, cases[i].words));
        fl_close(store);
    }
}

/* Nothing to say about a directory that is as the manual asks for. */
static void silent_about_a_good_place(void **state)
{
    (void)state;
    fl_lease lease;
    assert_int_equal(mkdir(scratch("t"), 0700), 0);
    fl_store *store = open_store(dsn("t"));
    assert_string_equal(findings_of(store), "");
    TRY(FL_OK, store, &lease, "x", 1);
    assert_string_equal(findings_of(store), "");
    fl_close(store);
}

static void warns_of_what_others_can_do(void **state)
{
    (void)state;
    fl_lease lease;
    assert_int_equal(mkdir(scratch("t"), 0700), 0);
    assert_int_equal(chmod(scratch("t"), 0777), 0);
    fl_store *store = open_store(dsn("t?mode=0666"));
    TRY(FL_OK, store, &lease, "x", 1);
    assert_non_null(strstr(findings_of(store), "every user can delete"));
    assert_non_null(strstr(findings, scratch("t")));
    assert_non_null(strstr(findings, "break or forge"));
    fl_close(store);
}

static void warns_of_two_opinions(void **state)
{
    (void)state;
    fl_lease lease;
    fl_store *first = open_store(dsn("t?capacity=128")), *second = open_store(dsn("t?capacity=256&mode=0640"));
    TRY(FL_OK, first, &lease, "x", 1);
    assert_non_null(strstr(findings_of(second), "0640"));
    assert_non_null(strstr(findings, "128"));
    assert_non_null(strstr(findings, "256"));
    fl_close(second);
    fl_close(first);
}

void group_inspect(void)
{
    static const struct CMUnitTest inspect[] = {
        TEST(not_there_yet),
        TEST(counts_what_is),
        TEST(says_who_shares),
        TEST(silent_about_a_good_place),
        TEST(warns_of_what_others_can_do),
        TEST(warns_of_two_opinions),
    };
    RUN(inspect);
}
