/* Users who share a directory store, whatever their umask and wherever one of them is killed. */
#include "share.h"

#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fl_error error;

static void become_1000_with_group_4000(void)
{
    gid_t group = 4000;
    umask(022);
    if (setgroups(1, &group) != 0 || setgid(1000) != 0 || setuid(1000) != 0) {
        _exit(1);
    }
}

static void become_1001_with_group_4000(void)
{
    gid_t group = 4000;
    umask(022);
    if (setgroups(1, &group) != 0 || setgid(1001) != 0 || setuid(1001) != 0) {
        _exit(1);
    }
}

static void become_stranger(void)
{
    if (setgroups(0, NULL) != 0 || setgid(1002) != 0 || setuid(1002) != 0) {
        _exit(1);
    }
}

static void start_as(peer *p, void (*who)(void))
{
    peer_options options = {.before = who};
    peer_start(p, &options);
    EXPECT(p, "ok", "open %s", share());
}

static void share_with_group_4000(void)
{
    share();
    assert_int_equal(chown(scratch("d"), 0, 4000), 0);
    assert_int_equal(chmod(scratch("d"), 02770), 0);
}

static void two_users_under_umask_022(void **state)
{
    (void)state;
    peer a, b;
    need_root();
    share_with_group_4000();
    start_as(&a, become_1000_with_group_4000);
    start_as(&b, become_1001_with_group_4000);
    for (int i = 0; i < 2; i++) {
        peer *first = i ? &b : &a, *second = i ? &a : &b;
        EXPECT(first, "ok", "try 0 10 name%d", i);
        EXPECT(second, "busy", "try 0 10 name%d", i);
        EXPECT(second, "ok", "status name%d", i);
        EXPECT(second, "ok count=1", "list name");
        EXPECT(first, "ok", "release 0");
        EXPECT(second, "ok", "try 0 10 name%d", i);
        EXPECT(second, "ok", "release 0");
        EXPECT(first, "ok", "try 0 1000 name%d", i);
        peer_kill(first); /* of another user, and its rename is allowed all the same */
        EXPECT(second, "ok", "try 0 10 name%d", i);
        EXPECT(second, "ok", "release 0");
        start_as(first, i ? become_1001_with_group_4000 : become_1000_with_group_4000);
    }
}

/* Read permission is enough for looking, and nothing changes by it. */
static void a_stranger_may_look(void **state)
{
    (void)state;
    char text[300];
    peer stranger;
    fl_lease a;
    need_root();
    share();
    assert_int_equal(chmod(scratch("d"), 0755), 0);
    snprintf(text, sizeof text, "%s?mode=0644", share());
    assert_int_equal(chmod(scratch("d"), 0755), 0);
    fl_store *store = open_store(text);
    TRY(FL_OK, store, &a, "x", 10);
    struct stat before, after;
    assert_int_equal(stat(lock_directory("x"), &before), 0);
    peer_options options = {.before = become_stranger};
    peer_start(&stranger, &options);
    EXPECT(&stranger, "ok", "open %s", text);
    EXPECT(&stranger, "ok", "status x");
    EXPECT(&stranger, "ok count=1", "list");
    EXPECT(&stranger, "free", "status y");
    EXPECT(&stranger, "error", "try 0 10 y");
    EXPECT(&stranger, "error", "break %llu x", (unsigned long long)a.token);
    RESULT(FL_OK, fl_release(&a, &error));
    EXPECT(&stranger, "free", "status x");
    assert_int_equal(stat(scratch("d"), &after), 0);
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    fl_close(store);
}

/* Nothing that it leaves half made keeps the others of its group out. */
static void killed_while_making_what_others_use(void **state)
{
    (void)state;
    peer victim, other;
    bool killed = true;
    need_root();
    for (int n = 1; killed; n++) {
        peers_end();
        suite_end(NULL);
        assert_int_equal(suite_begin(NULL), 0);
        share_with_group_4000();
        start_as(&victim, become_1000_with_group_4000);
        start_as(&other, become_1001_with_group_4000);
        EXPECT(&victim, "ok", "arm %d kill", n);
        peer_ask(&victim, "try 0 10 x");
        killed = peer_said(&victim, "killed");
        if (killed) {
            peer_kill(&victim);
        }
        EXPECT(&other, killed ? "ok" : "busy", "try 0 10 x");
        EXPECT(&other, "ok", "each 5 others");
        assert_true(killed || n > 8);
    }
}

void group_directory_users(void)
{
    static const struct CMUnitTest directory_users[] = {
        SHARE_TEST(two_users_under_umask_022),
        SHARE_TEST(a_stranger_may_look),
        SHARE_TEST(killed_while_making_what_others_use),
    };
    RUN(directory_users);
}
