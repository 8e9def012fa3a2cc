/*
 * The witness of readers, writers, permits and hand-overs: shared memory outside the table, in which everybody who believes to
 * hold a name has a mark of its own, beside those of others. Whoever is granted a name first sets its mark and then looks at the
 * others', so that of two who must not be there together at least one sees the other.
 *
 *   - A mark that excludes mine may be there rightly only if its lease has expired or its owner is doomed: about to be killed,
 *     or dead. I wipe it out. A doomed one that still runs looks at its own mark, again and again: gone, and its lease not
 *     expired, means that somebody was let in while it ran.
 *   - Semaphores: the live marks are counted. A doomed one is wiped out only when without it there would be one too many.
 *   - A mark changes before its lease does when it comes to claim less (a downgrade, a shorter deadline, an end), and after it
 *     when it comes to claim more (an upgrade, a later deadline). Late ones judge nothing: the clock is read after the mark.
 *   - Handing over: the owner says KEYED before it gives its key away, LEAVING before it leaves and LEFT afterwards. Who restores
 *     says so before (INTENT), and may wipe out these three. It may be killed before it has: then the supervisor wipes out what
 *     was LEFT, before the INTENT. A keyed owner whose mark is gone asks the table: told that it still holds, it comes in anew.
 */
#ifndef FILELOCK_TORTURE_MARKS_H
#define FILELOCK_TORTURE_MARKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "filelock.h"

enum { NAMES_MOST = 8, MARKS = 48, INCARNATIONS = 1 << 17, POSTS = 16 };
enum { NOBODY, READER, WRITER, PERMIT, KEYED, LEAVING, LEFT, INTENT };

/* A key for everybody to use. The number is odd while it is being written. */
typedef struct {
    _Atomic uint32_t number;
    char key[FL_KEY_SIZE];
    uint64_t token;
} post;

typedef struct {
    struct {
        _Atomic uint64_t mark[MARKS];
        _Atomic uint64_t token, written; /* the last one believed, and the last one of a writer */
        _Atomic uint32_t posted;
        post post[POSTS];
    } name[NAMES_MOST];
    _Atomic unsigned char doomed[INCARNATIONS];
    /* What is wrong in any number but 0. */
    _Atomic unsigned long overlaps, tokens, wrongly_lost, wrongly_kept, errors;
    char error[640], overlap[320];
    /* What happened. */
    _Atomic unsigned long taken[3], busy, lost, refreshed, upgraded, downgraded, left, restored, kills, believing,
        stops;
} marks;

typedef struct {
    marks *m;
    int name, at; /* at < 0: it believes nothing */
    uint32_t incarnation, permits;
    bool keyed;
    uint64_t mark;
    fl_lease lease;
} belief;

marks *marks_new(void);
void marks_clear(marks *m);
int64_t marks_now(void);
bool marks_is_late(const belief *b);

void marks_enter(belief *b, bool restored); /* right after the grant */
void marks_change(belief *b, unsigned kind);
void marks_shorten(belief *b, double ttl); /* right before a refresh */
void marks_look(belief *b);                /* at any time while believing */
void marks_leave(belief *b);               /* right before giving back */
void marks_drop(belief *b);                /* it was told that it has lost it */
void marks_intend(belief *b);              /* right before a restore */
void marks_wipe(belief *b);                /* it came to nothing */

/* The keys of the name that it is about (posts.c); which < POSTS. False: none is there, or one is being written. */
void posts_put(belief *b, const char *key);
bool posts_get(const belief *b, uint64_t which, post *copy);

/* The supervisor's: before the kill, and after the dead one was reaped. */
void marks_doom(marks *m, uint32_t incarnation);
void marks_bury(marks *m, uint32_t incarnation);

#endif
