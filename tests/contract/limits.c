/* Bad arguments, odd names, and what a store does not offer. */
#include "contract.h"

#include <stdio.h>
#include <string.h>

static fl_error error;
static fl_lease lease;

static void refused(fl_store *store, const char *name, size_t length, double ttl, fl_argument argument)
{
    lease = (fl_lease)FL_LEASE_INIT;
    RESULT(FL_ERROR, fl_try(store, &lease, name, length, ttl, &error));
    assert_int_equal(error.fault, FL_BAD_ARGUMENT);
    assert_int_equal(error.argument, argument);
    assert_int_equal(lease.state, FL_LEASE_FREE);
}

static void bad_arguments(void **state)
{
    (void)state;
    static const double ttls[] = {0, -1, (double)NAN, -(double)INFINITY, FL_TTL_MAX + 1};
    static const double timeouts[] = {-1, (double)NAN, -(double)INFINITY};
    char longest[FL_NAME_MAX + 2];
    fl_status_t s;
    fl_store *store = open_it();
    memset(longest, 'n', sizeof longest);
    refused(store, "", 0, 10, FL_ARG_NAME);
    refused(store, longest, FL_NAME_MAX + 1, 10, FL_ARG_NAME);
    for (size_t i = 0; i < COUNT(ttls); i++) {
        refused(store, "x", 1, ttls[i], FL_ARG_TTL);
    }
    for (size_t i = 0; i < COUNT(timeouts); i++) {
        RESULT(FL_ERROR, fl_acquire(store, &lease, "x", 1, 10, timeouts[i], NULL, &error));
        assert_int_equal(error.argument, FL_ARG_TIMEOUT);
    }
    RESULT(FL_ERROR, fl_status(store, "", 0, &s, &error));
    assert_int_equal(error.argument, FL_ARG_NAME);
    RESULT(FL_ERROR, fl_break(store, "x", 1, 0, &error));
    assert_int_equal(error.argument, FL_ARG_TOKEN);
    RESULT(FL_FREE, fl_status(store, "x", 1, &s, &error));
    fl_close(store);
}

static void bad_dsns(void **state)
{
    (void)state;
    char bad[640];
    fl_store *store;
    snprintf(bad, sizeof bad, "%s%cnonsense=1", the_dsn(), strchr(the_dsn(), '?') ? '&' : '?');
    RESULT(FL_ERROR, fl_open(bad, &store, &error));
    assert_int_equal(error.argument, FL_ARG_DSN);
    ASSERT_ERROR(&error, "nonsense");
    snprintf(bad, sizeof bad, "%.*s:relative/path", (int)strcspn(the_dsn(), ":"), the_dsn());
    RESULT(FL_ERROR, fl_open(bad, &store, &error));
    assert_int_equal(error.argument, FL_ARG_DSN);
}

/* ---- names: any bytes, up to 255 -------------------------------------------------------------------------------------- */

typedef struct {
    const char *bytes;
    size_t length;
} odd_name;

static char each_byte[FL_NAME_MAX], longest[FL_NAME_MAX], slashes[FL_NAME_MAX];

#define ODD(text) \
    { \
        text, sizeof(text) - 1 \
    }
static const odd_name names[] = {
    ODD("."),
    ODD(".."),
    ODD("/"),
    ODD("../x"),
    ODD("a/b"),
    ODD("A/B"),
    ODD("a"),
    ODD("A"),
    ODD("a\0b"),
    ODD("a\0c"),
    ODD("\n"),
    ODD(" "),
    ODD("%2F"),
    ODD("%"),
    ODD("\xc3\xa4"),
    ODD("a\xcc\x88"),
    ODD("\xff"),
    ODD("-"),
    ODD("~"),
    ODD(".lock"),
    ODD("a.lock"),
    ODD(".filelock-guard"),
    ODD(".format"),
    ODD("?mode=0666"),
    {each_byte, sizeof each_byte},
    {longest, sizeof longest},
    {longest, sizeof longest - 1},
    {slashes, sizeof slashes},
};

static void fill_names(void)
{
    for (size_t i = 0; i < sizeof each_byte; i++) {
        each_byte[i] = (char)(255 - i);
    }
    memset(longest, 'x', sizeof longest);
    memset(slashes, '/', sizeof slashes);
}

static int cut; /* names in the list that do not say whose they are */

static int tick_off(void *context, const fl_status_t *s)
{
    unsigned char *seen = context;
    for (size_t i = 0; i < COUNT(names); i++) {
        if (names[i].length == s->name_length && memcmp(names[i].bytes, s->name, s->name_length) == 0) {
            seen[i]++;
            return 0;
        }
    }
    if (!it_can(FL_CAN_LIST) && memchr(s->name, '~', s->name_length)) {
        cut++;
        return 0;
    }
    fail_msg("a name that nobody holds is listed: %s", s->name);
    return 1;
}

