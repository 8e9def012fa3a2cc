/* A forked child owns nothing, an exec'ed one keeps nothing alive; both do no harm to what the parent holds. */
#include "suite.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static peer parent, other;

static int begin(void **state)
{
    int failed = suite_begin(state);
    peer_open(&parent, dsn("t"));
    peer_open(&other, dsn("t"));
    EXPECT(&parent, "ok", "try 0 inf x");
    return failed;
}

/* Some are children of a peer that is gone, so that nobody else ends them. */
static void end_process(pid_t process)
{
    assert_true(process > 1);
    kill(process, SIGKILL);
}

static void assert_parent_holds(void)
{
    EXPECT(&other, "busy", "try 0 10 x");
    EXPECT(&other, "ok", "status x");
    EXPECT(&parent, "ok", "verify 0");
}

/* Each way in which a child can end, before and after it made a lock of its own. */
static void every_ending_of_a_child(void **state)
{
    (void)state;
    static const char *const kinds[] = {"exit",
                                        "_exit",
                                        "exec",
                                        "release exit",
                                        "release _exit",
                                        "release close exit",
                                        "close exit",
                                        "close _exit",
                                        "close exec",
                                        "own exit",
                                        "own _exit",
                                        "own exec",
                                        "own release exit",
                                        "own close exit",
                                        "own release close _exit",
                                        "release own close exit"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        EXPECT(&parent, "ok", "fork %s", kinds[i]);
        if (peer_number(&parent, "status=") != 0) {
            fail_msg("the child that does \"%s\" found something wrong", kinds[i]);
        }
        assert_parent_holds();
        EXPECT(&other, "free", "status of the child");
    }
    EXPECT(&parent, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 10 x");
}

static void a_child_is_killed(void **state)
{
    (void)state;
    static const char *const kinds[] = {"kill", "own kill", "own release kill", "own close kill"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        EXPECT(&parent, "ok", "fork %s", kinds[i]);
        assert_true(WTERMSIG((int)peer_number(&parent, "status=")) == SIGKILL);
        assert_parent_holds();
        EXPECT(&other, "ok", "try 1 10 of the child");
        EXPECT(&other, "ok", "release 1");
    }
}

static pid_t fork_staying(const char *kind)
{
    EXPECT(&parent, "ok", "fork %s stay", kind);
    return (pid_t)peer_number(&parent, "pid=");
}

/* The child lives on and has inherited all memory: it must not keep the parent's lock alive. */
static void the_parent_dies_before_a_child(void **state)
{
    (void)state;
    pid_t child = fork_staying("");
    assert_parent_holds();
    peer_kill(&parent);
    EXPECT(&other, "free", "status x");
    EXPECT(&other, "ok", "try 0 10 x");
    end_process(child);
}

static void the_parent_dies_before_a_child_with_a_lock(void **state)
{
    (void)state;
    pid_t child = fork_staying("own");
    assert_parent_holds();
    EXPECT(&other, "busy", "try 1 10 of the child");
    peer_kill(&parent);
    EXPECT(&other, "ok", "try 0 10 x");
    EXPECT(&other, "busy", "try 1 10 of the child");
    EXPECT(&other, "ok", "status of the child");
    assert_int_equal((pid_t)peer_number(&other, "pid="), child);
    end_process(child);
    /* It is not ours to be waited for: until it is gone. */
    EXPECT(&other, "ok", "acquire 1 10 inf of the child");
}

static void the_child_dies_before_the_parent(void **state)
{
    (void)state;
    pid_t child = fork_staying("own");
    end_process(child);
    EXPECT(&other, "ok", "acquire 1 10 inf of the child");
    assert_parent_holds();
}

static void an_orderly_parent_and_a_child_that_stays(void **state)
{
    (void)state;
    pid_t child = fork_staying("");
    EXPECT(&parent, "ok", "close");
    EXPECT(&other, "ok", "try 0 10 x");
    end_process(child);
}

/* What exec leaves of a process keeps no lock: neither a program it started nor one it became. */
static void spawned_programs_keep_nothing(void **state)
{
    (void)state;
    EXPECT(&parent, "ok", "spawn");
    pid_t child = (pid_t)peer_number(&parent, "pid=");
    assert_parent_holds();
    peer_kill(&parent);
    EXPECT(&other, "ok", "try 0 10 x");
    assert_int_equal(kill(child, 0), 0);
    end_process(child);
}

static void a_program_that_replaces_the_holder(void **state)
{
    (void)state;
    assert_parent_holds();
    peer_tell(&parent, "become");
    EXPECT(&other, "ok", "acquire 0 10 inf x");
    assert_int_equal(kill(parent.pid, 0), 0);
}

/* The child of a process that never attached may attach, too: nothing is shared by having opened. */
static void a_store_that_was_only_opened(void **state)
{
    (void)state;
    peer fresh;
    peer_open(&fresh, dsn("t"));
    EXPECT(&fresh, "ok", "fork own _exit");
    assert_true(peer_number(&fresh, "status=") == 0);
    EXPECT(&fresh, "ok", "try 1 10 of the child");
    assert_parent_holds();
}

/* The lease that the parent takes after the fork is its own, and new ones of the child do not disturb it. */
static void both_go_on(void **state)
{
    (void)state;
    pid_t child = fork_staying("own");
    EXPECT(&parent, "ok", "release 0");
    EXPECT(&parent, "ok", "try 0 inf x");
    EXPECT(&parent, "busy", "try 1 inf of the child");
    assert_parent_holds();
    end_process(child);
    EXPECT(&parent, "ok", "acquire 1 10 inf of the child");
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, suite_end)

void group_fork(void)
{
    static const struct CMUnitTest fork[] = {
        CASE(every_ending_of_a_child),          CASE(a_child_is_killed),
        CASE(the_parent_dies_before_a_child),   CASE(the_parent_dies_before_a_child_with_a_lock),
        CASE(the_child_dies_before_the_parent), CASE(an_orderly_parent_and_a_child_that_stays),
        CASE(spawned_programs_keep_nothing),    CASE(a_program_that_replaces_the_holder),
        CASE(a_store_that_was_only_opened),     CASE(both_go_on),
    };
    RUN(fork);
}
