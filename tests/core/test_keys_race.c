/* Handing over while others do the same: one winner, and nobody's record is given away with somebody else's lease. */
#include "kinds.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_store *store;
static fl_error error;
static fl_lease lease, taken;
static char key[FL_KEY_SIZE];

static int begin(void **state)
{
    int failed = suite_begin(state);
    store = open_store(dsn("t?capacity=64"));
    return failed;
}

static int end(void **state)
{
    fl_close(store);
    return suite_end(state);
}

static void take_key_of(peer *p, const char *name)
{
    EXPECT(p, "ok", "try 0 100 %s", name);
    EXPECT(p, "ok", "key 0");
    snprintf(key, sizeof key, "%s", key_of(p));
}

/* ---- two who have the same key --------------------------------------------------------------------------------------- */

/* One stops in the middle of taking over, the other takes over: the first is too late. */
static void the_slower_one_loses(void **state)
{
    static const char *const ways[] = {"", "leave 0"};
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        peer owner, slow;
        peer_open(&owner, dsn("t"));
        peer_open(&slow, dsn("t"));
        take_key_of(&owner, "x");
        if (*ways[i]) {
            EXPECT(&owner, "ok", "%s", ways[i]);
        }
        EXPECT(&slow, "ok", "armat stop restore:filled");
        peer_tell(&slow, "restore 0 %s", key);
        ANSWER(&slow, "stopped");
        peer_await_stop(&slow);
        RESULT(FL_OK, fl_restore(store, &taken, key, strlen(key), &error));
        peer_continue(&slow);
        ANSWER(&slow, "free");
        RESULT(FL_OK, fl_verify(&taken));
        RESULT(FL_OK, fl_release(&taken, &error));
        peers_end();
    }
}

enum { ROUNDS = 500, RACERS = 3 };
static struct race {
    _Atomic int round, arrived, winners[ROUNDS];
    char key[FL_KEY_SIZE];
} * race;

static _Noreturn void be_racer(fl_store *mine)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&race->round) <= i) {
            usleep(20);
        }
        if (fl_restore(mine, &taken, race->key, strlen(race->key), &error) == FL_OK) {
            atomic_fetch_add(&race->winners[i], 1);
            fl_release(&taken, &error);
        }
        atomic_fetch_add(&race->arrived, 1);
    }
    _exit(0);
}

/* Several restore one key at the same time, again and again: exactly one of them has it, each time. */
static void one_of_several_wins(void **state)
{
    (void)state;
    race = mmap(NULL, sizeof *race, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < RACERS; i++) {
        if (fork() == 0) {
            signal(SIGALRM, SIG_DFL);
            alarm(60);
            be_racer(open_store(dsn("t")));
        }
    }
    for (int i = 0; i < ROUNDS; i++) {
        TAKE_WITHIN(FL_OK, store, &lease, FL_EXCLUSIVE, 0, "x", 100, INFINITY);
        RESULT(FL_OK, fl_get_key(&lease, race->key, &error));
        if (i % 2) {
            RESULT(FL_OK, fl_leave(&lease, &error));
        }
        atomic_store(&race->round, i + 1);
        while (atomic_load(&race->arrived) < RACERS * (i + 1)) {
            usleep(20);
        }
        assert_int_equal(atomic_load(&race->winners[i]), 1);
    }
    while (wait(NULL) > 0) {
    }
    munmap(race, sizeof *race);
}

/* ---- a record that was given away ------------------------------------------------------------------------------------ */

/* Takes names until the record of the old lease is used again, and leaves that lease: its word must go on naming its record. */
static int leave_many(peer *p)
{
    enum { MANY = 64 - 8 };
    for (int i = 0; i < MANY; i++) {
        EXPECT(p, "ok", "try %d 100 many%d", i, i);
    }
    for (int i = 0; i < MANY; i++) {
        EXPECT(p, "ok", "leave %d", i);
    }
    return MANY;
}

static void all_are_still_there(int count)
{
    char name[20];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "many%d", i);
        TRY(FL_BUSY, store, &lease, name, 100);
        assert_int_equal(status_of(store, name).holders, 1);
    }
}

/* Somebody is stopped between two steps that give a left record back; meanwhile it became another's, who left it, too. */
static void a_record_is_given_back_once(void **state)
{
    static const char *const steps[] = {"leave:left", "restore:swapped", "handover:clear", "free:freed", "try:taken"};
    (void)state;
    for (size_t i = 0; i < COUNT(steps); i++) {
        peer many, owner, slow;
        print_message("stopped at %s\n", steps[i]);
        peer *stopped = i == 0 ? &owner : &slow;
        peer_open(&many, dsn("t")); /* a lower slot: it finds the owner's records when its own are used up */
        EXPECT(&many, "ok", "cycle 1 of many");
        peer_open(&owner, dsn("t"));
        peer_open(&slow, dsn("t"));
        take_key_of(&owner, "x");
        EXPECT(stopped, "ok", "armat stop %s", steps[i]);
        uint64_t token = (uint64_t)status_of(store, "x").token;
        if (i == 0) {
            peer_tell(&owner, "leave 0");
        } else {
            EXPECT(&owner, "ok", i == 4 ? "refresh 0 0.02" : "verify 0");
            EXPECT(&owner, "ok", "leave 0");
            while (i == 4 && status_of(store, "x").holders > 0) {
            }
            if (i == 3) {
                peer_tell(&slow, "break %llu x", (unsigned long long)token);
            } else if (i == 4) {
                peer_tell(&slow, "try 0 100 x");
            } else {
                peer_tell(&slow, "restore 0 %s", key);
            }
        }
        ANSWER(stopped, "stopped");
        peer_await_stop(stopped);
        if (i == 0) {
            RESULT(FL_OK, fl_restore(store, &taken, key, strlen(key), &error));
        }
        int count = leave_many(&many);
        peer_continue(stopped);
        ANSWER(stopped, "ok");
        all_are_still_there(count);
        peers_end();
        for (int k = 0; k < count; k++) {
            char name[20];
            snprintf(name, sizeof name, "many%d", k);
            fl_break(store, name, strlen(name), status_of(store, name).token, &error);
        }
        if (i == 0) {
            RESULT(FL_OK, fl_release(&taken, &error));
        }
    }
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_keys_race(void)
{
    static const struct CMUnitTest keys_race[] = {
        CASE(the_slower_one_loses),
        CASE(one_of_several_wins),
        CASE(a_record_is_given_back_once),
    };
    RUN(keys_race);
}
