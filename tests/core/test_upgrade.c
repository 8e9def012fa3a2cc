/* From reader to writer. */
#include "kinds.h"

#include <unistd.h>

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

static void assert_writes(fl_lease *lease)
{
    assert_int_equal(lease->kind, FL_EXCLUSIVE);
    RESULT(FL_OK, fl_verify(lease));
    fl_status_t s = status_of(lease->store, "x");
    assert_false(s.shared);
    assert_true(s.mine);
    assert_true((uint64_t)s.token == lease->token);
    READ(FL_BUSY, c, &third);
}

static void assert_reads(fl_lease *lease, uint32_t holders)
{
    assert_int_equal(lease->kind, FL_SHARED);
    RESULT(FL_OK, fl_verify(lease));
    fl_status_t s = status_of(lease->store, "x");
    assert_true(s.shared);
    assert_int_equal(s.holders, holders);
    TAKE(FL_BUSY, c, &third, FL_EXCLUSIVE, 0, "x", 100);
}

static void the_only_reader_becomes_the_writer(void **state)
{
    (void)state;
    READ(FL_OK, a, &mine);
    uint64_t token = mine.token;
    int64_t deadline = mine.deadline;
    RESULT(FL_OK, fl_upgrade(&mine, 0, NULL, &error));
    assert_writes(&mine);
    assert_true(mine.token > token);
    assert_true(mine.deadline >= deadline);
    RESULT(FL_OK, fl_refresh(&mine, NULL, &error));
    RESULT(FL_OK, fl_release(&mine, &error));
    assert_int_equal(status_of(a, "x").holders, 0);
}

/* Refused, timed out or broken off: a reader as before, and others may read again. */
static int at_once(void *context)
{
    (void)context;
    return 1;
}

static void a_failed_upgrade_leaves_the_reader(void **state)
{
    static const fl_interrupt interrupt = {at_once, NULL};
    (void)state;
    READ(FL_OK, a, &mine);
    READ(FL_OK, b, &theirs);
    uint64_t token = mine.token;
    int64_t deadline = mine.deadline;
    for (int i = 0; i < 3; i++) {
        RESULT(i == 2 ? FL_INTERRUPTED : FL_BUSY, fl_upgrade(&mine, i * 0.02, i == 2 ? &interrupt : NULL, &error));
        assert_true(mine.token == token && mine.deadline == deadline);
        assert_reads(&mine, 2);
        READ(FL_OK, c, &third);
        RESULT(FL_OK, fl_release(&third, &error));
    }
    RESULT(FL_OK, fl_release(&theirs, &error));
    RESULT(FL_OK, fl_upgrade(&mine, 0, NULL, &error));
    assert_writes(&mine);
}

/* Until a reader is refused: somebody wants to write. */
static void await_refusal(void)
{
    fl_request read = {.name = "x", .length = 1, .ttl = 100, .kind = FL_SHARED};
    while (fl_take(c, &third, &read, &error) == FL_OK) {
        RESULT(FL_OK, fl_release(&third, &error));
        usleep(100);
    }
}

/* While one wants to be the writer no reader comes in; the last other reader's end lets it. */
static void it_waits_for_the_other_readers(void **state)
{
    peer upgrader;
    (void)state;
    peer_open(&upgrader, dsn("t"));
    READ(FL_OK, a, &mine);
    READ(FL_OK, b, &theirs);
    EXPECT(&upgrader, "ok", "take 0 shared 0 100 0 x");
    peer_tell(&upgrader, "upgrade 0 inf");
    await_refusal();
    assert_int_equal(status_of(a, "x").holders, 3);
    RESULT(FL_OK, fl_release(&theirs, &error));
    READ(FL_BUSY, b, &theirs);
    RESULT(FL_OK, fl_release(&mine, &error));
    ANSWER(&upgrader, "ok");
    assert_false(status_of(a, "x").shared);
    READ(FL_BUSY, b, &theirs);
}

/* The later of two is told at once, however long it would wait, and goes on reading; the first waits for it. */
static void of_two_the_later_is_refused(void **state)
{
    peer first, second;
    (void)state;
    peer_open(&first, dsn("t"));
    peer_open(&second, dsn("t"));
    EXPECT(&first, "ok", "take 0 shared 0 100 0 x");
    EXPECT(&second, "ok", "take 0 shared 0 100 0 x");
    peer_tell(&first, "upgrade 0 inf");
    await_refusal();
    EXPECT(&second, "busy", "upgrade 0 inf");
    EXPECT(&second, "ok", "verify 0");
    READ(FL_BUSY, c, &third); /* the first still wants it */
    EXPECT(&second, "ok", "release 0");
    ANSWER(&first, "ok");
}

