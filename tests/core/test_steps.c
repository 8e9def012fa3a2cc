/*
 * A process that is killed, or stopped, at every single step of every operation.
 *
 * The n-th run of an operation ends at its n-th step, for n = 1, 2, … until it comes through. Killed: whatever it had is free
 * for the next comer. Stopped: the others go on at once, on this name and on its neighbours, and one whose clock is an hour
 * ahead takes the name over, since to it any lease of the stopped one has expired. Then the stopped one goes on with what it
 * had decided long ago, and must not change a bit of its successor's lease.
 */
#include "suite.h"

#include "image.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef enum { TAKES, RELEASES, REFRESHES, BREAKS, WAITS, CLOSES } kind;

static peer victim, holder, watcher, future;
static const char *table_dsn, *table_path;
static char x[32];
static uint64_t held_token;
static lease_image held;

static void open_victim(void)
{
    peer_open(&victim, table_dsn);
}

static void attach_victim(void)
{
    open_victim();
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
    peer_open(&dead, table_dsn);
    EXPECT(&dead, "ok", "try 0 inf %s", x);
    peer_kill(&dead);
}

/* Slots of the dead are also found by who attaches. */
static void holder_died_before(void)
{
    peer dead;
    peer_open(&dead, table_dsn);
    EXPECT(&dead, "ok", "try 0 inf %s", x);
    EXPECT(&dead, "ok", "try 1 10 of the dead");
    peer_kill(&dead);
    open_victim();
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
    assert_true(image_of_lease(table_path, x, &held));
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

static const struct operation {
    const char *name, *options;
    void (*prepare)(void);
    kind kind;
} operations[] = {
    {"take a known name", "?capacity=64", known_name, TAKES},
    {"bind a new name", "?capacity=4096", attach_victim, TAKES},
    {"evict another name", "?capacity=64", full_of_names, TAKES},
    {"attach and take", "?capacity=64", open_victim, TAKES},
    {"attach beside the dead", "?capacity=64", holder_died_before, TAKES},
    {"recover and take", "?capacity=64", holder_died, TAKES},
    {"take over an expired lease", "?capacity=64", lease_expired, TAKES},
    {"release", "?capacity=64", victim_holds, RELEASES},
    {"release with a waiter", "?capacity=64", victim_holds_and_one_waits, RELEASES},
    {"refresh", "?capacity=64", victim_holds, REFRESHES},
    {"break", "?capacity=64", holder_holds, BREAKS},
    {"wait until the time is up", "?capacity=64", holder_holds, WAITS},
    {"close", "?capacity=64", victim_holds, CLOSES},
};

static void command(kind k)
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
        case CLOSES:
            peer_tell(&victim, "close");
            break;
    }
}

/* ---- what the others must be able to do ---------------------------------------------------------------------------- */

/* Names in the same bucket, more than it has ways, and others; and one who attaches now. */
static void neighbours_go_on(void)
{
    char neighbour[32];
    int n = 0;
    peer comer;
    for (int i = 0; i < 8; i++) {
        assert_true(image_neighbour(table_path, x, "neighbour", &n, neighbour, sizeof neighbour));
        EXPECT(&watcher, "ok", "cycle 2 %s", neighbour);
        EXPECT(&watcher, "free", "status %s", neighbour);
    }
    EXPECT(&watcher, "ok", "each 30 other");
    peer_open(&comer, table_dsn);
    EXPECT(&comer, "ok", "try 0 10 %s", neighbour);
    EXPECT(&comer, "ok", "close");
    peer_finish(&comer);
}

static void name_is_free_again(void)
{
    EXPECT(&watcher, "free", "status %s", x);
    EXPECT(&watcher, "ok", "try 0 10 %s", x);
    EXPECT(&watcher, "ok", "status %s", x);
    EXPECT(&watcher, "ok", "release 0");
    EXPECT(&watcher, "free", "status %s", x);
}

/* Only what it had broken is gone; whoever holds is seen to hold. */
static void holder_is_right(kind k)
{
    bool holds = strcmp(peer_ask(&holder, "verify 0"), "ok") == 0;
    assert_true(holds || k == BREAKS);
    EXPECT(&watcher, holds ? "ok" : "free", "status %s", x);
    EXPECT(&watcher, holds ? "busy" : "ok", "try 0 10 %s", x);
    EXPECT(holds ? &holder : &watcher, "ok", "release 0");
}

static void judge_killed(kind k)
{
    peer_kill(&victim);
    if (k == BREAKS || k == WAITS) {
        holder_is_right(k);
    }
    neighbours_go_on();
    name_is_free_again();
    if (k == CLOSES) {
        EXPECT(&watcher, "ok", "try 0 10 second");
        EXPECT(&watcher, "ok", "release 0");
    }
}

/* ---- the successor ------------------------------------------------------------------------------------------------ */

static lease_image overtake(void)
{
    lease_image image;
    EXPECT(&future, "ok", "try 0 inf %s", x);
    assert_true(image_of_lease(table_path, x, &image));
    assert_true(image.token == peer_token(&future));
    return image;
}

