/* Who looks over the crowd while somebody in it moves must not overlook it. */
#include "kinds.h"

#include <string.h>

static fl_store *store;
static fl_error error;
static fl_lease lease;

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t"));
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    return suite_end(state);
}

static void move(int how)
{
    const double longer = 200;
    peer reader;
    if (how == 0) {
        RESULT(FL_OK, fl_refresh(&lease, &longer, &error));
        return;
    }
    peer_open(&reader, dsn("t"));
    if (strcmp(peer_ask(&reader, "take 0 shared 0 100 0 x"), "busy") != 0) {
        RESULT(FL_BUSY, fl_upgrade(&lease, 0, NULL, &error));
        EXPECT(&reader, "ok", "release 0");
    }
    peer_finish(&reader);
}

/* A taker has read half of what a holder says, when that one refreshes, or tries to become the writer. */
static void who_moves_is_not_overlooked(void **state)
{
    static const char *const takers[] = {"take 0 exclusive 0 100 0 x", "take 0 permit 2 100 0 x", "status x"};
    static const fl_kind kinds[] = {FL_SHARED, FL_SHARED, FL_PERMIT};
    (void)state;
    for (int i = 0; i < 9; i++) {
        peer taker;
        peer_open(&taker, dsn("t"));
        EXPECT(&taker, "ok", "cycle 1 y");
        TAKE(FL_OK, store, &lease, kinds[i / 3], 1, "x", 100);
        EXPECT(&taker, "ok", "armat stop crowd:read");
        peer_tell(&taker, "%s", takers[i % 3]);
        ANSWER(&taker, "stopped");
        peer_await_stop(&taker);
        move(i / 3 % 2);
        peer_continue(&taker);
        peer_answer(&taker);
        /* A permit's holder disagrees about the number: an error is as good as a refusal. */
        assert_true(i % 3 == 2 ? peer_said(&taker, "ok") : peer_said(&taker, "busy") || peer_said(&taker, "error"));
        RESULT(FL_OK, fl_verify(&lease));
        RESULT(FL_OK, fl_release(&lease, &error));
        peers_end();
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_scan(void)
{
    static const struct CMUnitTest scan[] = {CASE(who_moves_is_not_overlooked)};
    RUN(scan);
}
