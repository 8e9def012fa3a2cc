/* Handing over: leases that outlive their owner's orderly end, and the keys that open them. */
#include "image.h"
#include "kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_store *store, *other;
static fl_error error;
static fl_lease lease, taken, refused;
static char key[FL_KEY_SIZE];

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t"));
    other = open_store(dsn("t"));
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    fl_close(other);
    return suite_end(state);
}

static void take_with_key(const char *name, double ttl)
{
    TRY(FL_OK, store, &lease, name, ttl);
    RESULT_OR(FL_OK, fl_get_key(&lease, key, &error), &error);
}

static fl_result restore(fl_store *by, const char *with)
{
    return fl_restore(by, &taken, with, strlen(with), &error);
}

static void is_refused(fl_store *by, const char *with)
{
    RESULT(FL_FREE, fl_restore(by, &refused, with, strlen(with), &error));
    assert_int_equal(refused.state, FL_LEASE_FREE);
}

/* Nothing that the key is about has changed, and it cannot be used again. */
static void assert_taken_over(uint64_t token, int64_t deadline)
{
    assert_true(taken.token == token);
    assert_true(taken.deadline == deadline);
    RESULT(FL_OK, fl_verify(&taken));
    char name[FL_NAME_MAX + 1] = "";
    fl_status_t s = status_of(other, "x");
    assert_true((uint64_t)s.token == token);
    assert_true(s.mine);
    memcpy(name, taken.name.words, taken.name.length);
    assert_string_equal(name, "x");
}

static void a_live_lease_is_taken_over(void **state)
{
    (void)state;
    take_with_key("x", 100);
    uint64_t token = lease.token;
    int64_t deadline = lease.deadline;
    RESULT(FL_OK, restore(other, key));
    assert_taken_over(token, deadline);
    assert_true(lease.ttl == taken.ttl);
    RESULT(FL_LOST, fl_verify(&lease));
    RESULT(FL_LOST, fl_release(&lease, &error));
    RESULT(FL_OK, fl_verify(&taken));
    RESULT(FL_OK, fl_refresh(&taken, NULL, &error));
    RESULT(FL_OK, fl_release(&taken, &error));
    is_refused(other, key); /* given back: the key opens nothing */
}

/* The old owner's late calls, whichever they are, leave the new one's lease alone. */
static void the_old_owner_has_lost_it(void **state)
{
    (void)state;
    for (int call = 0; call < 4; call++) {
        char again[FL_KEY_SIZE];
        take_with_key("x", 100);
        RESULT(FL_OK, restore(other, key));
        RESULT(FL_LOST, call == 0   ? fl_release(&lease, &error)
                        : call == 1 ? fl_refresh(&lease, NULL, &error)
                        : call == 2 ? fl_get_key(&lease, again, &error)
                                    : fl_leave(&lease, &error));
        RESULT(FL_OK, fl_verify(&taken));
        is_refused(store, key); /* spent */
        RESULT(FL_OK, fl_release(&taken, &error));
    }
}

/* The owner goes; nobody is attached for a while; the lease is there, then taken over by a process that comes later. */
static void a_left_lease_needs_nobody(void **state)
{
    (void)state;
    take_with_key("x", 100);
    uint64_t token = lease.token;
    int64_t deadline = lease.deadline;
    RESULT(FL_OK, fl_leave(&lease, &error));
    assert_int_equal(lease.state, FL_LEASE_FREE);
    fl_close(store);
    fl_close(other);
    store = open_store(dsn("t"));
    other = open_store(dsn("t"));
    TAKE(FL_BUSY, store, &lease, FL_EXCLUSIVE, 0, "x", 100);
    fl_status_t s = status_of(store, "x");
    assert_int_equal(s.holders, 1);
    assert_int_equal(s.pid, -1);
    assert_false(s.mine);
    assert_true((uint64_t)s.token == token);
    RESULT(FL_OK, restore(other, key));
    assert_taken_over(token, deadline);
    RESULT(FL_OK, fl_release(&taken, &error));
    TRY(FL_OK, store, &lease, "x", 100);
    assert_true(lease.token > token);
}

/* Left, and not taken over: it ends at its deadline, not before, and the key with it. */
static void a_left_lease_expires(void **state)
{
    (void)state;
    take_with_key("x", 0.2);
    uint64_t token = lease.token;
    int64_t deadline = lease.deadline;
    RESULT(FL_OK, fl_leave(&lease, &error));
    fl_close(store);
    store = open_store(dsn("t"));
    TAKE_WITHIN(FL_OK, store, &lease, FL_EXCLUSIVE, 0, "x", 100, INFINITY);
    assert_true(coarse_now() >= deadline);
    assert_true(lease.token > token);
    is_refused(other, key);
    RESULT(FL_OK, fl_verify(&lease));
}

static void a_left_lease_is_broken_like_any_other(void **state)
{
    (void)state;
    take_with_key("x", 100);
    RESULT(FL_OK, fl_leave(&lease, &error));
    RESULT(FL_OK, fl_break(other, "x", 1, (int64_t)lease.token, &error));
    is_refused(other, key);
    TRY(FL_OK, other, &taken, "x", 100);
}

