/*
 * torture-crowd SECONDS [SEED]: as torture, but for what several may hold, wait for and hand over: readers and writers with
 * upgrades and downgrades, semaphores, long queues, hand-overs, each for so long. Every 3 ms one of six processes is killed and
 * replaced, now and then one is stopped and resumed. What must hold is judged outside the table, see marks.h.
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"
#include "image.h"

enum { GUESTS = 6, KILL_EVERY_NS = 3000000, STOP_EVERY = 5, STOP_MOST = 40 };
enum { EXCLUSIVE = 1 << FL_EXCLUSIVE, SHARED = 1 << FL_SHARED, COUNTED = 1 << FL_PERMIT };

static const mode modes[] = {
    {"readers and writers", 3, EXCLUSIVE | SHARED, 0, 2000, false},
    {"permits", 2, COUNTED, 2, 2000, false},
    {"queues of all kinds", 2, EXCLUSIVE | SHARED | COUNTED, 3, 30000, false},
    {"hand-overs", 3, EXCLUSIVE, 0, 2000, true},
};

static struct {
    pid_t pid;
    uint32_t incarnation;
    int stopped_for; /* rounds until it is resumed; 0 = it runs */
} guests[GUESTS];

static marks *m;
static char directory[64], dsn[128];
static uint32_t incarnations;
static int failed;

static void start(int i, const mode *how, uint64_t seed)
{
    pid_t supervisor = getpid();
    guests[i].incarnation = ++incarnations % INCARNATIONS;
    guests[i].stopped_for = 0;
    atomic_store(&m->doomed[guests[i].incarnation], 0);
    guests[i].pid = fork();
    if (guests[i].pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != supervisor) {
            _exit(1);
        }
        guest_run(m, how, dsn, seed, guests[i].incarnation);
    }
    if (guests[i].pid < 0) {
        perror("fork");
        exit(2);
    }
}

static void end(int i)
{
    marks_doom(m, guests[i].incarnation);
    kill(guests[i].pid, SIGKILL);
    waitpid(guests[i].pid, NULL, 0);
    marks_bury(m, guests[i].incarnation);
}

static void stop_or_resume(unsigned *random)
{
    int i = rand_r(random) % GUESTS;
    if (guests[i].stopped_for == 0 && rand_r(random) % STOP_EVERY == 0) {
        kill(guests[i].pid, SIGSTOP);
        guests[i].stopped_for = 1 + rand_r(random) % STOP_MOST;
        atomic_fetch_add(&m->stops, 1);
    }
    for (i = 0; i < GUESTS; i++) {
        if (guests[i].stopped_for > 0 && --guests[i].stopped_for == 0) {
            kill(guests[i].pid, SIGCONT);
        }
    }
}

static void torture_for(double seconds, const mode *how, uint64_t seed)
{
    unsigned random = (unsigned)seed;
    struct timespec pause = {0, KILL_EVERY_NS};
    int64_t end_at = marks_now() + (int64_t)(seconds * 1e9);
    for (int i = 0; i < GUESTS; i++) {
        start(i, how, seed);
    }
    while (marks_now() < end_at) {
        nanosleep(&pause, NULL);
        int victim = rand_r(&random) % GUESTS;
        end(victim);
        start(victim, how, seed);
        stop_or_resume(&random);
    }
    for (int i = 0; i < GUESTS; i++) {
        end(i);
    }
}

/* ---- afterwards ---------------------------------------------------------------------------------------------------- */

static void require(bool holds, const char *what, unsigned long number)
{
    printf("%s: %s (%lu)\n", holds ? "ok" : "FAILED", what, number);
    failed |= !holds;
}

/* What was left may still be there for some milliseconds. */
static unsigned names_not_free(const mode *how)
{
    fl_store *store;
    fl_error error;
    unsigned bad = 0;
    if (fl_open(dsn, &store, &error) != FL_OK) {
        return 1;
    }
    for (int i = 0; i < how->names; i++) {
        fl_lease lease = FL_LEASE_INIT;
        char name[32];
        size_t length = guest_name(i, name);
        fl_result taken = fl_acquire(store, &lease, name, length, INFINITY, 1, NULL, &error);
        bad += taken != FL_OK || lease.token <= atomic_load(&m->name[i].token) || fl_release(&lease, &error) != FL_OK;
    }
    fl_close(store);
    return bad;
}

/* Each who attaches clears away some of the dead. */
static unsigned belongs_to_the_dead(const char *path)
{
    table_counts counts = {.slots = 1};
    for (int i = 0; i < 2000 && image_count(path, &counts) && counts.slots > 0; i++) {
        fl_store *store;
        fl_lease lease = FL_LEASE_INIT;
        fl_error error;
        if (fl_open(dsn, &store, &error) == FL_OK) {
            fl_try(store, &lease, "x", 1, 1, &error);
            fl_close(store);
        }
    }
    return counts.owned + counts.records + counts.waiting + counts.slots + counts.twins + counts.strays;
}

static void report(const mode *how)
{
    char path[128];
    printf(
        "%s: %lu exclusive, %lu shared, %lu permits, %lu busy, %lu refreshed, %lu upgraded, %lu downgraded, %lu left, "
        "%lu restored, %lu lost, %lu kills of which %lu hit a believing holder, %lu stops\n",
        how->title, m->taken[FL_EXCLUSIVE], m->taken[FL_SHARED], m->taken[FL_PERMIT], m->busy, m->refreshed,
        m->upgraded, m->downgraded, m->left, m->restored, m->lost, m->kills, m->believing, m->stops);
    require(m->overlaps == 0, "only those believed at a time who may", m->overlaps);
    if (m->overlaps) {
        printf("the last one: %s\n", m->overlap);
    }
    require(m->tokens == 0, "no token went back or changed in a hand-over", m->tokens);
    require(m->wrongly_lost == 0, "nobody lost a lease that had not expired", m->wrongly_lost);
    require(m->wrongly_kept == 0, "nobody kept a lease that had expired", m->wrongly_kept);
    require(m->errors == 0, m->errors ? m->error : "no call failed", m->errors);
    unsigned long work = m->taken[0] + m->taken[1] + m->taken[2];
    require(work > m->kills, "work was done", work);
    require(m->believing * 20 > m->kills, "the kills hit believing holders", m->believing);
    snprintf(path, sizeof path, "%s/filelock.table", directory);
    require(names_not_free(how) == 0, "every name is free for a writer, with a larger token",
            (unsigned long)how->names);
    unsigned dead = belongs_to_the_dead(path);
    require(dead == 0, "nothing belongs to the dead", dead);
    unlink(path);
    rmdir(directory);
}

static void run(const mode *how, double seconds, uint64_t seed)
{
    snprintf(directory, sizeof directory, "%s/filelock-torture-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(2);
    }
    snprintf(dsn, sizeof dsn, "table:%s?capacity=64", directory);
    marks_clear(m);
    torture_for(seconds, how, seed);
    report(how);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 5;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    m = marks_new();
    if (!m || !(seconds > 0)) {
        fprintf(stderr, "usage: torture-crowd SECONDS [SEED]\n");
        return 2;
    }
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        run(&modes[i], seconds, seed + i);
    }
    return failed;
}
