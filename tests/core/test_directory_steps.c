/*
 * A process that is killed, or stopped, at every system call that changes a shared directory.
 *
 * Killed: others go on at once; this machine's comers take over what it held. Stopped: others go on, one whose clocks (and
 * whose server's) are an hour ahead takes the name over, and the late one, when it goes on, must not change its successor's state.
 */
#include "share.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static peer victim, watcher, future;
static char x[32];
static unsigned long long token;
static char key[FL_KEY_SIZE];

/* ---- the operations -------------------------------------------------------------------------------------------------- */

static void nothing(void)
{
}

static void name_exists(void)
{
    EXPECT(&watcher, "ok", "cycle 1 %s", x);
}

static void holder_died(void)
{
    peer dead;
    peer_open(&dead, share());
    EXPECT(&dead, "ok", "try 0 1000 %s", x);
    peer_kill(&dead);
}

static void victim_holds(void)
{
    EXPECT(&victim, "ok", "try 0 100 %s", x);
}

static void watcher_holds(void)
{
    EXPECT(&watcher, "ok", "try 0 100 %s", x);
    token = peer_token(&watcher);
}

static void watcher_left(void)
{
    watcher_holds();
    EXPECT(&watcher, "ok", "key 0");
    snprintf(key, sizeof key, "%s", strstr(watcher.answer, "key=") + 4);
    EXPECT(&watcher, "ok", "leave 0");
}

typedef struct {
    const char *name;
    void (*prepare)(void);
    const char *command; /* %s: the name; or the key; %llu: the token */
} operation;

static const operation operations[] = {
    {"bootstrap", nothing, "first"},           {"take a new name", nothing, "try"},
    {"take a known name", name_exists, "try"}, {"recover and take", holder_died, "try"},
    {"release", victim_holds, "release"},      {"refresh", victim_holds, "refresh"},
    {"leave", victim_holds, "leave"},          {"restore", watcher_left, "restore"},
    {"break", watcher_holds, "break"},         {"close", victim_holds, "close"},
};

static void start_operation(const operation *o)
{
    if (strcmp(o->command, "first") == 0 || strcmp(o->command, "try") == 0) {
        peer_tell(&victim, "try 0 100 %s", x);
    } else if (strcmp(o->command, "restore") == 0) {
        peer_tell(&victim, "restore 0 %s", key);
    } else if (strcmp(o->command, "break") == 0) {
        peer_tell(&victim, "break %llu %s", token, x);
    } else if (strcmp(o->command, "close") == 0) {
        peer_tell(&victim, "close");
    } else {
        peer_tell(&victim, "%s 0", o->command);
    }
}

/* False: it has no n-th step. */
static bool run_to(const operation *o, int n, const char *how)
{
    bool first = strcmp(o->command, "first") == 0;
    snprintf(x, sizeof x, "%s%d", how, n);
    peer_open(&victim, share());
    if (!first) {
        EXPECT(&victim, "ok", "cycle 1 of the victim");
    }
    o->prepare();
    EXPECT(&victim, "ok", "arm %d %s", n, how);
    start_operation(o);
    peer_answer(&victim);
    return peer_said(&victim, "killed") || peer_said(&victim, "stopped");
}

static void open_others(void)
{
    peer_open(&watcher, share());
    peer_open(&future, share());
    EXPECT(&future, "ok", "clock 3600 3600");
    EXPECT(&future, "ok", "server 3600");
}

/* ---- judges ------------------------------------------------------------------------------------------------------------ */

static bool concerns_watcher(const operation *o)
{
    return o->prepare == watcher_holds;
}

static void judge_killed(const operation *o)
{
    peer_kill(&victim);
    EXPECT(&watcher, "ok", "each 5 others");
    if (concerns_watcher(o)) {
        bool holds = strcmp(peer_ask(&watcher, "verify 0"), "ok") == 0;
        EXPECT(&watcher, holds ? "ok" : "free", "status %s", x);
        EXPECT(&watcher, holds ? "ok" : "lost", "release 0");
    }
    /* Not yet restored: left to its deadline, which dies with nobody. */
    bool left = kind_of(x) == 'L';
    if (left) {
        EXPECT(&watcher, "ok", "status %s", x);
        EXPECT(&watcher, "busy", "try 0 10 %s", x);
        EXPECT(&future, "ok", "try 0 10 %s", x);
        EXPECT(&future, "ok", "release 0");
    }
    EXPECT(&watcher, "free", "status %s", x);
    EXPECT(&watcher, "ok", "try 0 10 %s", x);
    EXPECT(&watcher, "ok", "release 0");
    assert_int_equal(kind_of(x), 'F');
}

static void judge_new_killed(const operation *o)
{
    peer_kill(&victim);
    (void)o;
    EXPECT(&watcher, "free", "status %s", x);
    EXPECT(&watcher, "ok", "try 0 10 %s", x);
    EXPECT(&watcher, "ok", "release 0");
    assert_int_equal(kind_of(x), 'F');
}

static void judge_stopped(const operation *o)
{
    char state[256];
    peer_await_stop(&victim);
    bool free = strcmp(peer_ask(&watcher, "status %s", x), "free") == 0;
    EXPECT(&watcher, free ? "ok" : "busy", "try 1 1 %s", x);
    EXPECT(&watcher, free ? "ok" : "lost", "release 1");
    EXPECT(&watcher, "ok", "each 5 others");
    EXPECT(&future, "ok", "try 0 1000 %s", x);
    snprintf(state, sizeof state, "%s", state_of(x));
    peer_continue(&victim);
    peer_answer(&victim);
    assert_string_equal(state_of(x), state);
    EXPECT(&future, "ok", "verify 0");
    EXPECT(&future, "ok", "release 0");
    if (o->prepare == victim_holds && strcmp(o->command, "close") != 0 && !free) {
        assert_true(peer_said(&victim, "lost") || !peer_said(&victim, "busy"));
    }
    peer_kill(&victim);
    assert_int_equal(kind_of(x), 'F');
}

static void at_every_step(const operation *o, const char *how, void (*judge)(const operation *))
{
    int n = 1;
    bool first = strcmp(o->command, "first") == 0;
    while (true) {
        if (first) {
            peers_end();
            suite_end(NULL);
            assert_int_equal(suite_begin(NULL), 0);
        }
        if (first || n == 1) {
            share();
            open_others();
        }
        if (!run_to(o, n, how)) {
            break;
        }
        print_message("%s: step %d, %.60s\n", o->name, n, victim.answer);
        judge(o);
        n++;
    }
    assert_true(n > 1);
}

static void killed_at_every_step(void **state)
{
    const operation *o = *state;
    at_every_step(o, "kill", o->prepare == nothing ? judge_new_killed : judge_killed);
}

static void stopped_at_every_step(void **state)
{
    at_every_step(*state, "stop", judge_stopped);
}

void group_directory_steps(void)
{
    enum { OPERATIONS = COUNT(operations) };
    static struct CMUnitTest steps[2 * OPERATIONS];
    static char names[2 * OPERATIONS][64];
    for (size_t i = 0; i < 2 * OPERATIONS; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s at every step", operations[i / 2].name,
                 i % 2 ? "stopped" : "killed");
        steps[i] = (struct CMUnitTest){names[i], i % 2 ? stopped_at_every_step : killed_at_every_step, suite_begin,
                                       share_end, (void *)&operations[i / 2]};
    }
    suite_run("directory_steps", steps, COUNT(steps));
}
