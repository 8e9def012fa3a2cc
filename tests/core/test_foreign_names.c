/* From names to files and back: partners' files are found by plain names, no name leaves the directory, none is taken for another. */
#include "foreign_kit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const method *const m = &methods[0];
static fl_error error;

static const struct {
    const char *name, *file;
} pairs[] = {
    {"import", "import.lock"}, {"a.b-c_D9", "a.b-c_D9.lock"}, {"a b", "a%20b.lock"},
    {".", "%2e.lock"},         {"..", "%2e..lock"},           {".filelock-guard", "%2efilelock-guard.lock"},
    {"../x", "%2e.%2fx.lock"}, {"a/b", "a%2fb.lock"},         {"%61", "%2561.lock"},
    {"~", "%7e.lock"},         {"\xc3\xa4", "%c3%a4.lock"},   {"x.lock", "x.lock.lock"},
    {"-", "-.lock"},
};

static int tick_off(void *context, const fl_status_t *status)
{
    for (size_t i = 0; i < COUNT(pairs); i++)
        if (strcmp(pairs[i].name, status->name) == 0) {
            ((int *)context)[i]++;
            return 0;
        }
    fail_msg("%s is no lock", status->name);
    return 1;
}

static void each_name_has_its_file(void **state)
{
    (void)state;
    fl_lease leases[COUNT(pairs)];
    int seen[COUNT(pairs)] = {0};
    fl_store *store = open_store(foreign_dsn(m));
    for (size_t i = 0; i < COUNT(pairs); i++) {
        TRY(FL_OK, store, &leases[i], pairs[i].name, 100);
        assert_true(is_there(scratch("%s/%s", m->name, pairs[i].file)));
    }
    RESULT_OR(FL_OK, fl_list(store, "", 0, tick_off, seen, &error), &error);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_int_equal(seen[i], 1);
        RESULT_OR(FL_OK, fl_release(&leases[i], &error), &error);
    }
    assert_int_equal(entries_in(scratch("%s", m->name)), 1); /* the guard */
    fl_close(store);
}

/* Files that I would not have made for any name: there is no name by which their lock could be asked for. */
static void what_no_name_leads_to_is_not_listed(void **state)
{
    (void)state;
    static const char *const strangers[] = {
        "%61.lock",
        "%2E.lock",
        "a%2gb.lock",
        "a%2.lock",
        "a%.lock",
        ".hidden.lock",
        ".lock",
        "a b.lock",
        "x.pid",
        "lock",
        "a~0123456789abcdef0123456789abcdef.lock",
        "a.%2eb.lock",
    };
    int seen[COUNT(pairs)] = {0};
    fl_store *store = open_store(foreign_dsn(m));
    for (size_t i = 0; i < COUNT(strangers); i++)
        write_file(scratch("%s/%s", m->name, strangers[i]), "0\n", 2);
    RESULT_OR(FL_OK, fl_list(store, "", 0, tick_off, seen, &error), &error);
    for (size_t i = 0; i < COUNT(pairs); i++)
        assert_int_equal(seen[i], 0);
    fl_close(store);
}

/* The longest that fit, and one byte more: other files, which do not meet. */
static void names_at_the_edge_of_a_file_name(void **state)
{
    (void)state;
    enum { LENGTHS = 12 };
    fl_lease leases[LENGTHS];
    char name[300];
    fl_store *store = open_store(foreign_dsn(m));
    memset(name, 'n', sizeof name);
    for (int i = 0; i < LENGTHS; i++) {
        leases[i] = (fl_lease)FL_LEASE_INIT;
        RESULT_OR(FL_OK, fl_try(store, &leases[i], name, (size_t)(244 + i), 100, &error), &error);
    }
    assert_int_equal(entries_in(scratch("%s", m->name)), LENGTHS);
    for (int i = 0; i < LENGTHS; i++)
        RESULT_OR(FL_OK, fl_release(&leases[i], &error), &error);
    fl_close(store);
}

static void a_path_with_the_suffix_is_one_lock(void **state)
{
    (void)state;
    fl_lease lease;
    fl_status_t status;
    char dsn[300];
    int seen[COUNT(pairs)] = {0};
    snprintf(dsn, sizeof dsn, "file:%s?method=link", scratch("import.lock"));
    fl_store *store = open_store(dsn);
    TRY(FL_OK, store, &lease, "import", 100);
    assert_true(is_there(scratch("import.lock")));
    RESULT_OR(FL_OK, fl_status(store, "import", 6, &status, &error), &error);
    RESULT_OR(FL_OK, fl_list(store, "im", 2, tick_off, seen, &error), &error);
    assert_int_equal(seen[0], 1);
    RESULT(FL_OK, fl_release(&lease, &error));
    RESULT(FL_ERROR, fl_try(store, &lease, "export", 6, 100, &error));
    ASSERT_ERROR(&error, "must be \"import\"", scratch("import.lock"));
    RESULT(FL_ERROR, fl_status(store, "import.lock", 11, &status, &error));
    fl_close(store);
}

