/*
 * As test_steps.c, for readers, permits, upgrades, waits and hand-overs: killed, and stopped, at every step of each.
 *
 * Killed: others hold what they held, and the name is free when they gave it back, or still there for the key of a lease that
 * was left. Stopped: everybody goes on; one whose clock is an hour ahead takes the name, for which everything of the stopped one
 * has ended; then the stopped one goes on, and must not change a bit of its successor's lease.
 */
#include "image.h"
#include "kinds.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { MOST_STEPS = 5 };
/* What the operation may take away from the holder, and whether its lease may outlive the victim. */
enum { TAKES_AWAY = 1, MAY_STAY = 2 };

/*
 * Who is told what before: v = the victim, h = the holder, w = the watcher, d = one that is killed then; b: to h, which is
 * answered busy; f: until the name is free. $ is the name, K the last key, T the last token.
 */
typedef struct {
    const char *name, *before[MOST_STEPS], *command;
    int flags;
} operation;

#define READ "take 0 shared 0 10 0 $"
#define PERMIT "take 0 permit 2 10 0 $"
#define WRITE "take 0 exclusive 0 10 0 $"
#define WAITER "btake 1 exclusive 0 10 0.001 $"

static const operation operations[] = {
    {"read a known name", {"wcycle 1 $"}, READ, 0},
    {"read a new name", {NULL}, READ, 0},
    {"read beside a reader", {"h" READ}, READ, 0},
    {"read after a dead reader", {"dtake 0 shared 0 inf 0 $"}, READ, 0},
    {"read after a dead writer", {"dtake 0 exclusive 0 inf 0 $"}, READ, 0},
    {"write after an expired reader", {"htake 0 shared 0 0.001 0 $", "f"}, WRITE, TAKES_AWAY},
    {"write after a dead reader", {"dtake 0 shared 0 inf 0 $"}, WRITE, 0},
    {"read no longer", {"v" READ, WAITER}, "release 0", 0},
    {"read on", {"v" READ}, "refresh 0 100", 0},
    {"take a permit", {"h" PERMIT}, PERMIT, 0},
    {"give a permit back", {"v" PERMIT, WAITER}, "release 0", 0},
    {"upgrade", {"v" READ}, "upgrade 0 0", 0},
    {"upgrade while another one waits", {"v" READ, WAITER}, "upgrade 0 0.1", 0},
    {"upgrade beside a reader, in vain", {"v" READ, "h" READ}, "upgrade 0 0.02", 0},
    {"downgrade", {"v" WRITE}, "downgrade 0", 0},
    {"downgrade while another one waits", {"v" WRITE, WAITER}, "downgrade 0", 0},
    {"wait to read, in vain", {"h" WRITE}, "take 0 shared 0 10 0.02 $", 0},
    {"wait for a permit, in vain", {"h" WRITE}, "take 0 permit 2 10 0.02 $", 0},
    {"wait to write behind a reader, in vain", {"h" READ}, "take 0 exclusive 0 10 0.02 $", 0},
    {"wait until it is broken off", {"h" WRITE, "vpatience 2"}, "take 0 exclusive 0 10 5 $", 0},
    {"leave", {"v" WRITE, "vkey 0"}, "leave 0", MAY_STAY},
    {"leave while another one waits", {"v" WRITE, "vkey 0", WAITER}, "leave 0", MAY_STAY},
    {"restore from the owner", {"h" WRITE, "hkey 0"}, "restore 0 K", TAKES_AWAY},
    {"restore what was left", {"h" WRITE, "hkey 0", "hleave 0"}, "restore 0 K", TAKES_AWAY | MAY_STAY},
    {"break a reader", {"h" READ}, "break T $", TAKES_AWAY},
    {"close while reading", {"v" READ, WAITER}, "close", 0},
    {"close while having a permit", {"v" PERMIT, "h" PERMIT}, "close", 0},
};

static peer victim, holder, watcher, future;
static char x[32], key[FL_KEY_SIZE], token[32], text[600];
static fl_store *store;

/* ---- before ---------------------------------------------------------------------------------------------------------- */

static const char *expand(const char *command)
{
    static char line[400];
    char *to = line;
    *to = 0;
    for (; *command; command++) {
        const char one[2] = {*command, 0};
        const char *part = *command == '$' ? x : *command == 'K' ? key : *command == 'T' ? token : one;
        to += sprintf(to, "%s", part);
    }
    return line;
}

static void note_answer(const peer *p)
{
    const char *at = strstr(p->answer, "token=");
    if (at) {
        sscanf(at + 6, "%31[0-9]", token);
    }
    if (strstr(p->answer, "key=")) {
        snprintf(key, sizeof key, "%s", key_of(p));
    }
}

static void tell_one(const char *what)
{
    peer dead, *p = *what == 'v' ? &victim : *what == 'w' ? &watcher : *what == 'd' ? &dead : &holder;
    if (*what == 'f') {
        await_free(store, x);
        return;
    }
    if (*what == 'd') {
        peer_open(&dead, text);
    }
    EXPECT(p, *what == 'b' ? "busy" : "ok", "%s", expand(what + 1));
    note_answer(p);
    if (*what == 'd') {
        peer_kill(&dead);
    }
}

static void open_victim(void)
{
    peer_open(&victim, text);
    EXPECT(&victim, "ok", "cycle 1 of the victim");
}

/* Ends (how: "kill" or "stop") the operation at its n-th step; false: it has no n-th step. */
static bool run_to(const operation *o, int n, const char *how)
{
    snprintf(x, sizeof x, "%s%d", how, n);
    open_victim();
    for (int i = 0; i < MOST_STEPS && o->before[i]; i++) {
        tell_one(o->before[i]);
    }
    EXPECT(&victim, "ok", "arm %d %s", n, how);
    peer_tell(&victim, "%s", expand(o->command));
    peer_answer(&victim);
    return peer_said(&victim, "killed") || peer_said(&victim, "stopped");
}

