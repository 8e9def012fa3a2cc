/* One mark as it lies in shared memory: a word. For marks.c alone. */
#ifndef FILELOCK_TORTURE_MARK_H
#define FILELOCK_TORTURE_MARK_H

#include "marks.h"

/* A mark: kind (3 bits), incarnation (17 bits), deadline in units of 2^16 ns (44 bits; all ones = none). */
enum { UNIT = 16, DEADLINE_BITS = 44, KIND_SHIFT = 61 };
enum { DOOMED = 1, DOOMED_AND_COUNTED = 2 };
#define DEADLINE_NONE ((UINT64_C(1) << DEADLINE_BITS) - 1)

static inline uint64_t make(unsigned kind, uint32_t incarnation, int64_t deadline)
{
    uint64_t units = deadline == INT64_MAX ? DEADLINE_NONE : (uint64_t)deadline >> UNIT;
    return (uint64_t)kind << KIND_SHIFT | (uint64_t)incarnation << DEADLINE_BITS | units;
}

static inline unsigned kind_of(uint64_t mark)
{
    return (unsigned)(mark >> KIND_SHIFT);
}

static inline uint32_t owner_of(uint64_t mark)
{
    return (uint32_t)(mark >> DEADLINE_BITS) % INCARNATIONS;
}

static inline bool is_doomed(marks *m, uint64_t mark)
{
    return kind_of(mark) != LEFT && atomic_load(&m->doomed[owner_of(mark)]);
}

static inline bool is_expired(uint64_t mark)
{
    uint64_t units = mark & DEADLINE_NONE;
    return units != DEADLINE_NONE && (uint64_t)marks_now() >> UNIT >= units;
}

#endif
