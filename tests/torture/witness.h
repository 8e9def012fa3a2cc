/*
 * The witness: shared memory outside the table, in which those who believe to hold a name leave a mark, and which judges by the
 * marks alone. It must be neither blind nor see ghosts while processes are killed and stopped at any instruction:
 *
 *   - A mark says who believes, with which token, and until when (the deadline of the lease). Whoever is granted a name puts the own mark in the
 *     place of the one that is there. That one may be there rightly only if its lease has expired, or its owner is doomed:
 *     about to be killed, or dead. The supervisor says so before it kills.
 *   - A doomed one may still be running for some microseconds. That is no blind spot: it looks at its mark itself, again and
 *     again and before it gives the name back. Mark gone, lease not expired: somebody was granted the name while it ran.
 *   - One who was stopped beyond its deadline believes nothing any more: it reads the mark first and the clock afterwards, so
 *     that a lease which is not expired *then* was not expired when the mark was replaced.
 *   - A break ends a lease that is not expired: whoever breaks says before which token it means. That excuses the lease with
 *     this token, and older ones, and no other.
 *   - A refresh may shorten a lease: its mark is shortened before, and set to the new deadline after it.
 *   - The mark is cleared before the name is given back, and set after it is granted: two marks can only meet if two leases do.
 */
#ifndef FILELOCK_TORTURE_WITNESS_H
#define FILELOCK_TORTURE_WITNESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "filelock.h"

/* incarnation (20 bits) | deadline in units of 2^16 ns (44 bits, all ones = none) | token (64 bits); 0 = nobody believes */
__extension__ typedef unsigned __int128 witness_mark;

enum { NAMES_MOST = 512, INCARNATIONS = 1 << 20 };

/* What is wrong in any number but 0. */
typedef struct {
    _Atomic unsigned long overlaps, tokens_back, wrongly_lost, wrongly_kept, status_wrong, errors;
    char error[640]; /* the last one */
} violations;

typedef struct {
    _Atomic unsigned long acquisitions, busy, refreshed, lost, expired_marks;
    _Atomic unsigned long kills, believing; /* how many of the killed were believing to hold something */
    _Atomic unsigned long stops, broken;
} figures;

typedef struct {
    struct {
        _Alignas(64) witness_mark mark; /* changed by compare-and-swap only */
        _Atomic uint64_t token;         /* the last one that was believed */
        _Atomic uint64_t broken;        /* the last one that somebody means to break */
    } name[NAMES_MOST];
    _Atomic unsigned char doomed[INCARNATIONS];
    violations wrong;
    figures figures;
} witness;

witness *witness_new(void);
void witness_clear(witness *w);

/* What one process believes about one lease of its own. */
typedef struct {
    int name;
    uint32_t incarnation;
    witness_mark mark; /* 0 = it was late and believes nothing */
    fl_lease lease;
} belief;

int64_t witness_now(void);
/* It never lags, as the other one does when the machine is busy: a lease that is over by it may be lost. */
int64_t witness_now_precise(void);

void witness_enter(witness *w, belief *b);                  /* right after the grant */
void witness_look(witness *w, const belief *b);             /* at any time while believing */
void witness_will_renew(witness *w, belief *b, double ttl); /* right before a refresh with this ttl */
void witness_renew(witness *w, belief *b);                  /* right after a refresh that succeeded */
bool witness_excuses(witness *w, const belief *b);          /* may its lease have been broken? */
void witness_will_break(witness *w, int name, uint64_t token);
void witness_leave(witness *w, const belief *b); /* right before giving back */

/* The supervisor's: before the kill, and after the dead one was reaped. */
void witness_doom(witness *w, uint32_t incarnation);
void witness_bury(witness *w, uint32_t incarnation, int names);

#endif
