/* Leases of a shared directory that outlive their owner, and keys. */
#include "share.h"

#include <stdio.h>
#include <string.h>

static fl_error error;

static void a_left_lease_stays(void **state)
{
    (void)state;
    peer owner;
    fl_lease a;
    char key[FL_KEY_SIZE] = "";
    fl_store *store = open_store(share());
    peer_open(&owner, share());
    EXPECT(&owner, "ok", "try 0 10 x");
    uint64_t token = peer_token(&owner);
    EXPECT(&owner, "ok", "key 0");
    snprintf(key, sizeof key, "%s", strstr(owner.answer, "key=") + 4);
    EXPECT(&owner, "ok", "refresh 0");
    EXPECT(&owner, "ok", "leave 0");
    peer_finish(&owner);
    TRY(FL_BUSY, store, &a, "x", 10);
    RESULT_OR(FL_OK, fl_restore(store, &a, key, strlen(key), &error), &error);
    assert_true(a.token == token);
    assert_int_equal(a.name.length, 1);
    RESULT(FL_FREE, fl_restore(store, &(fl_lease)FL_LEASE_INIT, key, strlen(key), &error));
    RESULT(FL_OK, fl_refresh(&a, NULL, &error));
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(store);
}

static void restoring_takes_it_from_a_live_holder(void **state)
{
    (void)state;
    fl_lease a, b = FL_LEASE_INIT;
    char key[FL_KEY_SIZE], forged[FL_KEY_SIZE];
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_get_key(&a, key, &error));
    memcpy(forged, key, sizeof key);
    forged[67] = forged[67] == '0' ? '1' : '0';
    RESULT(FL_FREE, fl_restore(second, &b, forged, strlen(forged), &error));
    RESULT(FL_FREE, fl_restore(second, &b, "d1-", 3, &error));
    RESULT(FL_OK, fl_restore(second, &b, key, strlen(key), &error));
    RESULT(FL_LOST, fl_refresh(&a, NULL, &error));
    RESULT(FL_LOST, fl_release(&a, &error));
    pass_time(10.02);
    RESULT(FL_LOST, fl_release(&b, &error)); /* the deadline came with it */
    fl_close(store);
    fl_close(second);
}

static void a_left_lease_ends_by_its_deadline(void **state)
{
    (void)state;
    fl_lease a, b;
    char key[FL_KEY_SIZE];
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_get_key(&a, key, &error));
    RESULT(FL_OK, fl_leave(&a, &error));
    fl_close(store);
    store = open_store(share());
    TRY(FL_BUSY, store, &b, "x", 10);
    pass_time(13);
    RESULT(FL_FREE, fl_restore(store, &b, key, strlen(key), &error));
    TRY(FL_OK, store, &b, "x", 10);
    fl_close(store);
}

void group_directory_handover(void)
{
    static const struct CMUnitTest directory_handover[] = {
        SHARE_TEST(a_left_lease_stays),
        SHARE_TEST(restoring_takes_it_from_a_live_holder),
        SHARE_TEST(a_left_lease_ends_by_its_deadline),
    };
    RUN(directory_handover);
}
