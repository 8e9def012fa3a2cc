/*
 * filelock: locks on resources that never make a program wait unless it asks to.
 *
 * This header is the manual of the core. The core is plain C11, knows nothing of PHP, and depends on libc alone.
 *
 * CALLING SEQUENCE
 *
 *     fl_error error;
 *     fl_store *store;
 *     if (fl_open("table:/run/app?mode=0660", &store, &error) != FL_OK)
 *         die(error.message);
 *
 *     fl_lease lease = FL_LEASE_INIT;
 *     switch (fl_try(store, &lease, "import", 6, 1800.0, &error)) {
 *     case FL_OK:    work(); fl_release(&lease, &error); break;
 *     case FL_BUSY:  ask fl_status(), do something else; break;
 *     default:       die(error.message);
 *     }
 *     fl_close(store);
 *
 * A program that thinks in names instead of leases (as the PHP functions do) uses fl_holdings, at the end of this file.
 *
 * WORDS
 *
 *     name     the resource: 1 to 255 bytes, any bytes
 *     store    where locks live, given as a DSN: "table:/dir?mode=0660&capacity=16384", "dir:/mnt/shared/locks",
 *              "file:/var/lock?method=link"; "" = the table of this user
 *     lease    one holding of a name: owner, token, deadline
 *     ttl      seconds, > 0 and <= FL_TTL_MAX, until the lease expires unless refreshed; INFINITY = while the holder lives
 *     timeout  seconds, >= 0, to wait for a lock; INFINITY = for ever
 *     token    the fencing token: grows with every change of holder of a name, never goes back
 *     lost     the lease expired, or was broken, or its storage vanished: the holder may not have been alone
 *
 * STATES OF A LEASE
 *
 *     FREE --fl_try/fl_acquire: FL_OK--> HELD --fl_release--> FREE
 *                                         |
 *                                         +--fl_release/fl_refresh/fl_verify find it lost: FL_LOST--> LOST --fl_release--> FREE
 *
 *     A HELD lease must be released (or its store closed) before its memory goes away.
 *
 * RULES FOR CALLERS
 *
 *   - Threads: a store, its leases and its holdings belong to the thread that opened the store. Another thread opens a store
 *     of its own and is another owner. The core keeps no state outside these objects.
 *   - Fork: a child owns nothing. In a child every lease that it inherited is FL_LOST at the first call and the parent's lock
 *     is not touched; the store attaches itself anew at its next use. Exec'ed children inherit no descriptor.
 *   - Descriptors: a store keeps none open, so that closing all descriptors does no harm. On overlayfs it keeps one: who
 *     closes that is dead to the others, and has lost its leases.
 *   - A path that cannot be checked any more (chroot, setuid) leaves existing leases valid and refuses new ones.
 *   - Do not fork with _Fork()/clone() while another thread is inside this library.
 */
#ifndef FILELOCK_H
#define FILELOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FL_VERSION "0.1.0"

#define FL_NAME_MAX 255
#define FL_TTL_MAX (240.0 * 86400.0)
#define FL_HOST_MAX 63
#define FL_LABEL_MAX 119

/* What a call came to. Only FL_ERROR fills the fl_error. */
typedef enum {
    FL_OK = 0,
    FL_BUSY,        /* somebody else has it (fl_try), or the time ran out (fl_acquire) */
    FL_FREE,        /* fl_status: nobody has it, a try would succeed; fl_break: that lease is gone already */
    FL_LOST,        /* the lease is no longer mine: somebody else may have run */
    FL_SELF,        /* fl_acquire: would wait for a lease of this very thread */
    FL_INTERRUPTED, /* fl_acquire: the interrupt function said stop; nothing is held */
    FL_ERROR
} fl_result;

/* Whose fault an error is, so that a binding can choose the exception. */
typedef enum {
    FL_WORLD_FAILED, /* system call, permission, table full, unusable file: fl_error.code is errno or 0 */
    FL_BAD_ARGUMENT, /* name, ttl, timeout, DSN: the message starts with what must hold, e.g. "must not be empty" */
    FL_NOT_OFFERED   /* this store cannot do it; the message names the store that can */
} fl_fault;

/* The argument that FL_BAD_ARGUMENT is about. */
typedef enum {
    FL_ARG_NONE,
    FL_ARG_NAME,
    FL_ARG_TTL,
    FL_ARG_TIMEOUT,
    FL_ARG_DSN,
    FL_ARG_TOKEN,
    FL_ARG_PERMITS
} fl_argument;

typedef struct {
    fl_fault fault;
    fl_argument argument;
    int code; /* errno, or 0 */
    char message[640];
} fl_error;

