/* Shared locks: many readers or one writer. */
#include "kinds.h"

#include <stdio.h>
#include <unistd.h>

static fl_store *a, *b, *c;
static fl_error error;
static fl_lease first, second, third;

static int begin(void **state)
{
    int failed = suite_begin(state);
    a = open_store(dsn("t"));
    b = open_store(dsn("t"));
    c = open_store(dsn("t"));
    return failed;
}

static int end(void **state)
{
    fl_close(a);
    fl_close(b);
    fl_close(c);
    return suite_end(state);
}

static void many_readers_or_one_writer(void **state)
{
    (void)state;
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 100);
    TAKE(FL_OK, b, &second, FL_SHARED, 0, "x", 100);
    TAKE(FL_BUSY, c, &third, FL_EXCLUSIVE, 0, "x", 100);
    TAKE(FL_BUSY, a, &third, FL_EXCLUSIVE, 0, "x", 100); /* not even one of them */
    RESULT(FL_OK, fl_release(&first, &error));
    TAKE(FL_BUSY, c, &third, FL_EXCLUSIVE, 0, "x", 100);
    RESULT(FL_OK, fl_release(&second, &error));
    TAKE(FL_OK, c, &third, FL_EXCLUSIVE, 0, "x", 100);
    TAKE(FL_BUSY, a, &first, FL_SHARED, 0, "x", 100);
    TAKE(FL_BUSY, c, &first, FL_SHARED, 0, "x", 100);
    RESULT(FL_OK, fl_verify(&third));
}

/* A name that was never used, and one that its readers have never been more than one of. */
static void the_same_for_new_names(void **state)
{
    char name[20];
    (void)state;
    for (int i = 0; i < 200; i++) {
        sprintf(name, "name%d", i);
        TAKE(FL_OK, a, &first, FL_SHARED, 0, name, 100);
        TAKE(FL_OK, a, &second, FL_SHARED, 0, name, 100);
        TAKE(FL_BUSY, b, &third, FL_EXCLUSIVE, 0, name, 100);
        RESULT(FL_OK, fl_release(&first, &error));
        RESULT(FL_OK, fl_release(&second, &error));
        RESULT(FL_LOST, fl_release(&second, &error));
    }
}

static void what_is_seen_of_readers(void **state)
{
    (void)state;
    fl_set_label(a, "the first reader", 16);
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 100);
    await_holders(c, "x", 1);
    TAKE(FL_OK, b, &second, FL_SHARED, 0, "x", 50);
    fl_status_t s = status_of(c, "x");
    assert_true(s.shared);
    assert_int_equal(s.holders, 2);
    assert_int_equal(s.waiters, 0);
    assert_false(s.mine);
    assert_int_equal(s.pid, getpid());
    assert_true((uint64_t)s.token == first.token || (uint64_t)s.token == second.token);
    assert_true(s.remaining > 0 && s.remaining <= 100);
    assert_true(status_of(a, "x").mine || status_of(b, "x").mine);
    RESULT(FL_OK, fl_release(&first, &error));
    assert_int_equal(status_of(c, "x").holders, 1);
    RESULT(FL_OK, fl_release(&second, &error));
    assert_int_equal(status_of(c, "x").holders, 0);
}

static int count_listed(void *context, const fl_status_t *status)
{
    *(uint32_t *)context += status->holders;
    return 0;
}

/* List and numbers know them as well. */
static void readers_are_listed(void **state)
{
    uint32_t holders = 0;
    fl_info info;
    (void)state;
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 100);
    TAKE(FL_OK, b, &second, FL_SHARED, 0, "x", 100);
    TAKE(FL_OK, c, &third, FL_PERMIT, 5, "y", 100);
    RESULT(FL_OK, fl_list(c, "", 0, count_listed, &holders, &error));
    assert_int_equal(holders, 3);
    RESULT(FL_OK, fl_inspect(c, &info, &error));
    assert_int_equal(info.held, 2);
    RESULT(FL_OK, fl_release(&first, &error));
    RESULT(FL_OK, fl_release(&second, &error));
    holders = 0;
    RESULT(FL_OK, fl_list(c, "x", 1, count_listed, &holders, &error));
    assert_int_equal(holders, 0);
}

