/* Two faults at once, and time that passes while the server is asked. */
#include "share.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "testing.h"

static fl_error error;

static void let_it_expire(const char *label)
{
    if (strcmp(label, "step:rename") == 0 || strcmp(label, "create:publish") == 0) {
        fl_step_hook = NULL;
        pass_time(100);
    }
}

/* Whatever the server did: told as lost, and free for others at once, not after the grace. */
static void it_expires_while_the_server_is_asked(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    for (int way = 0; way < 4; way++) {
        if (way > 0) {
            TRY(FL_OK, store, &a, "x", 50);
        }
        fl_step_hook = let_it_expire;
        if (way == 0) {
            TRY(FL_BUSY, store, &a, "x", 50);
            fl_step_hook = let_it_expire;
            TRY(FL_BUSY, store, &a, "x", 50); /* it has its name now */
        } else if (way == 1) {
            RESULT(FL_LOST, fl_refresh(&a, NULL, &error));
        } else if (way == 2) {
            RESULT(FL_LOST, fl_leave(&a, &error));
            pass_time(51);
        } else {
            RESULT(FL_LOST, fl_release(&a, &error));
        }
        assert_null(fl_step_hook);
        TRY(FL_OK, second, &b, "x", 50);
        RESULT(FL_OK, fl_release(&b, &error));
    }
    lie_rename(FAIL_BEFORE, EIO, 1);
    TRY(FL_ERROR, store, &a, "x", 50);
    TRY(FL_OK, store, &a, "x", 50);
    fl_step_hook = let_it_expire;
    lie_rename(FAIL_BEFORE, EIO, 1);
    RESULT(FL_LOST, fl_refresh(&a, NULL, &error));
    TRY(FL_OK, second, &b, "x", 50);
    fl_close(store);
    fl_close(second);
}

/* The reply is lost, and the name that was made is not found: the listing shows it. */
static int not_found(const char *path)
{
    (void)path;
    errno = ENOENT;
    return -1;
}

static void a_lost_reply_and_a_stale_lookup(void **state)
{
    (void)state;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 50);
    RESULT(FL_OK, fl_release(&a, &error));
    lie_rename(FAIL_AFTER, ENOENT, 100);
    files.exists = not_found;
    TRY(FL_OK, store, &a, "x", 50);
    RESULT(FL_OK, fl_refresh(&a, NULL, &error));
    RESULT(FL_OK, fl_release(&a, &error));
    assert_int_equal(kind_of("x"), 'F');
    fl_close(store);
}

/* What a listing shows is never there: that ends, with an error. */
static void a_listing_that_never_gets_true(void **state)
{
    (void)state;
    char key[FL_KEY_SIZE];
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, second, &b, "attached", 50);
    TRY(FL_OK, store, &a, "x", 50);
    RESULT(FL_OK, fl_get_key(&a, key, &error));
    lie_rename(FAIL_BEFORE, ENOENT, 1000000);
    RESULT(FL_ERROR, fl_break(second, "x", 1, (int64_t)a.token, &error));
    ASSERT_ERROR(&error, "changes faster", lock_directory("x"));
    RESULT(FL_ERROR, fl_restore(second, &b, key, strlen(key), &error));
    ASSERT_ERROR(&error, "changes faster", lock_directory("x"));
    lie_rename(TRUE_ANSWER, 0, 0);
    RESULT(FL_OK, fl_verify(&a));
    RESULT(FL_OK, fl_release(&a, &error));
    fl_close(store);
    fl_close(second);
}

/* Some servers rename onto nothing only, not onto an empty directory that a collector left. */
static void a_server_that_renames_onto_nothing_only(void **state)
{
    (void)state;
    char path[STATE_PATH_MAX];
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 50);
    uint64_t token = a.token;
    RESULT(FL_OK, fl_release(&a, &error));
    snprintf(path, sizeof path, "%s/%s", lock_directory("x"), state_of("x"));
    assert_int_equal(remove(path), 0);
    pass_time(1);
    lie_rename(FAIL_BEFORE, EPERM, 1);
    TRY(FL_OK, store, &a, "x", 50);
    assert_true(a.token > token);
    TRY(FL_BUSY, second, &b, "x", 50);
    fl_close(store);
    fl_close(second);
}

/* A key whose time ran out just now, or whose lock holds another name's file, is nobody's. */
static void keys_that_open_nothing(void **state)
{
    (void)state;
    char key[FL_KEY_SIZE], path[STATE_PATH_MAX];
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 50);
    RESULT(FL_OK, fl_get_key(&a, key, &error));
    RESULT(FL_OK, fl_leave(&a, &error));
    fl_step_hook = let_it_expire;
    RESULT(FL_FREE, fl_restore(second, &b, key, strlen(key), &error));
    fl_step_hook = NULL;
    TRY(FL_OK, store, &a, "x", 50);
    RESULT(FL_OK, fl_get_key(&a, key, &error));
    snprintf(path, sizeof path, "%s/%s", lock_directory("x"), state_of("x"));
    write_file(path, "y", 1);
    RESULT(FL_ERROR, fl_restore(second, &b, key, strlen(key), &error));
    ASSERT_ERROR(&error, lock_directory("x"), "does not contain the name");
    RESULT(FL_OK, fl_verify(&a));
    pass_time(31); /* and without room for a look at the server's clock nobody knows */
    lie_make_file(ENOSPC);
    RESULT(FL_ERROR, fl_restore(second, &b, key, strlen(key), &error));
    ASSERT_ERROR(&error, strerror(ENOSPC), "make room");
    fl_close(store);
    fl_close(second);
}

/* The machine was suspended: the clock that counts on shows it, the other one does not. */
static void left_after_a_suspension(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 50);
    pass_server_time(60);
    atomic_fetch_add(&fl_clock_offset_precise, INT64_C(60000000000));
    RESULT(FL_LOST, fl_leave(&a, &error));
    TRY(FL_OK, second, &b, "x", 50);
    fl_close(store);
    fl_close(second);
}

void group_directory_double(void)
{
    static const struct CMUnitTest directory_double[] = {
        SHARE_TEST(it_expires_while_the_server_is_asked),
        SHARE_TEST(a_lost_reply_and_a_stale_lookup),
        SHARE_TEST(a_listing_that_never_gets_true),
        SHARE_TEST(a_server_that_renames_onto_nothing_only),
        SHARE_TEST(keys_that_open_nothing),
        SHARE_TEST(left_after_a_suspension),
    };
    RUN(directory_double);
}
