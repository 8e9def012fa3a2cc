/* A file server that lies: changes fail after they were made, or are made late; error numbers say anything; listings are old. */
#include "share.h"

#include <errno.h>
#include <string.h>

static fl_error error;
static const int codes[] = {EIO, ENOENT, ESTALE, EPERM, EEXIST, ETIMEDOUT};

static void a_lost_reply_is_noticed(void **state)
{
    (void)state;
    fl_lease a, b;
    char key[FL_KEY_SIZE];
    fl_store *store = open_store(share()), *second = open_store(share());
    for (size_t i = 0; i < COUNT(codes); i++) {
        char name[] = {'x', (char)('0' + i), 0};
        lie_rename(FAIL_AFTER, codes[i], 100);
        TRY(FL_OK, store, &a, name, 10); /* a new name */
        RESULT(FL_OK, fl_refresh(&a, NULL, &error));
        TRY(FL_BUSY, second, &b, name, 10);
        RESULT(FL_OK, fl_release(&a, &error));
        TRY(FL_OK, store, &a, name, 10); /* a known one */
        RESULT(FL_OK, fl_get_key(&a, key, &error));
        RESULT(FL_OK, fl_leave(&a, &error));
        RESULT(FL_OK, fl_restore(second, &b, key, strlen(key), &error));
        RESULT(FL_OK, fl_break(store, name, 2, (int64_t)b.token, &error));
        RESULT(FL_LOST, fl_release(&b, &error)); /* not taken for its own */
        assert_int_equal(kind_of(name), 'F');
        lie_rename(TRUE_ANSWER, 0, 0);
    }
    fl_close(store);
    fl_close(second);
}

static void what_was_not_done_is_not_believed(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "known", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    for (size_t i = 0; i < COUNT(codes); i++) {
        bool gone = codes[i] == ENOENT || codes[i] == ESTALE;
        lie_rename(FAIL_BEFORE, codes[i], 100);
        TRY(gone ? FL_BUSY : FL_ERROR, store, &a, "known", 10);
        TRY(gone || codes[i] == EEXIST ? FL_BUSY : FL_ERROR, store, &a, "new", 10);
        lie_rename(TRUE_ANSWER, 0, 0);
        TRY(FL_OK, second, &b, "known", 10);
        RESULT(FL_OK, fl_release(&b, &error));
    }
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    fl_close(store);
    fl_close(second);
}

static void a_failed_refresh_leaves_the_lease(void **state)
{
    (void)state;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    lie_rename(FAIL_BEFORE, EIO, 1);
    RESULT(FL_ERROR, fl_refresh(&a, NULL, &error));
    ASSERT_ERROR(&error, "refresh", lock_directory("x"), strerror(EIO));
    RESULT(FL_OK, fl_verify(&a));
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(store);
}

static void a_refresh_that_is_done_late(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    lie_rename(LATE, EIO, 1);
    RESULT(FL_ERROR, fl_refresh(&a, NULL, &error));
    lie_execute_late();
    RESULT(FL_OK, fl_verify(&a)); /* under a name that it had not been told of */
    RESULT(FL_OK, fl_release(&a, &error));
    TRY(FL_OK, second, &b, "x", 10);
    fl_close(store);
    fl_close(second);
}

/* It does not believe that it holds; then nobody does for ttl + grace, no longer. */
static void a_try_that_is_done_late(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    lie_rename(LATE, EIO, 1);
    TRY(FL_ERROR, store, &a, "x", 10);
    lie_execute_late();
    TRY(FL_BUSY, second, &b, "x", 10);
    pass_time(13);
    TRY(FL_OK, second, &b, "x", 10);
    lie_execute_late(); /* once more: that name is gone for ever */
    RESULT(FL_OK, fl_verify(&b));
    fl_close(store);
    fl_close(second);
}

static void a_release_that_is_done_late(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    lie_rename(LATE, EIO, 1);
    RESULT(FL_ERROR, fl_release(&a, &error));
    ASSERT_ERROR(&error, "give back", "time to live");
    pass_time(13);
    TRY(FL_OK, second, &b, "x", 10);
    lie_execute_late();
    RESULT(FL_OK, fl_verify(&b));
    RESULT(FL_OK, fl_release(&b, &error));
    fl_close(store);
    fl_close(second);
}

