/* What it is all for: many processes read, change and write a plain file under the lock, and not one change is lost. */
#include "kinds.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 1000, PROCESSES = 32 };

/* With a wait, or without: who finds it busy tries again. */
static fl_result take(fl_store *store, fl_lease *lease, bool waiting, fl_error *error)
{
    fl_result result = FL_BUSY;
    while (result == FL_BUSY) {
        result = waiting ? fl_acquire(store, lease, "counter", 7, 1000, INFINITY, NULL, error)
                         : fl_try(store, lease, "counter", 7, 1000, error);
    }
    return result;
}

static _Noreturn void count(bool waiting)
{
    fl_lease lease = FL_LEASE_INIT;
    fl_error error;
    fl_store *store;
    int fd = open(scratch("counter"), O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fd < 0 || fl_open(dsn("t"), &store, &error) != FL_OK) {
        _exit(1);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (take(store, &lease, waiting, &error) != FL_OK || !add_one(fd) || fl_release(&lease, &error) != FL_OK) {
            _exit(2);
        }
    }
    _exit(0);
}

static void count_with(int processes, bool waiting)
{
    pid_t children[PROCESSES];
    write_file(scratch("counter"), "0\n", 2);
    fflush(NULL);
    for (int i = 0; i < processes; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            count(waiting);
        }
        assert_true(children[i] > 0);
    }
    for (int i = 0; i < processes; i++) {
        int status = -1;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    int fd = open(scratch("counter"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(number_in(fd), (long)processes * ROUNDS);
    close(fd);
}

static void two_processes(void **state)
{
    (void)state;
    count_with(2, false);
    count_with(2, true);
}

static void eight_processes(void **state)
{
    (void)state;
    count_with(8, true);
}

static void thirty_two_processes(void **state)
{
    (void)state;
    count_with(32, true);
}

void group_exclusion(void)
{
    static const struct CMUnitTest exclusion[] = {
        TEST(two_processes),
        TEST(eight_processes),
        TEST(thirty_two_processes),
    };
    RUN(exclusion);
}
