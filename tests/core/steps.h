/*
 * The operations that test_steps.c interrupts at every step: how each is prepared and started. One process does the operation,
 * three others are there: one who holds what it wants, one who looks, and one whose clock is an hour ahead.
 */
#ifndef FILELOCK_TEST_STEPS_H
#define FILELOCK_TEST_STEPS_H

#include "image.h"
#include "suite.h"

typedef enum { TAKES, RELEASES, REFRESHES, BREAKS, WAITS, IS_SERVED, CLOSES } step_kind;

typedef struct {
    const char *name, *options;
    void (*prepare)(void);
    step_kind kind;
} step_operation;

extern const step_operation step_operations[];
extern const size_t step_operation_count;

extern peer victim, holder, watcher, future;
extern char x[32];                       /* the name that it is about */
extern const char *step_dsn, *step_path; /* the table's */
extern lease_image held;                 /* the victim's lease before the operation, if it had one */

void steps_open_others(const step_operation *o);
void steps_open_victim(void);
/* Ends (how: "kill" or "stop") the operation at its n-th step; false: it has no n-th step. */
bool steps_run_to(const step_operation *o, int n, const char *how);

#endif
