/*
 * What lies where the table should be and is none of ours: an error that names the path and a way out, and the thing is left
 * as it was.
 */
#include "suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table/layout.h"

#define FILE_NAME "t/" LAYOUT_FILE

static fl_error error;
static fl_lease lease;

static int begin(void **state)
{
    return suite_begin(state) || mkdir(scratch("t"), 0755);
}

/* try, status and list are refused alike: nothing is granted, and nothing is said to be free. */
static void assert_refused(const char *path)
{
    fl_status_t s;
    fl_store *store = open_store(dsn("t"));
    RESULT(FL_ERROR, fl_try(store, &lease, "x", 1, 10, &error));
    assert_int_equal(error.fault, FL_WORLD_FAILED);
    ASSERT_ERROR(&error, path);
    assert_true(strlen(error.message) > strlen(path) + 20);
    RESULT(FL_ERROR, fl_status(store, "x", 1, &s, &error));
    ASSERT_ERROR(&error, path);
    fl_close(store);
}

static void refused_and_untouched(const void *bytes, size_t size)
{
    size_t after;
    struct stat before, now;
    write_file(scratch(FILE_NAME), bytes, size);
    assert_int_equal(stat(scratch(FILE_NAME), &before), 0);
    assert_refused(scratch(FILE_NAME));
    char *again = read_file(scratch(FILE_NAME), &after);
    assert_int_equal(after, size);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(stat(scratch(FILE_NAME), &now), 0);
    assert_int_equal(now.st_ino, before.st_ino);
    assert_int_equal(now.st_mode, before.st_mode);
    assert_int_equal(entries_in(scratch("t")), 1);
    free(again);
}

static char *whole_table(size_t *size)
{
    fl_store *store = open_store(dsn("t"));
    TRY(FL_OK, store, &lease, "x", 10);
    fl_close(store);
    return read_file(scratch(FILE_NAME), size);
}

static void empty(void **state)
{
    (void)state;
    refused_and_untouched("", 0);
}

static void garbage(void **state)
{
    (void)state;
    static char bytes[100000];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 2654435761u >> 13);
    }
    refused_and_untouched(bytes, sizeof bytes);
    refused_and_untouched(bytes, 3);
}

static void foreign_format(void **state)
{
    (void)state;
    static char text[20000] = "SQLite format 3";
    refused_and_untouched(text, sizeof text);
    memset(text, 0, sizeof text);
    refused_and_untouched(text, sizeof text);
}

static void truncated(void **state)
{
    (void)state;
    size_t size;
    char *bytes = whole_table(&size);
    refused_and_untouched(bytes, size - 1);
    refused_and_untouched(bytes, size / 2);
    refused_and_untouched(bytes, HEADER_SIZE);
    refused_and_untouched(bytes, 20);
    free(bytes);
}

static void another_version(void **state)
{
    (void)state;
    size_t size;
    char *bytes = whole_table(&size);
    uint32_t format = LAYOUT_FORMAT + 1;
    memcpy(bytes + offsetof(table_header, format), &format, sizeof format);
    refused_and_untouched(bytes, size);
    ASSERT_ERROR(&error, "another version");
    free(bytes);
}

/* A header that does not fit itself: no size or capacity from a file is believed. */
static void a_flipped_bit_in_the_header(void **state)
{
    (void)state;
    static const size_t offsets[] = {offsetof(table_header, capacity),    offsetof(table_header, size) + 2,
                                     offsetof(table_header, nonce),       offsetof(table_header, seed),
                                     offsetof(table_header, first_token), offsetof(table_header, checksum)};
    size_t size;
    char *bytes = whole_table(&size);
    for (size_t i = 0; i < COUNT(offsets); i++) {
        bytes[offsets[i]] ^= 0x10;
        refused_and_untouched(bytes, size);
        bytes[offsets[i]] ^= 0x10;
    }
    free(bytes);
}

static void a_directory(void **state)
{
    (void)state;
    assert_int_equal(mkdir(scratch(FILE_NAME), 0755), 0);
    assert_refused(scratch(FILE_NAME));
    assert_int_equal(rmdir(scratch(FILE_NAME)), 0);
}

/* Opening it must not wait for a writer, either. */
static void a_fifo(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkfifo(scratch(FILE_NAME), 0600), 0);
    assert_refused(scratch(FILE_NAME));
    assert_int_equal(stat(scratch(FILE_NAME), &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
}

static void a_symbolic_link(void **state)
{
    (void)state;
    assert_int_equal(symlink(scratch("elsewhere"), scratch(FILE_NAME)), 0);
    assert_refused(scratch(FILE_NAME));
    assert_int_equal(access(scratch("elsewhere"), F_OK), -1);
    write_file(scratch("elsewhere"), "precious", 8);
    assert_refused(scratch(FILE_NAME));
    size_t size;
    char *bytes = read_file(scratch("elsewhere"), &size);
    assert_int_equal(size, 8);
    free(bytes);
}

/* Even if it leads to a good table: whoever may write here could lead us elsewhere. */
static void a_link_to_a_good_table(void **state)
{
    (void)state;
    size_t size;
    free(whole_table(&size));
    assert_int_equal(rename(scratch(FILE_NAME), scratch("good")), 0);
    assert_int_equal(symlink(scratch("good"), scratch(FILE_NAME)), 0);
    assert_refused(scratch(FILE_NAME));
}

static void the_directory_is_a_file(void **state)
{
    (void)state;
    assert_int_equal(rmdir(scratch("t")), 0);
    write_file(scratch("t"), "precious", 8);
    assert_refused(scratch("t"));
    assert_int_equal(access(scratch("t"), F_OK), 0);
}

static void no_directory_above(void **state)
{
    (void)state;
    fl_store *store = open_store(dsn("no/such/place"));
    RESULT(FL_ERROR, fl_try(store, &lease, "x", 1, 10, &error));
    ASSERT_ERROR(&error, scratch("no"));
    assert_int_equal(access(scratch("no"), F_OK), -1);
    fl_close(store);
}

/* In a directory of mine lies a table of somebody else, who could change my locks at will. */
static void another_owner(void **state)
{
    (void)state;
    size_t size;
    need_root();
    char *bytes = whole_table(&size);
    assert_int_equal(chmod(scratch(FILE_NAME), 0666), 0);
    assert_int_equal(chown(scratch(FILE_NAME), 12345, 12345), 0);
    assert_refused(scratch(FILE_NAME));
    ASSERT_ERROR(&error, "12345");
    free(bytes);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, suite_end)

void group_unusable(void)
{
    static const struct CMUnitTest unusable[] = {
        CASE(empty),
        CASE(garbage),
        CASE(foreign_format),
        CASE(truncated),
        CASE(another_version),
        CASE(a_flipped_bit_in_the_header),
        CASE(a_directory),
        CASE(a_fifo),
        CASE(a_symbolic_link),
        CASE(a_link_to_a_good_table),
        CASE(the_directory_is_a_file),
        CASE(no_directory_above),
        CASE(another_owner),
    };
    RUN(unusable);
}
