/*
 * Runs many jobs, two at a time: most of what the tests do is to wait. Each job's output is kept together. Which job meets which
 * other one is left to chance: no test may depend on having the machine to itself.
 */
#ifndef FILELOCK_TEST_LANES_H
#define FILELOCK_TEST_LANES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    unsigned ran, failed, skipped;
} tally;

/* Calls `job` for each number below `count`, in two processes; the sum of what they count. A process that dies is a failure. */
tally lanes_run(size_t count, void (*job)(size_t number, tally *counts));

#endif
