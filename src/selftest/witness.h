/*
 * Who believes to hold which name, in memory that has nothing to do with the locks. A holder sets its mark after the grant and takes it
 * away before the release, so that two marks can only meet if two leases do. A mark may be replaced when its lease has
 * expired, or its owner is doomed: about to be killed, or dead.
 */
#ifndef FILELOCK_SELFTEST_WITNESS_H
#define FILELOCK_SELFTEST_WITNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "filelock.h"

enum { WITNESS_NAMES = 9, WITNESS_INCARNATIONS = 1 << 16, WITNESS_TIMES = 1 << 16 };

typedef struct {
    _Atomic uint32_t count; /* that were seen; the first WITNESS_TIMES are kept */
    _Atomic uint32_t us[WITNESS_TIMES];
} witness_times;

typedef struct {
    _Atomic uint32_t overlaps, tokens_back, wrongly_lost, wrongly_kept, errors;
    char error[512]; /* of whoever raised errors from 0 */
} witness_faults;

typedef struct {
    struct {
        _Alignas(
            64) _Atomic uint64_t mark; /* incarnation, 16 bits | deadline in units of 2^16 ns, 48 bits; 0 = nobody */
        _Atomic uint64_t token;        /* the highest that was believed */
        _Atomic int64_t released;      /* ns; 0: not known */
    } name[WITNESS_NAMES];
    _Atomic int64_t doomed[WITNESS_INCARNATIONS]; /* since when, ns; 0: it is not */
    _Atomic bool stop;
    _Atomic uint32_t hangs;     /* the incarnation that is about to hang, or does; 0: none */
    _Atomic int64_t hang_again; /* ns, os_now(); not before */
    _Atomic unsigned long taken;
    witness_faults wrong;
    witness_times hand_over, after_kill, after_end;
} witness;

typedef struct {
    witness *w;
    int name;
    uint32_t incarnation; /* > 0 */
    int64_t waits_since;  /* ns */
    uint64_t mark;        /* 0 = it came late and believes nothing */
    const fl_lease *lease;
} belief;

witness *witness_new(void);
void witness_free(witness *w);

void witness_enter(belief *b);       /* right after the grant */
void witness_look(const belief *b);  /* at any time while believing */
void witness_renew(belief *b);       /* right after a refresh that did not shorten */
bool witness_leave(const belief *b); /* right before giving back; false: it believed nothing any more */
bool witness_is_late(const belief *b);
bool witness_is_mine(const belief *b);               /* nobody has come after me, late or not */
uint32_t witness_holder(const witness *w, int name); /* incarnation; 0: nobody */

void witness_error(witness *w, const char *message);
/* Median and worst, in seconds; false: none was seen. Sorts them. */
bool witness_figures(witness_times *times, double *median, double *worst);

#endif