/* What a store offers, see fl_capabilities(). */
enum {
    FL_CAN_FOREVER = 1 << 0,   /* ttl = INFINITY: it sees whether a holder lives */
    FL_CAN_ORDER = 1 << 1,     /* waiters are served in the order of arrival */
    FL_CAN_TOKEN = 1 << 2,     /* fencing tokens */
    FL_CAN_SHARE = 1 << 3,     /* shared locks */
    FL_CAN_COUNT = 1 << 4,     /* permits */
    FL_CAN_HAND_OVER = 1 << 5, /* leases that outlive their owner's orderly end, and keys */
    /* Others may take an expired lease, at the latest fl_grace() after its deadline; without: only its holder is told that it is lost. */
    FL_CAN_EXPIRE = 1 << 6,
    FL_CAN_RECOVER = 1 << 7, /* a lease whose holder died on this machine is free at once, not only when it expires */
    FL_CAN_BREAK = 1 << 8,   /* fl_break(); without: only its holder's end takes a lease from it */
    /* fl_list() knows every name; without: of one that fits into no file name only the head, "~" and a hash. */
    FL_CAN_LIST = 1 << 9
};

typedef struct fl_store fl_store;

/*
 * Opens a store: parses the DSN and checks what can be checked without touching anything. Creates nothing: the first fl_try
 * or fl_acquire does. "" or "table:" is the table of the effective user (see fl_default_directory()).
 * FL_OK or FL_ERROR. Costs no system call.
 */
fl_result fl_open(const char *dsn, fl_store **store, fl_error *error);

/* Gives all that it can back (leases that are HELD become FREE for others), detaches, frees. NULL is allowed. */
void fl_close(fl_store *store);

/*
 * The words that other processes see for this store's leases: who is this? Cut at FL_LABEL_MAX bytes. Cheap; takes effect for
 * the leases held now, too. pid, uid and host are found out by the core.
 */
void fl_set_label(fl_store *store, const char *label, size_t length);

unsigned fl_capabilities(const fl_store *store);

/*
 * Seconds after its deadline at which a lease of `ttl` seconds may be taken over at the latest, by who tries then: what the clocks of
 * its holder and of others may differ. Before the first use of a store what is usual. Where FL_CAN_EXPIRE.
 */
double fl_grace(const fl_store *store, double ttl);

/*
 * Where a name's holder is one of this machine's users without a store of their own: /dev/shm/php-filelock-<uid> for system
 * users (uid <= 999), /var/tmp/php-filelock-<uid> for others. Writes at most `size` bytes including the final 0.
 */
void fl_default_directory(char *buffer, size_t size);

/* ---- Leases ------------------------------------------------------------------------------------------------------- */

/* A packed name: only the words that its length needs are set. */
typedef struct {
    uint64_t hash;
    uint32_t length;
    uint64_t words[(FL_NAME_MAX + 8) / 8];
} fl_name;

typedef enum { FL_LEASE_FREE = 0, FL_LEASE_HELD, FL_LEASE_LOST } fl_lease_state;

/* One at a time; any number of readers; a number of permits. They exclude each other on one name. */
typedef enum { FL_EXCLUSIVE = 0, FL_SHARED, FL_PERMIT } fl_kind;

/* Owned by the caller; all fields are for reading only. */
typedef struct fl_lease {
    fl_store *store;
    fl_lease_state state;
    fl_kind kind;
    uint32_t permits; /* how many the name has, FL_PERMIT only */
    uint32_t epoch;   /* the store's attachment that it was taken in; another one: nobody's (fork) or lost (deleted) */
    int64_t ttl;      /* ns; INT64_MAX = no expiry */
    int64_t since;    /* ns, CLOCK_MONOTONIC */
    int64_t deadline; /* ns, CLOCK_MONOTONIC; INT64_MAX = none. Lost when now >= deadline */
    uint64_t token;   /* fencing token, > 0; 0 = none */
    uint64_t priv[3]; /* the store's own */
    fl_name name;
} fl_lease;

#define FL_LEASE_INIT \
    { \
        0 \
    }

/*
 * Takes `name` exclusively if it is free, at once. FL_OK: lease is HELD. FL_BUSY: somebody has it (also when I do, with
 * another lease), or somebody waits for it. FL_ERROR. The lease must not be HELD when this is called (LOST is allowed).
 * Never waits, with one exception: the first use of a *new* table takes up to 30 ms (see table/attach.c, quarantine).
 */
fl_result fl_try(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl, fl_error *error);

/* Asked whenever a wait may be broken off: after every signal and at least ten times a second. Not 0 = stop waiting. */
typedef struct {
    int (*stop)(void *context);
    void *context;
} fl_interrupt;

/*
 * Waits up to `timeout` seconds. FL_OK, FL_BUSY (time ran out), FL_SELF (timeout > 0 and it would wait for this very thread),
 * FL_INTERRUPTED, FL_ERROR. `interrupt` may be NULL. Served in the order of arrival where FL_CAN_ORDER.
 */
