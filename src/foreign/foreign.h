/*
 * The file store: locks that other programs take, too. The file belongs to their convention; ours is to follow it, and to be
 * correct among ourselves.
 *
 *     file:/var/lock?method=link                      a directory: the name "import" is /var/lock/import.lock
 *     file:/tmp/sf.import.2UL2SIZ.lock?method=flock   a path that ends in the suffix: one file, one lock, "sf.import.2UL2SIZ"
 *
 * A method is one small file that knows how its file is made, whose it is and how it goes away. What all have in common is written
 * once: expiry, recovery of stale ones, who and since when, refresh, break.
 *
 * INVARIANTS
 *
 *   1. Whose a lock is, is decided by the inode that was made, never by a name. A holding keeps it open, so that its number is not
 *      used again.
 *   2. A file is removed (release, break, recovery) only by who holds the guard: one byte of .filelock-guard in the same directory, at
 *      a hash of the file's name, taken without waiting. What is removed is judged once more under it. Guard busy: a try is
 *      busy, a release marks its own file as given back, through its own descriptor: a certain time, which no partner's has.
 *   3. Expiry is the file's modification time + the stale age, for theirs and ours. We set the time to deadline - stale age when we
 *      take and refresh, rounded up to a second, since partners count in seconds: they do not steal before our deadline, and
 *      do afterwards.
 *   4. "Now" is what the file system writes into a new or touched file: its server's clock, if it has one. Looking alone
 *      touches nothing and goes by this machine's.
 *   5. What was made and has no time yet counts from its making: who is slower than the stale age gives up.
 *   6. A symbolic link is never followed, a file never truncated, a FIFO never waited for.
 *   7. In a forked child nothing is held: descriptors are closed there without unlocking (os_keep_descriptor()).
 *
 * A process that is stopped while it holds the guard's byte keeps others from removing that one file: a stale lock stays busy, and what
 * another gives back meanwhile is marked and not removed. A fixed file name cannot do without. Nobody waits in a call for it.
 */
#ifndef FILELOCK_FOREIGN_H
#define FILELOCK_FOREIGN_H

#include <sys/stat.h>

#include "os.h"
#include "store.h"

enum { PLACE_MAX = FL_DSN_PATH_MAX + 256 + 32, LINE_MAX_OURS = 512 };

/* Where a name's lock is. */
typedef struct {
    const char *directory; /* the store's */
    char path[PLACE_MAX];
    const char *file; /* the last part of path */
} place;

/* What a lock's file says, as read at one moment. */
typedef struct {
    struct stat st;
    int64_t pid; /* 0: not known */
    bool ours;   /* machine, start, since and label come from a line of ours */
    uint64_t machine, start;
    int64_t since;             /* ns, wall clock */
    uint32_t holders, waiters; /* flock only, as next */
    bool shared;
    char host[FL_HOST_MAX + 1];
    char label[FL_LABEL_MAX + 1];
} owner;

typedef struct holding {
    struct holding *next, *previous;
    place place;
    int fd;       /* keeps the inode; -1: given back already, after it had expired */
    dev_t device; /* and inode of what I made */
    ino_t inode;
    int64_t start;    /* os_boottime() before it was asked for */
    int64_t deadline; /* os_boottime(); INT64_MAX: none */
    int64_t counted;  /* the same on the clock of fl_lease.deadline */
    int64_t time;     /* ns: the modification time that I gave it; 0: none */
    int64_t since;    /* ns, wall clock */
} holding;

typedef struct foreign foreign;

typedef enum { CLAIM_DONE, CLAIM_TAKEN, CLAIM_FAILED /* errno */ } claim_result;

/* What a method is. All paths are absolute. */
typedef struct {
    const char *name;      /* in the DSN */
    unsigned capabilities; /* and FL_CAN_EXPIRE where there is a stale age */
    mode_t type;           /* S_IFREG, S_IFDIR, S_IFLNK: everything else in the place is no lock */
    int64_t stale;         /* ns, the partners' usual age; INT64_MAX: never by age */
    bool by_process;       /* a dead holder is stale at once */
    bool by_time;          /* partners take over by setting the time */
    bool noted;            /* who it is stands beside the contents */
    /* Makes the lock or finds that there is one. Fills fd, device and inode. */
    claim_result (*claim)(foreign *f, holding *h);
    /* What is there, whose it is. -1 and ENOENT: nothing. */
    int (*read)(const place *p, owner *o);
    int (*remove)(const char *path); /* under the guard only; NULL: nothing is ever removed, `give` gives back */
    bool (*give)(const holding *h);  /* false: it was not mine any more */
} foreign_method;

