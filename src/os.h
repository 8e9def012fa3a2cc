/*
 * The operating system as the core sees it: clocks, fork detection, futex, random bytes, byte locks, identity. One file per
 * system implements it (os_linux.c); nothing else in src/ asks which system this is.
 */
#ifndef FILELOCK_OS_H
#define FILELOCK_OS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "testing.h"

#define NS_PER_SECOND INT64_C(1000000000)

#if defined(__GNUC__)
#define FL_LIKELY(x) __builtin_expect(!!(x), 1)
#define FL_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define FL_NOINLINE __attribute__((noinline, cold))
#define FL_HOT static inline __attribute__((always_inline))
#else
#define FL_LIKELY(x) (x)
#define FL_UNLIKELY(x) (x)
#define FL_NOINLINE
#define FL_HOT static inline
#endif

/*
 * The time of a file, ns. Anybody may set that to a time which 64 bits of nanoseconds do not hold: one before 1823 or after 2116 becomes
 * the nearest between, and so the difference of two times, and a time plus an age, cannot overflow.
 */
static inline int64_t os_file_time(int64_t seconds, int64_t ns)
{
    static const int64_t most = INT64_MAX / 2;
    if (seconds >= most / NS_PER_SECOND)
        return most;
    return seconds <= -most / NS_PER_SECOND ? -most : seconds * NS_PER_SECOND + ns;
}

static inline int64_t os_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * NS_PER_SECOND + t.tv_nsec;
}

/*
 * The one clock that deadlines are compared with, by holders and takers alike: never ahead of os_now_precise(), behind it by
 * up to two ticks, and it never runs backwards between processors. It is read for a few nanoseconds without a system call.
 */
static inline int64_t os_now(void)
{
#ifdef FL_TESTING
    return os_clock(CLOCK_MONOTONIC_COARSE) + atomic_load(&fl_clock_offset_coarse);
#else
    return os_clock(CLOCK_MONOTONIC_COARSE);
#endif
}

/* For sleeping only. */
static inline int64_t os_now_precise(void)
{
#ifdef FL_TESTING
    return os_clock(CLOCK_MONOTONIC) + atomic_load(&fl_clock_offset_precise);
#else
    return os_clock(CLOCK_MONOTONIC);
#endif
}

/* Counts while the machine is suspended, as the clocks of others do: for leases that others judge. */
static inline int64_t os_boottime(void)
{
#ifdef FL_TESTING
    return os_clock(CLOCK_BOOTTIME) + atomic_load(&fl_clock_offset_precise);
#else
    return os_clock(CLOCK_BOOTTIME);
#endif
}

/*
 * A deadline of os_boottime() on the clock of os_now(), never later than it is: who is stopped between the two clocks has less time, and
 * not more. INT64_MAX stays.
 */
int64_t os_deadline_now(int64_t boottime);

/* Wall clock, ns: for showing, and for the start of the token counters. */
int64_t os_wall(void);
void os_sleep_until(int64_t precise);
void os_sleep_interruptible(int64_t precise); /* a signal ends it */
/* Lets others run first who want to. */
void os_yield(void);

/* A word that reads 1 here and 0 in every forked child. NULL: not to be had (errno). */
const uint32_t *os_fork_page_new(void);
void os_fork_page_free(const uint32_t *page); /* allowed in a child, too */

/*
 * Sleeps while *word == expected, until `until` (os_now_precise() time), a wake-up, or a signal. 0 = woken or changed, EINTR,
 * ETIMEDOUT. May return 0 for no reason. The word lies in a shared file mapping.
 */
int os_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t until);
/* Wakes at most n, returns how many. */
int os_futex_wake(_Atomic uint32_t *word, int n);

/* From os_now_precise() to what the kernel calls the same time. */
struct timespec os_timespec(int64_t precise);

/*
 * The death hint: a word that changes, and wakes, when the thread that armed it dies. Only a hint, which spares polling: whether
 * it lives is decided by its byte lock. `place` is OS_DEATH_SIZE bytes of shared memory, aligned to 8.
 */
enum { OS_DEATH_SIZE = 48, OS_WATCHES_MOST = 8 };
/* Returns where in `place` the word is, or -1: not to be had here. */
int os_death_arm(void *place);
/*
 * Before the memory goes away: the C library's list of this thread's robust mutexes leads through it. False: another thread armed
 * it and lives; the memory has to stay.
 */
bool os_death_disarm(void *place, int offset);

/* One futex and the value at which to sleep on it. */
typedef struct {
    _Atomic uint32_t *word;
    uint32_t expected;
} os_watch;
/* Makes another's word wake. False: it is dead or gone, look again. */
bool os_death_watch(_Atomic uint32_t *word, os_watch *watch);
/* The kernel wakes one: who is woken wakes the others. */
void os_death_pass_on(const os_watch *watch);
/* As os_futex_wait() on any of n <= OS_WATCHES_MOST. ENOSYS: this kernel has no such call. */
int os_futex_wait_any(const os_watch *watches, size_t n, int64_t until);

