/*
 * The store without a DSN: a directory of the user's own, in a place where everybody may make directories. It must be what it
 * should be, or somebody else could have prepared it. In a child that has such places to itself.
 */
#include "suite.h"

#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { USER = 54321, SYSTEM_USER = 987, STRANGER = 54322 };

#define PLACE "/var/tmp/php-filelock-54321"
#define SYSTEM_PLACE "/dev/shm/php-filelock-987"

static uid_t becomes;
static peer p, other;

static void become(void)
{
    if (setgroups(0, NULL) != 0 || setgid(becomes) != 0 || setuid(becomes) != 0) {
        _exit(125);
    }
}

static void start(peer *agent, uid_t uid)
{
    static const peer_options options = {.before = become};
    becomes = uid;
    peer_start(agent, &options);
    EXPECT(agent, "ok", "open ");
}

static void empty_places(void)
{
    private_mounts();
    assert_int_equal(mount("none", "/var/tmp", "tmpfs", 0, "mode=1777"), 0);
    assert_int_equal(mount("none", "/dev/shm", "tmpfs", 0, "mode=1777"), 0);
}

static void assert_private(const char *path, uid_t uid, mode_t mode)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    assert_int_equal(st.st_uid, uid);
    assert_int_equal(st.st_mode & 07777, mode);
}

static void one_per_user(void **state)
{
    (void)state;
    empty_places();
    start(&p, USER);
    start(&other, SYSTEM_USER);
    EXPECT(&p, "free", "status x");
    assert_int_equal(access(PLACE, F_OK), -1);
    EXPECT(&p, "ok", "try 0 inf x");
    EXPECT(&other, "ok", "try 0 inf x");
    assert_private(PLACE, USER, 0700);
    assert_private(PLACE "/filelock.table", USER, 0600);
    assert_private(SYSTEM_PLACE, SYSTEM_USER, 0700);
    start(&other, USER);
    EXPECT(&other, "busy", "try 0 inf x");
}

static void assert_refused(const char *word)
{
    start(&p, USER);
    EXPECT(&p, "error", "try 0 inf x");
    assert_non_null(strstr(p.answer, PLACE));
    assert_non_null(strstr(p.answer, word));
    EXPECT(&p, "error", "status x");
}

static void made_by_a_stranger(void **state)
{
    (void)state;
    empty_places();
    assert_int_equal(mkdir(PLACE, 0755), 0);
    assert_int_equal(chown(PLACE, STRANGER, STRANGER), 0);
    assert_refused("54322");
    assert_int_equal(chmod(PLACE, 0777), 0);
    assert_refused("54322");
    assert_int_equal(entries_in(PLACE), 0);
}

/* Even root could be a stranger here: a container's root, say. */
static void made_by_root(void **state)
{
    (void)state;
    empty_places();
    assert_int_equal(mkdir(PLACE, 0755), 0);
    assert_refused("uid 0");
}

static void writable_for_others(void **state)
{
    (void)state;
    empty_places();
    assert_int_equal(mkdir(PLACE, 0700), 0);
    assert_int_equal(chown(PLACE, USER, USER), 0);
    assert_int_equal(chmod(PLACE, 0770), 0);
    assert_refused("0770");
    assert_int_equal(chmod(PLACE, 0702), 0);
    assert_refused("0702");
    assert_int_equal(chmod(PLACE, 0700), 0);
    EXPECT(&p, "ok", "try 0 inf x");
}

static void a_link_instead(void **state)
{
    (void)state;
    empty_places();
    assert_int_equal(mkdir("/var/tmp/elsewhere", 0700), 0);
    assert_int_equal(chown("/var/tmp/elsewhere", USER, USER), 0);
    assert_int_equal(symlink("/var/tmp/elsewhere", PLACE), 0);
    assert_refused(PLACE);
    assert_int_equal(entries_in("/var/tmp/elsewhere"), 0);
}

static void a_file_instead(void **state)
{
    (void)state;
    empty_places();
    write_file(PLACE, "precious", 8);
    assert_refused(PLACE);
}

static void alone(void **state)
{
    in_child((void (*)(void **))(uintptr_t)*state);
}

#define CASE(function) \
    { \
#function, alone, suite_begin, suite_end, (void *)(uintptr_t)function \
    }

void group_default(void)
{
    static const struct CMUnitTest defaults[] = {
        CASE(one_per_user),        CASE(made_by_a_stranger), CASE(made_by_root),
        CASE(writable_for_others), CASE(a_link_instead),     CASE(a_file_instead),
    };
    RUN(defaults);
}