static void an_old_listing_is_falsely_busy_at_worst(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    TRY(FL_OK, second, &b, "other", 10);
    lie_list_before();
    TRY(FL_OK, store, &a, "x", 10); /* its listing is taken down: free */
    lie_list_before();
    TRY(FL_BUSY, second, &b, "x", 10); /* seen free, held in truth */
    RESULT(FL_OK, fl_verify(&a));
    RESULT(FL_OK, fl_release(&a, &error));
    TRY(FL_BUSY, second, &b, "x", 10);
    lie_list_truth();
    TRY(FL_OK, second, &b, "x", 10);
    lie_list_before();
    TRY(FL_BUSY, store, &a, "x", 10); /* taken down: held */
    RESULT(FL_OK, fl_release(&b, &error));
    lie_list_before();
    TRY(FL_BUSY, store, &a, "x", 10);
    RESULT(FL_FREE, fl_break(store, "x", 1, 1, &error));
    fl_close(store);
    fl_close(second);
}

static void an_old_listing_does_not_show_a_new_lock(void **state)
{
    (void)state;
    peer other;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "attached", 10);
    peer_open(&other, share());
    lie_list_before();
    RESULT(FL_FREE, fl_status(store, "x", 1, &(fl_status_t){0}, &error)); /* taken down: there is none */
    EXPECT(&other, "ok", "try 0 10 x");
    lie_list_before();
    TRY(FL_BUSY, store, &a, "x", 10);
    EXPECT(&other, "ok", "verify 0");
    EXPECT(&other, "ok", "release 0");
    fl_close(store);
}

/* Broken after a refresh; a listing from before shows the lease as it was. */
static void an_old_listing_proves_nothing(void **state)
{
    (void)state;
    peer other;
    fl_lease a;
    fl_store *store = open_store(share());
    peer_open(&other, share());
    for (int way = 0; way < 2; way++) {
        TRY(FL_OK, store, &a, "x", 10);
        lie_list_before();
        RESULT(FL_OK, fl_status(store, "x", 1, &(fl_status_t){0}, &error)); /* taken down: mine */
        RESULT(FL_OK, fl_refresh(&a, NULL, &error));
        EXPECT(&other, "ok", "break %llu x", (unsigned long long)a.token);
        EXPECT(&other, "ok", "try 0 10 x");
        lie_list_before();
        RESULT(FL_LOST, way ? fl_refresh(&a, NULL, &error) : fl_verify(&a));
        lie_list_truth();
        EXPECT(&other, "ok", "verify 0");
        EXPECT(&other, "ok", "release 0");
    }
    fl_close(store);
}

static void the_last_reply_is_lost_under_an_old_listing(void **state)
{
    (void)state;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    lie_list_before();
    lie_rename(FAIL_AFTER, ESTALE, 1);
    TRY(FL_OK, store, &a, "x", 10);
    fl_close(store);
}

static void without_room_giving_back_works(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 100);
    TRY(FL_OK, store, &b, "y", 100);
    lie_make_file(ENOSPC);
    pass_time(31); /* the look at the server's clock has aged */
    RESULT_OR(FL_OK, fl_refresh(&a, NULL, &error), &error);
    RESULT_OR(FL_OK, fl_release(&b, &error), &error);
    TRY(FL_ERROR, store, &b, "y", 100);
    RESULT(FL_ERROR, fl_try(store, &b, "y", 1, 100, &error));
    ASSERT_ERROR(&error, "No space left", scratch("d"), "make room");
    pass_time(99);
    RESULT(FL_OK, fl_release(&a, &error));
    lie_make_file(0);
    TRY(FL_OK, store, &b, "y", 100);
    fl_close(store);
}

void group_directory_server(void)
{
    static const struct CMUnitTest directory_server[] = {
        SHARE_TEST(a_lost_reply_is_noticed),
        SHARE_TEST(what_was_not_done_is_not_believed),
        SHARE_TEST(a_failed_refresh_leaves_the_lease),
        SHARE_TEST(a_refresh_that_is_done_late),
        SHARE_TEST(a_try_that_is_done_late),
        SHARE_TEST(a_release_that_is_done_late),
        SHARE_TEST(an_old_listing_is_falsely_busy_at_worst),
        SHARE_TEST(an_old_listing_does_not_show_a_new_lock),
        SHARE_TEST(an_old_listing_proves_nothing),
        SHARE_TEST(the_last_reply_is_lost_under_an_old_listing),
        SHARE_TEST(without_room_giving_back_works),
    };
    RUN(directory_server);
}
