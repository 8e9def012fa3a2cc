/* The checks of arguments that filelock.c does for itself and for holdings.c. FL_OK or FL_ERROR. */
#ifndef FILELOCK_POLICY_H
#define FILELOCK_POLICY_H

#include "filelock.h"

fl_result policy_check_name(size_t length, fl_error *error);
fl_result policy_check_ttl(const fl_store *store, double ttl, fl_error *error);

#endif
