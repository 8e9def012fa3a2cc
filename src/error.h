/* Filling a fl_error. Every message names what failed, the path, the system error, and what to do. */
#ifndef FILELOCK_ERROR_H
#define FILELOCK_ERROR_H

#include "filelock.h"

#define FL_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* The world failed. `code` is an errno: its text is put behind the message; 0: none. Always returns FL_ERROR. */
fl_result fl_fail(fl_error *error, int code, const char *format, ...) FL_PRINTF(3, 4);
/* A bad argument, as in "must not be empty". Always returns FL_ERROR. */
fl_result fl_refuse(fl_error *error, fl_argument argument, const char *format, ...) FL_PRINTF(3, 4);
/* Not offered by this store. Always returns FL_ERROR. */
fl_result fl_not_offered(fl_error *error, fl_argument argument, const char *format, ...) FL_PRINTF(3, 4);
/* Adds to the message what to do about it. */
void fl_advise(fl_error *error, const char *format, ...) FL_PRINTF(2, 3);

/* One finding of a check, as a sentence of at most 699 bytes. */
void fl_tell(fl_check_function each, void *context, const char *format, ...) FL_PRINTF(3, 4);

#endif
