/*
 * Killed and stopped at every step of every operation: others go on, no two hold it, and afterwards it can be had. One exception: a
 * store whose steps are called guard:… there keeps others from removing that name until the stopped one goes on; it has a
 * test of its own.
 */
#include "contract.h"

#include <stdio.h>
#include <string.h>

static peer victim, watcher, looker;
static unsigned long long token;

static void nothing(void)
{
}

static void name_exists(void)
{
    EXPECT(&watcher, "ok", "cycle 1 x");
}

static void victim_holds(void)
{
    EXPECT(&victim, "ok", "try 0 1000 x");
}

static void watcher_holds(void)
{
    EXPECT(&watcher, "ok", "try 0 1000 x");
    EXPECT(&looker, "ok", "status x");
    token = peer_token(&looker);
}

static const struct operation {
    void (*prepare)(void);
    const char *command;
} operations[] = {
    {nothing, "try 0 1000 x"},   {name_exists, "try 0 1000 x"},   {victim_holds, "release 0"},
    {victim_holds, "refresh 0"}, {watcher_holds, "break %llu x"}, {watcher_holds, "status x"},
};

/* False: there is no n-th step. */
static bool run_to(const struct operation *o, int n, const char *how)
{
    open_peer(&victim);
    open_peer(&watcher);
    open_peer(&looker);
    EXPECT(&victim, "ok", "cycle 1 first");
    o->prepare();
    EXPECT(&victim, "ok", "arm %d %s", n, how);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
    peer_tell(&victim, o->command, token);
#pragma GCC diagnostic pop
    peer_answer(&victim);
    return peer_said(&victim, "killed") || peer_said(&victim, "stopped");
}

static void others_go_on(void)
{
    EXPECT(&looker, "ok", "each 3 others");
    EXPECT(&looker, "ok", "list ");
    peer_ask(&looker, "status x");
    assert_true(peer_said(&looker, "ok") || peer_said(&looker, "free"));
}

/* Takes it if it is to be had. */
static bool watcher_has_it(const struct operation *o)
{
    if (o->prepare == watcher_holds && strcmp(peer_ask(&watcher, "verify 0"), "ok") == 0) {
        return true;
    }
    peer_ask(&watcher, "try 0 1000 x");
    assert_true(peer_said(&watcher, "ok") || peer_said(&watcher, "busy"));
    return peer_said(&watcher, "ok");
}

static void can_be_had(void)
{
    EXPECT(&looker, "free", "status x");
    EXPECT(&looker, "ok", "try 0 1000 x");
    EXPECT(&looker, "ok", "release 0");
}

static void judge_killed(const struct operation *o)
{
    peer_kill(&victim);
    others_go_on();
    assert_true(watcher_has_it(o));
    EXPECT(&watcher, "ok", "release 0");
    can_be_had();
}

static bool is_in_guard(void)
{
    return strstr(victim.answer, "guard:") != NULL;
}

static void judge_stopped(const struct operation *o)
{
    bool guard = is_in_guard(), taken = false;
    peer_await_stop(&victim);
    if (!guard) {
        others_go_on();
        taken = watcher_has_it(o);
    }
    peer_continue(&victim);
    peer_answer(&victim);
    if (guard) {
        taken = watcher_has_it(o);
    }
    bool holds = strcmp(peer_ask(&victim, "verify 0"), "ok") == 0;
    assert_false(holds && taken);
    if (taken && strncmp(o->command, "break", 5) != 0) {
        EXPECT(&watcher, "ok", "verify 0"); /* the late one has not touched it */
    }
    peer_ask(&victim, "release 0");
    peer_ask(&watcher, "release 0");
    can_be_had();
}

static void everywhere(const char *how, void (*judge)(const struct operation *))
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        for (int n = 1; run_to(&operations[i], n, how); n++) {
            judge(&operations[i]);
            peers_end();
        }
        peer_ask(&victim, "arm 1000000 %s", how);
        peer_ask(&victim, "release 0"); /* not every store notices that it ends */
        peer_ask(&watcher, "release 0");
        peers_end();
    }
}

static void killed_anywhere(void **state)
{
    (void)state;
    everywhere("kill", judge_killed);
}

static void stopped_anywhere(void **state)
{
    (void)state;
    everywhere("stop", judge_stopped);
}

void contract_steps(void)
{
    static const contract_case cases[] = {
        WITH(killed_anywhere, FL_CAN_RECOVER),
        ALWAYS(stopped_anywhere),
    };
    RUN_CASES(cases);
}