/* Two at the same time, again and again: never two writers, never both refused while nobody else reads. */
static void two_at_the_same_time(void **state)
{
    enum { ROUNDS = 200 };
    peer two[2];
    (void)state;
    peer_open(&two[0], dsn("t"));
    peer_open(&two[1], dsn("t"));
    for (int i = 0; i < ROUNDS; i++) {
        EXPECT(&two[0], "ok", "take 0 shared 0 100 0 x");
        EXPECT(&two[1], "ok", "take 0 shared 0 100 0 x");
        peer_tell(&two[i % 2], "upgrade 0 inf");
        peer_tell(&two[1 - i % 2], "upgrade 0 inf");
        /* One is refused and reads on; only when it ends does the other come in. */
        int refused = -1;
        while (refused < 0) {
            refused = has_answered(&two[0]) ? 0 : has_answered(&two[1]) ? 1 : -1;
        }
        ANSWER(&two[refused], "busy");
        EXPECT(&two[refused], "ok", "release 0");
        ANSWER(&two[1 - refused], "ok");
        EXPECT(&two[1 - refused], "ok", "release 0");
    }
}

/* A writer waits for me; I do not wait for it. Refused, I leave it where it was. */
static void it_overtakes_a_waiting_writer(void **state)
{
    peer writer;
    (void)state;
    peer_open(&writer, dsn("t"));
    READ(FL_OK, a, &mine);
    READ(FL_OK, b, &theirs);
    peer_tell(&writer, "take 0 exclusive 0 100 inf x");
    await_waiters(a, "x", 1);
    RESULT(FL_BUSY, fl_upgrade(&mine, 0.01, NULL, &error));
    RESULT(FL_OK, fl_release(&theirs, &error));
    RESULT(FL_OK, fl_upgrade(&mine, 10, NULL, &error));
    assert_writes(&mine);
    assert_int_equal(status_of(a, "x").waiters, 1);
    RESULT(FL_OK, fl_downgrade(&mine, &error));
    READ(FL_BUSY, b, &theirs); /* behind the writer */
    RESULT(FL_OK, fl_release(&mine, &error));
    ANSWER(&writer, "ok");
}

static void it_would_wait_for_itself(void **state)
{
    (void)state;
    READ(FL_OK, a, &mine);
    READ(FL_OK, a, &theirs);
    RESULT(FL_SELF, fl_upgrade(&mine, 10, NULL, &error));
    RESULT(FL_BUSY, fl_upgrade(&mine, 0, NULL, &error));
    assert_reads(&mine, 2);
    RESULT(FL_OK, fl_verify(&theirs));
}

/* What blocks an upgrade ends by death or expiry, too. */
static void the_other_reader_ends(void **state)
{
    peer reader;
    (void)state;
    peer_open(&reader, dsn("t"));
    READ(FL_OK, a, &mine);
    EXPECT(&reader, "ok", "take 0 shared 0 inf 0 x");
    peer_kill(&reader);
    RESULT(FL_OK, fl_upgrade(&mine, 0, NULL, &error));
    RESULT(FL_OK, fl_downgrade(&mine, &error));
    TAKE(FL_OK, b, &theirs, FL_SHARED, 0, "x", 0.05);
    RESULT(FL_OK, fl_upgrade(&mine, INFINITY, NULL, &error));
    assert_writes(&mine);
    RESULT(FL_LOST, fl_release(&theirs, &error));
}

static void a_lost_reader_cannot(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        TAKE(FL_OK, a, &mine, FL_SHARED, 0, "x", 0.01);
        await_free(b, "x");
        if (i == 1) {
            TRY(FL_OK, b, &theirs, "x", 100);
        }
        RESULT(FL_LOST, fl_upgrade(&mine, 1, NULL, &error));
        RESULT(FL_LOST, fl_release(&mine, &error));
    }
    RESULT(FL_OK, fl_verify(&theirs));
}

/* A permit is no lock. What is there already stays as it is. */
static void only_the_right_kind(void **state)
{
    (void)state;
    TAKE(FL_OK, a, &mine, FL_PERMIT, 2, "x", 100);
    TAKE(FL_OK, b, &theirs, FL_SHARED, 0, "y", 100);
    TAKE(FL_OK, c, &third, FL_EXCLUSIVE, 0, "z", 100);
    RESULT(FL_ERROR, fl_upgrade(&mine, 0, NULL, &error));
    assert_int_equal(error.fault, FL_NOT_OFFERED);
    RESULT(FL_ERROR, fl_downgrade(&mine, &error));
    assert_int_equal(error.fault, FL_NOT_OFFERED);
    RESULT(FL_OK, fl_downgrade(&theirs, &error));
    assert_int_equal(theirs.kind, FL_SHARED);
    RESULT(FL_OK, fl_upgrade(&third, 0, NULL, &error));
    assert_int_equal(third.kind, FL_EXCLUSIVE);
    RESULT(FL_OK, fl_release(&mine, &error));
    RESULT(FL_OK, fl_release(&theirs, &error));
    RESULT(FL_OK, fl_release(&third, &error));
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_upgrade(void)
{
    static const struct CMUnitTest upgrade[] = {
        CASE(the_only_reader_becomes_the_writer),
        CASE(a_failed_upgrade_leaves_the_reader),
        CASE(it_waits_for_the_other_readers),
        CASE(of_two_the_later_is_refused),
        CASE(two_at_the_same_time),
        CASE(it_overtakes_a_waiting_writer),
        CASE(it_would_wait_for_itself),
        CASE(the_other_reader_ends),
        CASE(a_lost_reader_cannot),
        CASE(only_the_right_kind),
    };
    RUN(upgrade);
}
