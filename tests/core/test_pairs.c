/*
 * Two processes want one name at the same time, or one gives back what the other one wants, and each is stopped at each of its steps: every pair of a step of the one and
 * a step of the other, going on in either order. Whatever they come to, at most one has it, and everybody sees the same.
 */
#include "suite.h"

#include "image.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static peer watcher, two[2];
static char x[32];
static int number; /* of names so far: each pair gets a new one */

/* ---- in what state they find it */

static void unknown(void)
{
}

static void known(void)
{
    EXPECT(&watcher, "ok", "cycle 1 %s", x);
}

static void of_the_dead(void)
{
    peer dead;
    peer_open(&dead, dsn("t?capacity=64"));
    EXPECT(&dead, "ok", "try 0 inf %s", x);
    peer_kill(&dead);
}

static void expired(void)
{
    EXPECT(&watcher, "ok", "try 0 0.001 %s", x);
    while (strcmp(peer_ask(&watcher, "status %s", x), "free") != 0) {
    }
}

/* Somebody was about to take a free name's entry for another name, and died. That free name is the one from now on. */
static void half_evicted(void)
{
    peer evictor;
    peer_open(&evictor, dsn("t?capacity=64"));
    EXPECT(&evictor, "ok", "cycle 1 y");
    EXPECT(&evictor, "ok", "arm at bind:claimed kill");
    EXPECT(&evictor, "killed", "try 0 inf evictor%d", number);
    peer_kill(&evictor);
    assert_true(image_of_binding(scratch("t/filelock.table"), x, sizeof x));
}

static void held_by_the_first(void)
{
    EXPECT(&two[0], "ok", "try 0 inf %s", x);
}

static void expired_in_the_hands_of_the_first(void)
{
    EXPECT(&two[0], "ok", "try 0 0.001 %s", x);
    while (strcmp(peer_ask(&watcher, "status %s", x), "free") != 0) {
    }
}

/* The table is full of names, and the one that is to be forgotten next is the one from now on. */
static void next_to_be_evicted(void)
{
    half_evicted();
    EXPECT(&watcher, "ok", "cycle 1 %s", x);
    EXPECT(&watcher, "ok", "each 63 fill%d-", number);
}

static const struct beginning {
    const char *name;
    void (*prepare)(void);
    const char *first; /* what the first one does, if it is not to take the name, too */
} beginnings[] = {
    {"a new name", unknown, NULL},
    {"a known name", known, NULL},
    {"a name of the dead", of_the_dead, NULL},
    {"an expired lease", expired, NULL},
    {"a half evicted name", half_evicted, NULL},
    {"one gives it back", held_by_the_first, "release 0"},
    {"one refreshes it too late", expired_in_the_hands_of_the_first, "refresh 0 1000"},
    {"one gives it back too late", expired_in_the_hands_of_the_first, "release 0"},
    {"one lets go of all", held_by_the_first, "close"},
    {"one needs the room", next_to_be_evicted, "try 1 inf another"},
};

/* ---- the two */

/* False: it came through before its n-th step, and has answered. */
static bool stop_at(peer *p, int n, const char *command)
{
    EXPECT(p, "ok", "arm %d stop", n);
    if (command) {
        peer_tell(p, "%s", command);
    } else {
        peer_tell(p, "try 0 inf %s", x);
    }
    peer_answer(p);
    if (peer_said(p, "stopped")) {
        peer_await_stop(p);
        return true;
    }
    char answer[sizeof p->answer];
    strcpy(answer, p->answer);
    EXPECT(p, "ok", "disarm");
    strcpy(p->answer, answer);
    return false;
}

static void go_on(peer *p)
{
    peer_continue(p);
    peer_answer(p);
}

static void start_two(void)
{
    for (int i = 0; i < 2; i++) {
        peer_open(&two[i], dsn("t?capacity=64"));
        EXPECT(&two[i], "ok", "cycle 1 of its own %d", i);
    }
}

