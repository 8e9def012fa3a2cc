/* What resolve.c and replace.c share: what is refused, and how an error about a file begins. All return FL_OK or FL_ERROR. */
#ifndef FILELOCK_PATH_H
#define FILELOCK_PATH_H

#include <sys/stat.h>

#include "error.h"
#include "replace.h"

/* Of a path that is too long for a message, its end. */
const char *path_shown(const char *path);
/* "cannot write PATH: WHAT: the system's words". */
fl_result path_fail(fl_error *error, int code, const char *what, const char *path);
/* Refuses what is no regular file. */
fl_result path_check_type(const struct stat *st, const char *path, fl_error *error);
/* Refuses what a stranger has put into a sticky directory that everybody can write. */
fl_result path_check_trap(const struct stat *directory, const struct stat *st, const char *path, fl_error *error);

#endif