/* Killed by a signal, it leaves nothing, whatever it had in mind; an exec'ed or ended one that left, does. */
static void killed_or_gone(void **state)
{
    peer owner;
    (void)state;
    peer_open(&owner, dsn("t"));
    EXPECT(&owner, "ok", "try 0 100 x");
    EXPECT(&owner, "ok", "key 0");
    snprintf(key, sizeof key, "%s", key_of(&owner));
    peer_kill(&owner);
    is_refused(other, key);
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_OK, fl_release(&lease, &error));
    peer_open(&owner, dsn("t"));
    EXPECT(&owner, "ok", "try 0 100 x");
    EXPECT(&owner, "ok", "key 0");
    snprintf(key, sizeof key, "%s", key_of(&owner));
    EXPECT(&owner, "ok", "leave 0");
    peer_kill(&owner);
    TAKE(FL_BUSY, store, &lease, FL_EXCLUSIVE, 0, "x", 100);
    RESULT(FL_OK, restore(other, key));
}

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

static void no_other_key_opens_it(void)
{
    char forged[FL_KEY_SIZE + 8];
    size_t length = strlen(key);
    for (size_t i = 0; i < length; i++) {
        for (const char *c = "0123456789abcdefABCDEFgt-. "; *c; c++) {
            strcpy(forged, key);
            forged[i] = *c;
            if (*c != key[i]) {
                is_refused(other, forged);
            }
        }
        RESULT(FL_FREE, fl_restore(other, &refused, key, i, &error));
    }
    snprintf(forged, sizeof forged, "%s0", key);
    is_refused(other, forged);
    RESULT(FL_FREE, fl_restore(other, &refused, key, length + 1, &error));
    snprintf(forged, sizeof forged, " %s", key);
    is_refused(other, forged);
}

/* With one character changed, cut or extended, it opens nothing; as it is, it does. */
static void every_other_key_is_refused(void **state)
{
    (void)state;
    take_with_key("x", 100);
    no_other_key_opens_it();
    RESULT(FL_OK, fl_verify(&lease));
    RESULT(FL_OK, fl_leave(&lease, &error));
    no_other_key_opens_it();
    RESULT(FL_OK, restore(other, key));
}

/* The same lease gives the same key; another lease, another one: also after a restore, whose new key is the only good one. */
static void each_lease_has_its_own(void **state)
{
    char again[FL_KEY_SIZE], next[FL_KEY_SIZE];
    (void)state;
    take_with_key("x", 100);
    RESULT(FL_OK, fl_get_key(&lease, again, &error));
    assert_string_equal(again, key);
    RESULT(FL_OK, fl_refresh(&lease, NULL, &error));
    RESULT(FL_OK, restore(other, key));
    RESULT(FL_OK, fl_get_key(&taken, next, &error));
    assert_string_not_equal(next, key);
    lease = taken;
    is_refused(store, key);
    RESULT(FL_OK, restore(store, next));
    RESULT(FL_LOST, fl_verify(&lease));
    RESULT(FL_OK, fl_release(&taken, &error));
    take_with_key("x", 100);
    assert_string_not_equal(key, again);
    assert_string_not_equal(key, next);
}

/* Of another table, or of a table that was made anew in the same place. */
static void a_key_of_elsewhere(void **state)
{
    (void)state;
    fl_store *elsewhere = open_store(dsn("elsewhere"));
    take_with_key("x", 100);
    TRY(FL_OK, elsewhere, &taken, "x", 100);
    is_refused(elsewhere, key);
    fl_close(elsewhere);
    assert_int_equal(unlink(scratch("t/filelock.table")), 0);
    is_refused(other, key);
    TRY(FL_OK, other, &taken, "x", 100);
    is_refused(other, key);
}

static void only_exclusive_and_with_an_end(void **state)
{
    (void)state;
    static const fl_kind kinds[] = {FL_EXCLUSIVE, FL_SHARED, FL_PERMIT};
    for (int i = 0; i < 3; i++) {
        TAKE(FL_OK, store, &lease, kinds[i], 2, "x", i == 0 ? INFINITY : 100);
        RESULT(FL_ERROR, fl_get_key(&lease, key, &error));
        assert_int_equal(error.fault, FL_NOT_OFFERED);
        RESULT(FL_ERROR, fl_leave(&lease, &error));
        assert_int_equal(error.fault, FL_NOT_OFFERED);
        RESULT(FL_OK, fl_verify(&lease));
        RESULT(FL_OK, fl_release(&lease, &error));
    }
}

/* A secret is seen by nobody who looks. */
static void nobody_sees_the_secret(void **state)
{
    lease_image image;
    char sentence[FL_SENTENCE_MAX], secret[20];
    (void)state;
    take_with_key("x", 100);
    fl_status_t s = status_of(other, "x");
    fl_describe(&s, sentence);
    assert_true(image_of_lease(scratch("t/filelock.table"), "x", &image));
    assert_true(image.secret[0] != 0 && image.secret[1] != 0 && image.secret[0] != image.secret[1]);
    snprintf(secret, sizeof secret, "%016llx", (unsigned long long)image.secret[0]);
    assert_non_null(strstr(key, secret));
    assert_null(strstr(sentence, secret));
    assert_null(strstr(sentence, key));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_handover(void)
{
    static const struct CMUnitTest handover[] = {
        CASE(a_live_lease_is_taken_over),
        CASE(the_old_owner_has_lost_it),
        CASE(a_left_lease_needs_nobody),
        CASE(a_left_lease_expires),
        CASE(a_left_lease_is_broken_like_any_other),
        CASE(killed_or_gone),
        CASE(every_other_key_is_refused),
        CASE(each_lease_has_its_own),
        CASE(a_key_of_elsewhere),
        CASE(only_exclusive_and_with_an_end),
        CASE(nobody_sees_the_secret),
    };
    RUN(handover);
}
