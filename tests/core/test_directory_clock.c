/* Clocks that disagree: clients against each other, a server that steps, and nobody may break a lease too early. */
#include "share.h"

#include <errno.h>
#include <string.h>

#include <stdatomic.h>

#include "directory/files.h"
#include "testing.h"

static fl_error error;

/* The wall clock of a client means nothing; a boot clock has no common zero anyway. */
static void clients_an_hour_apart(void **state)
{
    static const int ahead[] = {3600, -3600};
    (void)state;
    peer other;
    fl_lease a;
    fl_store *store = open_store(share());
    for (size_t i = 0; i < COUNT(ahead); i++) {
        peer_open(&other, share());
        EXPECT(&other, "ok", "wall %d", ahead[i]);
        EXPECT(&other, "ok", "clock %d %d", ahead[i], ahead[i]);
        TRY(FL_OK, store, &a, "x", 10);
        EXPECT(&other, "busy", "try 0 10 x");
        EXPECT(&other, "ok", "status x");
        RESULT(FL_OK, fl_verify(&a));
        RESULT(FL_OK, fl_release(&a, &error));
        EXPECT(&other, "ok", "try 0 10 x");
        TRY(FL_BUSY, store, &a, "x", 10);
        EXPECT(&other, "ok", "verify 0");
        EXPECT(&other, "ok", "release 0");
        peer_finish(&other);
    }
    fl_close(store);
}

/* Nor does the wall clock of whoever breaks: it would take the lease for one that is over. */
static void breaking_by_a_wrong_wall_clock(void **state)
{
    (void)state;
    peer other;
    fl_lease a;
    fl_store *store = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    peer_open(&other, share());
    EXPECT(&other, "ok", "wall 3600");
    EXPECT(&other, "ok", "break %llu x", (unsigned long long)a.token);
    RESULT(FL_LOST, fl_release(&a, &error));
    fl_close(store);
}

static int (*make_file)(const char *path, const void *bytes, size_t n, unsigned mode, int group);

static int make_file_after_a_stop(const char *path, const void *bytes, size_t n, unsigned mode, int group)
{
    pass_time(500);
    files.make_file = make_file;
    return make_file(path, bytes, n, mode, group);
}

/* Stopped before the server is asked for its time: the deadline that others see is no later for that. */
static void stopped_while_looking_at_the_clock(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    RESULT(FL_OK, fl_release(&a, &error));
    pass_time(31);
    make_file = files.make_file;
    files.make_file = make_file_after_a_stop;
    TRY(FL_OK, store, &a, "x", 1000);
    assert_ptr_equal(files.make_file, make_file);
    pass_time(499);
    RESULT(FL_OK, fl_verify(&a));
    pass_time(30);
    TRY(FL_OK, second, &b, "x", 10); /* 1,029 s after it began, not 1,500 */
    RESULT(FL_LOST, fl_release(&a, &error));
    fl_close(store);
    fl_close(second);
}

/* Who looks without having written has its wall clock only, and says so. */
static void a_look_without_a_sample_is_marked(void **state)
{
    (void)state;
    fl_lease a;
    fl_status_t s;
    char text[FL_SENTENCE_MAX];
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 600);
    RESULT(FL_OK, fl_status(second, "x", 1, &s, &error));
    assert_true(s.approximate);
    assert_true(s.remaining > 590 && s.remaining < 601);
    fl_describe(&s, text);
    assert_non_null(strstr(text, "about 10 min left"));
    RESULT(FL_OK, fl_status(store, "x", 1, &s, &error));
    assert_true(!s.approximate && s.mine);
    fl_close(store);
    fl_close(second);
}

/* Known to whoever looked at that clock before: it goes by its own, and by the state's name, which it saw all the time. */
static void a_server_that_steps_forward(void **state)
{
    (void)state;
    fl_lease a, b, c;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, second, &b, "other", 10);
    TRY(FL_OK, store, &a, "x", 100);
    pass_server_time(3600);
    pass_time(31);
    TRY(FL_BUSY, second, &b, "x", 10);
    RESULT(FL_OK, fl_verify(&a));
    pass_time(60);
    TRY(FL_BUSY, second, &b, "x", 10);
    RESULT(FL_OK, fl_verify(&a));
    pass_time(50);
    TRY(FL_OK, second, &b, "x", 10); /* seen unchanged for longer than 100 s */
    assert_true(b.token > a.token);
    RESULT(FL_LOST, fl_release(&a, &error));
    TRY(FL_OK, store, &c, "later", 10); /* set by the new clock, judged by the new clock */
    pass_time(13);
    TRY(FL_OK, second, &c, "later", 10);
    fl_close(store);
    fl_close(second);
}

static void a_server_that_steps_back(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 100);
    uint64_t token = a.token;
    pass_server_time(-3600);
    TRY(FL_BUSY, second, &b, "x", 10);
    pass_time(99);
    RESULT(FL_OK, fl_verify(&a));
    TRY(FL_BUSY, second, &b, "x", 10);
    pass_time(5);
    TRY(FL_OK, second, &b, "x", 10); /* not an hour later */
    assert_true(b.token > token);
    RESULT(FL_LOST, fl_release(&a, &error));
    RESULT(FL_OK, fl_release(&b, &error));
    TRY(FL_OK, store, &a, "x", 10);
    assert_true(a.token > b.token);
    fl_close(store);
    fl_close(second);
}

/* What a suspended machine sees when it wakes up. */
static void a_holder_that_slept(void **state)
{
    (void)state;
    fl_lease a, b;
    fl_store *store = open_store(share()), *second = open_store(share());
    TRY(FL_OK, store, &a, "x", 10);
    pass_time(3600);
    TRY(FL_OK, second, &b, "x", 10);
    RESULT(FL_LOST, fl_refresh(&a, NULL, &error));
    RESULT(FL_OK, fl_release(&b, &error));
    fl_close(store);
    fl_close(second);
}

static int stop_at_once(void *context)
{
    ++*(int *)context;
    return 1;
}

static void waiting(void **state)
{
    (void)state;
    peer other;
    fl_lease a, b;
    int asked = 0;
    fl_interrupt interrupt = {stop_at_once, &asked};
    fl_store *store = open_store(share());
    peer_open(&other, share());
    TRY(FL_OK, store, &a, "x", 100);
    RESULT(FL_SELF, fl_acquire(store, &b, "x", 1, 10, 1, NULL, &error));
    EXPECT(&other, "busy", "acquire 0 10 0.05 x");
    peer_tell(&other, "acquire 0 10 inf x");
    assert_false(peer_has_answered(&other));
    RESULT(FL_OK, fl_release(&a, &error));
    peer_answer(&other);
    assert_true(peer_said(&other, "ok"));
    RESULT(FL_INTERRUPTED, fl_acquire(store, &b, "x", 1, 10, INFINITY, &interrupt, &error));
    assert_int_equal(asked, 1);
    peer_kill(&other);
    RESULT(FL_OK, fl_acquire(store, &b, "x", 1, 10, INFINITY, NULL, &error));
    fl_close(store);
}

void group_directory_clock(void)
{
    static const struct CMUnitTest directory_clock[] = {
        SHARE_TEST(breaking_by_a_wrong_wall_clock),
        SHARE_TEST(stopped_while_looking_at_the_clock),
        SHARE_TEST(clients_an_hour_apart),
        SHARE_TEST(a_look_without_a_sample_is_marked),
        SHARE_TEST(a_server_that_steps_forward),
        SHARE_TEST(a_server_that_steps_back),
        SHARE_TEST(a_holder_that_slept),
        SHARE_TEST(waiting),
    };
    RUN(directory_clock);
}
