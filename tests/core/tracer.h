/*
 * Stops a peer at any system call, by ptrace(2): no step of the library's own needs to be there.
 *
 *     tracer_seize(&p);
 *     peer_tell(&p, "try 0 10 x");
 *     if (tracer_run_to(&p, n))       it is about to make its n-th system call, and has not made it
 *         peer_kill(&p);              nor will it
 *
 * What it reads its orders with does not count. The last one that counts is the one that answers.
 */
#ifndef FILELOCK_TEST_TRACER_H
#define FILELOCK_TEST_TRACER_H

#include "peer.h"

/* From now on it stops at system calls; call it while it waits for an order. */
void tracer_seize(peer *p);
/* False: it has answered before, and goes on untraced. */
bool tracer_run_to(peer *p, int n);
/* The number of the system call before which it was stopped. */
long tracer_stopped_before(void);

#endif
