/* From writer to reader. */
#include "kinds.h"

static fl_store *a, *b, *c;
static fl_error error;
static fl_lease mine, theirs, third;

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

#define READ(want, store, lease) TAKE(want, store, lease, FL_SHARED, 0, "x", 100)

static void assert_reads(fl_lease *lease, uint32_t holders)
{
    assert_int_equal(lease->kind, FL_SHARED);
    RESULT(FL_OK, fl_verify(lease));
    fl_status_t s = status_of(lease->store, "x");
    assert_true(s.shared);
    assert_int_equal(s.holders, holders);
    TAKE(FL_BUSY, c, &third, FL_EXCLUSIVE, 0, "x", 100);
}

static void the_writer_becomes_a_reader(void **state)
{
    (void)state;
    TAKE(FL_OK, a, &mine, FL_EXCLUSIVE, 0, "x", 100);
    uint64_t token = mine.token;
    int64_t deadline = mine.deadline;
    RESULT(FL_OK, fl_downgrade(&mine, &error));
    assert_true(mine.token == token && mine.deadline == deadline);
    assert_reads(&mine, 1);
    READ(FL_OK, b, &theirs);
    assert_true(theirs.token > token);
    RESULT(FL_OK, fl_release(&mine, &error));
    RESULT(FL_OK, fl_release(&theirs, &error));
    TRY(FL_OK, a, &mine, "x", INFINITY);
    RESULT(FL_OK, fl_downgrade(&mine, &error));
    assert_true(isinf(status_of(b, "x").remaining));
    RESULT(FL_OK, fl_release(&mine, &error));
}

/* Readers wait behind the writer, and a writer behind them: the readers come in, the writer does not. */
static void nobody_writes_in_between(void **state)
{
    peer reader, writer;
    (void)state;
    peer_open(&reader, dsn("t"));
    peer_open(&writer, dsn("t"));
    TRY(FL_OK, a, &mine, "x", 100);
    peer_tell(&reader, "take 0 shared 0 100 inf x");
    await_waiters(a, "x", 1);
    peer_tell(&writer, "take 0 exclusive 0 100 inf x");
    await_waiters(a, "x", 2);
    RESULT(FL_OK, fl_downgrade(&mine, &error));
    ANSWER(&reader, "ok");
    assert_reads(&mine, 2);
    assert_int_equal(status_of(a, "x").waiters, 1);
    RESULT(FL_OK, fl_release(&mine, &error));
    EXPECT(&reader, "ok", "release 0");
    ANSWER(&writer, "ok");
}

static void a_lost_writer_cannot(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        TRY(FL_OK, a, &mine, "x", 0.01);
        await_free(b, "x");
        if (i > 0) {
            TAKE(FL_OK, b, &theirs, i == 1 ? FL_EXCLUSIVE : FL_SHARED, 0, "x", 100);
        }
        RESULT(FL_LOST, fl_downgrade(&mine, &error));
        RESULT(FL_LOST, fl_release(&mine, &error));
        if (i > 0) {
            assert_int_equal(status_of(b, "x").holders, 1);
            RESULT(FL_OK, fl_release(&theirs, &error));
        }
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_downgrade(void)
{
    static const struct CMUnitTest downgrade[] = {
        CASE(the_writer_becomes_a_reader),
        CASE(nobody_writes_in_between),
        CASE(a_lost_writer_cannot),
    };
    RUN(downgrade);
}
