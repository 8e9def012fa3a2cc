/* Capacity and memory at their ends: an error that says so, never a wrong grant. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static fl_error error;

static fl_result try_number(fl_store *store, fl_lease *lease, int number)
{
    char name[20];
    size_t length = (size_t)snprintf(name, sizeof name, "name%d", number);
    return fl_try(store, lease, name, length, INFINITY, &error);
}

/* At least 95 % can be held at once; one too many is refused, and nothing that is held suffers from it. */
static void fill_up(int capacity)
{
    fl_lease *leases = calloc((size_t)capacity + 1, sizeof *leases);
    fl_store *store = open_store(dsn("t?capacity=%d", capacity));
    int held = 0;
    while (held <= capacity && try_number(store, &leases[held], held) == FL_OK) {
        held++;
    }
    assert_in_range(held, capacity * 95 / 100, capacity);
    assert_int_equal(error.fault, FL_WORLD_FAILED);
    ASSERT_ERROR(&error, "full", scratch("t"), "capacity=");
    for (int i = 0; i < held; i++) {
        RESULT(FL_OK, fl_verify(&leases[i]));
    }
    RESULT(FL_BUSY, try_number(store, &leases[held], 0));
    RESULT(FL_OK, fl_release(&leases[0], &error));
    RESULT_OR(FL_OK, try_number(store, &leases[0], capacity + 1), &error);
    fl_close(store);
    free(leases);
}

static void small_table_full(void **state)
{
    (void)state;
    fill_up(64);
}

static void default_table_full(void **state)
{
    (void)state;
    fill_up(16384);
}

static void largest_table_full(void **state)
{
    (void)state;
    fill_up(65536);
}

/* The dead give room. */
static void full_of_the_dead(void **state)
{
    (void)state;
    fl_lease lease = FL_LEASE_INIT;
    peer dead;
    fl_store *store = open_store(dsn("t?capacity=64"));
    peer_open(&dead, dsn("t?capacity=64"));
    for (int i = 0; i < 60; i++) {
        EXPECT(&dead, "ok", "try %d inf dead%d", i, i);
    }
    peer_kill(&dead);
    for (int i = 0; i < 64; i++) {
        RESULT_OR(FL_OK, try_number(store, &lease, i), &error);
        RESULT(FL_OK, fl_release(&lease, &error));
    }
    fl_close(store);
}

/* What a process occupies: pages of its own (of the table it maps no more than the table is large) and the file. */
static long private_pages(void)
{
    long size = 0, resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%ld %ld %ld", &size, &resident, &shared), 3);
    fclose(f);
    return resident - shared;
}

static void one_million_names(void **state)
{
    (void)state;
    fl_lease lease = FL_LEASE_INIT;
    struct stat before, after;
    long pages = 0;
    fl_store *store = open_store(dsn("t?capacity=1024"));
    for (int i = 0; i < 1000000; i++) {
        RESULT_OR(FL_OK, try_number(store, &lease, i), &error);
        RESULT(FL_OK, fl_release(&lease, &error));
        if (i == 5000) {
            assert_int_equal(stat(scratch("t/filelock.table"), &before), 0);
            pages = private_pages();
        }
    }
    assert_int_equal(stat(scratch("t/filelock.table"), &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_blocks, after.st_blocks);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(entries_in(scratch("t")), 1);
    assert_true(private_pages() - pages < 64);
    fl_close(store);
}

void group_limits(void)
{
    static const struct CMUnitTest limits[] = {
        TEST(small_table_full), TEST(default_table_full), TEST(largest_table_full),
        TEST(full_of_the_dead), TEST(one_million_names),
    };
    RUN(limits);
}
