/* Whose PID is it? In containers a number means another process; who does not know takes nothing away. */
#include "foreign_kit.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AGAIN = 77 };

static const method *by_pid[] = {&methods[2], &methods[4]};

/* Waits for the child, and ends as it did. */
static void stand_in_for(pid_t child)
{
    int status;
    waitpid(child, &status, 0);
    _exit(0);
}

static bool number_is_somebody_elses_outside(void)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d", (int)getpid()); /* of the namespace outside */
    return access(path, F_OK) == 0;
}

/* The agent is a process of another namespace, with a number that nobody has outside. */
static void become_unknown_outside(void)
{
    pid_t child;
    int status = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(CLONE_NEWPID) != 0)
        _exit(1);
    if ((child = fork()) != 0)
        stand_in_for(child);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        if ((child = fork()) == 0) {
            if (number_is_somebody_elses_outside())
                _exit(AGAIN);
            return;
        }
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != AGAIN)
            _exit(0);
    }
}

static void start_inside(peer *p, const char *dsn)
{
    static const peer_options options = {.before = become_unknown_outside};
    peer_start(p, &options);
    EXPECT(p, "ok", "open %s", dsn);
}

static void ours_in_a_container_is_not_taken_for_dead(void **state)
{
    (void)state;
    need_all_processes();
    need_root();
    for (size_t i = 0; i < COUNT(by_pid); i++) {
        peer inside, second, outside;
        start_inside(&inside, foreign_dsn(by_pid[i]));
        start_inside(&second, foreign_dsn(by_pid[i]));
        peer_open(&outside, foreign_dsn(by_pid[i]));
        EXPECT(&inside, "ok", "try 0 1000 x");
        EXPECT(&outside, "busy", "try 0 1000 x");
        EXPECT(&outside, "ok", "status x");
        EXPECT(&second, "busy", "try 0 1000 x"); /* with the same number, perhaps */
        EXPECT(&inside, "ok", "verify 0");
        EXPECT(&inside, "ok", "release 0");
        EXPECT(&outside, "ok", "try 0 1000 x");
        EXPECT(&inside, "busy", "try 0 1000 x");
        peers_end();
    }
}

/* A partner's number is judged from outside only, where all processes are seen. */
static void theirs_is_judged_from_outside_only(void **state)
{
    (void)state;
    need_all_processes();
    need_root();
    for (size_t i = 0; i < COUNT(by_pid); i++) {
        peer inside, outside;
        start_inside(&inside, foreign_dsn(by_pid[i]));
        peer_open(&outside, foreign_dsn(by_pid[i]));
        by_pid[i]->make(lock_path(by_pid[i], "x"), dead_pid());
        EXPECT(&inside, "busy", "try 0 1000 x");
        EXPECT(&inside, "ok", "status x");
        EXPECT(&outside, "free", "status x");
        EXPECT(&outside, "ok", "try 0 1000 x");
        peers_end();
    }
}

static void another_hosts_number_says_nothing(void **state)
{
    (void)state;
    char target[64];
    peer outside;
    const method *m = &methods[4];
    peer_open(&outside, foreign_dsn(m));
    snprintf(target, sizeof target, "another.host-%ld", dead_pid());
    assert_int_equal(symlink(target, lock_path(m, "x")), 0);
    EXPECT(&outside, "busy", "try 0 1000 x");
    EXPECT(&outside, "ok", "status x");
}

static void what_is_no_number_is_nobody_dead(void **state)
{
    (void)state;
    static const char *const contents[] = {"",  "\n", "-1\n", "0\n", "99999999999999999999\n", "4194399 and more",
                                           "x", "+"};
    const method *m = &methods[2];
    fl_lease lease;
    fl_store *store = open_store(foreign_dsn(m));
    for (size_t i = 0; i < COUNT(contents); i++) {
        write_file(lock_path(m, "x"), contents[i], strlen(contents[i]));
        TRY(FL_BUSY, store, &lease, "x", 10);
    }
    fl_close(store);
}

/* No notes there: the number alone would be taken for another's outside. */
static void take_on_a_file_system_without_notes(void **state)
{
    (void)state;
    peer inside, outside;
    const method *m = &methods[2];
    const char *dsn = foreign_dsn(m);
    private_mounts();
    if (mount("none", scratch("%s", m->name), "ramfs", 0, NULL) != 0)
        SKIP("needs mounts of its own");
    peer_open(&outside, dsn);
    EXPECT(&outside, "ok", "cycle 1 x");
    start_inside(&inside, dsn);
    EXPECT(&inside, "error", "try 0 1000 x");
    assert_non_null(strstr(inside.answer, "in a container"));
    assert_false(is_there(lock_path(m, "x")));
}

static void a_number_that_cannot_be_explained_is_not_written(void **state)
{
    (void)state;
    need_all_processes();
    need_root();
    in_child(take_on_a_file_system_without_notes);
}

void group_foreign_process(void)
{
    static const struct CMUnitTest foreign_process[] = {
        TEST(ours_in_a_container_is_not_taken_for_dead),
        TEST(theirs_is_judged_from_outside_only),
        TEST(another_hosts_number_says_nothing),
        TEST(what_is_no_number_is_nobody_dead),
        TEST(a_number_that_cannot_be_explained_is_not_written),
    };
    RUN(foreign_process);
}