static void assert_successor_unharmed(const lease_image *before)
{
    lease_image after;
    assert_true(image_of_lease(table_path, x, &after));
    assert_memory_equal(before, &after, sizeof after);
    EXPECT(&watcher, "ok", "status %s", x);
    assert_true(peer_token(&watcher) == before->token);
    assert_int_equal((pid_t)peer_number(&watcher, "pid="), future.pid);
    EXPECT(&watcher, "busy", "try 0 10 %s", x);
    EXPECT(&future, "ok", "verify 0");
    EXPECT(&future, "ok", "release 0");
    EXPECT(&watcher, "ok", "try 0 10 %s", x);
    assert_true(peer_token(&watcher) > before->token);
    EXPECT(&watcher, "ok", "release 0");
}

/* What the late one may be told, by what was to be seen of it while it was stopped. */
static bool is_right_answer(kind k, bool seen, bool refreshed)
{
    switch (k) {
        case TAKES:
            return peer_said(&victim, "busy") || (seen && peer_said(&victim, "ok"));
        case RELEASES:
            return peer_said(&victim, seen ? "lost" : "ok");
        case REFRESHES:
            return peer_said(&victim, "lost") || (refreshed && peer_said(&victim, "ok"));
        case BREAKS:
            return peer_said(&victim, seen ? "free" : "ok");
        case WAITS:
            return peer_said(&victim, "busy");
        case CLOSES:
            return peer_said(&victim, "ok");
    }
    return false;
}

static bool was_refreshed(void)
{
    lease_image now;
    return image_of_lease(table_path, x, &now) && now.word != held.word;
}

static bool look_while_stopped(kind k)
{
    pid_t owner = k == BREAKS || k == WAITS ? holder.pid : victim.pid;
    bool seen = strcmp(peer_ask(&watcher, "status %s", x), "free") != 0;
    if (seen) {
        assert_int_equal((pid_t)peer_number(&watcher, "pid="), owner);
    }
    EXPECT(&watcher, seen ? "busy" : "ok", "try 0 10 %s", x);
    EXPECT(&watcher, seen ? "lost" : "ok", "release 0");
    return seen;
}

static void judge_stopped(kind k)
{
    bool seen = look_while_stopped(k), refreshed = was_refreshed();
    neighbours_go_on();
    if (k == WAITS) {
        EXPECT(&holder, "ok", "release 0");
    }
    lease_image image = overtake();
    peer_continue(&victim);
    peer_answer(&victim);
    if (!is_right_answer(k, seen, refreshed)) {
        fail_msg("the late one is told \"%s\"; it was %s", victim.answer, seen ? "seen" : "not seen");
    }
    if (peer_said(&victim, "ok") && (k == TAKES || k == REFRESHES)) {
        EXPECT(&victim, "lost", "verify 0");
    }
    assert_successor_unharmed(&image);
    if (k == CLOSES) {
        open_victim();
    }
    EXPECT(&victim, "ok", "try 5 10 %s", x);
    EXPECT(&victim, "ok", "release 5");
    peer_kill(&victim);
}

/* ---- every step ---------------------------------------------------------------------------------------------------- */

static void open_others(const struct operation *o)
{
    static char text[600], path[600];
    snprintf(text, sizeof text, "%s%s", dsn("t"), o->options);
    snprintf(path, sizeof path, "%s", scratch("t/filelock.table"));
    table_dsn = text;
    table_path = path;
    peer_open(&holder, table_dsn);
    peer_open(&watcher, table_dsn);
    peer_open(&future, table_dsn);
    EXPECT(&future, "ok", "clock 3600 3600");
    EXPECT(&holder, "ok", "cycle 1 y");
    EXPECT(&future, "ok", "cycle 1 y");
}

/* Ends the operation at its n-th step; false: it has no n-th step. */
static bool run_to(const struct operation *o, int n, const char *how)
{
    snprintf(x, sizeof x, "%s%d", how, n);
    o->prepare();
    EXPECT(&victim, "ok", "arm %d %s", n, how);
    command(o->kind);
    peer_answer(&victim);
    return peer_said(&victim, "killed") || peer_said(&victim, "stopped");
}

static void assert_clean(void)
{
    table_counts counts;
    EXPECT(&holder, "ok", "close");
    EXPECT(&future, "ok", "close");
    assert_true(image_count(table_path, &counts));
    assert_int_equal(counts.twins, 0);
    assert_int_equal(counts.strays, 0);
}

static void at_every_step(const struct operation *o, const char *how, void (*judge)(kind))
{
    int n = 1;
    open_others(o);
    while (run_to(o, n, how)) {
        char where[64];
        snprintf(where, sizeof where, "%.60s", victim.answer);
        if (strcmp(how, "stop") == 0) {
            peer_await_stop(&victim);
        }
        print_message("%s: step %d, %s\n", o->name, n, where);
        judge(o->kind);
        n++;
    }
    assert_true(n > 1);
    assert_clean();
}

static void killed_at_every_step(void **state)
{
    at_every_step(*state, "kill", judge_killed);
}

static void stopped_at_every_step(void **state)
{
    at_every_step(*state, "stop", judge_stopped);
}

void group_steps(void)
{
    static struct CMUnitTest steps[2 * COUNT(operations)];
    static char names[2 * COUNT(operations)][64];
    for (size_t i = 0; i < COUNT(steps); i++) {
        const struct operation *o = &operations[i / 2];
        snprintf(names[i], sizeof names[i], "%s: %s at every step", o->name, i % 2 ? "stopped" : "killed");
        steps[i] = (struct CMUnitTest){names[i], i % 2 ? stopped_at_every_step : killed_at_every_step, suite_begin,
                                       suite_end, (void *)o};
    }
    RUN(steps);
}
