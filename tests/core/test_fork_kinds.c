/* A forked child owns nothing, whatever its parent held: read, counted, upgraded, downgraded or restored. */
#include "kinds.h"

#include <stdio.h>
#include <string.h>

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

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_fork_kinds(void)
{
    static const struct CMUnitTest fork_kinds[] = {CASE(a_child_owns_nothing), CASE(a_child_keeps_nothing)};
    RUN(fork_kinds);
}
