/* One process of the trial: takes, holds, refreshes, gives back, hangs now and then, until it is told to stop or killed. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "os.h"
#include "selftest/selftest_parts.h"

#define TTL 10.0
#define SHORT_TTL 0.3
#define HANGS (5 * NS_PER_SECOND) /* at most: longer than it takes where time stamps are whole seconds */
#define MS INT64_C(1000000)

typedef struct {
    fl_store *store;
    witness *w;
    fl_lease lease;
    belief belief;
    uint64_t dice;
    fl_error error;
} worker;

/* xorshift64 (Marsaglia 2003); one of 0 to n - 1 */
static unsigned roll(worker *k, unsigned n)
{
    k->dice ^= k->dice << 13;
    k->dice ^= k->dice >> 7;
    k->dice ^= k->dice << 17;
    return (unsigned)(k->dice >> 33) % n;
}

static void pause_ms(worker *k, unsigned most)
{
    os_sleep_until(os_now_precise() + (int64_t)roll(k, most * 1000 + 1) * 1000);
}

static int is_over(void *context)
{
    return atomic_load(&((witness *)context)->stop);
}

/* One at a time, for a fifth of the time altogether; the supervisor spares it. */
static bool draws_to_hang(worker *k)
{
    uint32_t nobody = 0;
    bool wants = k->belief.name == 0 && os_now() > atomic_load(&k->w->hang_again);
    return wants && atomic_compare_exchange_strong(&k->w->hangs, &nobody, k->belief.incarnation);
}

static void end_hanging(worker *k, int64_t begun)
{
    int64_t now = os_now();
    atomic_store(&k->w->hang_again, now + 4 * (now - begun));
    atomic_store(&k->w->hangs, 0);
}

/* Waits for it. */
static fl_result take(worker *k, double ttl)
{
    const fl_interrupt interrupt = {is_over, k->w};
    char name[16];
    k->belief.waits_since = os_now_precise();
    int length = snprintf(name, sizeof name, "name %d", k->belief.name);
    return fl_acquire(k->store, &k->lease, name, (size_t)length, ttl, INFINITY, &interrupt, &k->error);
}

static void refresh(worker *k)
{
    fl_result result = fl_refresh(&k->lease, NULL, &k->error);
    if (result == FL_OK)
        witness_renew(&k->belief);
    else if (result == FL_ERROR)
        witness_error(k->w, k->error.message);
    else if (!witness_is_late(&k->belief))
        atomic_fetch_add(&k->w->wrong.wrongly_lost, 1);
}

static void give_back(worker *k)
{
    witness_leave(&k->belief);
    bool late_before = witness_is_late(&k->belief);
    fl_result result = fl_release(&k->lease, &k->error);
    if (result == FL_ERROR)
        witness_error(k->w, k->error.message);
    else if (result == FL_OK && late_before)
        atomic_fetch_add(&k->w->wrong.wrongly_kept, 1);
    else if (result == FL_LOST && !witness_is_late(&k->belief))
        atomic_fetch_add(&k->w->wrong.wrongly_lost, 1);
}

/* Hangs: believes until the deadline and comes back when somebody else has the lock, or nobody wants it. */
static void hang(worker *k)
{
    int64_t until = os_now_precise() + HANGS;
    while (!witness_is_late(&k->belief)) {
        witness_look(&k->belief);
        pause_ms(k, 20);
    }
    while (witness_is_mine(&k->belief) && os_now_precise() < until && !atomic_load(&k->w->stop))
        pause_ms(k, 20);
}

static void work(worker *k)
{
    pause_ms(k, roll(k, 8) == 0 ? 40 : 1);
    witness_look(&k->belief);
    if (roll(k, 8) == 0)
        refresh(k);
    witness_look(&k->belief);
}

static void hold(worker *k, bool hangs)
{
    atomic_fetch_add(&k->w->taken, 1);
    witness_enter(&k->belief);
    if (hangs)
        hang(k);
    else
        work(k);
    give_back(k);
}

/* Most want the same name. */
static void turn(worker *k)
{
    k->belief.name = roll(k, 4) != 0 ? 0 : 1 + (int)roll(k, WITNESS_NAMES - 1);
    int64_t begun = os_now();
    bool hangs = draws_to_hang(k);
    fl_result result = take(k, hangs ? SHORT_TTL : TTL);
    if (result == FL_OK)
        hold(k, hangs);
    else if (result == FL_ERROR)
        witness_error(k->w, k->error.message);
    if (hangs)
        end_hanging(k, begun);
    pause_ms(k, 10); /* lets another one have it */
}

/* A terminal's Ctrl+C reaches all processes of the group: it is the supervisor who cleans up. */
static void stay_until_told(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

_Noreturn void selftest_work(const selftest *t, witness *w, uint32_t incarnation)
{
    char dsn[3 * FL_DSN_PATH_MAX + 8];
    worker k = {.w = w, .lease = FL_LEASE_INIT, .dice = UINT64_C(0x9e3779b97f4a7c15) * incarnation};
    k.belief = (belief){.w = w, .incarnation = incarnation, .lease = &k.lease};
    stay_until_told();
    selftest_dsn(t->path[incarnation % 2], dsn);
    if (fl_open(dsn, &k.store, &k.error) != FL_OK) {
        witness_error(w, k.error.message);
        _exit(1);
    }
    fl_set_label(k.store, "filelock verify", 15);
    pause_ms(&k, 50); /* those who wait come first */
    while (!atomic_load(&w->stop))
        turn(&k);
    fl_close(k.store);
    _exit(0);
}