struct foreign {
    fl_store base;
    fl_store_ops own; /* those of all, with the capabilities of this method and this stale age */
    const foreign_method *method;
    char path[FL_DSN_PATH_MAX];
    char directory[FL_DSN_PATH_MAX];
    char suffix[16];
    bool single;         /* path is the lock itself, in the directory; else it is the directory */
    bool local;          /* the file system is this kernel's alone, as far as was seen */
    int64_t stale;       /* ns, INT64_MAX */
    time_t litter_after; /* seconds: as old is a temporary file of a killed process */
    bool swept;
    holding *held;
    holding *spare; /* where nothing is removed: the last file, unlocked and open for the next time; else NULL */
    holding last;   /* which is this */
    int64_t pid;    /* 0: the next ones are not known yet; another: they are a parent's */
    uint64_t machine, start;
    bool sees_all; /* os_sees_all_processes(): my PID means the same to everybody who does */
    char host[FL_HOST_MAX + 1];
    char label[FL_LABEL_MAX + 1];
};

/* place.c */
void place_decide(foreign *f); /* one lock, or a directory of them? And in which directory. */
/* The directory is there, and on a file system where this method works; who am I. Before everything else. */
fl_result place_look(foreign *f, fl_error *error);
fl_result place_check_name(const fl_store *store, const char *name, size_t length, fl_error *error);
fl_result place_of_name(const foreign *f, const char *name, size_t length, place *p, fl_error *error);
/* The name whose lock `file` is, as far as can be known; false: none of ours. */
bool place_to_name(const foreign *f, const char *file, char name[FL_NAME_MAX + 1], size_t *length);
void place_of_file(const foreign *f, const char *file, place *p);

/* file.c: 0, or -1 and errno */
/* `fd` is what I have just made, and is closed: the holding keeps it by another number, with device, inode and time. */
int file_hold(const foreign *f, holding *h, int fd);
/* The same after text was written. */
int file_fill(const foreign *f, holding *h, int fd, const char *text, size_t length);
int file_move_time(holding *h, int64_t by); /* later, or earlier */
/* Says of my file that it is given back. -1 and errno: that cannot be said here. */
int file_mark(const holding *h);
bool file_is_marked(const struct stat *st);
bool file_is_at(const holding *h, const struct stat *st);
void file_drop(holding *h);
/* Drops it, or keeps it for the next time; then as it is in the spare one, if that is the same place. */
void file_spare(const foreign *f, holding *h);
bool file_take_spare(const foreign *f, holding *h);
/* Without following a link or waiting; `note` is the line beside it. text or note NULL: not wanted. */
int file_read(const place *p, owner *o, char *text, size_t size, char *note, size_t note_size);
int64_t file_time(const struct stat *st); /* modification time, ns */

/* linked.c */
claim_result linked_claim(foreign *f, holding *h, const char *text, size_t length);

/* who.c: a line of ours about the holder */
size_t who_describe(const foreign *f, const holding *h, char line[LINE_MAX_OURS]);
void who_parse(const char *line, owner *o);
int who_read_note(const place *p, owner *o); /* as foreign_method.read: what stands beside the contents */

/* guard.c: 0, or -1 and errno (EAGAIN: somebody else's) */
int guard_take(const place *p, int *fd);
void guard_give(const place *p, int fd);
int64_t guard_now(int fd); /* ns, the file system's time */

/* hold.c, keep.c */
fl_result hold_try(fl_store *store, fl_lease *lease, fl_error *error);
fl_result keep_release(fl_store *store, fl_lease *lease, fl_error *error);
fl_result keep_refresh(fl_store *store, fl_lease *lease, int64_t ttl, fl_error *error);
fl_result keep_verify(fl_store *store, fl_lease *lease);
bool keep_is_expired(const holding *h);
/* Gives back what is there, expired or not. FL_OK: it was mine. */
fl_result keep_give_back(const foreign *f, holding *h, fl_error *error);
void keep_give_all(foreign *f);
void keep_forget_all(foreign *f); /* in a forked child */

/* judge.c */
bool judge_is_lock(const foreign *f, const owner *o); /* of this method's kind? */
/* FL_ERROR: I cannot `what` the lock, for errno, or because there is something else in its place. */
fl_result judge_tell(const foreign *f, const char *what, const place *p, fl_error *error);
bool judge_is_stale(const foreign *f, const owner *o, int64_t now);
holding *judge_find_mine(const foreign *f, const owner *o);
int64_t judge_token(const owner *o); /* the identity of this holding: it does not grow */

/* remove.c: under the guard. 0, or -1 and errno: EAGAIN guarded by another; ESTALE it is not that any more */
int remove_stale(const foreign *f, const place *p);
int remove_mine(const foreign *f, const holding *h);
int remove_broken(const foreign *f, const place *p, int64_t token);

/* show.c, check.c */
fl_result show_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error);
fl_result show_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                    fl_error *error);
fl_result show_break(fl_store *store, const char *name, size_t length, uint64_t token, fl_error *error);
fl_result show_stats(fl_store *store, fl_stats *stats, fl_error *error);
fl_result show_inspect(fl_store *store, fl_info *info, fl_error *error);
fl_result show_check(fl_store *store, fl_check_function each, void *context, fl_error *error);

extern const foreign_method foreign_link, foreign_mkdir, foreign_exclusive, foreign_touch, foreign_symlink,
    foreign_flock;

#endif
