/* status and list only look: no byte of the table changes, nothing is created, permission to read is enough. */
#include "suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fl_error error;
static fl_lease lease;

static int ignore(void *context, const fl_status_t *status)
{
    (void)context, (void)status;
    return 0;
}

static void look(fl_store *store)
{
    static const char *const names[] = {"held", "free", "never", "expired", "dead"};
    fl_status_t s;
    fl_info info;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_not_equal(fl_status(store, names[i], strlen(names[i]), &s, &error), FL_ERROR);
    }
    RESULT_OR(FL_OK, fl_list(store, "", 0, ignore, NULL, &error), &error);
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
}

/* Before anybody used the store there is nothing, and nothing after looking. */
static void creates_nothing(void **state)
{
    (void)state;
    fl_store *store = open_store(dsn("t"));
    fl_status_t s;
    RESULT_OR(FL_FREE, fl_status(store, "x", 1, &s, &error), &error);
    RESULT_OR(FL_FREE, fl_break(store, "x", 1, 1, &error), &error);
    look(store);
    fl_close(store);
    assert_int_equal(entries_in(scratch(".")), 0);
    assert_int_equal(mkdir(scratch("t"), 0755), 0);
    store = open_store(dsn("t"));
    look(store);
    fl_close(store);
    assert_int_equal(entries_in(scratch("t")), 0);
}

static void leave_traces(void)
{
    peer dead;
    peer_open(&dead, dsn("t"));
    EXPECT(&dead, "ok", "try 0 inf dead");
    EXPECT(&dead, "ok", "try 1 0.001 expired");
    EXPECT(&dead, "ok", "each 10 free");
    EXPECT(&dead, "ok", "cycle 1 free");
    peer_kill(&dead);
}

static void changes_no_byte(void **state)
{
    (void)state;
    size_t size, again;
    peer looker;
    fl_store *store = open_store(dsn("t"));
    leave_traces();
    TRY(FL_OK, store, &lease, "held", 100);
    peer_open(&looker, dsn("t"));
    char *before = read_file(scratch("t/filelock.table"), &size);
    for (int i = 0; i < 100; i++) {
        EXPECT(&looker, "ok", "status held");
        EXPECT(&looker, "free", "status free");
        EXPECT(&looker, "free", "status never");
        EXPECT(&looker, "free", "status expired");
        EXPECT(&looker, "free", "status dead");
        EXPECT(&looker, "ok", "list ");
        look(store);
    }
    EXPECT(&looker, "ok", "close");
    char *after = read_file(scratch("t/filelock.table"), &again);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    assert_int_equal(entries_in(scratch("t")), 1);
    free(before);
    free(after);
    fl_close(store);
}

/* A loop of status beside a loop of try on a free lock: never is a try refused because somebody looked. */
static void disturbs_nobody(void **state)
{
    (void)state;
    peer taker;
    fl_status_t s;
    fl_store *store = open_store(dsn("t"));
    peer_open(&taker, dsn("t"));
    EXPECT(&taker, "ok", "cycle 1 x");
    peer_tell(&taker, "cycle 200000 x");
    for (int i = 0; i < 200000; i++) {
        assert_int_not_equal(fl_status(store, "x", 1, &s, &error), FL_ERROR);
    }
    peer_answer(&taker);
    assert_true(peer_said(&taker, "ok"));
    fl_close(store);
}

/* What a status says belongs together: one holder's token with its own label and end, never a mixture of two. */
static void shows_one_moment(void **state)
{
    (void)state;
    peer a, b;
    fl_status_t s;
    fl_store *store = open_store(dsn("t"));
    peer_open(&a, dsn("t"));
    peer_open(&b, dsn("t"));
    EXPECT(&a, "ok", "label %d", a.pid);
    EXPECT(&b, "ok", "label %d", b.pid);
    peer_tell(&a, "swap 100000 1000 x");
    peer_tell(&b, "swap 100000 inf x");
    int64_t last = 0;
    for (int i = 0, seen = 0; i < 200000 || (seen == 0 && i < 10000000); i++) {
        if (fl_status(store, "x", 1, &s, &error) == FL_OK && s.holders == 1) {
            seen++;
            assert_int_equal(s.pid, atoi(s.label));
            assert_int_equal(isinf(s.remaining), s.pid == b.pid);
            assert_true(s.token >= last || s.token == -1);
            last = s.token > last ? s.token : last;
        }
    }
    peer_answer(&a);
    peer_answer(&b);
    fl_close(store);
}

static void open_labelled(peer *p)
{
    peer_open(p, dsn("t"));
    EXPECT(p, "ok", "label %d", p->pid);
}

/* Stopped in the middle of looking: what it tells when it goes on is all of the holder that is there by then. */
static void stop_looker(peer *looker)
{
    EXPECT(looker, "ok", "arm 1 stop");
    peer_tell(looker, "status x");
    peer_answer(looker);
    assert_true(peer_said(looker, "stopped"));
    peer_await_stop(looker);
}

static void assert_shows(peer *looker, const peer *holder, uint64_t token)
{
    char label[32];
    peer_continue(looker);
    peer_answer(looker);
    assert_true(peer_said(looker, "ok"));
    snprintf(label, sizeof label, "label=%d", holder->pid);
    assert_int_equal((pid_t)peer_number(looker, "pid="), holder->pid);
    assert_non_null(strstr(looker->answer, label));
    assert_true(peer_token(looker) == token);
}

static void a_looker_that_was_stopped(void **state)
{
    (void)state;
    peer looker, a, b;
    open_labelled(&a);
    open_labelled(&b);
    peer_open(&looker, dsn("t"));
    EXPECT(&a, "ok", "try 0 inf x");
    stop_looker(&looker);
    EXPECT(&a, "ok", "release 0");
    EXPECT(&b, "ok", "try 0 1000 x");
    assert_shows(&looker, &b, peer_token(&b));
    stop_looker(&looker);
    peer_kill(&b);
    open_labelled(&b); /* in the place of the dead */
    EXPECT(&b, "ok", "try 0 inf x");
    assert_shows(&looker, &b, peer_token(&b));
    stop_looker(&looker);
    EXPECT(&b, "ok", "release 0");
    peer_continue(&looker);
    assert_string_equal(peer_answer(&looker), "free");
}

/* As another user, who may read but not write. */
static void become_nobody(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0) {
        _exit(125);
    }
}

static void read_permission_is_enough(void **state)
{
    (void)state;
    static const peer_options options = {.before = become_nobody};
    peer looker;
    need_root();
    assert_int_equal(mkdir(scratch("t"), 0755), 0);
    fl_store *store = open_store(dsn("t?mode=0644"));
    TRY(FL_OK, store, &lease, "held", 100);
    leave_traces();
    peer_start(&looker, &options);
    EXPECT(&looker, "ok", "open %s", dsn("t?mode=0644"));
    EXPECT(&looker, "ok", "status held");
    assert_true(peer_token(&looker) == lease.token);
    EXPECT(&looker, "free", "status dead");
    EXPECT(&looker, "ok", "list ");
    assert_true(peer_number(&looker, "count=") == 1);
    EXPECT(&looker, "error", "try 0 10 x");
    assert_non_null(strstr(looker.answer, scratch("t")));
    EXPECT(&looker, "ok", "status held");
    fl_close(store);
}

void group_purity(void)
{
    static const struct CMUnitTest purity[] = {
        TEST(creates_nothing),  TEST(changes_no_byte),           TEST(disturbs_nobody),
        TEST(shows_one_moment), TEST(a_looker_that_was_stopped), TEST(read_permission_is_enough),
    };
    RUN(purity);
}
