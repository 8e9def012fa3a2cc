/* Locks of any kind for the tests about sharing, counting, queueing and handing over, and waiting until something shows. */
#ifndef FILELOCK_TEST_KINDS_H
#define FILELOCK_TEST_KINDS_H

#include "suite.h"

/* fl_take() without waiting, on a fresh lease; a result other than `want` fails the test. permits: FL_PERMIT only. */
#define TAKE(want, store, lease, kind, permits, name, ttl) \
    take_at(__FILE__, __LINE__, want, store, lease, kind, permits, name, ttl)
void take_at(const char *file, int line, fl_result want, fl_store *store, fl_lease *lease, fl_kind kind,
             uint32_t permits, const char *name, double ttl);

/* The same for one who waits. */
#define TAKE_WITHIN(want, store, lease, kind, permits, name, ttl, timeout) \
    take_within_at(__FILE__, __LINE__, want, store, lease, kind, permits, name, ttl, timeout)
void take_within_at(const char *file, int line, fl_result want, fl_store *store, fl_lease *lease, fl_kind kind,
                    uint32_t permits, const char *name, double ttl, double timeout);

/* Who holds and who waits now; zeros when it is free. */
fl_status_t status_of(fl_store *store, const char *name);
/* Until the status shows so many waiters or holders. */
void await_waiters(fl_store *store, const char *name, uint32_t count);
void await_holders(fl_store *store, const char *name, uint32_t count);
/* Until nobody holds it (an expiry). */
void await_free(fl_store *store, const char *name);

/* Until it sleeps in the kernel: one that is seen to wait has then done all that comes before. */
void await_asleep(const peer *p);

/* It answers "ok" (or `want`) to what it was told before. */
#define ANSWER(peer, want) answer_at(__FILE__, __LINE__, peer, want)
void answer_at(const char *file, int line, peer *p, const char *want);

/* The outside witness: a plain file with a number that is read, changed and written, which goes wrong without a lock. */
long number_in(int fd);
bool add_one(int fd);

/* Is there something to be read from it? */
bool has_answered(const peer *p);

/* What a peer said with "ok key=". */
const char *key_of(const peer *p);

#endif
