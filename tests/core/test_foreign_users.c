/* Users who share a directory of lock files, under umask 022: one of their own, and one like /tmp. */
#include "foreign_kit.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static peer a, b;

static void become(uid_t user)
{
    gid_t group = 4000;
    umask(022);
    if (setgroups(1, &group) != 0 || setgid(user) != 0 || setuid(user) != 0) {
        _exit(1);
    }
}

static void become_1000(void)
{
    become(1000);
}

static void become_1001(void)
{
    become(1001);
}

static void start_users(const method *m, mode_t mode)
{
    static const peer_options first = {.before = become_1000}, second = {.before = become_1001};
    const char *dsn = foreign_dsn(m);
    assert_int_equal(chown(scratch("%s", m->name), 0, 4000), 0);
    assert_int_equal(chmod(scratch("%s", m->name), mode), 0);
    peer_start(&a, &first);
    peer_start(&b, &second);
    EXPECT(&a, "ok", "open %s", dsn);
    EXPECT(&b, "ok", "open %s", dsn);
}

static void take_turns(void)
{
    peer *const turns[] = {&a, &b, &a};
    for (size_t i = 0; i < COUNT(turns); i++) {
        peer *other = turns[i] == &a ? &b : &a;
        EXPECT(turns[i], "ok", "try 0 1000 x");
        EXPECT(other, "busy", "try 0 1000 x");
        EXPECT(other, "ok", "status x");
        EXPECT(other, "ok count=1", "list x");
        EXPECT(turns[i], "ok", "refresh 0 500");
        EXPECT(turns[i], "ok", "release 0");
        EXPECT(other, "free", "status x");
    }
}

static void for_each_method(mode_t mode, void (*judge)(const method *m))
{
    need_root();
    need_all_processes();
    for (const method *m = methods; m < methods + METHODS; m++) {
        start_users(m, mode);
        take_turns();
        judge(m);
        peers_end();
    }
}

static void recover_others(const method *m)
{
    EXPECT(&a, "ok", "try 0 1000 x");
    peer_kill(&a);
    EXPECT(&b, m->recovers ? "ok" : "busy", "try 0 1000 x");
}

static void two_users_of_one_directory(void **state)
{
    (void)state;
    for_each_method(02770, recover_others);
}

/* There nobody may remove another user's file: not taken, and said so. */
static void refuse_others(const method *m)
{
    EXPECT(&a, "ok", "try 0 1000 x");
    peer_kill(&a);
    if (!m->removes) {
        EXPECT(&b, "ok", "try 0 1000 x");
    } else if (m->recovers) {
        EXPECT(&b, "error", "try 0 1000 x");
        assert_non_null(strstr(b.answer, lock_path(m, "x")));
        assert_non_null(strstr(b.answer, "Operation not permitted"));
    }
    EXPECT(&b, "ok", "each 3 other");
}

static void two_users_of_a_sticky_directory(void **state)
{
    (void)state;
    for_each_method(01777, refuse_others);
}

/* ---- fs.protected_regular: the kernel refuses to open another's file in a sticky directory as if it were to be made */

static const char protection[] = "/proc/sys/fs/protected_regular";
static char before[8];

static bool exchange_protection(const char *value, char *old, size_t size)
{
    int fd = open(protection, O_RDWR | O_CLOEXEC);
    ssize_t n = fd >= 0 && old ? read(fd, old, size - 1) : 0;
    bool written = fd >= 0 && pwrite(fd, value, strlen(value), 0) > 0;
    close(fd);
    return n >= 0 && written;
}

static int end_protection(void **state)
{
    if (before[0]) {
        exchange_protection(before, NULL, 0);
    }
    return suite_end(state);
}

static void two_users_of_a_protected_directory(void **state)
{
    (void)state;
    need_root();
    if (!exchange_protection("2", before, sizeof before)) {
        SKIP("fs.protected_regular cannot be set here");
    }
    for_each_method(01777, refuse_others);
}

/* Read permission is enough for looking, and a lock that cannot be made is an error. */
static void only_look(const method *m)
{
    EXPECT(&a, "ok", "try 0 1000 x");
    assert_int_equal(chmod(scratch("%s", m->name), 0755), 0);
    EXPECT(&b, "ok", "status x");
    EXPECT(&b, "error", "try 0 1000 y");
    assert_non_null(strstr(b.answer, "Permission denied"));
}

static void who_may_only_read_may_look(void **state)
{
    (void)state;
    for_each_method(02770, only_look);
}

void group_foreign_users(void)
{
    static const struct CMUnitTest foreign_users[] = {
        TEST(two_users_of_one_directory),
        TEST(two_users_of_a_sticky_directory),
        cmocka_unit_test_setup_teardown(two_users_of_a_protected_directory, suite_begin, end_protection),
        TEST(who_may_only_read_may_look),
    };
    RUN(foreign_users);
}
