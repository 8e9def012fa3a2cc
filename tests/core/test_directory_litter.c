/* What stays behind: one directory with one file per name, until the collector removes what nobody has used for long. */
#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 1000, ACQUISITIONS = 100000 };

static fl_error error;

static void take_and_give(fl_store *store, int i)
{
    fl_lease a = FL_LEASE_INIT;
    char name[32];
    size_t length = (size_t)sprintf(name, "name %d", i % NAMES);
    RESULT_OR(FL_OK, fl_try(store, &a, name, length, 10, &error), &error);
    RESULT_OR(FL_OK, fl_release(&a, &error), &error);
}

typedef struct {
    int directories, files;
} census;

static bool count_state(void *context, const char *entry)
{
    (void)entry;
    ((census *)context)->files++;
    return true;
}

static const char *bucket;

static bool count_lock(void *context, const char *entry)
{
    char path[600];
    ((census *)context)->directories++;
    snprintf(path, sizeof path, "%s/%s", bucket, entry);
    assert_int_equal(files.list(path, count_state, context), 0);
    return true;
}

static census count_all(void)
{
    census c = {0, 0};
    for (int i = 0; i < 256; i++) {
        bucket = scratch("d/%02x", i);
        files.list(bucket, count_lock, &c);
    }
    return c;
}

static void one_directory_with_one_file_per_name(void **state)
{
    (void)state;
    unsigned removed = 0;
    fl_store *store = open_store(share());
    for (int i = 0; i < ACQUISITIONS; i++) {
        take_and_give(store, i);
    }
    census c = count_all();
    assert_int_equal(c.directories, NAMES);
    assert_int_equal(c.files, NAMES);
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    assert_int_equal(entries_in(scratch("d/.clock")), 0);
    fl_lease held;
    TRY(FL_OK, store, &held, "name 7", 10 * COLLECT_AFTER);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(removed, 0);
    pass_time(2 * COLLECT_AFTER);
    take_and_give(store, 8);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(removed, NAMES - 2);
    assert_int_equal(count_all().directories, 2);
    RESULT(FL_OK, fl_release(&held, &error));
    fl_close(store);
}

/* Names that are used once only do not pile up although nobody collects. */
static void litter_has_a_limit(void **state)
{
    (void)state;
    fl_store *store = open_store(share());
    int most = 0;
    for (int day = 0; day < 40; day++) {
        for (int i = 0; i < 100; i++) {
            fl_lease a = FL_LEASE_INIT;
            char name[40];
            size_t length = (size_t)sprintf(name, "once %d %d", day, i);
            RESULT_OR(FL_OK, fl_try(store, &a, name, length, 10, &error), &error);
            RESULT_OR(FL_OK, fl_release(&a, &error), &error);
        }
        pass_time(COLLECT_AFTER + 60);
        int now = count_all().directories;
        most = now > most ? now : most;
    }
    assert_true(most < 1000); /* of 4,000 */
    fl_close(store);
}

static void what_the_killed_left_half_made(void **state)
{
    (void)state;
    unsigned removed;
    peer victim;
    fl_store *store = open_store(share());
    peer_open(&victim, share());
    EXPECT(&victim, "ok", "cycle 1 x");
    EXPECT(&victim, "ok", "armat kill create:publish");
    peer_tell(&victim, "try 0 10 y");
    peer_answer(&victim);
    assert_true(peer_said(&victim, "killed"));
    peer_kill(&victim);
    assert_int_equal(entries_in(scratch("d/.new")), 1);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(entries_in(scratch("d/.new")), 1); /* it could be at work */
    write_file(scratch("d/.clock/old"), "", 0);
    struct timespec yesterday[2] = {{.tv_sec = time(NULL) - 86400}, {.tv_sec = time(NULL) - 86400}};
    assert_int_equal(utimensat(AT_FDCWD, scratch("d/.clock/old"), yesterday, 0), 0);
    char path[300];
    snprintf(path, sizeof path, "for i in %s/*; do touch -d yesterday $i; done", scratch("d/.new"));
    assert_int_equal(system(path), 0);
    fl_store *next = open_store(share());
    fl_lease a;
    TRY(FL_OK, next, &a, "x", 10); /* nobody has to call a collector */
    fl_close(next);
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    assert_int_equal(entries_in(scratch("d/.clock")), 0);
    fl_close(store);
}

/* A collector was killed after it had put a half-made lock aside; something strange lies about; a rename fails. */
static void what_a_killed_collector_put_aside(void **state)
{
    (void)state;
    char strange[200], text[400];
    unsigned removed;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    snprintf(strange, sizeof strange, "%s/%0120d", lock_directory("x"), 0);
    char *end = strrchr(strange, '/');
    memmove(strrchr(lock_directory("x"), '/') - lock_directory("x") + strange, end,
            strlen(end) + 1); /* into the bucket */
    write_file(strange, "", 0);
    RESULT(FL_OK, fl_release(&a, &error));
    snprintf(text, sizeof text, "rm -r %s", lock_directory("x"));
    assert_int_equal(system(text), 0);
    TRY(FL_OK, store, &a, "x", 10); /* a new lock: looks at what is beside it */
    const char *const made[] = {scratch("d/.new/dead-a"), scratch("d/.new/b")};
    for (size_t i = 0; i < COUNT(made); i++) {
        snprintf(text, sizeof text, "mkdir %s && echo x >%s/1.F && touch -d yesterday %s", made[i], made[i], made[i]);
        assert_int_equal(system(text), 0);
    }
    lie_rename(FAIL_BEFORE, EIO, 1);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(entries_in(scratch("d/.new")), 1);
    RESULT_OR(FL_OK, collect_attached(store, &removed, &error), &error);
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    assert_int_equal(removed, 0);
    assert_int_equal(access(strange, F_OK), 0); /* not ours */
    fl_close(store);
}

void group_directory_litter(void)
{
    static const struct CMUnitTest directory_litter[] = {
        SHARE_TEST(one_directory_with_one_file_per_name),
        SHARE_TEST(litter_has_a_limit),
        SHARE_TEST(what_the_killed_left_half_made),
        SHARE_TEST(what_a_killed_collector_put_aside),
    };
    RUN(directory_litter);
}