fl_result fl_acquire(fl_store *store, fl_lease *lease, const char *name, size_t length, double ttl, double timeout,
                     const fl_interrupt *interrupt, fl_error *error);

/* Everything that can be asked for. A zeroed one with name, length and ttl is a fl_try(). */
typedef struct {
    const char *name;
    size_t length;
    double ttl;
    double timeout; /* seconds; 0 = do not wait */
    fl_kind kind;
    uint32_t
        permits; /* 1 to FL_PERMITS_MAX, FL_PERMIT only; all who use the name must agree: FL_ERROR names both numbers */
    const fl_interrupt *interrupt;
} fl_request;

#define FL_PERMITS_MAX 65535

/*
 * fl_try() and fl_acquire() for any kind of lease. A newcoming reader goes behind a writer that waits. FL_SELF: timeout > 0, and
 * no other than this thread's own leases could ever make room.
 */
fl_result fl_take(fl_store *store, fl_lease *lease, const fl_request *request, fl_error *error);

/*
 * A reader becomes the writer (a writer stays one), overtaking writers that wait (they wait for me). FL_OK: exclusive now, with a new token and the
 * ttl from now. FL_BUSY: time ran out, or another reader upgrades already (at once, whatever the timeout): still a reader.
 * FL_SELF: this thread reads with another lease, too. FL_INTERRUPTED: still a reader. FL_LOST, FL_ERROR.
 */
fl_result fl_upgrade(fl_lease *lease, double timeout, const fl_interrupt *interrupt, fl_error *error);

/* The writer becomes a reader; nobody writes in between. Token and deadline stay. FL_OK, FL_LOST, FL_ERROR. */
fl_result fl_downgrade(fl_lease *lease, fl_error *error);

/*
 * Gives it back. FL_OK: it was mine until now. FL_LOST: it was not mine any more (or was not held); a successor is never
 * touched. FL_ERROR: a server is out of reach, the lease ends by its deadline. The lease is FREE afterwards in all cases.
 */
fl_result fl_release(fl_lease *lease, fl_error *error);

/*
 * Starts the ttl again from now; ttl NULL = the lease's own. FL_OK, FL_LOST (the lease is LOST now), FL_ERROR (bad ttl; the
 * lease stays as it was).
 */
fl_result fl_refresh(fl_lease *lease, const double *ttl, fl_error *error);

/* Mine, now, as the store sees it? FL_OK or FL_LOST (the lease is LOST now). */
fl_result fl_verify(fl_lease *lease);

/* ---- Handing over: exclusive leases with an expiry ------------------------------------------------------------------ */

/*
 * The owner goes, the lease stays until its deadline, whoever is attached. The lease is FREE for the caller afterwards. FL_OK,
 * FL_LOST; FL_ERROR (shared, or no expiry): unchanged. A process that is killed instead leaves nothing: its leases are free at once.
 */
fl_result fl_leave(fl_lease *lease, fl_error *error);

/* A printable secret with which fl_restore() takes over this lease. FL_OK, FL_LOST, FL_ERROR (shared, or no expiry). */
#define FL_KEY_SIZE 96 /* with the final 0 */
fl_result fl_get_key(fl_lease *lease, char key[FL_KEY_SIZE], fl_error *error);

/*
 * Takes over the lease of a key, here or in another process, as it is: name, token, deadline, ttl. The old holder has lost it.
 * FL_OK; FL_FREE: expired, spent, of another store, or forged; FL_ERROR.
 */
fl_result fl_restore(fl_store *store, fl_lease *lease, const char *key, size_t length, fl_error *error);

/* ---- Looking ------------------------------------------------------------------------------------------------------ */

typedef struct {
    char name[FL_NAME_MAX + 1]; /* may contain 0 bytes: use name_length */
    size_t name_length;
    bool shared;      /* held by readers or permit holders */
    bool mine;        /* held by this store object (this thread) */
    uint32_t holders; /* 0: nobody holds it but somebody who waits is about to */
    uint32_t waiters;
    int64_t token;              /* -1 = not known */
    int64_t pid;                /* -1 = not known; in the holder's pid namespace: for showing only */
    int64_t uid;                /* -1 = not known */
    char host[FL_HOST_MAX + 1]; /* "" = not known */
    char label[FL_LABEL_MAX + 1];
    double since;     /* Unix time, seconds; NAN = not known */
    double remaining; /* seconds; INFINITY = no expiry, NAN = not known */
    bool
        approximate; /* since and remaining by this machine's wall clock: that of the store cannot be read without writing */
} fl_status_t;

