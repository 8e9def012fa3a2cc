/* One at a time: whoever else comes is refused, or waits; what is given back is free. */
#include "contract.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_error error;
static fl_lease lease, second;

static void one_at_a_time(void **state)
{
    (void)state;
    peer holder, other;
    open_peer(&holder);
    open_peer(&other);
    EXPECT(&other, "free", "status x");
    EXPECT(&holder, "ok", "try 0 100 x");
    for (int i = 0; i < 3; i++) {
        EXPECT(&other, "busy", "try 0 100 x");
        EXPECT(&other, "busy", "acquire 0 100 0.01 x");
        expect_held_by(&other, &holder, "x");
    }
    EXPECT(&other, "ok", "try 1 100 y"); /* another name is another lock */
    EXPECT(&holder, "ok", "verify 0");
    EXPECT(&holder, "ok", "release 0");
    EXPECT(&other, "free", "status x");
    EXPECT(&other, "ok", "try 0 100 x");
    expect_held_by(&holder, &other, "x");
    EXPECT(&holder, "busy", "try 0 100 x");
    EXPECT(&holder, "lost", "release 0"); /* given back once */
    EXPECT(&other, "ok", "verify 0");
}

/* By another store object of the same process, too. */
static void not_twice_by_one_process(void **state)
{
    (void)state;
    fl_store *store = open_it(), *again = open_it();
    fl_status_t s;
    TRY(FL_OK, store, &lease, "x", 100);
    TRY(FL_BUSY, store, &second, "x", 100);
    TRY(FL_BUSY, again, &second, "x", 100);
    RESULT(FL_SELF, fl_acquire(store, &second, "x", 1, 100, 1000, NULL, &error));
    RESULT_OR(FL_OK, fl_status(store, "x", 1, &s, &error), &error);
    assert_true(s.mine);
    RESULT_OR(FL_OK, fl_status(again, "x", 1, &s, &error), &error);
    assert_false(s.mine);
    RESULT_OR(FL_OK, fl_verify(&lease), &error);
    fl_close(again);
    RESULT_OR(FL_OK, fl_release(&lease, &error), &error);
    TRY(FL_OK, store, &second, "x", 100);
    fl_close(store);
}

static void a_waiter_gets_it(void **state)
{
    (void)state;
    peer holder, waiter;
    open_peer(&holder);
    open_peer(&waiter);
    EXPECT(&holder, "ok", "try 0 100 x");
    peer_tell(&waiter, "acquire 0 100 inf x");
    await_asleep(&waiter);
    assert_false(peer_has_answered(&waiter));
    EXPECT(&holder, "ok", "release 0");
    ANSWER(&waiter, "ok");
    expect_held_by(&holder, &waiter, "x");
}

static void refresh_keeps_it(void **state)
{
    (void)state;
    peer other;
    fl_store *store = open_it();
    double longer = 1000;
    open_peer(&other);
    TRY(FL_OK, store, &lease, "x", 10);
    uint64_t token = lease.token;
    int64_t deadline = lease.deadline;
    RESULT_OR(FL_OK, fl_refresh(&lease, &longer, &error), &error);
    assert_true(lease.deadline > deadline);
    assert_true(lease.token == token);
    EXPECT(&other, "ok", "status x");
    assert_true(peer_number(&other, "remaining=") > 500 || !it_can(FL_CAN_EXPIRE));
    EXPECT(&other, "busy", "try 0 100 x");
    RESULT_OR(FL_OK, fl_release(&lease, &error), &error);
    RESULT_OR(FL_LOST, fl_refresh(&lease, NULL, &error), &error);
    fl_close(store);
}

static void closing_gives_back(void **state)
{
    (void)state;
    peer other;
    fl_store *store = open_it();
    open_peer(&other);
    TRY(FL_OK, store, &lease, "x", 100);
    TRY(FL_OK, store, &second, "y", 100);
    fl_close(store);
    EXPECT(&other, "ok", "try 0 100 x");
    EXPECT(&other, "ok", "try 1 100 y");
}

