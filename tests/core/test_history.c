/*
 * Storage that is removed, moved or replaced under its users. What is judged is the history of grants, not what calls return:
 * each grant happened between the times before and after its call, on the monotonic clock that all processes share.
 *
 *   - the old table grants nothing in a call that began more than 30 ms after the deletion;
 *   - the new table grants nothing in a call that ended less than 30 ms after it, and no old grant begins after a new one;
 *   - tokens of the new table are larger, and the old holder is told at its next call.
 *
 * All of these can only fail by a wrong grant, however slow or busy the machine is.
 */
#include "suite.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS INT64_C(1000000)
#define BOUND (30 * MS)
#define LASTING (260 * MS) /* how long grants are recorded after the deletion */

enum { IDLE = 12, RECORDERS = IDLE + 2 };

/* What one process saw, of all its grants by one table. */
typedef struct {
    unsigned count;
    int64_t last_before, first_after;
    uint64_t least_token, most_token;
} grants;

static struct shared {
    _Atomic int64_t deleted; /* 0 = not yet; then a time before the deletion */
    _Atomic bool gone;       /* after it */
    _Atomic unsigned ready;
    struct {
        grants old, new;
        char failed[sizeof((fl_error *)0)->message];
    } recorder[RECORDERS];
} * shared;

static void note(grants *g, int64_t before, int64_t after, uint64_t token)
{
    g->count++;
    g->last_before = before;
    g->first_after = g->count == 1 ? after : g->first_after;
    g->least_token = g->count == 1 || token < g->least_token ? token : g->least_token;
    g->most_token = token > g->most_token ? token : g->most_token;
}

/* ---- processes that take and give back ------------------------------------------------------------------------------ */

typedef struct {
    fl_store *store;
    uint32_t old_epoch; /* 0 = it never saw the old table */
    int number;
} recorder;

static void take_once(recorder *r)
{
    fl_lease lease = FL_LEASE_INIT;
    fl_error error;
    int64_t before = precise_now();
    fl_result result = fl_try(r->store, &lease, "y", 1, 1000, &error);
    int64_t after = precise_now();
    if (result == FL_OK) {
        note(lease.epoch == r->old_epoch ? &shared->recorder[r->number].old : &shared->recorder[r->number].new, before,
             after, lease.token);
        fl_release(&lease, &error);
    } else if (result == FL_ERROR) {
        memcpy(shared->recorder[r->number].failed, error.message, sizeof error.message);
    }
}

static void attach_to_old(recorder *r)
{
    fl_lease lease = FL_LEASE_INIT;
    fl_error error;
    char name[16];
    int length = snprintf(name, sizeof name, "own%d", r->number);
    if (fl_try(r->store, &lease, name, (size_t)length, 1000, &error) != FL_OK) {
        _exit(1);
    }
    r->old_epoch = lease.epoch;
    fl_release(&lease, &error);
}

static void sleep_until(int64_t time)
{
    struct timespec t = {time / 1000000000, time % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
    }
}

/* Between its announcement and the deed a comer finds the old table. */
static int64_t await_deletion(void)
{
    while (!atomic_load(&shared->gone)) {
        usleep(100);
    }
    return atomic_load(&shared->deleted);
}

/* Uses the old table without a pause, before and after. */
static void be_busy(recorder *r)
{
    attach_to_old(r);
    atomic_fetch_add(&shared->ready, 1);
    for (int64_t end = INT64_MAX, deleted; precise_now() < end;) {
        take_once(r);
        deleted = atomic_load(&shared->deleted);
        end = deleted ? deleted + LASTING : INT64_MAX;
    }
}

/* Attached to the old table, idle at the deletion, back some time after it. */
static void be_idle(recorder *r)
{
    static const int after_ms[IDLE] = {0, 2, 5, 9, 12, 15, 18, 22, 29, 35, 100, 200};
    attach_to_old(r);
    atomic_fetch_add(&shared->ready, 1);
    sleep_until(await_deletion() + after_ms[r->number] * MS);
    for (int i = 0; i < 100; i++) {
        take_once(r);
    }
}

static void be_new(recorder *r)
{
    atomic_fetch_add(&shared->ready, 1);
    for (int64_t end = await_deletion() + LASTING; precise_now() < end;) {
        take_once(r);
    }
}

static pid_t start(int number)
{
    pid_t child = fork();
    if (child == 0) {
        recorder r = {.store = open_store(dsn("t?capacity=64")), .number = number};
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (number < IDLE) {
            be_idle(&r);
        } else if (number == IDLE) {
            be_busy(&r);
        } else {
            be_new(&r);
        }
        _exit(0);
    }
    return child;
}

/* ---- ways to lose a table ------------------------------------------------------------------------------------------ */

static void remove_file(void)
{
    assert_int_equal(unlink(scratch("t/filelock.table")), 0);
}

