/*
 * Hooks for the tests, compiled in with -DFL_TESTING only: a step hook between the instructions that matter, clocks that can
 * be moved, and a flag that lets several stores of one process share a mapping (a race detector cannot see through two).
 */
#ifndef FILELOCK_TESTING_H
#define FILELOCK_TESTING_H

#ifdef FL_TESTING
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

extern void (*fl_step_hook)(const char *step);
extern _Atomic int64_t fl_clock_offset_coarse, fl_clock_offset_precise, fl_clock_offset_wall; /* ns */
extern bool fl_map_shared_for_tsan;

#define FL_STEP(label) (fl_step_hook ? fl_step_hook(label) : (void)0)
#else
#define FL_STEP(label) ((void)0)
#endif

#endif