static void judge(const struct beginning *b, const char *where)
{
    int holders = 0;
    for (int i = 0; i < 2; i++) {
        bool took = peer_said(&two[i], "ok") && (i == 1 || !b->first), may_refuse = i == 0 && b->first;
        if (!peer_said(&two[i], "ok") && !peer_said(&two[i], may_refuse ? "lost" : "busy")) {
            fail_msg("%s: \"%s\"", where, two[i].answer);
        }
        bool has = strcmp(peer_ask(&two[i], "verify 0"), "ok") == 0;
        if (has != took && !may_refuse) {
            fail_msg("%s: it has it: %d, and was told: %d", where, has, took);
        }
        holders += has;
    }
    peer_ask(&watcher, "status %s", x);
    if (holders > 1 || !peer_said(&watcher, holders ? "ok" : "free")) {
        fail_msg("%s: %d holders, and the status is \"%s\"", where, holders, watcher.answer);
    }
    EXPECT(&watcher, holders ? "busy" : "ok", "try 0 inf %s", x);
    peer_ask(&watcher, "release 0");
}

/* False: the first has no n-th step. */
static bool try_pair(const struct beginning *b, int n, int m, int order, bool *second_stopped)
{
    char where[200], first_at[64], second_at[64];
    snprintf(x, sizeof x, "x%d", ++number);
    b->prepare();
    bool first_stopped = stop_at(&two[0], n, b->first);
    snprintf(first_at, sizeof first_at, "%.60s", two[0].answer);
    *second_stopped = first_stopped && stop_at(&two[1], m, NULL);
    snprintf(second_at, sizeof second_at, "%.60s", two[1].answer);
    if (first_stopped) {
        snprintf(where, sizeof where, "%s / %s / %d", first_at, second_at, order);
        if (order == 1 && *second_stopped) {
            go_on(&two[1]);
        }
        go_on(&two[0]);
        if (order == 0 && *second_stopped) {
            go_on(&two[1]);
        }
        judge(b, where);
        peer_ask(&two[1], "release 0");
    }
    peer_ask(&two[0], "release 0");
    peer_ask(&two[0], "release 1");
    if (b->first && strcmp(b->first, "close") == 0) {
        EXPECT(&two[0], "ok", "open %s", dsn("t?capacity=64"));
    }
    return first_stopped;
}

static void every_pair(void **state)
{
    bool first = true, second = true;
    int n = 1;
    peer_open(&watcher, dsn("t?capacity=64"));
    EXPECT(&watcher, "ok", "each 64 fill");
    start_two();
    for (; first; n++) {
        second = true;
        for (int m = 1; first && second; m++) {
            for (int order = 0; order < 2 && first; order++) {
                first = try_pair(*state, n, m, order, &second);
            }
        }
    }
    print_message("%d pairs\n", number);
    assert_true(n > 2);
}

/*
 * Three: an evictor died with the name's entry in its hands; one has seen that and is about to remove the way to the entry; then
 * the dead one is cleared away by somebody who attaches, and yet another one finds the name by that way, and takes it.
 */
static void a_way_is_removed_too_late(void **state)
{
    (void)state;
    peer late, comer, taker;
    peer_open(&watcher, dsn("t?capacity=64"));
    EXPECT(&watcher, "ok", "each 64 fill");
    peer_open(&late, dsn("t?capacity=64"));
    EXPECT(&late, "ok", "cycle 1 of the late");
    half_evicted();
    EXPECT(&late, "ok", "arm at abandon:seen stop");
    EXPECT(&late, "stopped", "try 0 inf %s", x);
    peer_await_stop(&late);
    for (int i = 0; i < 5; i++) {
        peer_open(&comer, dsn("t?capacity=64"));
        EXPECT(&comer, "ok", "cycle 1 of the comer");
        peer_finish(&comer);
    }
    peer_open(&taker, dsn("t?capacity=64"));
    EXPECT(&taker, "ok", "try 0 inf %s", x);
    go_on(&late);
    assert_true(peer_said(&late, "busy"));
    EXPECT(&watcher, "ok", "status %s", x);
    EXPECT(&watcher, "busy", "try 0 inf %s", x);
    EXPECT(&taker, "ok", "verify 0");
}

void group_pairs(void)
{
    static struct CMUnitTest pairs[COUNT(beginnings) + 1] = {TEST(a_way_is_removed_too_late)};
    for (size_t i = 0; i < COUNT(beginnings); i++) {
        pairs[i + 1] = (struct CMUnitTest){beginnings[i].name, every_pair, suite_begin, suite_end,
                                           (void *)(uintptr_t)&beginnings[i]};
    }
    RUN(pairs);
}
