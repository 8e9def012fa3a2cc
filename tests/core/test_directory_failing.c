/*
 * Every file operation of everything that the directory store does, failing once, or from there on: before it was done and after,
 * with an error that says "gone" and with one that says nothing. Whatever is answered, nobody else gets what is believed to be
 * held, and what is not held is free for others after ttl + grace, with a larger token.
 */
#include "share.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { TTL = 50, MOST = 200 };

static files_operations honest;
static int countdown;
static bool denied, for_ever; /* done all the same; all that follow fail, too */
static int code;
static fl_store *store, *second;
static fl_lease a;
static fl_error error;
static uint64_t last;
static char x[40], key[FL_KEY_SIZE];
static int round_number;

/* ---- a server that fails ----------------------------------------------------------------------------------------------- */

static bool fails(void)
{
    if (countdown == 0) {
        return for_ever;
    }
    return --countdown == 0;
}

static int deny(void)
{
    errno = code;
    return -1;
}

#define FAIL_OR(call) \
    bool failing = fails(); \
    int result = failing && !denied ? 0 : (call); \
    return failing ? deny() : result

static int failing_rename(const char *from, const char *to)
{
    FAIL_OR(honest.rename(from, to));
}

static int failing_list(const char *path, files_each each, void *context)
{
    FAIL_OR(honest.list(path, each, context));
}

static int failing_exists(const char *path)
{
    FAIL_OR(honest.exists(path));
}

static int failing_make_directory(const char *path, unsigned mode, int group)
{
    FAIL_OR(honest.make_directory(path, mode, group));
}

static int failing_make_file(const char *path, const void *bytes, size_t n, unsigned mode, int group)
{
    FAIL_OR(honest.make_file(path, bytes, n, mode, group));
}

static int failing_remove_file(const char *path)
{
    FAIL_OR(honest.remove_file(path));
}

static int failing_remove_directory(const char *path)
{
    FAIL_OR(honest.remove_directory(path));
}

static int failing_read(const char *path, void *bytes, size_t size, size_t *got)
{
    FAIL_OR(honest.read(path, bytes, size, got));
}

static int failing_stamp(const char *path, int64_t *time)
{
    FAIL_OR(honest.stamp(path, time));
}

static void arm(int n)
{
    honest = files;
    error.message[0] = '\0';
    countdown = n;
    files = (files_operations){failing_rename,           failing_list,      failing_exists,
                               failing_make_directory,   failing_make_file, failing_remove_file,
                               failing_remove_directory, failing_read,      failing_stamp};
}

static bool disarm(void)
{
    bool fired = countdown == 0;
    files = honest;
    return fired;
}

/* ---- the operations ---------------------------------------------------------------------------------------------------- */

static void nothing(void)
{
}

static void known(void)
{
    TRY(FL_OK, store, &a, x, TTL);
    last = a.token;
    RESULT(FL_OK, fl_release(&a, &error));
}

static void held(void)
{
    TRY(FL_OK, store, &a, x, TTL);
    last = a.token;
}

static void over(void)
{
    fl_lease other;
    TRY(FL_OK, second, &other, x, TTL);
    last = other.token;
    pass_time(TTL + 1);
}

static void of_another(void)
{
    fl_lease other;
    TRY(FL_OK, second, &other, x, TTL);
    last = other.token;
}

static void left(void)
{
    of_another();
    fl_lease other;
    TRY(FL_BUSY, store, &other, x, TTL);
    RESULT(FL_OK, fl_break(second, x, strlen(x), (int64_t)last, &error));
    TRY(FL_OK, second, &other, x, TTL);
    last = other.token;
    RESULT(FL_OK, fl_get_key(&other, key, &error));
    RESULT(FL_OK, fl_leave(&other, &error));
}

static void collectable(void)
{
    known();
    pass_time(2 * COLLECT_AFTER);
}

static void aged(void)
{
    known();
    pass_time(31);
}

static fl_result do_try(void)
{
    return fl_try(store, &a, x, strlen(x), TTL, &error);
}

static fl_result do_release(void)
{
    return fl_release(&a, &error);
}

static fl_result do_refresh(void)
{
    return fl_refresh(&a, NULL, &error);
}

static fl_result do_leave(void)
{
    return fl_leave(&a, &error);
}

static fl_result do_verify(void)
{
    return fl_verify(&a);
}

static fl_result do_key(void)
{
    return fl_get_key(&a, key, &error);
}

static fl_result do_restore(void)
{
    return fl_restore(store, &a, key, strlen(key), &error);
}

static fl_result do_break(void)
{
    return fl_break(store, x, strlen(x), (int64_t)last, &error);
}

