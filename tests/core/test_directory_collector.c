/* The collector, killed at every step and with a comer at every step. */
#include "share.h"

#include <stdio.h>
#include <string.h>

#include "testing.h"

static int steps_left;
static fl_store *comer;
static fl_lease comers;

static void come_in_between(const char *label)
{
    fl_error error;
    (void)label;
    if (steps_left > 0 && --steps_left == 0) {
        fl_step_hook = NULL;
        RESULT_OR(FL_OK, fl_try(comer, &comers, "x", 1, 10, &error), &error);
    }
}

/* It is alone at whatever step of the collector it comes, and its token is larger than those of what was collected. */
static void a_comer_at_every_step_of_a_collection(void **state)
{
    (void)state;
    fl_error error;
    fl_lease second = FL_LEASE_INIT;
    unsigned removed, lost = 0;
    comer = open_store(share());
    fl_store *collector = open_store(share());
    uint64_t last = 0;
    bool came = true;
    for (int n = 1; came; n++) {
        TRY(FL_OK, comer, &comers, "x", 10);
        RESULT(FL_OK, fl_release(&comers, &error));
        pass_time(2 * COLLECT_AFTER);
        comers = (fl_lease)FL_LEASE_INIT;
        steps_left = n;
        fl_step_hook = come_in_between;
        RESULT_OR(FL_OK, collect_attached(collector, &removed, &error), &error);
        fl_step_hook = NULL;
        came = steps_left == 0;
        if (came) {
            lost += removed;
            RESULT(FL_OK, fl_verify(&comers));
            RESULT(FL_BUSY, fl_try(collector, &second, "x", 1, 10, &error));
            assert_true(comers.token > last);
            last = comers.token;
            RESULT(FL_OK, fl_release(&comers, &error));
        }
    }
    assert_int_equal(removed, 1);
    assert_true(lost > 0); /* some came after it was gone */
    fl_close(comer);
    fl_close(collector);
}

static void a_collector_killed_at_every_step(void **state)
{
    static const char *const labels[] = {"collect:unlink", "files:unlink", "collect:rmdir", "files:rmdir"};
    (void)state;
    fl_error error;
    peer collector;
    fl_store *store = open_store(share());
    uint64_t last = 0;
    for (size_t i = 0; i < COUNT(labels); i++) {
        fl_lease a;
        TRY(FL_OK, store, &a, "x", 10);
        RESULT(FL_OK, fl_release(&a, &error));
        pass_time(2 * COLLECT_AFTER);
        peer_open(&collector, share());
        EXPECT(&collector, "ok", "server %zu", (i + 1) * 2 * COLLECT_AFTER);
        EXPECT(&collector, "ok", "clock %zu %zu", (i + 1) * 2 * COLLECT_AFTER, (i + 1) * 2 * COLLECT_AFTER);
        EXPECT(&collector, "ok", "armat kill %s", labels[i]);
        peer_ask(&collector, "collect");
        assert_true(peer_said(&collector, "killed"));
        peer_kill(&collector);
        TRY(FL_OK, store, &a, "x", 10);
        assert_true(a.token > last);
        last = a.token;
        RESULT(FL_OK, fl_release(&a, &error));
    }
    fl_close(store);
}

static void what_a_dead_collector_leaves(void **state)
{
    (void)state;
    fl_lease a;
    fl_error error;
    char path[STATE_PATH_MAX];
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    uint64_t token = a.token;
    RESULT(FL_OK, fl_release(&a, &error));
    snprintf(path, sizeof path, "%s/%s", lock_directory("x"), state_of("x"));
    assert_int_equal(remove(path), 0); /* an empty directory */
    pass_time(0.2);                    /* time stamps are that coarse */
    TRY(FL_OK, store, &a, "x", 10);
    assert_true(a.token > token);
    fl_close(store);
}

void group_directory_collector(void)
{
    static const struct CMUnitTest directory_collector[] = {
        SHARE_TEST(a_comer_at_every_step_of_a_collection),
        SHARE_TEST(a_collector_killed_at_every_step),
        SHARE_TEST(what_a_dead_collector_leaves),
    };
    RUN(directory_collector);
}
