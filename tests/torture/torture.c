/*
 * torture SECONDS [SEED [STORE]]: six processes take and give back; every 3 ms one of them is killed and replaced, now and then one is
 * stopped and resumed, often beyond the time to live of what it holds. A witness outside the store judges, see witness.h. STORE: another
 * than the table, by its title in tests/contract/stores.h.
 * Prints what happened, one line for each thing that had to hold ("ok: …" or "FAILED: …"); exits with 1 if one did not.
 */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image.h"
#include "worker.h"

enum { WORKERS = 6, KILL_EVERY_NS = 3000000, STOP_EVERY = 5, STOP_MOST = 40 };

typedef struct {
    pid_t pid;
    uint32_t incarnation;
    int stopped_for; /* rounds until it is resumed; 0 = it runs */
} tortured;

static witness *w;
static uint32_t incarnations;
static tortured workers[WORKERS];
static int failed;
static char directory[64];

static void start(tortured *t, const plan *p)
{
    pid_t supervisor = getpid();
    *t = (tortured){.incarnation = ++incarnations % INCARNATIONS};
    atomic_store(&w->doomed[t->incarnation], 0);
    t->pid = fork();
    if (t->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != supervisor) {
            _exit(1);
        }
        worker_run(w, p, t->incarnation);
    }
    if (t->pid < 0) {
        perror("fork");
        exit(2);
    }
}

static void end(tortured *t, const plan *p)
{
    witness_doom(w, t->incarnation);
    kill(t->pid, SIGKILL);
    waitpid(t->pid, NULL, 0);
    witness_bury(w, t->incarnation, p->names);
}

static void stop_or_resume(unsigned *random)
{
    tortured *t = &workers[rand_r(random) % WORKERS];
    if (t->stopped_for == 0 && rand_r(random) % STOP_EVERY == 0) {
        kill(t->pid, SIGSTOP);
        t->stopped_for = 1 + rand_r(random) % STOP_MOST;
        atomic_fetch_add(&w->figures.stops, 1);
    }
    for (int i = 0; i < WORKERS; i++) {
        if (workers[i].stopped_for > 0 && --workers[i].stopped_for == 0) {
            kill(workers[i].pid, SIGCONT);
        }
    }
}

static int64_t add_ns(struct timespec *t, long ns)
{
    t->tv_nsec += ns;
    t->tv_sec += t->tv_nsec / 1000000000;
    t->tv_nsec %= 1000000000;
    return t->tv_sec;
}

static void torture_for(double seconds, const plan *p)
{
    unsigned random = (unsigned)p->seed;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int i = 0; i < WORKERS; i++) {
        start(&workers[i], p);
    }
    for (long rounds = (long)(seconds * 1e9 / KILL_EVERY_NS); rounds > 0; rounds--) {
        add_ns(&next, KILL_EVERY_NS);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        tortured *victim = &workers[rand_r(&random) % WORKERS];
        end(victim, p);
        start(victim, p);
        stop_or_resume(&random);
    }
    for (int i = 0; i < WORKERS; i++) {
        end(&workers[i], p);
    }
}

/* ---- afterwards ---------------------------------------------------------------------------------------------------- */

static void require(bool holds, const char *what, unsigned long number)
{
    printf("%s: %s (%lu)\n", holds ? "ok" : "FAILED", what, number);
    failed |= !holds;
}

static int count_one(void *count, const fl_status_t *status)
{
    (void)status;
    ++*(unsigned *)count;
    return 0;
}

/* Where nobody sees that a holder is dead, its short time to live must run out. */
static double patience(const plan *p)
{
    return p->can & FL_CAN_RECOVER ? 0 : 10;
}

/* All are dead: nothing is held, and the next comer gets every name, with a token larger than all before. */
static unsigned names_not_free(const plan *p, unsigned *listed)
{
    fl_store *store;
    fl_error error;
    unsigned bad = 0;
    if (fl_open(p->dsn, &store, &error) != FL_OK || fl_list(store, "", 0, count_one, listed, &error) != FL_OK) {
        return 1;
    }
    for (int i = 0; i < p->names; i++) {
        fl_lease lease = FL_LEASE_INIT;
        char name[FL_NAME_MAX + 1];
        fl_result taken = fl_acquire(store, &lease, name, plan_name(i, name), 1000, patience(p), NULL, &error);
        bool larger = lease.token > atomic_load(&w->name[i].token) || !(p->can & FL_CAN_TOKEN);
        bad += taken != FL_OK || !larger || fl_release(&lease, &error) != FL_OK;
    }
    fl_close(store);
    return bad;
}

/* Each who attaches clears away some of the dead. */
static void clear_away(const plan *p, const char *path, table_counts *counts)
{
    for (int i = 0; i < 2000 && image_count(path, counts) && counts->slots > 0; i++) {
        fl_store *store;
        fl_lease lease = FL_LEASE_INIT;
        fl_error error;
        if (fl_open(p->dsn, &store, &error) == FL_OK) {
            fl_try(store, &lease, "x", 1, 1, &error);
            fl_close(store);
        }
    }
}