/* A writer waits: newcoming readers are refused, and queue up behind it. When it gives up they come in. */
static void a_writer_is_not_starved(void **state)
{
    peer writer, reader;
    (void)state;
    peer_open(&writer, dsn("t"));
    peer_open(&reader, dsn("t"));
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 100);
    peer_tell(&writer, "take 0 exclusive 0 100 inf x");
    await_waiters(a, "x", 1);
    TAKE(FL_BUSY, b, &second, FL_SHARED, 0, "x", 100);
    peer_tell(&reader, "take 0 shared 0 100 inf x");
    await_waiters(a, "x", 2);
    assert_int_equal(status_of(a, "x").holders, 1);
    RESULT(FL_OK, fl_release(&first, &error));
    ANSWER(&writer, "ok");
    assert_int_equal(status_of(a, "x").waiters, 1);
    EXPECT(&writer, "ok", "release 0");
    ANSWER(&reader, "ok");
}

static void a_writer_that_gives_up_lets_readers_in(void **state)
{
    peer writer, reader;
    (void)state;
    for (int how = 0; how < 3; how++) {
        peer_open(&writer, dsn("t"));
        peer_open(&reader, dsn("t"));
        TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 100);
        EXPECT(&writer, "ok", "patience %d", how == 1 ? 2 : 0);
        peer_tell(&writer, "take 0 exclusive 0 100 %s x", how == 0 ? "0.3" : "inf");
        if (how == 1) {
            ANSWER(&writer, "interrupted");
        } else {
            await_waiters(a, "x", 1);
        }
        peer_tell(&reader, "take 0 shared 0 100 inf x");
        if (how == 2) {
            await_waiters(a, "x", 2);
            peer_kill(&writer);
        }
        ANSWER(&reader, "ok");
        RESULT(FL_OK, fl_verify(&first));
        assert_int_equal(status_of(a, "x").holders, 2);
        RESULT(FL_OK, fl_release(&first, &error));
        peers_end();
    }
}

/* Three readers, a writer and two readers queue up behind a writer: they come in as three, one, two. */
static void readers_come_in_as_a_group(void **state)
{
    enum { QUEUE = 6, WRITER = 3 };
    peer queue[QUEUE];
    (void)state;
    TAKE(FL_OK, a, &first, FL_EXCLUSIVE, 0, "x", 100);
    for (int i = 0; i < QUEUE; i++) {
        peer_open(&queue[i], dsn("t"));
        peer_tell(&queue[i], "take 0 %s 0 100 inf x", i == WRITER ? "exclusive" : "shared");
        await_waiters(a, "x", (uint32_t)i + 1);
    }
    RESULT(FL_OK, fl_release(&first, &error));
    for (int i = 0; i < WRITER; i++) {
        ANSWER(&queue[i], "ok");
    }
    assert_int_equal(status_of(a, "x").holders, WRITER);
    assert_int_equal(status_of(a, "x").waiters, QUEUE - WRITER);
    for (int i = 0; i < WRITER; i++) {
        EXPECT(&queue[i], "ok", "release 0");
    }
    ANSWER(&queue[WRITER], "ok");
    assert_false(status_of(a, "x").shared);
    assert_int_equal(status_of(a, "x").waiters, QUEUE - WRITER - 1);
    EXPECT(&queue[WRITER], "ok", "release 0");
    ANSWER(&queue[4], "ok");
    ANSWER(&queue[5], "ok");
    assert_int_equal(status_of(a, "x").holders, 2);
}

/* ---- ends ------------------------------------------------------------------------------------------------------------- */

static void a_reader_expires(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 0.01);
        TAKE(FL_OK, b, &second, FL_SHARED, 0, "x", 100);
        await_holders(c, "x", 1);
        RESULT(FL_LOST, i == 0   ? fl_verify(&first)
                        : i == 1 ? fl_refresh(&first, NULL, &error)
                                 : fl_release(&first, &error));
        RESULT(FL_OK, fl_release(&second, &error));
        TAKE(FL_OK, c, &third, FL_EXCLUSIVE, 0, "x", 100);
        RESULT(FL_LOST, fl_release(&first, &error));
        RESULT(FL_OK, fl_release(&third, &error));
    }
}

