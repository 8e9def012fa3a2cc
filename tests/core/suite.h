/*
 * What every test of the core starts from: a scratch directory of its own, a watchdog, peers that are ended with the test.
 *
 * The watchdog and the peers' patience are detectors of hangs, far above anything normal: no test judges by them how long
 * something took.
 */
#ifndef FILELOCK_TEST_SUITE_H
#define FILELOCK_TEST_SUITE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "filelock.h"
#include "lanes.h"
#include "peer.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A test with a scratch directory, in a group that suite_run() runs and counts. */
#define TEST(function) cmocka_unit_test_setup_teardown(function, suite_begin, suite_end)
#define RUN(group) suite_run(#group, group, COUNT(group))

/* Scratch directories are in memory, or else on a disk (/var/tmp; which may be memory, too, where there is no disk). */
extern bool suite_on_disk;

int suite_begin(void **state);
int suite_end(void **state);
void suite_run(const char *name, const struct CMUnitTest *tests, size_t count);
tally suite_sum(void);
int suite_close(tally sum); /* the sum in one line; the program's exit status */

/* Ends the test as skipped, and says why: the caller of the suite compares it with a list of accepted reasons. */
#define SKIP(reason) \
    do { \
        suite_skip(reason); \
        skip(); \
    } while (0)
void suite_skip(const char *reason);
void need_root(void);
/* From now on, mounts are this process's and its children's alone: call it in_child(). Skips the test where that is refused. */
void private_mounts(void);

/* The formatted path below the test's scratch directory; valid for the next 15 calls. "" is the directory itself. */
const char *scratch(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "table:" + scratch(format). Directory and table are created by the first try. */
const char *dsn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Opens or fails the test. */
fl_store *open_store(const char *dsn);

/* fl_try() on a fresh lease; a result other than `want` fails the test and shows the message. */
#define TRY(want, store, lease, name, ttl) try_at(__FILE__, __LINE__, want, store, lease, name, ttl)
void try_at(const char *file, int line, fl_result want, fl_store *store, fl_lease *lease, const char *name, double ttl);

/* A result with its name in the message of a failure. */
#define RESULT(want, got) result_at(__FILE__, __LINE__, want, got, NULL)
#define RESULT_OR(want, got, error) result_at(__FILE__, __LINE__, want, got, error)
void result_at(const char *file, int line, fl_result want, fl_result got, const fl_error *error);

/* FL_ERROR with all of the words in its message. */
void assert_error(const fl_error *error, const char *const *words, size_t count);
#define ASSERT_ERROR(error, ...) \
    assert_error(error, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

/*
 * Runs a test function in a forked child, for what would spoil this process. The child runs it as a test of its own, since a
 * failed assertion must not jump into the parent's tests; the test of the parent fails or is skipped with it.
 */
void in_child(void (*work)(void **state));

/* Nanoseconds of the clock that leases live by, and of the precise one. */
int64_t coarse_now(void);
int64_t precise_now(void);

/* All bytes of a file, malloced. */
char *read_file(const char *path, size_t *size);
void write_file(const char *path, const void *bytes, size_t size);
/* Number of entries in a directory, without . and .. */
int entries_in(const char *path);

#endif
