/*
 * The death hint on Linux. A process locks a robust mutex of its own, which nobody else ever locks: when the thread dies, however,
 * the kernel marks the mutex's futex word and wakes who waits on it. Only the owner's C library touches the mutex as such, so that
 * glibc and musl may meet in one file; the others need to know where in it the futex word is, which arming finds out.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os.h"

_Static_assert(sizeof(pthread_mutex_t) <= OS_DEATH_SIZE, "the mutex fits");

/* The word that carries my thread number since the mutex is locked. */
static int find_futex_word(const pthread_mutex_t *mutex)
{
    uint32_t words[sizeof *mutex / sizeof(uint32_t)], me = (uint32_t)syscall(SYS_gettid);
    memcpy(words, mutex, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((words[i] & FUTEX_TID_MASK) == me)
            return (int)(i * sizeof *words);
    return -1;
}

static int init_and_lock(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    int code = pthread_mutexattr_init(&attributes);
    if (code != 0)
        return code;
    code = pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    if (code == 0)
        code = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    if (code == 0)
        code = pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return code == 0 ? pthread_mutex_lock(mutex) : code;
}

/*
 * The head of this thread's list of robust mutexes, and the process in which it was seen. It is the thread's, and so is the variable.
 * musl's fork() leaves it to the child as it is: it leads to the parent's mutexes, in mappings that a child does not have, and
 * the next lock would write there.
 */
static _Thread_local struct {
    pid_t process;
    struct robust_list_head *head;
} robust;

static void forget_parents_mutexes(void)
{
    if (robust.head != NULL && robust.process != getpid())
        robust.head->list.next = &robust.head->list;
}

static void remember_list(void)
{
    size_t size = 0;
    robust.process = getpid();
    if (syscall(SYS_get_robust_list, 0, &robust.head, &size) != 0)
        robust.head = NULL;
}

int os_death_arm(void *place)
{
    pthread_mutex_t *mutex = place;
    memset(place, 0, OS_DEATH_SIZE);
    forget_parents_mutexes();
    if (init_and_lock(mutex) != 0)
        return -1;
    remember_list();
    int offset = find_futex_word(mutex);
    if (offset < 0)
        pthread_mutex_unlock(mutex);
    return offset;
}

bool os_death_disarm(void *place, int offset)
{
    pthread_mutex_t *mutex = place;
    uint32_t owner = atomic_load((_Atomic uint32_t *)(void *)((char *)place + offset));
    if ((owner & FUTEX_TID_MASK) != (uint32_t)syscall(SYS_gettid))
        return (owner & FUTEX_OWNER_DIED) != 0 || (owner & FUTEX_TID_MASK) == 0;
    if (pthread_mutex_unlock(mutex) == 0)
        pthread_mutex_destroy(mutex);
    return true;
}

bool os_death_watch(_Atomic uint32_t *word, os_watch *watch)
{
    uint32_t seen = atomic_load(word);
    if ((seen & FUTEX_TID_MASK) == 0 || (seen & FUTEX_OWNER_DIED))
        return false;
    /* The kernel and the owner's unlock wake only if this bit is set; nobody but the owner changes the rest. */
    if (!(seen & FUTEX_WAITERS) && !atomic_compare_exchange_strong(word, &seen, seen | FUTEX_WAITERS))
        return false;
    *watch = (os_watch){word, seen | FUTEX_WAITERS};
    return true;
}

void os_death_pass_on(const os_watch *watch)
{
    if (atomic_load(watch->word) & FUTEX_OWNER_DIED)
        os_futex_wake(watch->word, INT32_MAX);
}

/* ---- futex_waitv(2), Linux 5.16; spelled out because older headers lack it */

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
enum { WAITV_32_BITS = 2 };

struct waitv {
    uint64_t value, address;
    uint32_t flags, reserved;
};

int os_futex_wait_any(const os_watch *watches, size_t n, int64_t until)
{
    struct waitv list[OS_WATCHES_MOST];
    struct timespec t = os_timespec(until);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct waitv){watches[i].expected, (uint64_t)(uintptr_t)watches[i].word, WAITV_32_BITS, 0};
    if (syscall(SYS_futex_waitv, list, n, 0, &t, CLOCK_MONOTONIC) >= 0 || errno == EAGAIN)
        return 0;
    return errno;
}
