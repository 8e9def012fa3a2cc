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

/* Each attachment has a slot; there are at least 1,024. Closed ones and those of the dead are used again. */
enum { SLOTS = 1024 };

static int attach_many(fl_store **stores, int most)
{
    static fl_lease lease;
    for (int i = 0; i < most; i++) {
        stores[i] = open_store(dsn("t?capacity=64"));
        if (fl_try(stores[i], &lease, "x", 1, 10, &error) != FL_OK) {
            return i;
        }
        RESULT(FL_OK, fl_release(&lease, &error));
    }
    return most;
}

static void as_many_as_there_are_slots(void **state)
{
    (void)state;
    static fl_store *stores[SLOTS + 1];
    static fl_lease lease;
    assert_int_equal(attach_many(stores, SLOTS + 1), SLOTS);
    ASSERT_ERROR(&error, scratch("t"), "1024 processes");
    fl_close(stores[500]);
    TRY(FL_OK, stores[SLOTS], &lease, "x", 10);
    for (int i = 0; i <= SLOTS; i++) {
        if (i != 500) {
            fl_close(stores[i]);
        }
    }
}

static void attach_and_die(void **state)
{
    (void)state;
    static fl_store *stores[SLOTS];
    static fl_lease leases[10];
    assert_int_equal(attach_many(stores, SLOTS), SLOTS);
    for (int i = 0; i < 10; i++) {
        RESULT(FL_OK, try_number(stores[100 * i], &leases[i], i));
    }
}

static void slots_of_the_dead(void **state)
{
    (void)state;
    static fl_store *stores[SLOTS];
    static fl_lease leases[10];
    in_child(attach_and_die);
    assert_int_equal(attach_many(stores, SLOTS), SLOTS);
    for (int i = 0; i < 10; i++) {
        RESULT_OR(FL_OK, try_number(stores[i], &leases[i], i), &error);
    }
    for (int i = 0; i < SLOTS; i++) {
        fl_close(stores[i]);
    }
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
        TEST(small_table_full),           TEST(default_table_full), TEST(largest_table_full), TEST(full_of_the_dead),
        TEST(as_many_as_there_are_slots), TEST(slots_of_the_dead),  TEST(one_million_names),
    };
    RUN(limits);
}
