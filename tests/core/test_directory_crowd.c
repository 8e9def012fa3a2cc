/* Many who come to a new directory at once: each is told the truth, and none that it cannot be used. */
#include "share.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing.h"

enum { CROWD = 6, ROUNDS = 1500 };

/* ---- two, in the order that hurts: the empty directory of one is put in the place of the one that the other is entering */

static const char *where, *at;
static int comings;

/* From the second coming on it is gone, until the fourth. */
static void twin(const char *label)
{
    if (strcmp(label, at) == 0) {
        comings++;
        if (comings == 2) {
            assert_int_equal(rmdir(where), 0);
        } else if (comings == 4) {
            assert_int_equal(mkdir(where, 0770), 0);
        }
    }
}

static void comes_with_a_twin(const char *part, const char *label)
{
    fl_lease a = FL_LEASE_INIT;
    fl_error error;
    fl_store *store = open_store(share());
    where = scratch("d/%s", part);
    at = label;
    comings = 0;
    fl_step_hook = twin;
    fl_result result = fl_try(store, &a, "x", 1, 10, &error);
    fl_step_hook = NULL;
    RESULT_OR(FL_OK, result, &error);
    assert_true(comings > 4);
    fl_close(store);
}

static void a_twin_of_what_is_new(void **state)
{
    (void)state;
    comes_with_a_twin(".new", "files:mkdir");
}

static void a_twin_of_the_clock(void **state)
{
    (void)state;
    comes_with_a_twin(".clock", "files:create");
}

/* ---- many */

static void open_anew(peer *p, int round)
{
    EXPECT(p, "ok", "close");
    EXPECT(p, "ok", "open dir:%s", scratch("d%d", round));
}

static int count_holders(peer *crowd)
{
    int holders = 0;
    for (int i = 0; i < CROWD; i++) {
        peer_answer(&crowd[i]);
        if (!peer_said(&crowd[i], "ok") && !peer_said(&crowd[i], "busy")) {
            fail_msg("who comes first with others is told \"%s\"", crowd[i].answer);
        }
        holders += peer_said(&crowd[i], "ok");
    }
    return holders;
}

static void all_come_first(void **state)
{
    (void)state;
    peer crowd[CROWD];
    for (int i = 0; i < CROWD; i++) {
        peer_open(&crowd[i], share());
    }
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(rename(scratch("d"), scratch("d%d", round)), 0);
        share();
        for (int i = 0; i < CROWD; i++) {
            open_anew(&crowd[i], round);
        }
        for (int i = 0; i < CROWD; i++) {
            peer_tell(&crowd[i], "try 0 100 x");
        }
        assert_int_equal(count_holders(crowd), 1);
    }
}

void group_directory_crowd(void)
{
    static const struct CMUnitTest directory_crowd[] = {
        SHARE_TEST(a_twin_of_what_is_new),
        SHARE_TEST(a_twin_of_the_clock),
        SHARE_TEST(all_come_first),
    };
    RUN(directory_crowd);
}
