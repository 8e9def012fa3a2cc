/*
 * 300 processes that start at the same time on a store that does not exist, on a file system of 64 MB: one table of the largest
 * size fits into it, a second one does not.
 */
#include "suite.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CROWD = 300 };

static struct member {
    fl_result own, common;
    ino_t table;
    fl_error error;
} * members;

static int start_line[2], finish_line[2];

/* Both lines are pipes whose other end is closed for all at once. */
static void await(int line)
{
    char byte;
    while (read(line, &byte, 1) > 0) {
    }
}

/* Each takes a name of its own, and tries one that only one of them can have. */
static void join_in(int number, fl_store *store)
{
    static fl_lease own, common;
    struct member *me = &members[number];
    struct stat st = {0};
    char name[20];
    await(start_line[0]);
    size_t length = (size_t)snprintf(name, sizeof name, "member%d", number);
    me->own = fl_try(store, &own, name, length, INFINITY, &me->error);
    me->common = fl_try(store, &common, "common", 6, INFINITY, &me->error);
    stat(scratch("small/t/filelock.table"), &st);
    me->table = st.st_ino;
}

static _Noreturn void be_member(int number, int done)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(start_line[1]);
    close(finish_line[1]);
    join_in(number, open_store(dsn("small/t?capacity=65536")));
    close(done);
    await(finish_line[0]);
    _exit(0);
}

static int count_one(void *count, const fl_status_t *status)
{
    (void)status;
    ++*(int *)count;
    return 0;
}

static void judge(void)
{
    int winners = 0, held = 0;
    fl_error error;
    fl_store *store = open_store(dsn("small/t?capacity=65536"));
    for (int i = 0; i < CROWD; i++) {
        RESULT_OR(FL_OK, members[i].own, &members[i].error);
        assert_true(members[i].common == FL_OK || members[i].common == FL_BUSY);
        winners += members[i].common == FL_OK;
        assert_int_equal(members[i].table, members[0].table);
    }
    assert_int_equal(winners, 1);
    RESULT_OR(FL_OK, fl_list(store, "", 0, count_one, &held, &error), &error);
    assert_int_equal(held, CROWD + 1);
    assert_int_equal(entries_in(scratch("small/t")), 1);
    fl_close(store);
}

static void all_at_once(void **state)
{
    int done[2];
    (void)state;
    private_mounts();
    assert_int_equal(mkdir(scratch("small"), 0755), 0);
    assert_int_equal(mount("none", scratch("small"), "tmpfs", 0, "size=64m"), 0);
    members = mmap(NULL, sizeof *members * CROWD, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(pipe(start_line) | pipe(finish_line) | pipe(done), 0);
    for (int i = 0; i < CROWD; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            be_member(i, done[1]);
        }
    }
    close(done[1]);
    close(start_line[1]);
    await(done[0]);
    judge();
    close(finish_line[1]);
    while (wait(NULL) > 0) {
    }
}

static void a_crowd_makes_one_table(void **state)
{
    (void)state;
    need_root();
    in_child(all_at_once);
}

void group_crowd(void)
{
    static const struct CMUnitTest crowd[] = {TEST(a_crowd_makes_one_table)};
    RUN(crowd);
}
