/* A forked child owns nothing, whatever its parent held: read, counted, upgraded, downgraded or restored. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_store *store;
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

static void get(peer *parent, const char *what)
{
    char key[FL_KEY_SIZE];
    if (strcmp(what, "upgrade") == 0) {
        EXPECT(parent, "ok", "take 0 shared 0 100 0 x");
        EXPECT(parent, "ok", "upgrade 0 0");
    } else if (strcmp(what, "downgrade") == 0) {
        EXPECT(parent, "ok", "take 0 exclusive 0 100 0 x");
        EXPECT(parent, "ok", "downgrade 0");
    } else if (strcmp(what, "restore") == 0) {
        EXPECT(parent, "ok", "take 1 exclusive 0 100 0 x");
        EXPECT(parent, "ok", "key 1");
        snprintf(key, sizeof key, "%s", key_of(parent));
        EXPECT(parent, "ok", "leave 1");
        EXPECT(parent, "ok", "restore 0 %s", key);
    } else {
        EXPECT(parent, "ok", "take 0 %s 1 100 0 x", what);
    }
}

/* However the child ends, and whatever it does before. */
static void a_child_owns_nothing(void **state)
{
    static const char *const kinds[] = {"shared", "permit", "upgrade", "downgrade", "restore"};
    static const char *const lives[] = {"exit",         "_exit",       "exec",      "kill",
                                        "release exit", "close _exit", "own _exit", "own release close exit"};
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        peer parent;
        peer_open(&parent, dsn("t"));
        get(&parent, kinds[i]);
        uint64_t token = (uint64_t)status_of(store, "x").token;
        for (size_t k = 0; k < COUNT(lives); k++) {
            EXPECT(&parent, "ok", "fork %s", lives[k]);
            assert_int_equal((int)peer_number(&parent, "status="), strcmp(lives[k], "kill") == 0 ? 9 : 0);
            EXPECT(&parent, "ok", "verify 0");
            assert_true((uint64_t)status_of(store, "x").token == token);
            TAKE(FL_BUSY, store, &lease, FL_EXCLUSIVE, 0, "x", 100);
        }
        EXPECT(&parent, "ok", "refresh 0");
        EXPECT(&parent, "ok", "release 0");
        peers_end();
        await_free(store, "x");
    }
}

/* It outlives its parent: the parent's locks end with the parent all the same. */
static void a_child_keeps_nothing(void **state)
{
    static const char *const kinds[] = {"shared", "permit", "downgrade"};
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        peer parent;
        peer_open(&parent, dsn("t"));
        get(&parent, kinds[i]);
        EXPECT(&parent, "ok", "fork stay");
        peer_kill(&parent);
        TRY(FL_OK, store, &lease, "x", 100);
        fl_error error;
        RESULT(FL_OK, fl_release(&lease, &error));
    }
}

/* ---- forked while it waits, by the function that is asked whether to go on */

typedef struct {
    fl_store *waiter;
    pid_t child; /* -1: not forked yet, 0: I am the child */
    bool takes, stops;
} forker;

static int fork_once(void *context)
{
    forker *f = context;
    if (f->child != -1) {
        return f->child == 0 && f->stops;
    }
    f->child = fork();
    if (f->child == 0 && f->takes) {
        fl_lease own = FL_LEASE_INIT;
        fl_error error;
        return fl_try(f->waiter, &own, "own", 3, 100, &error) != FL_OK || f->stops;
    }
    return f->child == 0 && f->stops;
}

static fl_result wait_forking(forker *f, fl_lease *mine, const char *what, fl_error *error)
{
    const fl_interrupt interrupt = {fork_once, f};
    fl_request request = {.name = "x", .length = 1, .ttl = 100, .timeout = 0.15, .permits = 1, .interrupt = &interrupt};
    if (strcmp(what, "upgrade") == 0) {
        return fl_upgrade(mine, 0.15, &interrupt, error);
    }
    request.kind = strcmp(what, "shared") == 0 ? FL_SHARED : strcmp(what, "permit") == 0 ? FL_PERMIT : FL_EXCLUSIVE;
    return fl_take(f->waiter, mine, &request, error);
}

/* The child has nothing that it waits with; the parent's wait goes on. */
static void forked_in_a_wait(const char *what, bool takes, bool stops)
{
    forker f = {.waiter = open_store(dsn("t")), .child = -1, .takes = takes, .stops = stops};
    bool upgrades = strcmp(what, "upgrade") == 0;
    fl_lease mine = FL_LEASE_INIT;
    fl_error error;
    int status = -1;
    TAKE(FL_OK, store, &lease, upgrades ? FL_SHARED : FL_EXCLUSIVE, 0, "x", 100);
    if (upgrades) {
        TAKE(FL_OK, f.waiter, &mine, FL_SHARED, 0, "x", 100);
    }
    fl_result result = wait_forking(&f, &mine, what, &error);
    if (f.child == 0) {
        bool right = result == (upgrades ? FL_LOST
                                : stops  ? FL_INTERRUPTED
                                         : FL_BUSY) ||
                     (upgrades && stops && result == FL_INTERRUPTED);
        fl_close(f.waiter);
        _exit(right ? 0 : 1);
    }
    assert_true(f.child > 0);
    RESULT_OR(FL_BUSY, result, &error);
    assert_int_equal(waitpid(f.child, &status, 0), f.child);
    assert_int_equal(status, 0);
    if (upgrades) {
        RESULT(FL_OK, fl_release(&mine, &error));
    }
    RESULT(FL_OK, fl_release(&lease, &error));
    assert_int_equal(status_of(store, "x").holders + status_of(store, "x").waiters, 0);
    await_free(store, "own");
    fl_close(f.waiter);
}

static void a_child_of_a_waiter(void **state)
{
    static const char *const waits[] = {"exclusive", "shared", "permit", "upgrade"};
    (void)state;
    for (size_t i = 0; i < COUNT(waits); i++) {
        for (int how = 0; how < 4; how++) {
            forked_in_a_wait(waits[i], how & 1, how & 2);
        }
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_fork_kinds(void)
{
    static const struct CMUnitTest fork_kinds[] = {CASE(a_child_owns_nothing), CASE(a_child_keeps_nothing),
                                                   CASE(a_child_of_a_waiter)};
    RUN(fork_kinds);
}
