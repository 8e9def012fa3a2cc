/*
 * The self-test of a directory: is this mount good enough for a dir: store? For administrators, by ./dev verify or another tool on
 * the core; the PHP extension does not contain it, since it forks.
 *
 * It works in a subdirectory of its own, which it removes, and does three things:
 *
 *   1. asks the store what it thinks of the directory (rights, kind of file system);
 *   2. tries the operations that the store relies on: of two renames of one file exactly one succeeds; a directory is not
 *      renamed on one that is not empty; the directory's modification time is a clock that runs;
 *   3. lets processes take and give back locks, kills some, lets some hang beyond their time to live. A witness in memory,
 *      which has nothing to do with the directory, notices when two believe to hold one name, and when a token goes back.
 *
 * All processes run on this machine. With a second mount of the same directory (the same export mounted twice without a shared
 * cache, such as NFS with nosharecache, or two sshfs) half of them go through that one, which is as near to two machines as one
 * machine gets.
 *
 * THREADS, FORK: call it from a program with one thread. It forks; the children end with it.
 */
#ifndef FILELOCK_SELFTEST_H
#define FILELOCK_SELFTEST_H

#include "filelock.h"

enum { FL_SELFTEST_PROCESSES = 64 };

typedef struct {
    const char *directory;                                 /* absolute */
    const char *second;                                    /* the same directory over another mount; NULL: none */
    int processes;                                         /* 2 to FL_SELFTEST_PROCESSES */
    double seconds;                                        /* of step 3, > 0; the others take up to a few seconds */
    const fl_interrupt *interrupt;                         /* NULL or asked ten times a second; then it cleans up */
    void (*progress)(void *context, const char *sentence); /* NULL or about once a second */
    void *context;
} fl_selftest_plan;

/* Times in seconds; NAN = not seen. */
typedef struct {
    double median, worst;
    unsigned count;
} fl_selftest_times;

typedef struct {
    bool good;
    bool interrupted;
    char verdict[800];  /* one sentence: "good enough", "not: because …" */
    double granularity; /* of the server's times: the least step seen */
    double clock_ahead; /* the server's clock before this machine's */
    double stale; /* how long a rename through one mount was not seen in listings through the other; NAN = one mount */
    bool hard_links;     /* as the link method of file: needs them */
    unsigned races;      /* renames of one file by two processes at once */
    unsigned errors;     /* of these: nobody was told that he had succeeded, though one had. The store copes with it */
    unsigned long taken; /* locks */
    unsigned killed;     /* holders and waiters */
    fl_selftest_times hand_over;  /* from a release to the grant of one who waited */
    fl_selftest_times after_kill; /* from a holder's death to the next grant */
    fl_selftest_times after_end;  /* from a deadline to the next grant */
} fl_selftest_report;

/* True if it is good enough. The report is filled as far as it came. */
bool fl_selftest(const fl_selftest_plan *plan, fl_selftest_report *report);

#endif
