/* Who holds a flock: true, or an error, however long the kernel's list of locks is and however fast it changes. */
#include "foreign_kit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOCKS = 200, ROUNDS = 6 };

static const method *const m = &methods[5];
static fl_error error;

static void on_processor(int number)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    sched_setaffinity(0, sizeof set, &set); /* without: the list's order is another one, and as good */
}

static pid_t start(void (*work)(int ready), int processor)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        on_processor(processor);
        work(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static void end(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

/* So many that there is one at every edge of a piece. */
static void hold_many(int ready)
{
    for (int i = 0; i < LOCKS; i++) {
        char name[20];
        snprintf(name, sizeof name, "x%d", i);
        if (flock(open(lock_path(m, name), O_RDWR | O_CREAT, 0600), LOCK_EX) != 0)
            _exit(1);
    }
    if (write(ready, "", 1) == 1)
        pause();
}

static void come_and_go(int ready)
{
    int fd = open(scratch("busy"), O_RDWR | O_CREAT, 0600);
    for (bool told = false;;) {
        flock(fd, LOCK_EX);
        if (!told)
            told = write(ready, "", 1) == 1;
        flock(fd, LOCK_UN);
    }
}

static void look(fl_store *store, const char *name, fl_result truth, int *known)
{
    fl_status_t status;
    fl_result result = fl_status(store, name, strlen(name), &status, &error);
    if (result == FL_ERROR)
        ASSERT_ERROR(&error, "cannot see who has the lock", "changes too fast");
    else
        RESULT(truth, result);
    *known += result == truth;
}

static void a_long_list_that_changes_all_the_time(void **state)
{
    (void)state;
    need_all_processes();
    int held = 0, free = 0;
    fl_store *store = open_store(foreign_dsn(m));
    pid_t many = start(hold_many, 0), busy = start(come_and_go, 0);
    for (int i = 0; i < ROUNDS * LOCKS; i++) {
        char name[20];
        snprintf(name, sizeof name, "x%d", i % LOCKS);
        look(store, name, FL_OK, &held);
        look(store, "free", FL_FREE, &free);
    }
    assert_true(held > 0 && free > 0);
    end(many);
    end(busy);
    fl_close(store);
}

/* More waiters than a page of the list has room for: one record, in front of what is looked for. */
static void a_lock_with_many_waiters(void **state)
{
    (void)state;
    need_all_processes();
    enum { WAITERS = 120 };
    peer holder;
    pid_t waiters[WAITERS];
    fl_status_t status;
    fl_store *store = open_store(foreign_dsn(m));
    peer_open(&holder, foreign_dsn(m));
    EXPECT(&holder, "ok", "try 0 inf x");
    for (int i = 0; i < WAITERS; i++)
        if ((waiters[i] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            _exit(flock(open(lock_path(m, "x"), O_RDWR), LOCK_EX));
        }
    await_waiters(store, "x", WAITERS);
    RESULT_OR(FL_OK, fl_status(store, "x", 1, &status, &error), &error);
    assert_true(status.pid == holder.pid && status.holders == 1);
    EXPECT(&holder, "ok", "try 1 inf y");
    RESULT_OR(FL_OK, fl_status(store, "y", 1, &status, &error), &error);
    RESULT_OR(FL_FREE, fl_status(store, "z", 1, &status, &error), &error);
    for (int i = 0; i < WAITERS; i++)
        end(waiters[i]);
    fl_close(store);
}

static void shared_holders_are_counted(void **state)
{
    (void)state;
    need_all_processes();
    fl_status_t status;
    fl_store *store = open_store(foreign_dsn(m));
    int fds[3];
    for (size_t i = 0; i < COUNT(fds); i++) {
        fds[i] = open(lock_path(m, "x"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        assert_int_equal(flock(fds[i], LOCK_SH), 0);
    }
    RESULT_OR(FL_OK, fl_status(store, "x", 1, &status, &error), &error);
    assert_true(status.shared && status.holders == 3 && !status.mine && status.pid == getpid());
    for (size_t i = 0; i < COUNT(fds); i++)
        close(fds[i]);
    RESULT_OR(FL_FREE, fl_status(store, "x", 1, &status, &error), &error);
    fl_close(store);
}

/* Process 1 of a container: with a /proc of its own. */
static void enter_container(void)
{
    pid_t child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0)
        _exit(1);
    if ((child = fork()) != 0) {
        waitpid(child, NULL, 0);
        _exit(0);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (mount("proc", "/proc", "proc", 0, NULL) != 0)
        _exit(1);
}

static void look_from_a_container(void **state)
{
    static const peer_options contained = {.before = enter_container};
    (void)state;
    peer inside, outside;
    private_mounts();
    peer_open(&outside, foreign_dsn(m));
    peer_start(&inside, &contained);
    EXPECT(&inside, "ok", "open %s", foreign_dsn(m));
    EXPECT(&outside, "ok", "cycle 1 free");
    EXPECT(&outside, "ok", "try 0 inf x");
    EXPECT(&inside, "error", "status x");
    EXPECT(&inside, "error", "status free");
    EXPECT(&inside, "error", "list ");
    EXPECT(&inside, "busy", "try 0 inf x");
    EXPECT(&inside, "ok", "try 0 inf free");
    EXPECT(&inside, "ok", "status free"); /* its own it sees */
    EXPECT(&outside, "ok", "status free");
}

static void in_a_container_it_cannot_be_known(void **state)
{
    (void)state;
    need_all_processes();
    need_root();
    in_child(look_from_a_container);
}

/* ---- the file that stays open for the next time */

static bool is_locked(const char *name)
{
    int fd = open(lock_path(m, name), O_RDONLY | O_CLOEXEC);
    bool locked = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return locked;
}

static void another_file_comes_in_its_place(void **state)
{
    (void)state;
    fl_lease lease;
    fl_store *store = open_store(foreign_dsn(m));
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_OK, fl_release(&lease, &error));
    assert_int_equal(unlink(lock_path(m, "x")), 0);
    write_file(lock_path(m, "x"), "", 0);
    TRY(FL_OK, store, &lease, "x", 100);
    assert_true(is_locked("x"));
    RESULT(FL_OK, fl_release(&lease, &error));
    assert_false(is_locked("x"));
    fl_close(store);
}

/* The descriptor under which this process has the lock's file open; -1: none. */
static int descriptor_of(const char *name)
{
    struct stat file, st;
    assert_int_equal(stat(lock_path(m, name), &file), 0);
    for (int fd = 3; fd < 1024; fd++) {
        if (fstat(fd, &st) == 0 && st.st_dev == file.st_dev && st.st_ino == file.st_ino) {
            return fd;
        }
    }
    return -1;
}

/* Its number is another file's by then, which must be neither locked nor unlocked in its place. */
static void it_is_closed_behind_my_back(void **state)
{
    (void)state;
    for (int given_back = 0; given_back < 2; given_back++) {
        fl_lease lease;
        fl_store *store = open_store(foreign_dsn(m));
        TRY(FL_OK, store, &lease, "x", 100);
        if (given_back) {
            RESULT(FL_OK, fl_release(&lease, &error));
        }
        int other = open(scratch("other"), O_RDWR | O_CREAT | O_CLOEXEC, 0600), stolen = descriptor_of("x");
        assert_int_equal(flock(other, LOCK_EX), 0);
        assert_int_equal(dup2(other, stolen), stolen);
        if (given_back) {
            TRY(FL_OK, store, &lease, "x", 100);
            assert_true(is_locked("x"));
        }
        RESULT(given_back ? FL_OK : FL_LOST, fl_release(&lease, &error));
        fl_close(store);
        int probe = open(scratch("other"), O_RDWR | O_CLOEXEC);
        assert_int_equal(flock(probe, LOCK_EX | LOCK_NB), -1); /* as before */
        close(probe);
        close(other);
        close(stolen);
    }
}

static void look_for_descriptors(void **state)
{
    (void)state;
    assert_int_equal(descriptor_of("held"), -1);
    assert_int_equal(descriptor_of("spare"), -1);
}

static void a_forked_child_has_none(void **state)
{
    (void)state;
    fl_lease lease, held;
    fl_store *store = open_store(foreign_dsn(m));
    TRY(FL_OK, store, &held, "held", 100);
    TRY(FL_OK, store, &lease, "spare", 100);
    RESULT(FL_OK, fl_release(&lease, &error));
    assert_true(descriptor_of("held") >= 10 && descriptor_of("spare") >= 10);
    in_child(look_for_descriptors);
    assert_true(is_locked("held"));
    fl_close(store);
    assert_int_equal(descriptor_of("held"), -1);
    assert_int_equal(descriptor_of("spare"), -1);
    assert_false(is_locked("held"));
}

/* ---- */

static void hold_on_overlay(void **state)
{
    (void)state;
    peer holder;
    fl_status_t status;
    const char *dsn = foreign_dsn(m);
    char options[400];
    private_mounts();
    assert_int_equal(mkdir(scratch("up"), 0777) | mkdir(scratch("work"), 0777) | mkdir(scratch("low"), 0777), 0);
    write_file(scratch("low/x.lock"), "", 0);
    snprintf(options, sizeof options, "lowerdir=%s,upperdir=%s,workdir=%s", scratch("low"), scratch("up"),
             scratch("work"));
    if (mount("none", scratch("%s", m->name), "overlay", 0, options) != 0)
        SKIP("needs mounts of its own");
    fl_store *store = open_store(dsn);
    peer_open(&holder, dsn);
    EXPECT(&holder, "ok", "try 0 inf x");
    EXPECT(&holder, "ok", "try 1 inf new");
    RESULT_OR(FL_OK, fl_status(store, "x", 1, &status, &error), &error);
    RESULT_OR(FL_OK, fl_status(store, "new", 3, &status, &error), &error);
    fl_close(store);
}

static void on_overlay(void **state)
{
    (void)state;
    need_all_processes();
    need_root();
    in_child(hold_on_overlay);
}

void group_foreign_flock(void)
{
    static const struct CMUnitTest foreign_flock[] = {
        TEST(a_long_list_that_changes_all_the_time),
        TEST(a_lock_with_many_waiters),
        TEST(shared_holders_are_counted),
        TEST(in_a_container_it_cannot_be_known),
        TEST(on_overlay),
        TEST(another_file_comes_in_its_place),
        TEST(it_is_closed_behind_my_back),
        TEST(a_forked_child_has_none),
    };
    RUN(foreign_flock);
}