/* ---- after ------------------------------------------------------------------------------------------------------------- */

/* Others, on this name and on others, and one who comes now: nobody is kept waiting. */
static void others_go_on(void)
{
    peer comer;
    peer_ask(&watcher, "status %s", x);
    if (strcmp(peer_ask(&watcher, "take 1 shared 0 10 0 %s", x), "busy") != 0) {
        EXPECT(&watcher, "ok", "release 1");
    }
    EXPECT(&watcher, "ok", "each 10 other");
    peer_open(&comer, text);
    EXPECT(&comer, "ok", "try 0 10 of the comer");
    EXPECT(&comer, "ok", "close");
    peer_finish(&comer);
}

static bool holder_had(const operation *o)
{
    return o->before[0] && (*o->before[0] == 'h' || (o->before[1] && *o->before[1] == 'h' && o->before[1][1] != 'k'));
}

static void holder_gives_back(const operation *o)
{
    if (holder_had(o) && !(o->flags & TAKES_AWAY)) {
        EXPECT(&holder, "ok", "verify 0");
        EXPECT(&holder, "ok", "release 0");
    } else if (holder_had(o)) {
        peer_ask(&holder, "release 0");
    }
}

static void name_is_free_again(const operation *o)
{
    if (strcmp(peer_ask(&watcher, "try 1 10 %s", x), "busy") == 0) {
        assert_true(o->flags & MAY_STAY);
        EXPECT(&watcher, "ok", "restore 1 %s", key);
        EXPECT(&watcher, "ok", "release 1");
        EXPECT(&watcher, "ok", "try 1 10 %s", x);
    }
    EXPECT(&watcher, "ok", "release 1");
    EXPECT(&watcher, "free", "status %s", x);
    if (*key) {
        EXPECT(&watcher, "free", "restore 1 %s", key);
    }
}

static void judge_killed(const operation *o)
{
    peer_kill(&victim);
    others_go_on();
    holder_gives_back(o);
    name_is_free_again(o);
}

static void judge_stopped(const operation *o)
{
    lease_image before, after;
    const char *path = scratch("t/filelock.table");
    peer_await_stop(&victim);
    others_go_on();
    holder_gives_back(o);
    EXPECT(&future, "ok", "try 0 inf %s", x);
    assert_true(image_of_lease(path, x, &before));
    peer_continue(&victim);
    peer_answer(&victim);
    assert_true(*victim.answer != 0 && !peer_said(&victim, "self"));
    EXPECT(&victim, "ok", "disarm");
    if (strncmp(o->command, "close", 5) != 0) {
        EXPECT(&victim, "lost", "verify 0");
        EXPECT(&victim, "lost", "release 0");
        EXPECT(&victim, "ok", "close");
    }
    assert_true(image_of_lease(path, x, &after));
    assert_memory_equal(&before, &after, sizeof after);
    EXPECT(&future, "ok", "release 0");
    peer_kill(&victim);
    EXPECT(&watcher, "ok", "try 1 10 %s", x);
    EXPECT(&watcher, "ok", "release 1");
}

/* ---- every step -------------------------------------------------------------------------------------------------------- */

static void assert_clean(bool empty)
{
    table_counts counts;
    fl_close(store);
    EXPECT(&holder, "ok", "close");
    EXPECT(&watcher, "ok", "close");
    EXPECT(&future, "ok", "close");
    assert_true(image_count(scratch("t/filelock.table"), &counts));
    assert_int_equal(counts.twins + counts.strays, 0);
    if (empty) {
        assert_int_equal(counts.owned, 0);
        assert_int_equal(counts.waiting, 0);
        assert_int_equal(counts.slots, 0);
        assert_int_equal(counts.records, 0);
    }
}

static void at_every_step(const operation *o, const char *how, void (*judge)(const operation *o))
{
    int n = 1;
    snprintf(text, sizeof text, "%s", dsn("t?capacity=64"));
    store = open_store(text);
    peer_open(&holder, text);
    peer_open(&watcher, text);
    peer_open(&future, text);
    EXPECT(&future, "ok", "clock 3600 3600");
    EXPECT(&future, "ok", "cycle 1 of the future");
    for (key[0] = 0; run_to(o, n, how); key[0] = 0, n++) {
        print_message("%s: step %d, %.60s\n", o->name, n, victim.answer);
        judge(o);
    }
    assert_true(n > 1);
    EXPECT(&victim, "ok", "disarm");
    peer_ask(&victim, "close");
    /* Of one that was killed, a slot may remain; of the last one that left, its lease. */
    bool none_died = strcmp(how, "stop") == 0 && (!o->before[0] || *o->before[0] != 'd');
    assert_clean(none_died && !(o->flags & MAY_STAY));
}

static void killed_at_every_step(void **state)
{
    at_every_step(*state, "kill", judge_killed);
}

static void stopped_at_every_step(void **state)
{
    at_every_step(*state, "stop", judge_stopped);
}

void group_crowd_steps(void)
{
    static struct CMUnitTest steps[2 * COUNT(operations)];
    static char names[2 * COUNT(operations)][80];
    for (size_t i = 0; i < COUNT(steps); i++) {
        const operation *o = &operations[i / 2];
        snprintf(names[i], sizeof names[i], "%s: %s at every step", o->name, i % 2 ? "stopped" : "killed");
        steps[i] = (struct CMUnitTest){names[i], i % 2 ? stopped_at_every_step : killed_at_every_step, suite_begin,
                                       suite_end, (void *)o};
    }
    suite_run("crowd_steps", steps, COUNT(steps));
}