/*
 * A snapshot. FL_OK: *status is filled. FL_FREE: a try would succeed now. FL_ERROR. Changes, creates and waits for nothing;
 * permission to read the store is enough.
 */
fl_result fl_status(fl_store *store, const char *name, size_t length, fl_status_t *status, fl_error *error);

/* Calls `each` for every held name that starts with `prefix` (0 to FL_NAME_MAX bytes), in no particular order; not 0 from `each` ends the listing. */
typedef int (*fl_list_function)(void *context, const fl_status_t *status);
fl_result fl_list(fl_store *store, const char *prefix, size_t length, fl_list_function each, void *context,
                  fl_error *error);

/*
 * The status in one line, as in: import: held by cli app:import (pid 4711, uid 33 on web1) for 12 min, 18 min left, 3 waiting
 * Bytes of name and label that are not printable are shown as \xNN. Returns the length, at most FL_SENTENCE_MAX - 1.
 */
#define FL_SENTENCE_MAX 2048
size_t fl_describe(const fl_status_t *status, char *buffer);

/* Takes exactly the lease with this token from its holder. FL_OK, FL_FREE (it is gone already), FL_ERROR. */
fl_result fl_break(fl_store *store, const char *name, size_t length, int64_t token, fl_error *error);

/* For administrators: the store as it is now. Attaches for reading only. */
typedef struct {
    char path[544];        /* the file or directory in use */
    char shared_with[128]; /* in words: who can use it */
    bool exists;           /* false: nobody has used it yet; the numbers below are what it would be created with */
    unsigned mode;
    uint32_t capacity; /* names; 0: no limit, and attached and waiting are not known */
    uint64_t bytes;
    uint32_t attached; /* processes and threads */
    uint32_t held;     /* names held now */
    uint32_t waiting;
} fl_info;
fl_result fl_inspect(fl_store *store, fl_info *info, fl_error *error);

/* Counters of the store since it was made, of all processes. */
typedef struct {
    uint64_t acquired;  /* leases granted */
    uint64_t busy;      /* tries refused, waits that ended without */
    uint64_t waited;    /* grants after a wait */
    uint64_t waited_ns; /* how long these took together */
    uint64_t expired;   /* leases that somebody else took after their deadline */
    uint64_t recovered; /* leases of dead holders that were freed */
    uint64_t broken;    /* by fl_break() */
    uint64_t lost;      /* holders that were told so */
} fl_stats;
fl_result fl_get_stats(fl_store *store, fl_stats *stats, fl_error *error);

/* What is unsafe or surprising about this store here: calls `each` with one sentence for each finding. */
typedef void (*fl_check_function)(void *context, const char *finding);
fl_result fl_check(fl_store *store, fl_check_function each, void *context, fl_error *error);

/* ---- Holdings: leases by name ------------------------------------------------------------------------------------- */

/*
 * A set of leases that are known by their names: what a request, a worker or a command holds. One store per set; the set does
 * not own the store and must be freed before it.
 */
typedef struct fl_holdings fl_holdings;

/*
 * Told of each lease that was found lost without anybody having been told so by a release or a refresh. `ago`: ns since it
 * expired; -1: it did not expire, it was broken or its storage vanished. May call any function of the set. Never called for
 * leases that were inherited over a fork: those were never this process's.
 */
typedef void (*fl_lost_function)(void *context, const char *name, size_t length, int64_t ago);

fl_holdings *fl_holdings_new(fl_store *store); /* NULL = out of memory */
void fl_holdings_free(fl_holdings *holdings);  /* releases silently what is still in it */
size_t fl_holdings_count(const fl_holdings *holdings);

/*
 * As fl_try(), fl_acquire(), fl_release(), fl_refresh(). A name that is not in the set: FL_LOST for the latter two. A name
 * whose lease was lost unnoticed can be taken again; the loss is reported later all the same.
 */
fl_result fl_holdings_try(fl_holdings *holdings, const char *name, size_t length, double ttl, fl_error *error);
fl_result fl_holdings_acquire(fl_holdings *holdings, const char *name, size_t length, double ttl, double timeout,
                              const fl_interrupt *interrupt, fl_error *error);
fl_result fl_holdings_release(fl_holdings *holdings, const char *name, size_t length, fl_error *error);
fl_result fl_holdings_refresh(fl_holdings *holdings, const char *name, size_t length, const double *ttl,
                              fl_error *error);

/*
 * Looks at every lease, gives nothing back, calls `lost` once for each that is lost and was not reported yet. For the moment
 * at which warnings can still be shown, before fl_holdings_release_all().
 */
void fl_holdings_report(fl_holdings *holdings, fl_lost_function lost, void *context);

/* Releases all; returns how many were still mine. `lost` as above, may be NULL. */
size_t fl_holdings_release_all(fl_holdings *holdings, fl_lost_function lost, void *context);

#endif
