/* Parts of the policy: the checks of arguments that filelock.c does for itself and for holdings.c, and waiting by trying again. */
#ifndef FILELOCK_POLICY_H
#define FILELOCK_POLICY_H

#include "filelock.h"

fl_result policy_check_name(const fl_store *store, const char *name, size_t length, fl_error *error);
fl_result policy_check_ttl(const fl_store *store, double ttl, fl_error *error);

/* As fl_store_ops.wait, for a store that has none (poll.c). */
fl_result policy_poll(fl_store *store, fl_lease *lease, int64_t until, const fl_interrupt *interrupt, fl_error *error);

#endif
