/* What the tests of the directory store share: a directory, time that passes for everybody, and a server that lies. */
#ifndef FILELOCK_TEST_SHARE_H
#define FILELOCK_TEST_SHARE_H

#include "directory/directory.h"
#include "directory/files.h"
#include "suite.h"

/* "dir:" + a directory of mode 2770 in the scratch directory, made at the first call. */
const char *share(void);
/* Everything true again: the server's clock, its answers, this process's clocks, the system. In every test's end. */
int share_end(void **state);
#define SHARE_TEST(function) cmocka_unit_test_setup_teardown(function, suite_begin, share_end)

/* Seconds that pass on the server and in this process; or on one of them only. */
void pass_time(double seconds);
void pass_server_time(double seconds);
void pass_own_time(double seconds);

/* The lock's directory, and its only entry; the test fails when there is not exactly one. */
const char *lock_directory(const char *name);
const char *state_of(const char *name);
char kind_of(const char *name); /* 'F', 'H', 'L' */

/* What the server does to the next `count` calls. */
typedef enum {
    TRUE_ANSWER,
    FAIL_AFTER,  /* does it, and says that it failed */
    FAIL_BEFORE, /* does not do it */
    LATE,        /* says that it failed, and does it when lie_execute_late() is called */
} lie;
void lie_rename(lie what, int code, int count);
void lie_execute_late(void);
void lie_list_before(void); /* listings are as they are now, from now on */
void lie_list_truth(void);
void lie_make_file(int code); /* 0: true again */

#endif
