/*
 * Two processes rename one file at the same moment, each to a name of its own, over and over: exactly one may be told that it
 * succeeded, and its name is the one that is there. On a server that renames what was opened instead of what is called so,
 * both are.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "directory/files.h"
#include "os.h"
#include "selftest/selftest_parts.h"

enum { PATH_SIZE = FL_DSN_PATH_MAX + 64, RACES = 300 };

#define RACE_TIME (3 * NS_PER_SECOND) /* at most, of all races */
#define PATIENCE (30 * NS_PER_SECOND) /* with one operation */

/* Shared by the two. Each waits for the other at every number. */
typedef struct {
    _Atomic int arrived[2];
    _Atomic int told[2]; /* of this race: 0 or errno */
    _Atomic bool over;
} course;

static const char *source(char path[PATH_SIZE], const selftest *t, int mount, int n)
{
    snprintf(path, PATH_SIZE, "%s/race/%d", t->path[mount], n);
    return path;
}

static const char *target(char path[PATH_SIZE], const selftest *t, int mount, int n, int runner)
{
    snprintf(path, PATH_SIZE, "%s/race/%d.%c", t->path[mount], n, 'a' + runner);
    return path;
}

/* False: the other one does not come. */
static bool meet(course *c, int runner, int number)
{
    int64_t until = os_now_precise() + PATIENCE;
    atomic_store(&c->arrived[runner], number);
    while (atomic_load(&c->arrived[!runner]) < number) {
        if (atomic_load(&c->over) || os_now_precise() > until)
            return false;
        sched_yield();
    }
    return true;
}

static void run(const selftest *t, course *c, int runner, int n)
{
    char from[PATH_SIZE], to[PATH_SIZE];
    int mount = runner == 1 && t->two;
    int result = files.rename(source(from, t, mount, n), target(to, t, mount, n, runner));
    atomic_store(&c->told[runner], result == 0 ? 0 : errno);
}

static _Noreturn void be_second(const selftest *t, course *c)
{
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int n = 0; meet(c, 1, 2 * n + 1); n++) {
        run(t, c, 1, n);
        if (!meet(c, 1, 2 * n + 2))
            break;
    }
    _exit(0);
}

/* Judged through the mount of who says that it won. */
static bool judge(selftest *t, const course *c, int n)
{
    char path[PATH_SIZE];
    int winners = (c->told[0] == 0) + (c->told[1] == 0);
    if (winners == 2)
        return selftest_fail(t, "two renames of one file both succeeded: a lock could be given to two");
    t->report->races++;
    t->report->errors += winners == 0;
    int winner = c->told[1] == 0;
    bool there[2];
    for (int i = 0; i < 2; i++)
        there[i] = files.exists(target(path, t, t->two && winner, n, i)) == 0;
    if (there[0] + there[1] != 1 || (winners == 1 && !there[winner]))
        return selftest_fail(t, "after a rename of one file by two processes %s",
                             !there[0] && !there[1] ? "it is gone" : "it is not what the winner has called it");
    for (int i = 0; i < 2; i++)
        files.remove_file(target(path, t, 0, n, i));
    return true;
}

static bool race(selftest *t, course *c, int n)
{
    char path[PATH_SIZE];
    if (selftest_is_stopped(t))
        return false;
    if (files.make_file(source(path, t, 0, n), NULL, 0, 0600, -1) != 0)
        return selftest_fail(t, "cannot make %s: %s", path, strerror(errno));
    if (!meet(c, 0, 2 * n + 1))
        return selftest_fail(t, "a process of this test was killed");
    run(t, c, 0, n);
    if (!meet(c, 0, 2 * n + 2))
        return selftest_fail(t, "a rename took longer than %.0f s", PATIENCE / 1e9);
    return judge(t, c, n);
}

static bool race_all(selftest *t, course *c)
{
    int64_t until = os_now_precise() + RACE_TIME;
    for (int n = 0; n < RACES && (n < 3 || os_now_precise() < until); n++)
        if (!race(t, c, n))
            return false;
    return true;
}

bool selftest_renames(selftest *t)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/race", t->path[0]);
    course *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c == MAP_FAILED || files.make_directory(path, 0700, -1) != 0)
        return selftest_fail(t, "cannot make %s: %s", path, strerror(errno));
    pid_t second = fork();
    if (second == 0)
        be_second(t, c);
    bool good = second > 0 ? race_all(t, c) : selftest_fail(t, "no more processes: %s", strerror(errno));
    atomic_store(&c->over, true);
    if (second > 0) {
        kill(second, SIGKILL);
        waitpid(second, NULL, 0);
    }
    munmap(c, sizeof *c);
    return good;
}
