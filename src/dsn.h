/*
 * Data source names: scheme ":" absolute path [ "?" option "=" value { "&" option "=" value } ]. Percent escapes (%3F) stand
 * for bytes that would end the path. The parser knows the grammar only; a store knows its options.
 */
#ifndef FILELOCK_DSN_H
#define FILELOCK_DSN_H

#include "filelock.h"

enum { FL_DSN_OPTIONS = 8, FL_DSN_PATH_MAX = 512 };

typedef struct {
    char scheme[16];
    char path[FL_DSN_PATH_MAX]; /* "" = none given; no trailing slash; no option is part of it */
    size_t options;
    struct {
        char key[24];
        char value[64];
    } option[FL_DSN_OPTIONS];
} fl_dsn;

/* "" is "table:". FL_OK or FL_ERROR (FL_BAD_ARGUMENT, FL_ARG_DSN). */
fl_result dsn_parse(const char *text, fl_dsn *dsn, fl_error *error);

/* The value as a number in [least, most] in base 8 or 10. FL_OK or FL_ERROR. */
fl_result dsn_number(const fl_dsn *dsn, size_t option, int base, uint64_t least, uint64_t most, uint64_t *number,
                     fl_error *error);

#endif
