/*
 * The directory store: many machines, one shared directory, no server of our own.
 *
 * A lock is a directory that holds exactly one file, and the NAME of that file is the lock's state. Every change is one
 * rename() of the exact name that was read, which the file server executes for one client only: a compare-and-set.
 *
 *     base/.format/<what all clients agree on>     published first, by renaming a prepared directory; the first writer wins
 *     base/.clock/                                 whose modification time is the server's clock
 *     base/.new/<stamp>-<nonce>/<state>            locks that are being made
 *     base/<2 hex>/<head of the name>-<128 bit hash>/<state>
 *
 *     state: <generation>.F.<nonce>                                         free
 *            <generation>.H.<nonce>.<token>.<deadline>.<ttl>.<since>
 *              .<machine>.<pid>.<start>.<uid>.<host>.<label>               held
 *            <generation>.L.… (the same)                                   left by its owner to its deadline
 *
 * INVARIANTS
 *
 *   1. No state name is ever used twice in one lock directory: the generation grows with every change, and after a collection
 *      it starts at the server's time, which is later than what was collected. So a rename that is executed late does nothing.
 *   2. Every state bears the nonce of who made it, so that after an error a look tells whether it was done. Error numbers are
 *      not believed.
 *   3. A lock directory that is not empty never moves. One is made elsewhere, complete with its first holder, and renamed into place,
 *      which a server refuses unless there is nothing or an empty directory.
 *   4. The token is the generation at which the lease was taken. It stays over refresh, leave and restore.
 *   5. The holder counts its ttl from before it asked, on a clock that runs on during suspension; others count it by the
 *      server's clock, plus grace. So the holder knows first.
 */
#ifndef FILELOCK_DIRECTORY_H
#define FILELOCK_DIRECTORY_H

#include "os.h"
#include "store.h"
#include "state.h"

enum {
    WATCHED = 256,         /* states whose age is known by the own clock, at most */
    COLLECT_AFTER = 86400, /* seconds: names that are free for longer are removed */
    GRAIN_FINE = 100,      /* ms: what a server's time stamps are good for, */
    GRAIN_SECONDS = 3000,  /* and where they are whole seconds */
    KEEP_LEAST = 7200,     /* seconds: a server's clock may step back by less without a token going back */
    GENERATION_SHIFT = 12, /* a new generation is at least the server's ms << 12 */
};

/* A look at the server's clock: it was `server` (ms) at some time between `before` and `after` (ns, os_boottime()). */
typedef struct {
    int64_t before, after, server;
} clock_sample;

typedef struct {
    uint64_t lock, state; /* hashes */
    int64_t first;        /* os_boottime() at which it was seen first */
} watched_state;

/* What the store keeps for a lease that is held. */
typedef struct record {
    struct record *next, *previous;
    uint64_t secret[2];
    int64_t deadline; /* os_boottime() */
    int64_t counted;  /* the same on the clock that fl_lease.deadline is on, which stands still during suspension */
    lock_path path;
    lock_state state;
} record;

typedef struct {
    fl_store base;
    char path[FL_DSN_PATH_MAX];
    unsigned asked_mode;   /* of files; 0: as the directory's */
    int64_t collect_after; /* ms */
    bool swept;            /* what the killed left half made was looked for since the attachment */
    bool viewed;           /* the format was read; the next three are its */
    unsigned mode;         /* of files; directories also get the x bits */
    unsigned group;
    int64_t granularity;     /* ms, of the server's time stamps */
    int64_t pid;             /* 0: the next three are not known yet; another: they are a parent's */
    uint64_t machine, start; /* 0: not known */
    clock_sample sample;     /* after == 0: none yet */
    int64_t trust_from;      /* ms: the server's clock jumped ahead; deadlines that were set before say nothing */
    record *held;
    char host[FL_HOST_MAX + 1];
    char label[FL_LABEL_MAX + 1];
    watched_state watched[WATCHED];
} directory;

/* format.c */
fl_result format_attach(fl_store *store, fl_error *error);
/* The base exists and can hold locks; FL_FREE: no format yet. Writes nothing. */
fl_result format_view(directory *d, fl_error *error);
fl_result format_vanished(const directory *d, fl_error *error); /* FL_ERROR: what I knew is not there any more */
unsigned format_directory_mode(const directory *d);
const char *format_file_system(const directory *d, char *buffer, size_t size); /* "" = it works here; else its name */

