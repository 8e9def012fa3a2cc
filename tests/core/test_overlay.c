/*
 * A container's own file system, overlayfs: a mapping belongs to a file below it there, and does not keep a lock. So that the
 * library keeps one descriptor, and all the rules about children are to be met in another way.
 */
#include "suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

static peer holder, other;

static void mount_overlay(void)
{
    char options[2000];
    static const char *const parts[] = {"base/lower", "base/upper", "base/work", "overlay"};
    private_mounts();
    assert_int_equal(mkdir(scratch("base"), 0755), 0);
    assert_int_equal(mount("none", scratch("base"), "tmpfs", 0, NULL), 0);
    for (size_t i = 0; i < COUNT(parts); i++) {
        assert_int_equal(mkdir(scratch("%s", parts[i]), 0755), 0);
    }
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s", scratch("base/lower"),
             scratch("base/upper"), scratch("base/work"));
    if (mount("overlay", scratch("overlay"), "overlay", 0, options) != 0) {
        SKIP("no overlay file system here");
    }
}

static void hold(void)
{
    mount_overlay();
    peer_open(&holder, dsn("overlay/t"));
    peer_open(&other, dsn("overlay/t"));
    EXPECT(&holder, "ok", "try 0 inf x");
    EXPECT(&other, "busy", "try 0 10 x");
}

static void excludes_and_recovers(void **state)
{
    (void)state;
    hold();
    EXPECT(&holder, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 inf x");
    EXPECT(&holder, "busy", "try 0 inf x");
    peer_kill(&other);
    EXPECT(&holder, "free", "status x");
    EXPECT(&holder, "ok", "try 0 inf x");
    EXPECT(&holder, "ok", "close");
    peer_open(&other, dsn("overlay/t"));
    EXPECT(&other, "ok", "try 0 inf x");
}

static void keeps_one_descriptor(void **state)
{
    (void)state;
    hold();
    EXPECT(&holder, "ok", "countfds");
    double one = peer_number(&holder, "count=");
    EXPECT(&holder, "ok", "try 1 inf y");
    EXPECT(&holder, "ok", "status x");
    EXPECT(&holder, "ok", "countfds");
    assert_true(peer_number(&holder, "count=") == one);
    EXPECT(&holder, "ok", "close");
    EXPECT(&holder, "ok", "countfds");
    assert_true(peer_number(&holder, "count=") == one - 1);
}

static void children_end(void **state)
{
    (void)state;
    static const char *const kinds[] = {"exit",
                                        "_exit",
                                        "exec",
                                        "release exit",
                                        "close exit",
                                        "own exit",
                                        "own close _exit",
                                        "own release close _exit"};
    hold();
    for (size_t i = 0; i < COUNT(kinds); i++) {
        EXPECT(&holder, "ok", "fork %s", kinds[i]);
        assert_true(peer_number(&holder, "status=") == 0);
        EXPECT(&other, "busy", "try 0 10 x");
        EXPECT(&holder, "ok", "verify 0");
        EXPECT(&other, "free", "status of the child");
    }
}

/* The child closed the descriptor that it inherited, and a program has none to inherit. */
static void the_parent_dies_first(void **state)
{
    (void)state;
    static const char *const commands[] = {"fork stay", "fork own stay", "spawn"};
    hold();
    for (size_t i = 0; i < COUNT(commands); i++) {
        EXPECT(&holder, "ok", "%s", commands[i]);
        pid_t child = (pid_t)peer_number(&holder, "pid=");
        peer_kill(&holder);
        EXPECT(&other, "ok", "try 0 10 x");
        EXPECT(&other, "ok", "release 0");
        assert_true(child > 1);
        kill(child, SIGKILL);
        peer_open(&holder, dsn("overlay/t"));
        EXPECT(&holder, "ok", "try 0 inf x");
    }
}

/* To the others it is dead then; it is told so, and touches nobody's lease. The header of the library warns of it. */
static void the_descriptor_is_closed(void **state)
{
    (void)state;
    hold();
    EXPECT(&holder, "ok", "try 1 inf y");
    EXPECT(&holder, "ok", "closeothers");
    while (strcmp(peer_ask(&other, "status x"), "free") !=
           0) { /* it has looked a moment ago, and believes that for a tick */
    }
    EXPECT(&other, "ok", "try 0 inf x");
    EXPECT(&holder, "lost", "verify 0");
    EXPECT(&holder, "lost", "release 0");
    EXPECT(&other, "ok", "try 1 inf y");
    EXPECT(&holder, "lost", "refresh 1");
    EXPECT(&holder, "busy", "try 0 inf x");
    EXPECT(&holder, "ok", "close");
    EXPECT(&other, "ok", "verify 0");
    EXPECT(&other, "ok", "verify 1");
    EXPECT(&holder, "ok", "open %s", dsn("overlay/t"));
    EXPECT(&holder, "ok", "try 0 inf z");
    EXPECT(&other, "busy", "try 2 inf z");
}

/* Its number is another file's by then: neither an end nor a fork closes that. */
static void the_number_is_reused(void **state)
{
    (void)state;
    hold();
    EXPECT(&holder, "ok", "closeothers");
    EXPECT(&holder, "ok", "nofile 64");
    EXPECT(&holder, "ok", "fillfds");
    double most = peer_number(&holder, "count=");
    EXPECT(&holder, "ok", "countfds");
    double before = peer_number(&holder, "count=");
    assert_true(most > 50);
    EXPECT(&holder, "ok", "close");
    EXPECT(&holder, "ok", "countfds");
    assert_true(peer_number(&holder, "count=") == before);
}

/* The test function itself is run where the mount can be undone: in a child. */
static void alone(void **state)
{
    in_child((void (*)(void **))(uintptr_t)*state);
}

#define CASE(function) \
    { \
#function, alone, suite_begin, suite_end, (void *)(uintptr_t)function \
    }

void group_overlay(void)
{
    static const struct CMUnitTest overlay[] = {
        CASE(excludes_and_recovers), CASE(keeps_one_descriptor),     CASE(children_end),
        CASE(the_parent_dies_first), CASE(the_descriptor_is_closed), CASE(the_number_is_reused),
    };
    RUN(overlay);
}
