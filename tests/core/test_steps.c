/*
 * A process that is killed, or stopped, at every single step of every operation.
 *
 * The n-th run of an operation ends at its n-th step, for n = 1, 2, … until it comes through. Killed: whatever it had is free
 * for the next comer. Stopped: the others go on at once, on this name and on its neighbours, and one whose clock is an hour
 * ahead takes the name over, since to it any lease of the stopped one has expired. Then the stopped one goes on with what it
 * had decided long ago, and must not change a bit of its successor's lease.
 */
#include "steps.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* ---- what the others must be able to do ---------------------------------------------------------------------------- */

/* Names in the same bucket, more than it has ways, and others; and one who attaches now. */
static void neighbours_go_on(void)
{
    char neighbour[32];
    int n = 0;
    peer comer;
    for (int i = 0; i < 8; i++) {
        assert_true(image_neighbour(step_path, x, "neighbour", &n, neighbour, sizeof neighbour));
        EXPECT(&watcher, "ok", "cycle 2 %s", neighbour);
        EXPECT(&watcher, "free", "status %s", neighbour);
    }
    EXPECT(&watcher, "ok", "each 30 other");
    peer_open(&comer, step_dsn);
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
static void holder_is_right(step_kind k)
{
    bool holds = strcmp(peer_ask(&holder, "verify 0"), "ok") == 0;
    assert_true(holds || k == BREAKS);
    EXPECT(&watcher, holds ? "ok" : "free", "status %s", x);
    EXPECT(&watcher, holds ? "busy" : "ok", "try 0 10 %s", x);
    EXPECT(holds ? &holder : &watcher, "ok", "release 0");
}

static void judge_killed(step_kind k)
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
    assert_true(image_of_lease(step_path, x, &image));
    assert_true(image.token == peer_token(&future));
    return image;
}

static void assert_successor_unharmed(const lease_image *before)
{
    lease_image after;
    assert_true(image_of_lease(step_path, x, &after));
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
static bool is_right_answer(step_kind k, bool seen, bool refreshed)
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
        case IS_SERVED:
            return peer_said(&victim, "busy") || (seen && peer_said(&victim, "ok"));
        case CLOSES:
            return peer_said(&victim, "ok");
    }
    return false;
}

static bool was_refreshed(void)
{
    lease_image now;
    return image_of_lease(step_path, x, &now) && now.word != held.word;
}

static bool look_while_stopped(step_kind k)
{
    pid_t owner = k == BREAKS || k == WAITS ? holder.pid : victim.pid;
    bool seen = strcmp(peer_ask(&watcher, "status %s", x), "free") != 0;
    if (seen && peer_number(&watcher, "holders=") > 0) {
        assert_int_equal((pid_t)peer_number(&watcher, "pid="), owner);
    }
    EXPECT(&watcher, seen ? "busy" : "ok", "try 0 10 %s", x);
    EXPECT(&watcher, seen ? "lost" : "ok", "release 0");
    return seen;
}

static void judge_stopped(step_kind k)
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
    if (peer_said(&victim, "ok") && (k == TAKES || k == REFRESHES || k == IS_SERVED)) {
        EXPECT(&victim, "lost", "verify 0");
    }
    assert_successor_unharmed(&image);
    if (k == CLOSES) {
        steps_open_victim();
    }
    EXPECT(&victim, "ok", "try 5 10 %s", x);
    EXPECT(&victim, "ok", "release 5");
    peer_kill(&victim);
}

/* ---- every step ---------------------------------------------------------------------------------------------------- */

static void assert_clean(void)
{
    table_counts counts;
    EXPECT(&holder, "ok", "close");
    EXPECT(&future, "ok", "close");
    assert_true(image_count(step_path, &counts));
    assert_int_equal(counts.twins, 0);
    assert_int_equal(counts.strays, 0);
}

static void at_every_step(const step_operation *o, const char *how, void (*judge)(step_kind))
{
    int n = 1;
    steps_open_others(o);
    while (steps_run_to(o, n, how)) {
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
    enum { MOST = 20 };
    static struct CMUnitTest steps[2 * MOST];
    static char names[2 * MOST][64];
    for (size_t i = 0; i < 2 * step_operation_count; i++) {
        const step_operation *o = &step_operations[i / 2];
        snprintf(names[i], sizeof names[i], "%s: %s at every step", o->name, i % 2 ? "stopped" : "killed");
        steps[i] = (struct CMUnitTest){names[i], i % 2 ? stopped_at_every_step : killed_at_every_step, suite_begin,
                                       suite_end, (void *)o};
    }
    assert_in_range(step_operation_count, 1, MOST);
    suite_run("steps", steps, 2 * step_operation_count);
}