static void tokens_grow(void **state)
{
    (void)state;
    peer a, b;
    uint64_t last = 0;
    open_peer(&a);
    open_peer(&b);
    for (int i = 0; i < 20; i++) {
        peer *holder = i % 2 ? &a : &b, *other = i % 2 ? &b : &a;
        EXPECT(holder, "ok", "try 0 100 x");
        uint64_t token = peer_token(holder);
        assert_true(token > last);
        EXPECT(holder, "ok", "refresh 0");
        assert_true(peer_token(holder) == token);
        EXPECT(other, "ok", "status x");
        assert_true(peer_token(other) == token);
        EXPECT(holder, "ok", "release 0");
        last = token;
    }
}

/* No token that does not grow is taken for one that does. */
static void no_token(void **state)
{
    (void)state;
    fl_store *store = open_it();
    TRY(FL_OK, store, &lease, "x", 100);
    assert_true(lease.token == 0);
    fl_close(store);
}

/* ---- breaking ------------------------------------------------------------------------------------------------------- */

static void a_broken_lease_is_lost(void **state)
{
    (void)state;
    peer holder, other;
    open_peer(&holder);
    open_peer(&other);
    EXPECT(&other, "free", "break 1 x");
    EXPECT(&holder, "ok", "try 0 100 x");
    EXPECT(&other, "ok", "status x");
    unsigned long long token = peer_token(&other);
    EXPECT(&other, "free", "break %llu x", token + 1); /* another lease */
    EXPECT(&holder, "ok", "verify 0");
    EXPECT(&other, "ok", "break %llu x", token);
    EXPECT(&other, "free", "status x");
    EXPECT(&other, "ok", "try 0 100 x");
    EXPECT(&holder, "lost", "verify 0");
    EXPECT(&holder, "lost", "release 0");
    EXPECT(&other, "ok", "verify 0");
    EXPECT(&holder, "free", "break %llu x", token); /* it means that lease, not its successor */
    EXPECT(&other, "ok", "verify 0");
    EXPECT(&other, "ok", "release 0");
}

static void not_to_be_broken(void **state)
{
    (void)state;
    peer holder, other;
    open_peer(&holder);
    open_peer(&other);
    EXPECT(&other, "error", "break 1 x");
    assert_non_null(strstr(other.answer, "a table: store can"));
    EXPECT(&holder, "ok", "try 0 100 x");
    EXPECT(&other, "error", "break 1 x");
    EXPECT(&holder, "ok", "verify 0");
}

/* ---- the outside witness: a plain file that is read, changed and written under the lock ----------------------------------- */

enum { ROUNDS = 100, PROCESSES = 4 };

static _Noreturn void count(void)
{
    fl_store *store;
    int fd = open(scratch("counter"), O_RDWR | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (fd < 0 || fl_open(the_dsn(), &store, &error) != FL_OK) {
        _exit(1);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (fl_acquire(store, &lease, "counter", 7, 1000, INFINITY, NULL, &error) != FL_OK || !add_one(fd) ||
            fl_release(&lease, &error) != FL_OK) {
            fprintf(stderr, "%s\n", error.message);
            _exit(2);
        }
    }
    _exit(0);
}

static void no_change_is_lost(void **state)
{
    (void)state;
    pid_t children[PROCESSES];
    write_file(scratch("counter"), "0\n", 2);
    fflush(NULL);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            count();
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = -1;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    int fd = open(scratch("counter"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(number_in(fd), PROCESSES * ROUNDS);
    close(fd);
}

void contract_lease(void)
{
    static const contract_case cases[] = {
        ALWAYS(one_at_a_time),
        ALWAYS(not_twice_by_one_process),
        ALWAYS(a_waiter_gets_it),
        ALWAYS(refresh_keeps_it),
        ALWAYS(closing_gives_back),
        WITH(tokens_grow, FL_CAN_TOKEN),
        ALWAYS(no_change_is_lost),
        WITHOUT(no_token, FL_CAN_TOKEN),
        WITH(a_broken_lease_is_lost, FL_CAN_BREAK),
        WITHOUT(not_to_be_broken, FL_CAN_BREAK),
    };
    RUN_CASES(cases);
}
