/* One tortured process: takes, holds, refreshes, gives back, looks, without an end. */
#ifndef FILELOCK_TORTURE_WORKER_H
#define FILELOCK_TORTURE_WORKER_H

#include "witness.h"

typedef struct {
    const char *dsn;
    int names;
    uint64_t seed;
    unsigned can; /* fl_capabilities() */
} plan;

size_t plan_name(int name, char *buffer);
_Noreturn void worker_run(witness *w, const plan *p, uint32_t incarnation);

#endif
