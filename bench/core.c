/*
 * The core without PHP, beside what the C library and the kernel have: an uncontended lease against a robust, process-shared
 * mutex; eight processes on one lock against a blocking flock(2), and how many turns each of them had.
 *
 *     core DSN DIRECTORY        prints Markdown
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "filelock.h"

enum { ROUNDS = 7, PAIRS = 1000000, PROCESSES = 8, SECONDS = 2 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

static _Noreturn void die(const fl_error *error)
{
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static fl_store *open_store(const char *dsn)
{
    fl_store *store;
    fl_error error;
    if (fl_open(dsn, &store, &error) != FL_OK)
        die(&error);
    return store;
}

/* ---- uncontended */

static double time_leases(fl_store *store)
{
    fl_lease lease = FL_LEASE_INIT;
    fl_error error;
    double start = now();
    for (int i = 0; i < PAIRS; i++)
        if (fl_try(store, &lease, "import", 6, 1800, &error) != FL_OK || fl_release(&lease, &error) != FL_OK)
            die(&error);
    return (now() - start) / PAIRS * 1e9;
}

static double time_mutex(pthread_mutex_t *mutex)
{
    double start = now();
    for (int i = 0; i < PAIRS; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
    return (now() - start) / PAIRS * 1e9;
}

static pthread_mutex_t *make_mutex(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t *mutex = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(mutex, &attributes);
    return mutex;
}

static void compare_uncontended(const char *dsn)
{
    double leases[ROUNDS], mutexes[ROUNDS];
    fl_store *store = open_store(dsn);
    pthread_mutex_t *mutex = make_mutex();
    time_leases(store);
    for (int i = 0; i < ROUNDS; i++) {
        leases[i] = time_leases(store);
        mutexes[i] = time_mutex(mutex);
    }
    fl_close(store);
    double a = median(leases), b = median(mutexes);
    printf("| in C: fl_try + fl_release | %.1f ns | robust pthread mutex %.1f ns | %.2f × (goal: ≤ 2) %s |\n", a, b,
           a / b, a <= 2 * b ? "ok" : "MISSED");
}

/* ---- contended */

static long *turns; /* of each process, shared */

static void stay(double section)
{
    double end = now() + section;
    if (section >= 5e-4)
        usleep((useconds_t)(section * 1e6));
    while (now() < end)
        ;
}

static void take_turns_leasing(const char *dsn, double section, double end, long *mine)
{
    fl_store *store = open_store(dsn);
    fl_lease lease = FL_LEASE_INIT;
    fl_error error;
    for (; now() < end; ++*mine) {
        if (fl_acquire(store, &lease, "contended", 9, 100, 100, NULL, &error) != FL_OK)
            die(&error);
        stay(section);
        fl_release(&lease, &error);
    }
}

static void take_turns_flocking(const char *directory, double section, double end, long *mine)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/flock", directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (; now() < end; ++*mine) {
        flock(fd, LOCK_EX);
        stay(section);
        flock(fd, LOCK_UN);
    }
}

typedef void (*contender)(const char *where, double section, double end, long *mine);

static long contend(contender with, const char *where, double section, long *least, long *most)
{
    double end = now() + SECONDS;
    for (int i = 0; i < PROCESSES; i++) {
        turns[i] = 0;
        if (fork() == 0) {
            with(where, section, end, &turns[i]);
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
    long sum = 0;
    *least = *most = turns[0];
    for (int i = 0; i < PROCESSES; i++) {
        sum += turns[i];
        *least = turns[i] < *least ? turns[i] : *least;
        *most = turns[i] > *most ? turns[i] : *most;
    }
    return sum;
}

static void compare_contended(const char *dsn, const char *directory, double section, double goal)
{
    long least, most, flock_least, flock_most;
    double ours = (double)contend(take_turns_leasing, dsn, section, &least, &most);
    double theirs = (double)contend(take_turns_flocking, directory, section, &flock_least, &flock_most);
    printf("| %d processes, sections of %.0f µs | %.0f turns a second, each %ld to %ld | flock %.0f, each %ld to %ld "
           "| %.2f × (goal: ≥ %.1f) %s |\n",
           PROCESSES, section * 1e6, ours / SECONDS, least, most, theirs / SECONDS, flock_least, flock_most,
           ours / theirs, goal, ours >= goal * theirs ? "ok" : "MISSED");
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: core DSN DIRECTORY\n");
        return 2;
    }
    turns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    printf("| core | filelock | beside it | ratio |\n|---|---|---|---|\n");
    compare_uncontended(arguments[1]);
    fflush(stdout);
    compare_contended(arguments[1], arguments[2], 10e-6, 0.4);
    fflush(stdout);
    compare_contended(arguments[1], arguments[2], 1e-3, 0.9);
    return 0;
}
