/*
 * Answers of the system that cannot be had where the tests run: the linker puts these in the place of a few functions (see PRETEND in
 * the Makefile). Without an order they call the true ones. pretend_end() ends it all.
 */
#ifndef FILELOCK_TEST_PRETEND_H
#define FILELOCK_TEST_PRETEND_H

#include <stdbool.h>

typedef struct {
    const char *file_system; /* of every descriptor; NULL: the true one */
    bool local;              /* it is */
    const char *mount;       /* and the type of its mount */
    bool no_machine;         /* there is no /proc that could tell */
    /* Error numbers; 0: the truth. */
    int statx, fchmod;
    int close;        /* of a descriptor that is closed all the same */
    bool short_write; /* one byte less than asked for */
} pretences;

extern pretences pretend;
void pretend_end(void);

#endif
