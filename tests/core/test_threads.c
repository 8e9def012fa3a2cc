/* Two threads of one process are two owners, and the lock orders their memory. */
#include "suite.h"

#include "testing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20000 };

static long counter; /* deliberately plain: only the lock protects it */

/* cmocka's assertions are for one thread: these return what went wrong. */
static void *count_up(void *path)
{
    fl_error error;
    fl_store *store = NULL;
    fl_lease lease = FL_LEASE_INIT;
    if (fl_open(path, &store, &error) != FL_OK) {
        return "open";
    }
    for (int done = 0; done < ROUNDS;) {
        fl_result result = fl_try(store, &lease, "x", 1, INFINITY, &error);
        if (result == FL_OK) {
            counter++;
            done++;
            if (fl_release(&lease, &error) != FL_OK) {
                return "release";
            }
        } else if (result != FL_BUSY) {
            return "try";
        }
    }
    fl_close(store);
    return NULL;
}

static void *count_up_waiting(void *path)
{
    fl_error error;
    fl_store *store = NULL;
    fl_lease lease = FL_LEASE_INIT;
    if (fl_open(path, &store, &error) != FL_OK) {
        return "open";
    }
    for (int done = 0; done < ROUNDS / 10; done++) {
        if (fl_acquire(store, &lease, "x", 1, 1000, INFINITY, NULL, &error) != FL_OK) {
            return "acquire";
        }
        counter++;
        if (fl_refresh(&lease, NULL, &error) != FL_OK || fl_release(&lease, &error) != FL_OK) {
            return "release";
        }
    }
    fl_close(store);
    return NULL;
}

#ifdef FL_TEST_TSAN
/* Here, since the first to look at a table that another one is making looks without permission to write. */
static void make_shared_mapping(const char *path)
{
    static fl_lease lease;
    fl_store *store = open_store(path);
    TRY(FL_OK, store, &lease, "first", 10);
    fl_close(store);
}
#endif

static void run_both(void *(*work)(void *), const char *path)
{
    pthread_t threads[2];
    void *failed = NULL;
    char *copy = strdup(path);
    counter = 0;
#ifdef FL_TEST_TSAN
    make_shared_mapping(path);
#endif
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, copy), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &failed);
        if (failed) {
            fail_msg("%s", (const char *)failed);
        }
    }
    free(copy);
}

static void try_excludes(void **state)
{
    (void)state;
    run_both(count_up, dsn("t"));
    assert_int_equal(counter, 2 * ROUNDS);
}

static void acquire_excludes(void **state)
{
    (void)state;
    run_both(count_up_waiting, dsn("t"));
    assert_int_equal(counter, 2 * (ROUNDS / 10));
}

/* Attaching, binding and evicting names, recovering: by two threads at once on few entries. */
static void *many_names(void *path)
{
    fl_error error;
    fl_store *store = NULL;
    for (int round = 0; round < 30; round++) {
        if (fl_open(path, &store, &error) != FL_OK) {
            return "open";
        }
        for (int i = 0; i < 150; i++) {
            fl_lease lease = FL_LEASE_INIT;
            fl_status_t s;
            char name[2] = {(char)(i + 1), (char)(round / 10)};
            fl_result result = fl_try(store, &lease, name, 2, INFINITY, &error);
            fl_result seen = fl_status(store, name, 2, &s, &error);
            if (result == FL_ERROR || seen == FL_ERROR || (result == FL_OK && !(seen == FL_OK && s.mine))) {
                return "try or status";
            }
            if (result == FL_OK && i % 7 && fl_release(&lease, &error) != FL_OK) {
                return "release";
            }
        }
        fl_close(store);
    }
    return NULL;
}

static void everything_at_once(void **state)
{
    (void)state;
    run_both(many_names, dsn("t?capacity=64"));
}

struct handover {
    fl_store *store;
    fl_lease lease;
};

/* A thread that ends without closing leaves its store to be closed by whoever has the pointer. */
static void *hold(void *context)
{
    struct handover *h = context;
    fl_error error;
    return fl_try(h->store, &h->lease, "x", 1, INFINITY, &error) == FL_OK ? NULL : "try";
}

static void a_thread_holds_against_another(void **state)
{
    (void)state;
    static struct handover h;
    pthread_t thread;
    void *failed = NULL;
    fl_store *store = open_store(dsn("t"));
    static fl_lease lease;
    fl_status_t s;
    fl_error error;
    h.store = open_store(dsn("t"));
    assert_int_equal(pthread_create(&thread, NULL, hold, &h), 0);
    pthread_join(thread, &failed);
    assert_null(failed);
    TRY(FL_BUSY, store, &lease, "x", 10);
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    assert_false(s.mine);
    RESULT(FL_BUSY, fl_acquire(store, &lease, "x", 1, 10, 0.02, NULL, &error));
    fl_close(h.store);
    TRY(FL_OK, store, &lease, "x", 10);
    fl_close(store);
}

/* Each in a process of its own: a race detector is given one mapping per process, see src/testing.h. */
static void alone(void **state)
{
#ifdef FL_TEST_TSAN
    fl_map_shared_for_tsan = true;
#endif
    in_child((void (*)(void **))(uintptr_t)*state);
}

#define CASE(function) \
    { \
#function, alone, suite_begin, suite_end, (void *)(uintptr_t)function \
    }

void group_threads(void)
{
    static const struct CMUnitTest threads[] = {
        CASE(try_excludes),
        CASE(acquire_excludes),
        CASE(everything_at_once),
        CASE(a_thread_holds_against_another),
    };
    RUN(threads);
#ifdef FL_TEST_TSAN
    fl_map_shared_for_tsan = false;
#endif
}
