/* What lock files are known for: they pile up. Here nothing stays but the guard, and a flock's files, one per name. */
#include "foreign_kit.h"

#include <stdio.h>
#include <string.h>

enum { TURNS = 100000, NAMES = 1000 };

static fl_error error;

static void after_many_turns(const method *m)
{
    fl_store *store = open_store(foreign_dsn(m));
    for (int i = 0; i < TURNS; i++) {
        fl_lease lease = FL_LEASE_INIT;
        char name[20];
        int length = snprintf(name, sizeof name, "order %d", i * 7 % NAMES);
        RESULT_OR(FL_OK, fl_try(store, &lease, name, (size_t)length, 1000, &error), &error);
        RESULT_OR(FL_OK, fl_release(&lease, &error), &error);
    }
    fl_close(store);
    assert_int_equal(entries_in(scratch("%s", m->name)), m->removes ? 1 : NAMES);
}

static void nothing_stays(void **state)
{
    (void)state;
    for (const method *m = methods; m < methods + METHODS; m++) {
        after_many_turns(m);
    }
}

/* A killed one leaves its lock, and nothing beside it; the next comer leaves nothing at all. */
static void after_a_kill(const method *m, int n, bool *last)
{
    peer victim, other;
    peer_open(&victim, foreign_dsn(m));
    peer_open(&other, foreign_dsn(m));
    EXPECT(&other, "ok", "cycle 1 first");
    EXPECT(&victim, "ok", "arm %d kill", n);
    peer_ask(&victim, "cycle 1 x");
    *last = !peer_said(&victim, "killed");
    peer_kill(&victim);
    assert_true(entries_in(scratch("%s", m->name)) <= 2);
    EXPECT(&other, "ok", "cycle 1 x");
    assert_int_equal(entries_in(scratch("%s", m->name)), 1);
    peers_end();
}

static void nothing_stays_after_a_kill(void **state)
{
    (void)state;
    for (const method *m = methods; m < methods + METHODS; m++) {
        bool last = !m->removes || !m->recovers;
        for (int n = 1; !last; n++) {
            after_a_kill(m, n, &last);
        }
    }
}

void group_foreign_litter(void)
{
    static const struct CMUnitTest foreign_litter[] = {
        TEST(nothing_stays),
        TEST(nothing_stays_after_a_kill),
    };
    RUN(foreign_litter);
}