static void move_file(void)
{
    assert_int_equal(rename(scratch("t/filelock.table"), scratch("moved")), 0);
}

static void remove_directory(void)
{
    assert_int_equal(unlink(scratch("t/filelock.table")), 0);
    rmdir(scratch("t")); /* somebody may have made a new table already */
}

static void move_directory(void)
{
    assert_int_equal(rename(scratch("t"), scratch("moved")), 0);
}

static void replace_file(void)
{
    assert_int_equal(rename(scratch("spare/filelock.table"), scratch("t/filelock.table")), 0);
}

static void exchange_directories(void)
{
    int exchange = 2;
    assert_int_equal(syscall(SYS_renameat2, AT_FDCWD, scratch("spare"), AT_FDCWD, scratch("t"), exchange), 0);
}

static void replace_directory(void)
{
    assert_int_equal(rename(scratch("t"), scratch("moved")), 0);
    if (rename(scratch("spare"), scratch("t")) != 0) {
        assert_int_equal(access(scratch("t"), F_OK), 0);
    }
}

static const struct way {
    const char *name;
    void (*destroy)(void);
} ways[] = {
    {"the file is removed", remove_file},
    {"the file is moved away", move_file},
    {"the directory is removed", remove_directory},
    {"the directory is moved away", move_directory},
    {"the file is replaced by another table", replace_file},
    {"the directory is exchanged with another", exchange_directories},
    {"the directory is replaced by another", replace_directory},
};

/* ---- the judgement -------------------------------------------------------------------------------------------------- */

/* A second table, in use for longer than any quarantine. */
static void prepare_spare(void)
{
    peer p;
    peer_open(&p, dsn("spare?capacity=64"));
    EXPECT(&p, "ok", "each 10 n");
    EXPECT(&p, "ok", "try 0 inf of the spare");
    sleep_until(precise_now() + 2 * BOUND);
}

static void judge(int64_t before, int64_t after)
{
    grants old = {0}, new = {0};
    new.first_after = INT64_MAX;
    new.least_token = UINT64_MAX;
    for (int i = 0; i < RECORDERS; i++) {
        const grants *o = &shared->recorder[i].old, *n = &shared->recorder[i].new;
        assert_string_equal(shared->recorder[i].failed, "");
        old.count += o->count;
        new.count += n->count;
        old.last_before = o->last_before > old.last_before ? o->last_before : old.last_before;
        old.most_token = o->most_token > old.most_token ? o->most_token : old.most_token;
        new.first_after = n->count && n->first_after < new.first_after ? n->first_after : new.first_after;
        new.least_token = n->count && n->least_token < new.least_token ? n->least_token : new.least_token;
    }
    print_message("%u old grants, the last from %.3f ms; %u new ones, the first at %.3f ms\n", old.count,
                  (double)(old.last_before - before) / 1e6, new.count, (double)(new.first_after - before) / 1e6);
    assert_true(old.count > 0 && new.count > 0);
    assert_true(old.last_before <= after + BOUND);
    assert_true(new.first_after >= before + BOUND);
    assert_true(old.last_before <= new.first_after);
    assert_true(new.least_token > old.most_token);
}

static void old_holder_is_told(peer *holder)
{
    peer comer;
    peer_open(&comer, dsn("t?capacity=64"));
    EXPECT(&comer, "ok", "try 0 inf held");
    EXPECT(holder, "lost", "refresh 1");
    EXPECT(holder, "lost", "release 0");
    EXPECT(holder, "busy", "try 0 inf held");
    EXPECT(&comer, "ok", "verify 0");
}

static void grants_of_two_tables(void **state)
{
    const struct way *way = *state;
    pid_t children[RECORDERS];
    peer holder;
    peer_open(&holder, dsn("t?capacity=64"));
    EXPECT(&holder, "ok", "try 0 inf held");
    EXPECT(&holder, "ok", "try 1 inf held too");
    prepare_spare();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < RECORDERS; i++) {
        children[i] = start(i);
    }
    while (atomic_load(&shared->ready) < RECORDERS) {
        usleep(1000);
    }
    int64_t before = precise_now();
    atomic_store(&shared->deleted, before);
    way->destroy();
    atomic_store(&shared->gone, true);
    int64_t after = precise_now();
    for (int i = 0; i < RECORDERS; i++) {
        int status = -1;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    judge(before, after);
    old_holder_is_told(&holder);
    munmap(shared, sizeof *shared);
}

void group_history(void)
{
    static struct CMUnitTest history[COUNT(ways)];
    for (size_t i = 0; i < COUNT(ways); i++) {
        history[i] = (struct CMUnitTest){ways[i].name, grants_of_two_tables, suite_begin, suite_end, (void *)&ways[i]};
    }
    RUN(history);
}
