/* One tortured process: takes, shares, counts, waits, changes, hands over, gives back, without an end. */
#ifndef FILELOCK_TORTURE_GUEST_H
#define FILELOCK_TORTURE_GUEST_H

#include "marks.h"

typedef struct {
    const char *title;
    int names;
    unsigned kinds;   /* bits of fl_kind */
    uint32_t permits; /* of each name */
    int patience;     /* µs, the longest timeout */
    bool hands_over;
} mode;

size_t guest_name(int name, char *buffer);
_Noreturn void guest_run(marks *m, const mode *how, const char *dsn, uint64_t seed, uint32_t incarnation);

#endif
