/* The directory store as an object: its options, its label, and what a forked child has of it. */
#include "share.h"

#include <stdio.h>
#include <string.h>

static fl_error error;

/* ---- options */

static void refused(const char *options, const char *why)
{
    char text[300];
    fl_store *store = NULL;
    snprintf(text, sizeof text, "%s?%s", share(), options);
    RESULT(FL_ERROR, fl_open(text, &store, &error));
    ASSERT_ERROR(&error, why);
}

static void options_that_are_refused(void **state)
{
    (void)state;
    refused("mode=0611", "without execute bits");
    refused("mode=0400", "between 0600 and 0666");
    refused("keep=7199", "between 7200 and");
    refused("capacity=10", "there are mode and keep");
    RESULT(FL_ERROR, fl_open("dir:", &(fl_store *){NULL}, &error));
    ASSERT_ERROR(&error, "must name the shared directory");
}

/* A name is removed when nobody has used it for longer than `keep` says, and not before. */
static void names_are_kept_for_so_long(void **state)
{
    (void)state;
    char text[300];
    fl_lease a;
    unsigned removed;
    snprintf(text, sizeof text, "%s?keep=7200", share());
    fl_store *store = open_store(text), *patient = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    pass_time(7190);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(removed, 0);
    pass_time(20);
    RESULT_OR(FL_OK, collect_attached(patient, &removed, &error), &error);
    assert_int_equal(removed, 0);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(removed, 1);
    fl_close(store);
    fl_close(patient);
}

/* ---- labels: any bytes, in a file's name */

static void shows_label(const char *label, const char *shown)
{
    fl_lease a;
    fl_status_t s;
    fl_store *store = open_store(share()), *second = open_store(share());
    fl_set_label(store, label, strlen(label));
    TRY(FL_OK, store, &a, "x", 10);
    RESULT_OR(FL_OK, fl_status(second, "x", 1, &s, &error), &error);
    assert_string_equal(s.label, shown);
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(store);
    fl_close(second);
}

static void labels_of_any_bytes(void **state)
{
    (void)state;
    char text[400];
    shows_label("", "");
    shows_label("cli bin/console app:import", "cli bin/console app:import");
    shows_label("100 % of ../.. and \xc3\xa9", "100 % of ../.. and \xc3\xa9");
    memset(text, '/', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fl_lease a;
    fl_status_t s;
    fl_store *store = open_store(share());
    fl_set_label(store, text, strlen(text));
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    size_t length = strlen(s.label);
    assert_true(length > 5 && length <= FL_LABEL_MAX && strspn(s.label, "/") == length); /* cut, not garbled */
    assert_true(strlen(state_of("x")) <= STATE_MAX);
    fl_close(store);
}

/* ---- in a forked child: leases are the parent's */

static fl_store *inherited;
static fl_lease parents;

static void closes_it(void **state)
{
    (void)state;
    fl_close(inherited);
}

static void takes_with_it(void **state)
{
    (void)state;
    fl_lease own;
    TRY(FL_BUSY, inherited, &own, "x", 10);
    TRY(FL_OK, inherited, &own, "of the child", 10);
    RESULT(FL_LOST, fl_verify(&parents));
    RESULT(FL_LOST, fl_release(&parents, &error));
    RESULT(FL_OK, fl_verify(&own));
    fl_close(inherited);
}

static void a_child_gives_nothing_back(void **state)
{
    (void)state;
    fl_lease a;
    inherited = open_store(share());
    fl_store *second = open_store(share());
    TRY(FL_OK, inherited, &parents, "x", 10);
    in_child(closes_it);
    RESULT(FL_OK, fl_verify(&parents));
    TRY(FL_BUSY, second, &a, "x", 10);
    in_child(takes_with_it);
    RESULT(FL_OK, fl_verify(&parents));
    TRY(FL_BUSY, second, &a, "x", 10);
    TRY(FL_OK, second, &a, "of the child", 10);
    RESULT(FL_OK, fl_release(&parents, &error));
    fl_close(inherited);
    fl_close(second);
}

void group_directory_store(void)
{
    static const struct CMUnitTest directory_store[] = {
        SHARE_TEST(options_that_are_refused),
        SHARE_TEST(names_are_kept_for_so_long),
        SHARE_TEST(labels_of_any_bytes),
        SHARE_TEST(a_child_gives_nothing_back),
    };
    RUN(directory_store);
}