/* Each is a lock of its own, beside all others, and is listed as what it is. */
static void names_of_any_bytes(void **state)
{
    (void)state;
    static fl_lease leases[COUNT(names)];
    unsigned char seen[COUNT(names)] = {0};
    fl_store *store = open_it(), *other = open_it();
    fill_names();
    for (size_t i = 0; i < COUNT(names); i++) {
        leases[i] = (fl_lease)FL_LEASE_INIT;
        RESULT_OR(FL_OK, fl_try(store, &leases[i], names[i].bytes, names[i].length, 100, &error), &error);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        lease = (fl_lease)FL_LEASE_INIT;
        RESULT_OR(FL_BUSY, fl_try(other, &lease, names[i].bytes, names[i].length, 100, &error), &error);
    }
    int missing = cut = 0;
    RESULT_OR(FL_OK, fl_list(other, "", 0, tick_off, seen, &error), &error);
    for (size_t i = 0; i < COUNT(names); i++) {
        missing += !seen[i];
        assert_true(seen[i] <= 1);
        RESULT_OR(FL_OK, fl_release(&leases[i], &error), &error);
    }
    assert_int_equal(missing, cut);
    assert_true(it_can(FL_CAN_LIST) == (missing == 0));
    RESULT_OR(FL_OK, fl_list(other, "", 0, tick_off, seen, &error), &error);
    assert_int_equal(seen[0], 1);
    assert_int_equal(entries_in(scratch(".")), 1); /* nothing beside the store's directory */
    fl_close(other);
    fl_close(store);
}

/* ---- what is not offered: refused at once, nothing is held, and the message says who offers it ---------------------------- */

static void not_offered(fl_result result)
{
    RESULT(FL_ERROR, result);
    assert_int_equal(error.fault, FL_NOT_OFFERED);
    ASSERT_ERROR(&error, "table:");
    assert_int_equal(lease.state, FL_LEASE_FREE);
}

static void take_refused(fl_kind kind, double ttl)
{
    fl_store *store = open_it();
    fl_status_t s;
    fl_request request = {.name = "x", .length = 1, .ttl = ttl, .kind = kind, .permits = 2};
    lease = (fl_lease)FL_LEASE_INIT;
    not_offered(fl_take(store, &lease, &request, &error));
    RESULT_OR(FL_FREE, fl_status(store, "x", 1, &s, &error), &error);
    fl_close(store);
}

static void no_infinity(void **state)
{
    (void)state;
    take_refused(FL_EXCLUSIVE, INFINITY);
}

static void no_shared(void **state)
{
    (void)state;
    take_refused(FL_SHARED, 10);
    fl_lease held = FL_LEASE_INIT;
    fl_store *store = open_it();
    RESULT_OR(FL_OK, fl_try(store, &held, "x", 1, 100, &error), &error);
    not_offered(fl_downgrade(&held, &error));
    RESULT_OR(FL_OK, fl_upgrade(&held, 0, NULL, &error), &error); /* a writer stays one */
    RESULT_OR(FL_OK, fl_release(&held, &error), &error);
    fl_close(store);
}

static void no_permits(void **state)
{
    (void)state;
    take_refused(FL_PERMIT, 10);
}

static void no_handing_over(void **state)
{
    (void)state;
    static const char offered[] = "a table: store does";
    char key[FL_KEY_SIZE];
    fl_lease held = FL_LEASE_INIT;
    fl_store *store = open_it();
    RESULT_OR(FL_OK, fl_try(store, &held, "x", 1, 100, &error), &error);
    lease = (fl_lease)FL_LEASE_INIT;
    not_offered(fl_get_key(&held, key, &error));
    not_offered(fl_leave(&held, &error));
    not_offered(fl_restore(store, &lease, "k", 1, &error));
    ASSERT_ERROR(&error, offered);
    RESULT_OR(FL_OK, fl_release(&held, &error), &error);
    fl_close(store);
}

void contract_limits(void)
{
    static const contract_case cases[] = {
        ALWAYS(bad_arguments),
        ALWAYS(bad_dsns),
        ALWAYS(names_of_any_bytes),
        WITHOUT(no_infinity, FL_CAN_FOREVER),
        WITHOUT(no_shared, FL_CAN_SHARE),
        WITHOUT(no_permits, FL_CAN_COUNT),
        WITHOUT(no_handing_over, FL_CAN_HAND_OVER),
    };
    RUN_CASES(cases);
}
