/* What the parts of the self-test share; the manual is ../selftest.h. */
#ifndef FILELOCK_SELFTEST_PARTS_H
#define FILELOCK_SELFTEST_PARTS_H

#include "dsn.h"
#include "error.h"
#include "selftest.h"
#include "selftest/witness.h"

typedef struct {
    const fl_selftest_plan *plan;
    fl_selftest_report *report;
    char path[2][FL_DSN_PATH_MAX]; /* the own subdirectory, over either mount; the same if there is one only */
    bool two;
} selftest;

/* The end of it, and the reason; returns false. The first reason stays. */
bool selftest_fail(selftest *t, const char *format, ...) FL_PRINTF(2, 3);
/* True: somebody wants to stop; it is in the report. */
bool selftest_is_stopped(selftest *t);
void selftest_tell(const selftest *t, const char *format, ...) FL_PRINTF(2, 3);
/* "dir:" and the path, with what has a meaning in a DSN escaped. */
void selftest_dsn(const char *path, char dsn[3 * FL_DSN_PATH_MAX + 8]);

/* primitives.c, race.c: false when the directory has failed. */
bool selftest_clock(selftest *t);
bool selftest_directories(selftest *t);
bool selftest_links(selftest *t);
bool selftest_listing(selftest *t);
bool selftest_renames(selftest *t);

/* trial.c: the processes and their supervisor; worker.c: one of them. */
bool selftest_trial(selftest *t);
_Noreturn void selftest_work(const selftest *t, witness *w, uint32_t incarnation);

#endif