static fl_result do_collect(void)
{
    unsigned removed;
    return collect_attached(store, &removed, &error);
}

static int count(void *number, const fl_status_t *status)
{
    (void)status;
    ++*(int *)number;
    return 0;
}

static fl_result do_list(void)
{
    int number = 0;
    fl_status_t s;
    fl_result result = fl_status(store, x, strlen(x), &s, &error);
    return result == FL_ERROR ? result : fl_list(store, "", 0, count, &number, &error);
}

static const struct operation {
    const char *name;
    void (*prepare)(void);
    fl_result (*run)(void);
} operations[] = {
    {"take a new name", nothing, do_try},
    {"take a known name", known, do_try},
    {"take after a while", aged, do_try},
    {"take an expired one", over, do_try},
    {"try what is held", of_another, do_try},
    {"release", held, do_release},
    {"refresh", held, do_refresh},
    {"leave", held, do_leave},
    {"verify", held, do_verify},
    {"get a key", held, do_key},
    {"restore", left, do_restore},
    {"break", of_another, do_break},
    {"collect", collectable, do_collect},
    {"look", of_another, do_list},
};

/* ---- the judge ----------------------------------------------------------------------------------------------------------- */

static void others_are_kept_out(void)
{
    fl_lease other;
    TRY(FL_BUSY, second, &other, x, TTL);
    RESULT(FL_OK, fl_verify(&a));
    RESULT(FL_OK, fl_release(&a, &error));
}

static void judge(fl_result result)
{
    fl_lease other;
    if (result == FL_ERROR) {
        assert_true(strlen(error.message) > 20);
    }
    if (a.state == FL_LEASE_HELD) {
        assert_true(a.token >= last);
        last = a.token;
        others_are_kept_out();
    }
    pass_time(2 * TTL); /* of the latest that could have been made: its ttl and grace */
    TRY(FL_OK, second, &other, x, TTL);
    assert_true(other.token > last);
    RESULT(FL_OK, fl_release(&other, &error));
    assert_int_equal(kind_of(x), 'F');
}

static bool fail_at(const struct operation *o, int n)
{
    snprintf(x, sizeof x, "name %d", ++round_number);
    last = 0;
    a = (fl_lease)FL_LEASE_INIT;
    o->prepare();
    if (a.state != FL_LEASE_HELD) {
        a = (fl_lease)FL_LEASE_INIT;
    }
    arm(n);
    fl_result result = o->run();
    bool fired = disarm();
    judge(result);
    return fired;
}

static void every_file_operation_fails(void **state)
{
    static const int codes[] = {EIO, ENOENT};
    const struct operation *o = *state;
    store = open_store(share());
    second = open_store(share());
    TRY(FL_OK, store, &a, "attached", 1);
    for (int way = 0; way < 8; way++) {
        code = codes[way & 1];
        denied = way & 2;
        for_ever = way & 4;
        int n = 1;
        while (fail_at(o, n) && n < MOST) {
            n++;
        }
        assert_true(n > 1);
    }
    fl_close(store);
    fl_close(second);
}

static void the_first_use_fails(void **state)
{
    (void)state;
    char text[300];
    int n = 0;
    bool fired = true;
    for (int way = 0; way < 8; way++) {
        code = way & 1 ? ENOENT : EACCES;
        denied = way & 2;
        for_ever = way & 4;
        for (n = 1, fired = true; fired; n++) {
            snprintf(text, sizeof text, "dir:%s", scratch("first%d-%d", way, n));
            assert_int_equal(mkdir(text + 4, 0700), 0);
            fl_store *one = open_store(text), *other = open_store(text);
            fl_lease mine = FL_LEASE_INIT, others;
            arm(n);
            fl_result result = fl_try(one, &mine, "x", 1, TTL, &error);
            fired = disarm();
            if (result == FL_ERROR) {
                ASSERT_ERROR(&error, text + 4);
            }
            pass_time(result == FL_OK ? 0 : 2 * TTL);
            TRY(result == FL_OK ? FL_BUSY : FL_OK, other, &others, "x", TTL);
            fl_close(one);
            fl_close(other);
        }
        assert_true(n > 10);
    }
}

void group_directory_failing(void)
{
    enum { OPERATIONS = COUNT(operations) };
    static struct CMUnitTest each[OPERATIONS];
    for (size_t i = 0; i < OPERATIONS; i++) {
        each[i] = (struct CMUnitTest){operations[i].name, every_file_operation_fails, suite_begin, share_end,
                                      (void *)&operations[i]};
    }
    suite_run("directory_failing", each, OPERATIONS);
    static const struct CMUnitTest directory_first[] = {SHARE_TEST(the_first_use_fails)};
    RUN(directory_first);
}
