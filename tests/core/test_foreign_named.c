/* Where there are no files without a name, as over NFS (here: no /proc, through which they get one): temporary files, and who removes them. */
#include "foreign_kit.h"

#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "foreign/foreign.h"

static fl_error error;
static const method *const by_link[] = {&methods[0], &methods[2], &methods[3]};
static const char temporary[] = ".filelock-0123456789abcdef0123456789abcdef";

static void hide_proc(void)
{
    private_mounts();
    assert_int_equal(mount("none", "/proc", "tmpfs", 0, NULL), 0);
}

static void take_turns(void **state)
{
    (void)state;
    hide_proc();
    for (size_t i = 0; i < COUNT(by_link); i++) {
        fl_lease a, b;
        fl_store *first = open_store(foreign_dsn(by_link[i])), *second = open_store(foreign_dsn(by_link[i]));
        for (int turn = 0; turn < 3; turn++) {
            TRY(FL_OK, first, &a, "x", 100);
            assert_int_equal(entries_in(scratch("%s", by_link[i]->name)), turn == 0 ? 1 : 2);
            TRY(FL_BUSY, second, &b, "x", 100);
            RESULT(FL_OK, fl_verify(&a));
            RESULT(FL_OK, fl_release(&a, &error));
            TRY(FL_OK, second, &b, "x", 100);
            RESULT(FL_OK, fl_release(&b, &error));
        }
        assert_int_equal(entries_in(scratch("%s", by_link[i]->name)), 1); /* the guard */
        fl_close(first);
        fl_close(second);
    }
}

/* At most one temporary file of a killed one, and the lock if it came so far: nothing tells here that it is dead. */
static void kill_at_every_step(void **state)
{
    (void)state;
    hide_proc();
    for (size_t i = 0; i < COUNT(by_link); i++) {
        bool killed = true;
        for (int n = 1; killed; n++) {
            char name[20];
            peer victim;
            int before = entries_in((foreign_dsn(by_link[i]), scratch("%s", by_link[i]->name)));
            snprintf(name, sizeof name, "x%d", n);
            peer_open(&victim, foreign_dsn(by_link[i]));
            EXPECT(&victim, "ok", "arm %d kill", n);
            peer_ask(&victim, "try 0 1000 %s", name);
            killed = peer_said(&victim, "killed");
            peer_kill(&victim);
            assert_true(entries_in(scratch("%s", by_link[i]->name)) <= before + 2);
        }
    }
}

static bool is_swept(const method *m, const char *file, time_t litter_after)
{
    fl_lease lease;
    fl_store *store = open_store(foreign_dsn(m));
    ((foreign *)store)->litter_after = litter_after;
    write_file(scratch("%s/%s", m->name, file), "0\n", 2);
    TRY(FL_OK, store, &lease, "x", 100);
    RESULT(FL_OK, fl_release(&lease, &error));
    fl_close(store);
    return !is_there(scratch("%s/%s", m->name, file));
}

static void leave_litter(void **state)
{
    (void)state;
    hide_proc();
    for (size_t i = 0; i < COUNT(by_link); i++) {
        assert_false(is_swept(by_link[i], temporary, 3600));
        assert_true(is_swept(by_link[i], temporary, -1));
        assert_false(is_swept(by_link[i], ".filelock-guard", -1));
        assert_false(is_swept(by_link[i], ".filelock-0123456789abcdef", -1));
        assert_false(is_swept(by_link[i], "0123456789abcdef0123456789abcdef", -1));
    }
}

static void named_files_come_and_go(void **state)
{
    (void)state;
    need_root();
    in_child(take_turns);
}

static void a_killed_one_leaves_one_at_most(void **state)
{
    (void)state;
    need_root();
    in_child(kill_at_every_step);
}

static void old_ones_are_swept_and_nothing_else(void **state)
{
    (void)state;
    need_root();
    in_child(leave_litter);
}

void group_foreign_named(void)
{
    static const struct CMUnitTest foreign_named[] = {
        TEST(named_files_come_and_go),
        TEST(a_killed_one_leaves_one_at_most),
        TEST(old_ones_are_swept_and_nothing_else),
    };
    RUN(foreign_named);
}
