#include "steps.h"

#include <stdio.h>
#include <string.h>

peer victim, holder, watcher, future;
char x[32];
const char *step_dsn, *step_path;
lease_image held;
static uint64_t held_token;

void steps_open_victim(void)
{
    peer_open(&victim, step_dsn);
}

static void attach_victim(void)
{
    steps_open_victim();
    EXPECT(&victim, "ok", "cycle 1 of the victim");
}

static void known_name(void)
{
    EXPECT(&watcher, "ok", "cycle 1 %s", x);
    attach_victim();
}

static void full_of_names(void)
{
    attach_victim();
    EXPECT(&watcher, "ok", "each 64 fill");
}

static void holder_died(void)
{
    peer dead;
    attach_victim();
    peer_open(&dead, step_dsn);
    EXPECT(&dead, "ok", "try 0 inf %s", x);
    peer_kill(&dead);
}

/* Slots of the dead are also found by who attaches. */
static void holder_died_before(void)
{
    peer dead;
    peer_open(&dead, step_dsn);
    EXPECT(&dead, "ok", "try 0 inf %s", x);
    EXPECT(&dead, "ok", "try 1 10 of the dead");
    peer_kill(&dead);
    steps_open_victim();
}

static void lease_expired(void)
{
    attach_victim();
    EXPECT(&holder, "ok", "try 0 0.001 %s", x);
    while (strcmp(peer_ask(&watcher, "status %s", x), "free") != 0) {
    }
}

static void victim_holds(void)
{
    attach_victim();
    EXPECT(&victim, "ok", "try 0 10 %s", x);
    EXPECT(&victim, "ok", "try 1 inf second");
    assert_true(image_of_lease(step_path, x, &held));
}

/* A waiter makes giving back longer: it is woken. */
static void victim_holds_and_one_waits(void)
{
    victim_holds();
    EXPECT(&holder, "busy", "acquire 0 10 0.001 %s", x);
}

static void holder_holds(void)
{
    attach_victim();
    EXPECT(&holder, "ok", "try 0 10 %s", x);
    held_token = peer_token(&holder);
}

const step_operation step_operations[] = {
    {"take a known name", "?capacity=64", known_name, TAKES},
    {"bind a new name", "?capacity=4096", attach_victim, TAKES},
    {"evict another name", "?capacity=64", full_of_names, TAKES},
    {"attach and take", "?capacity=64", steps_open_victim, TAKES},
    {"attach beside the dead", "?capacity=64", holder_died_before, TAKES},
    {"recover and take", "?capacity=64", holder_died, TAKES},
    {"take over an expired lease", "?capacity=64", lease_expired, TAKES},
    {"release", "?capacity=64", victim_holds, RELEASES},
    {"release with a waiter", "?capacity=64", victim_holds_and_one_waits, RELEASES},
    {"refresh", "?capacity=64", victim_holds, REFRESHES},
    {"break", "?capacity=64", holder_holds, BREAKS},
    {"wait until the time is up", "?capacity=64", holder_holds, WAITS},
    {"wait and be served", "?capacity=64", holder_holds, IS_SERVED},
    {"close", "?capacity=64", victim_holds, CLOSES},
};

const size_t step_operation_count = COUNT(step_operations);

/* Until the victim is seen to wait, or has ended before it came to that. */
static void await_waiter(void)
{
    do {
        EXPECT(&watcher, "ok", "status %s", x);
    } while (peer_number(&watcher, "waiters=") == 0 && !peer_has_answered(&victim));
}

static void command(step_kind k)
{
    switch (k) {
        case TAKES:
            peer_tell(&victim, "try 0 10 %s", x);
            break;
        case RELEASES:
            peer_tell(&victim, "release 0");
            break;
        case REFRESHES:
            peer_tell(&victim, "refresh 0 100");
            break;
        case BREAKS:
            peer_tell(&victim, "break %llu %s", (unsigned long long)held_token, x);
            break;
        case WAITS:
            peer_tell(&victim, "acquire 0 10 0.03 %s", x);
            break;
        case IS_SERVED:
            peer_tell(&victim, "acquire 0 10 0.3 %s", x);
            await_waiter();
            EXPECT(&holder, "ok", "release 0");
            break;
        case CLOSES:
            peer_tell(&victim, "close");
            break;
    }
}

void steps_open_others(const step_operation *o)
{
    static char text[600], path[600];
    snprintf(text, sizeof text, "%s%s", dsn("t"), o->options);
    snprintf(path, sizeof path, "%s", scratch("t/filelock.table"));
    step_dsn = text;
    step_path = path;
    peer_open(&holder, step_dsn);
    peer_open(&watcher, step_dsn);
    peer_open(&future, step_dsn);
    EXPECT(&future, "ok", "clock 3600 3600");
    EXPECT(&holder, "ok", "cycle 1 y");
    EXPECT(&future, "ok", "cycle 1 y");
}

bool steps_run_to(const step_operation *o, int n, const char *how)
{
    snprintf(x, sizeof x, "%s%d", how, n);
    o->prepare();
    EXPECT(&victim, "ok", "arm %d %s", n, how);
    command(o->kind);
    peer_answer(&victim);
    return peer_said(&victim, "killed") || peer_said(&victim, "stopped");
}
