/* What the tests of the file store share: its directory, its methods, and what their partners make. */
#ifndef FILELOCK_TEST_FOREIGN_KIT_H
#define FILELOCK_TEST_FOREIGN_KIT_H

#include "kinds.h"

typedef struct {
    const char *name;
    bool removes;                             /* the lock goes with its file */
    bool by_age;                              /* stale by the age of its file, without an option */
    bool recovers;                            /* a dead process's is free at once */
    void (*make)(const char *path, long pid); /* as a partner does; pid where the method has one */
} method;

extern const method methods[];
enum { METHODS = 6 };

/* "file:<a directory>?method=…" */
const char *foreign_dsn(const method *m);

/* The file of the lock with that name; that of the guard. */
const char *lock_path(const method *m, const char *name);
const char *guard_path(const method *m);

bool is_there(const char *path);
void set_time(const char *path, int64_t seconds, long nanoseconds);
int64_t time_of(const char *path); /* ns */

/* In a container the kernel's list of locks, and the processes, are seen in part only: skips the test. */
void need_all_processes(void);

/* A PID that no process has. */
long dead_pid(void);

#endif