/* Somebody has taken over, and the late one is told whatever it calls; the writer does not feel it. */
static void a_late_reader_touches_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 0.01);
        await_free(c, "x");
        TAKE(FL_OK, c, &third, i % 2 ? FL_SHARED : FL_EXCLUSIVE, 0, "x", 100);
        RESULT(FL_LOST, i < 2 ? fl_release(&first, &error) : fl_refresh(&first, NULL, &error));
        RESULT(FL_OK, fl_verify(&third));
        assert_int_equal(status_of(b, "x").holders, 1);
        RESULT(FL_OK, fl_release(&third, &error));
    }
}

static void a_refresh_starts_the_ttl_again(void **state)
{
    const double longer = 200, for_ever = INFINITY;
    (void)state;
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 0.5);
    int64_t before = first.deadline;
    RESULT(FL_OK, fl_refresh(&first, &longer, &error));
    assert_true(first.deadline > before);
    assert_true(status_of(b, "x").remaining > 100);
    RESULT(FL_OK, fl_refresh(&first, &for_ever, &error));
    assert_true(isinf(status_of(b, "x").remaining));
    RESULT(FL_OK, fl_release(&first, &error));
}

static void a_dead_reader_is_no_reader(void **state)
{
    peer reader;
    (void)state;
    peer_open(&reader, dsn("t"));
    EXPECT(&reader, "ok", "take 0 shared 0 inf 0 x");
    TAKE(FL_BUSY, a, &first, FL_EXCLUSIVE, 0, "x", 100);
    peer_kill(&reader);
    assert_int_equal(status_of(a, "x").holders, 0);
    TAKE(FL_OK, a, &first, FL_EXCLUSIVE, 0, "x", 100);
}

static void one_reader_is_broken(void **state)
{
    (void)state;
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", 100);
    TAKE(FL_OK, b, &second, FL_SHARED, 0, "x", 100);
    RESULT(FL_OK, fl_break(c, "x", 1, (int64_t)first.token, &error));
    RESULT(FL_FREE, fl_break(c, "x", 1, (int64_t)first.token, &error));
    RESULT(FL_LOST, fl_verify(&first));
    RESULT(FL_OK, fl_verify(&second));
    TAKE(FL_BUSY, c, &third, FL_EXCLUSIVE, 0, "x", 100);
    RESULT(FL_OK, fl_break(c, "x", 1, (int64_t)second.token, &error));
    TAKE(FL_OK, c, &third, FL_EXCLUSIVE, 0, "x", 100);
    RESULT(FL_LOST, fl_release(&second, &error));
    RESULT(FL_OK, fl_verify(&third));
}

/* A store that is closed gives back what it shared; a table that is gone takes it along. */
static void with_its_store_and_its_table(void **state)
{
    (void)state;
    TAKE(FL_OK, a, &first, FL_SHARED, 0, "x", INFINITY);
    fl_close(a);
    a = open_store(dsn("t"));
    TAKE(FL_OK, b, &second, FL_EXCLUSIVE, 0, "x", INFINITY);
    RESULT(FL_OK, fl_release(&second, &error));
    TAKE(FL_OK, b, &second, FL_SHARED, 0, "x", INFINITY);
    assert_int_equal(unlink(scratch("t/filelock.table")), 0);
    usleep(15000); /* the path is compared every 10 ms */
    RESULT(FL_LOST, fl_verify(&second));
    TAKE(FL_OK, c, &third, FL_EXCLUSIVE, 0, "x", 100);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_shared(void)
{
    static const struct CMUnitTest shared[] = {
        CASE(many_readers_or_one_writer),    CASE(the_same_for_new_names),
        CASE(what_is_seen_of_readers),       CASE(readers_are_listed),
        CASE(a_writer_is_not_starved),       CASE(a_writer_that_gives_up_lets_readers_in),
        CASE(readers_come_in_as_a_group),    CASE(a_reader_expires),
        CASE(a_late_reader_touches_nothing), CASE(a_refresh_starts_the_ttl_again),
        CASE(a_dead_reader_is_no_reader),    CASE(one_reader_is_broken),
        CASE(with_its_store_and_its_table),
    };
    RUN(shared);
}