static void check_names(const plan *p)
{
    unsigned listed = 0;
    require(names_not_free(p, &listed) == 0, "every name is free for the next comer, with a larger token",
            (unsigned)p->names);
    require(listed == 0 || !(p->can & FL_CAN_RECOVER), "nothing is listed as held", listed);
}

static void check_table(const plan *p)
{
    table_counts counts;
    char path[128];
    snprintf(path, sizeof path, "%s/filelock.table", directory);
    clear_away(p, path, &counts);
    require(counts.twins == 0, "no name has two entries", counts.twins);
    require(counts.strays == 0, "no entry is found under another name", counts.strays);
    require(counts.owned == 0, "no word names an owner", counts.owned);
    require(counts.records + counts.waiting + counts.slots == 0, "nothing belongs to the dead",
            counts.records + counts.waiting + counts.slots);
}

static void report(const plan *p, double seconds)
{
    const figures *f = &w->figures;
    const violations *v = &w->wrong;
    printf("%d names, %.1f s: %lu acquisitions, %lu busy, %lu refreshed, %lu lost, %lu kills of which %lu hit a "
           "believing holder, "
           "%lu stops, %lu expired leases taken over, %lu broken\n",
           p->names, seconds, f->acquisitions, f->busy, f->refreshed, f->lost, f->kills, f->believing, f->stops,
           f->expired_marks, f->broken);
    require(v->overlaps == 0, "no two believed to hold one name at a time", v->overlaps);
    require(v->tokens_back == 0, "no token went back", v->tokens_back);
    require(v->wrongly_kept == 0, "nobody kept a lease that had expired", v->wrongly_kept);
    if (getenv("TORTURE_LIES")) {
        /* Of what a lying server answers follows that locks are lost or not to be had, never that two hold one. */
        require(f->acquisitions > f->kills / 2, "work was done", f->acquisitions);
        return;
    }
    require(v->wrongly_lost == 0, "nobody lost a lease that had not expired", v->wrongly_lost);
    require(v->status_wrong == 0, "every holder was seen to be the holder, as itself", v->status_wrong);
    require(v->errors == 0, v->errors ? v->error : "no call failed", v->errors);
    require(f->acquisitions > f->kills, "work was done", f->acquisitions);
    /* Where the dead keep what they held, hardly anybody holds. */
    unsigned long share = p->can & FL_CAN_RECOVER ? 20 : 200;
    require(f->believing * share > f->kills, "the kills hit believing holders", f->believing);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    return remove(path);
}

static void make_directory(void)
{
    snprintf(directory, sizeof directory, "%s/filelock-torture-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(2);
    }
}

static void phase(double seconds, const plan *p)
{
    witness_clear(w);
    torture_for(seconds, p);
    report(p, seconds);
    check_names(p);
}

static void phase_of(const char *title, const char *template, double seconds, uint64_t seed, int names)
{
    char dsn[160];
    fl_store *store;
    fl_error error;
    make_directory();
    snprintf(dsn, sizeof dsn, template, directory);
    if (fl_open(dsn, &store, &error) != FL_OK) {
        fprintf(stderr, "%s: %s\n", title, error.message);
        exit(2);
    }
    /* Where nothing frees what the killed held, an option does. */
    if (!(fl_capabilities(store) & (FL_CAN_RECOVER | FL_CAN_EXPIRE))) {
        fl_close(store);
        strcat(dsn, "&stale=1");
        if (fl_open(dsn, &store, &error) != FL_OK) {
            fprintf(stderr, "%s: %s\n", title, error.message);
            exit(2);
        }
    }
    plan p = {dsn, names, seed, fl_capabilities(store)};
    fl_close(store);
    printf("%s ", title);
    phase(seconds, &p);
    if (strncmp(dsn, "table:", 6) == 0) {
        check_table(&p);
    }
    nftw(directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static const struct {
    const char *title, *dsn;
} stores[] = {
#define STORE(title, dsn) {title, dsn},
#include "../contract/stores.h"
#undef STORE
};

static int torture_store(const char *title, double seconds, uint64_t seed)
{
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        if (strcmp(stores[i].title, title) == 0) {
            phase_of(title, stores[i].dsn, seconds * 0.6, seed, 8);
            phase_of(title, stores[i].dsn, seconds * 0.4, seed + 1, 300);
            return failed;
        }
    }
    fprintf(stderr, "torture: there is no store %s\n", title);
    return 2;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 20;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    w = witness_new();
    if (!w || !(seconds > 0)) {
        fprintf(stderr, "usage: torture SECONDS [SEED [STORE]]\n");
        return 2;
    }
    printf("seed %llu\n", (unsigned long long)seed);
    if (argc > 3) {
        return torture_store(argv[3], seconds, seed);
    }
    phase_of("table:", "table:%s?capacity=1024", seconds * 0.6, seed, 8);
    phase_of("table:", "table:%s?capacity=96", seconds * 0.4, seed + 1, 300); /* more names than it has room for */
    return failed;
}