/* clock.c: ms of the server */
fl_result clock_sample_now(directory *d, fl_error *error);
fl_result clock_sample_recent(directory *d, fl_error *error);
bool clock_is_known(const directory *d);
int64_t clock_latest(const directory *d, int64_t boot);   /* it is not later than this */
int64_t clock_earliest(const directory *d, int64_t boot); /* it is not earlier than this */

/* scan.c */
typedef enum {
    SCAN_STATE,
    SCAN_EMPTY,
    SCAN_ABSENT,
    SCAN_FAILED
} scan_result; /* SCAN_FAILED: errno; ENOTEMPTY: no state, something else */
scan_result scan_lock(const lock_path *path, lock_state *found);
fl_result scan_failed(const lock_path *path, fl_error *error); /* FL_ERROR */
int scan_count(const lock_path *path);                         /* states in it, for those who check */

/* judge.c */
typedef enum { JUDGE_HELD, JUDGE_OVER, JUDGE_UNKNOWN } judgement; /* JUDGE_UNKNOWN: error is set */
judgement judge_for_taking(directory *d, const lock_path *path, const lock_state *s, fl_error *error);
bool judge_for_looking(const directory *d, const lock_path *path,
                       const lock_state *s); /* is it over? Writes nothing. */
bool judge_is_mine(const directory *d, const lock_state *s);
int64_t judge_grace(const directory *d, const lock_state *s); /* ms */

/* step.c: one rename, believed only when it is seen. STEP_CHANGED: it was not this state any more. STEP_FAILED: errno. */
typedef enum { STEP_DONE, STEP_CHANGED, STEP_FAILED } step_result;
step_result step_move(const lock_path *path, const lock_state *from, const lock_state *to);
/* A lock that does not exist yet, complete with its first state. */
step_result step_create(directory *d, const lock_path *path, const fl_name *name, const lock_state *first);

/*
 * Makes `place` unless it exists. It is made in the base's `where` ("." or ".new") and renamed, so that all may enter it from the moment
 * it has its name, wherever its maker is killed. 0, or -1 and errno.
 */
int step_make_directory(const directory *d, const char *where, const char *place);

/* take.c */
fl_result take_try(fl_store *store, fl_lease *lease, fl_error *error);
void take_describe_me(const directory *d, lock_state *s);
fl_result take_settle(directory *d, fl_lease *lease, record *r);
uint64_t take_generation(const directory *d, uint64_t previous);
bool take_new_secret(uint64_t secret[2], uint64_t nonce[2]);
void take_nonce_of(const uint64_t secret[2], uint64_t nonce[2]);

/* give.c */
bool give_is_expired(const record *r);
fl_result give_release(fl_store *store, fl_lease *lease, fl_error *error);
fl_result give_refresh(fl_store *store, fl_lease *lease, int64_t ttl, fl_error *error);
fl_result give_verify(fl_store *store, fl_lease *lease);
fl_result give_leave(fl_store *store, fl_lease *lease, fl_error *error);
fl_result give_break(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error);
void give_all(directory *d);
void give_forget(directory *d, record *r);

/* handover.c */
fl_result key_get(fl_store *store, fl_lease *lease, char key[FL_KEY_SIZE], fl_error *error);
fl_result key_restore(fl_store *store, fl_lease *lease, const char *key, size_t length, fl_error *error);

/* look.c, check.c */
fl_result view_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error);
fl_result view_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                    fl_error *error);
fl_result view_inspect(fl_store *store, fl_info *info, fl_error *error);
fl_result view_stats(fl_store *store, fl_stats *stats, fl_error *error);
fl_result view_check(fl_store *store, fl_check_function each, void *context, fl_error *error);

/* collect.c */
void collect_some(directory *d, const lock_path *near, int most); /* a few names beside this one */
void collect_half_made(directory *d);                             /* what killed processes left */
unsigned collect_all(directory *d);                               /* returns how many names were removed */
fl_result collect_attached(fl_store *store, unsigned *removed, fl_error *error);

#endif
