/* The trial: starts the processes, kills one now and then and starts another in its place, and judges by the witness. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os.h"
#include "selftest/selftest_parts.h"

#define KILL_EVERY (NS_PER_SECOND / 10)
#define PATIENCE (20 * NS_PER_SECOND)

typedef struct {
    selftest *t;
    witness *w;
    struct {
        pid_t pid; /* 0: none */
        uint32_t incarnation;
    } worker[FL_SELFTEST_PROCESSES];
    uint32_t incarnations;
} supervisor;

/* A new one goes over the same mount as the one in whose place it is. */
static bool start(supervisor *s, int i)
{
    uint32_t incarnation = s->incarnations += 2;
    incarnation += i % 2;
    pid_t pid = fork();
    if (pid == 0)
        selftest_work(s->t, s->w, incarnation);
    if (pid < 0)
        return selftest_fail(s->t, "no more processes: %s", strerror(errno));
    s->worker[i].pid = pid;
    s->worker[i].incarnation = incarnation;
    return true;
}

static void end(supervisor *s, int i)
{
    if (s->worker[i].pid == 0)
        return;
    atomic_store(&s->w->doomed[s->worker[i].incarnation], os_now_precise());
    kill(s->worker[i].pid, SIGKILL);
    while (waitpid(s->worker[i].pid, NULL, 0) < 0 && errno == EINTR)
        ;
    s->worker[i].pid = 0;
}

static void tell(supervisor *s, double seconds)
{
    selftest_tell(s->t, "%.0f of %.0f s: %lu locks, %u processes killed, %u locks of hanging holders taken over",
                  seconds, s->t->plan->seconds, atomic_load(&s->w->taken), s->t->report->killed,
                  atomic_load(&s->w->after_end.count));
}

static bool has_failed(const witness_faults *wrong)
{
    return wrong->overlaps || wrong->tokens_back || wrong->wrongly_lost || wrong->wrongly_kept || wrong->errors;
}

static int find_holder(const supervisor *s)
{
    uint32_t holder = witness_holder(s->w, 0);
    for (int i = 0; i < s->t->plan->processes; i++)
        if (s->worker[i].pid != 0 && s->worker[i].incarnation == holder)
            return i;
    return -1;
}

/* By turns one that holds what most want, and any one, whatever it is doing. */
static int choose(const supervisor *s, int64_t n)
{
    for (int look = 0; look < 100 && n % 2 == 0; look++) {
        int holder = find_holder(s);
        if (holder >= 0)
            return holder;
        os_sleep_until(os_now_precise() + NS_PER_SECOND / 5000);
    }
    return (int)(n / 2 % s->t->plan->processes);
}

static bool supervise(supervisor *s)
{
    int64_t begun = os_now_precise(), until = begun + (int64_t)(s->t->plan->seconds * 1e9);
    for (int64_t now = begun, n = 1; now < until && !has_failed(&s->w->wrong); n++) {
        os_sleep_until(now = now + KILL_EVERY);
        if (selftest_is_stopped(s->t))
            return false;
        int victim = choose(s, n);
        bool spared = s->worker[victim].incarnation == atomic_load(&s->w->hangs);
        if (!spared && s->incarnations < WITNESS_INCARNATIONS - 4) {
            end(s, victim);
            s->t->report->killed++;
            if (!start(s, victim))
                return false;
        }
        if (n % 10 == 0)
            tell(s, (double)(now - begun) / 1e9);
    }
    return true;
}

/* Orderly, unless somebody has no patience. */
static void finish(supervisor *s, bool orderly)
{
    int64_t until = os_now_precise() + (orderly ? PATIENCE : 0);
    atomic_store(&s->w->stop, true);
    for (int i = 0; i < s->t->plan->processes; i++) {
        while (s->worker[i].pid != 0 && os_now_precise() < until) {
            if (waitpid(s->worker[i].pid, NULL, WNOHANG) != 0)
                s->worker[i].pid = 0;
            else
                os_sleep_until(os_now_precise() + NS_PER_SECOND / 1000);
        }
        end(s, i);
    }
}

static fl_selftest_times times_of(witness_times *seen)
{
    fl_selftest_times times = {NAN, NAN, atomic_load(&seen->count)};
    witness_figures(seen, &times.median, &times.worst);
    return times;
}

static bool judge(selftest *t, witness *w)
{
    const witness_faults *wrong = &w->wrong;
    if (wrong->overlaps)
        return selftest_fail(t, "two processes held one lock at the same time (seen %u times, %lu locks)",
                             wrong->overlaps, t->report->taken);
    if (wrong->tokens_back)
        return selftest_fail(t, "a token was not larger than the one before (%u times)", wrong->tokens_back);
    if (wrong->wrongly_lost)
        return selftest_fail(t, "a lock was lost before its time to live was over (%u times)", wrong->wrongly_lost);
    if (wrong->wrongly_kept)
        return selftest_fail(t, "a holder was not told that its lock had expired (%u times)", wrong->wrongly_kept);
    if (wrong->errors)
        return selftest_fail(t, "%u operations failed, the first with: %s", wrong->errors, wrong->error);
    if (t->report->hand_over.count == 0)
        return selftest_fail(t, "nobody who waited got a lock within %.3g s: it is too slow, or listings are too old",
                             t->plan->seconds);
    return true;
}

bool selftest_trial(selftest *t)
{
    supervisor s = {.t = t, .w = witness_new()};
    bool going = true;
    if (s.w == NULL)
        return selftest_fail(t, "no memory");
    for (int i = 0; i < t->plan->processes && going; i++)
        going = start(&s, i);
    going = going && supervise(&s);
    finish(&s, going);
    t->report->taken = atomic_load(&s.w->taken);
    t->report->hand_over = times_of(&s.w->hand_over);
    t->report->after_kill = times_of(&s.w->after_kill);
    t->report->after_end = times_of(&s.w->after_end);
    bool good = going && judge(t, s.w);
    witness_free(s.w);
    return good;
}