static void another_suffix(void **state)
{
    (void)state;
    fl_lease lease;
    char dsn[300];
    snprintf(dsn, sizeof dsn, "file:%s?method=exclusive&suffix=.pid", scratch("."));
    fl_store *store = open_store(dsn);
    TRY(FL_OK, store, &lease, "daemon", 100);
    assert_true(is_there(scratch("./daemon.pid")));
    fl_close(store);
    assert_false(is_there(scratch("./daemon.pid")));
    snprintf(dsn, sizeof dsn, "file:%s?method=mkdir&suffix=", scratch("."));
    store = open_store(dsn);
    TRY(FL_OK, store, &lease, "deploy", 100);
    assert_true(is_there(scratch("deploy")));
    fl_close(store);
}

/* ---- what is no lock of the method's kind */

static void put(int kind, const char *path)
{
    if (kind == 0)
        assert_int_equal(mkdir(path, 0755), 0);
    else if (kind == 1)
        assert_int_equal(mkfifo(path, 0644), 0);
    else if (kind == 2)
        assert_int_equal(symlink(scratch("outside"), path), 0);
    else
        write_file(path, "", 0);
}

static bool is_lock_of(const method *method, int kind)
{
    static const int kinds[METHODS] = {3, 0, 3, 3, 2, 3};
    return kinds[method - methods] == kind;
}

static void something_else_in_the_place(void **state)
{
    (void)state;
    write_file(scratch("outside"), "precious", 8);
    for (const method *method = methods; method < methods + METHODS; method++)
        for (int kind = 0; kind < 4; kind++) {
            fl_lease lease = FL_LEASE_INIT;
            fl_status_t status;
            char name[20];
            snprintf(name, sizeof name, "x%d", kind);
            if (is_lock_of(method, kind))
                continue;
            fl_store *store = open_store(foreign_dsn(method));
            put(kind, lock_path(method, name));
            set_time(lock_path(method, name), 1, 0); /* not because it is too young */
            RESULT(FL_ERROR, fl_try(store, &lease, name, 2, 100, &error));
            ASSERT_ERROR(&error, "cannot", lock_path(method, name));
            RESULT(FL_ERROR, fl_status(store, name, 2, &status, &error));
            ASSERT_ERROR(&error, "cannot", lock_path(method, name));
            assert_true(is_there(lock_path(method, name)));
            fl_close(store);
        }
    size_t size;
    char *text = read_file(scratch("outside"), &size);
    assert_true(size == 8 && memcmp(text, "precious", 8) == 0);
    free(text);
}

/* A file that happens to bear a lock's name, however old, is not removed. */
static void work_is_no_stale_lock(void **state)
{
    (void)state;
    static char work[5000];
    for (const method *method = methods; method < methods + METHODS; method++) {
        fl_lease lease = FL_LEASE_INIT;
        if (!method->removes) {
            continue;
        }
        fl_store *store = open_store(foreign_dsn(method));
        write_file(lock_path(method, "x"), work, sizeof work);
        set_time(lock_path(method, "x"), 1, 0);
        RESULT(FL_ERROR, fl_try(store, &lease, "x", 1, 100, &error));
        ASSERT_ERROR(&error, "cannot take", "it is a file");
        assert_true(is_there(lock_path(method, "x")));
        fl_close(store);
    }
}

/* Nobody could remove it, so it is not said to be given back. */
static void a_filled_directory_is_not_given_back(void **state)
{
    (void)state;
    fl_lease lease;
    fl_status_t status;
    const method *mkdirs = &methods[1];
    fl_store *store = open_store(foreign_dsn(mkdirs));
    TRY(FL_OK, store, &lease, "x", 100);
    write_file(scratch("mkdir/x.lock/mine"), "", 0);
    RESULT(FL_ERROR, fl_release(&lease, &error));
    ASSERT_ERROR(&error, "cannot give back", "not empty", lock_path(mkdirs, "x"));
    RESULT(FL_OK, fl_status(store, "x", 1, &status, &error));
    TRY(FL_BUSY, store, &lease, "x", 100);
    fl_close(store);
}

void group_foreign_names(void)
{
    static const struct CMUnitTest foreign_names[] = {
        TEST(each_name_has_its_file),
        TEST(what_no_name_leads_to_is_not_listed),
        TEST(names_at_the_edge_of_a_file_name),
        TEST(a_path_with_the_suffix_is_one_lock),
        TEST(another_suffix),
        TEST(something_else_in_the_place),
        TEST(work_is_no_stale_lock),
        TEST(a_filled_directory_is_not_given_back),
    };
    RUN(foreign_names);
}
