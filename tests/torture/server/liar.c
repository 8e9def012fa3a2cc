/*
 * A file server that lies, to be preloaded into torture. In the workers, not in the process that judges afterwards, it
 *
 *   - says that a rename, mkdir, unlink or rmdir failed which it has done, or which it has not done;
 *   - does a rename later that it said had failed: any worker's next call can bring it about, also when who asked is dead;
 *   - shows a listing as it was when this process asked before;
 *   - does not find what is there;
 *
 * each with any error number. It prints at the end of the first process how often it did each; never is a mistake.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LATE = 64, SEEN = 128, LIE_EVERY = 12 };
enum { DONE_DENIED, NOT_DONE, DONE_LATE, OLD_LISTING, NOT_FOUND, KINDS };
static const char *const kinds[KINDS] = {"done and denied", "not done", "done late", "old listings", "not found"};
static const int codes[] = {EIO, ENOENT, ESTALE, EPERM, EEXIST, ENOTEMPTY, ETIMEDOUT};

typedef struct {
    _Atomic int state; /* 0 empty, 1 being filled or emptied, 2 full */
    char from[PATH_MAX], to[PATH_MAX];
} late_rename;

static struct {
    atomic_ulong told[KINDS];
    late_rename late[LATE];
} * shared;

static pid_t honest;
static uint64_t drawn;

static uint64_t draw(uint64_t below)
{
    if (drawn % 2 == 0) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        drawn = ((uint64_t)t.tv_nsec << 20 ^ (uint64_t)getpid() << 1) | 1;
    }
    drawn ^= drawn << 13;
    drawn ^= drawn >> 7;
    drawn ^= drawn << 17;
    drawn |= 1;
    return (drawn >> 11) % below;
}

static int lies(void)
{
    return shared && getpid() != honest && draw(LIE_EVERY) == 0;
}

static int deny(int kind)
{
    atomic_fetch_add(&shared->told[kind], 1);
    errno = codes[draw(sizeof codes / sizeof *codes)];
    return -1;
}

static void begin(void) __attribute__((constructor));
static void begin(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    honest = getpid();
}

static void end(void) __attribute__((destructor));
static void end(void)
{
    if (getpid() != honest) {
        return;
    }
    for (int i = 0; i < KINDS; i++) {
        unsigned long n = atomic_load(&shared->told[i]);
        printf("%s: the server lied: %s (%lu)\n", n > 0 ? "ok" : "FAILED", kinds[i], n);
    }
    fflush(stdout);
}

/* ---- changes ---------------------------------------------------------------------------------------------------------- */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int keep_for_later(const char *from, const char *to)
{
    late_rename *l = &shared->late[draw(LATE)];
    int empty = 0;
    if (!atomic_compare_exchange_strong(&l->state, &empty, 1)) {
        return deny(NOT_DONE);
    }
    snprintf(l->from, sizeof l->from, "%s", from);
    snprintf(l->to, sizeof l->to, "%s", to);
    atomic_store(&l->state, 2);
    return deny(NOT_DONE);
}

static void do_late(void)
{
    late_rename *l = &shared->late[draw(LATE)];
    int full = 2;
    if (getpid() == honest || draw(4) || !atomic_compare_exchange_strong(&l->state, &full, 1)) {
        return;
    }
    if (NEXT(rename)(l->from, l->to) == 0) {
        atomic_fetch_add(&shared->told[DONE_LATE], 1);
    }
    atomic_store(&l->state, 0);
}

int rename(const char *from, const char *to)
{
    do_late();
    if (!lies()) {
        return NEXT(rename)(from, to);
    }
    switch (draw(3)) {
        case 0:
            return keep_for_later(from, to);
        case 1:
            return deny(NOT_DONE);
        default:
            NEXT(rename)(from, to);
            return deny(DONE_DENIED);
    }
}

#define LIE_ABOUT(call) \
    if (lies()) { \
        int before = draw(2) == 0; \
        if (!before) { \
            (void)!(call); \
        } \
        return deny(before ? NOT_DONE : DONE_DENIED); \
    } \
    return (call)

int mkdir(const char *path, mode_t mode)
{
    LIE_ABOUT(NEXT(mkdir)(path, mode));
}

int unlink(const char *path)
{
    LIE_ABOUT(NEXT(unlink)(path));
}

int rmdir(const char *path)
{
    LIE_ABOUT(NEXT(rmdir)(path));
}

/* ---- looks ------------------------------------------------------------------------------------------------------------ */

typedef struct {
    char path[PATH_MAX];
    int entries, next;
    struct dirent entry[8];
} listing;

static listing seen[SEEN], current; /* one listing at a time is open */

static int take_down(const char *path)
{
    DIR *stream = NEXT(opendir)(path);
    struct dirent *e;
    current.entries = current.next = 0;
    snprintf(current.path, sizeof current.path, "%s", path);
    if (!stream) {
        return -1;
    }
    while ((e = NEXT(readdir)(stream)) && current.entries < 8) {
        current.entry[current.entries++] = *e;
    }
    int complete = e == NULL;
    NEXT(closedir)(stream);
    return complete ? 0 : 1;
}

static DIR *mine;

DIR *opendir(const char *path)
{
    unsigned h = 0;
    for (const char *at = path; *at; at++) {
        h = h * 31 + (unsigned char)*at;
    }
    listing *old = &seen[h % SEEN];
    if (getpid() == honest || mine) {
        return NEXT(opendir)(path);
    }
    if (strcmp(old->path, path) == 0 && lies()) {
        current = *old;
        current.next = 0;
        atomic_fetch_add(&shared->told[OLD_LISTING], 1);
        return mine = (DIR *)&current;
    }
    int result = take_down(path);
    if (result != 0) {
        return result < 0 ? NULL : NEXT(opendir)(path);
    }
    *old = current;
    return mine = (DIR *)&current;
}

struct dirent *readdir(DIR *stream)
{
    if (stream != mine || !mine) {
        return NEXT(readdir)(stream);
    }
    return current.next < current.entries ? &current.entry[current.next++] : NULL;
}

int closedir(DIR *stream)
{
    if (stream != mine || !mine) {
        return NEXT(closedir)(stream);
    }
    mine = NULL;
    return 0;
}

/* statx() is called by its number. */
long syscall(long number, ...)
{
    long a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_statx && lies()) {
        atomic_fetch_add(&shared->told[NOT_FOUND], 1);
        errno = ENOENT;
        return -1;
    }
    return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