bool os_random(void *bytes, size_t n);

/* Identity of this boot (16 bytes) and of the time namespace; false: cannot be known (no /proc). */
bool os_boot_id(unsigned char id[16]);
bool os_time_namespace(uint64_t *id);

/* Byte locks that belong to the open file and go with its last descriptor and mapping. 0, or errno (EAGAIN: held). */
typedef enum { OS_LOCK_READ, OS_LOCK_WRITE, OS_LOCK_NONE } os_lock_type;
int os_lock_byte(int fd, int64_t offset, os_lock_type type);
/* Does somebody else hold a write lock on it? 0 no, 1 yes, -1 error (errno). Changes nothing. */
int os_byte_is_write_locked(int fd, int64_t offset);

/*
 * Keeps `fd` open at a number >= 10, close-on-exec, and closes it in every forked child: for locks that are an open
 * file, and for file systems on which a mapping alone does not keep a byte lock. -1 and errno on failure.
 */
int os_keep_descriptor(int fd);
void os_drop_descriptor(int fd);

/* A file system that is local to this kernel: shared mappings and byte locks are the same for all who see it? */
bool os_is_local(int fd, const char **type_name);
bool os_is_memory(int fd); /* and gone after a reboot */

/* The file system's name in this table, "unknown" if it is not in there; all of FUSE is "FUSE". */
const char *os_file_system(int fd);
/* The type of the mount that `path` lies on, as in /proc/self/mountinfo ("fuse.sshfs", "virtiofs"); false: cannot be known. */
bool os_mount_type(const char *path, char *type, size_t size);

/* A file as the kernel's list of locks has it; its device is the mount's, which stat(2) on some file systems does not tell. */
typedef struct {
    unsigned major_number, minor_number;
    uint64_t inode;
} os_file_id;

/* Of an open file (O_PATH will do); false: cannot be known. */
bool os_file_identify(int fd, os_file_id *id);

/* ---- processes, for judging whether the holder of a lock is dead (os_process.c) */

/* One number for this boot, pid and time namespace: only here pid and start mean what they say. 0: cannot be known (no /proc). */
uint64_t os_machine(void);
/* Is this the initial pid namespace, from which every process can be seen, and /proc its own? */
bool os_sees_all_processes(void);
/* When a process started, in ticks since the boot; 0: cannot be known. */
uint64_t os_process_start(int64_t pid);
/* A process of this os_machine(): surely dead? Not knowing is no. */
bool os_process_is_dead(int64_t pid, uint64_t start);

/* ---- who holds a file's flock (os_locks.c) */

typedef struct {
    unsigned holders, waiters; /* holders 0: nobody */
    bool shared;
    int64_t pid; /* one of the holders; 0: not known */
} os_flock_holders;

/*
 * Changes nothing. 0 or errno: ENOTSUP not all holders can be seen here (a container, no /proc); EAGAIN the list changes too fast, or
 * somebody has more waiters than fit into a piece of it.
 */
int os_flock_find(const os_file_id *file, os_flock_holders *found);

void os_host_name(char *buffer, size_t size);

/* ---- files (os_file.c) */

/* For reading, at an absolute path, none of whose parts may be a symbolic link. -1 and errno on failure. */
int os_open_directory(const char *path);
/* A file without a name, for writing; as every new file it has mode & ~umask, or what a default access control list says. -1: not here. */
int os_open_unnamed(int directory, unsigned mode);
/* False: this kernel or mount cannot (no /proc), or the name is taken. */
bool os_link_unnamed(int fd, int directory, const char *name);
/* All of it, into an empty file. 0 or errno; EFBIG where a limit of the process would be met (no SIGXFSZ). */
int os_write_new(int fd, const void *bytes, size_t n);
/* To the disk. 0 or errno. */
int os_sync(int fd);

/* A line beside the file's contents. False: none, or not here. */
bool os_note_set(int fd, const char *text);
bool os_note_get_from(int fd, char *text, size_t size);

/* ---- access control lists (os_acl.c); size 0 = there is none */

typedef struct {
    size_t size;
    unsigned char bytes[4 + 8 * 510];
} os_acl;
/* 0 or errno (ERANGE: too long). */
int os_acl_get(const char *path, os_acl *acl);
/* Sets the permissions, too; none: removes it. 0 or errno. */
int os_acl_set(int fd, const os_acl *acl);
/* Neither the file's group nor the others may do what one of both could not. */
void os_acl_narrow(os_acl *acl);

#endif
