/* Replacing a file: who may, what owner and permissions the new one has, and that nobody gets more access than he had. */
#include "put.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { ME = 12345, STRANGER = 12346, GROUP = 12347 };

static struct stat look(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st;
}

static void assert_access(const char *path, uid_t uid, gid_t gid, mode_t mode)
{
    struct stat st = look(path);
    assert_int_equal(st.st_uid, uid);
    assert_int_equal(st.st_gid, gid);
    assert_int_equal(st.st_mode & 07777, mode);
}

static const char *make_owned(uid_t uid, gid_t gid, mode_t mode)
{
    const char *path = scratch("file");
    make_file(path, "old", 0600);
    assert_int_equal(chown(path, uid, gid), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static void mode_is_kept(void **state)
{
    (void)state;
    static const mode_t modes[] = {0600, 0644, 0664, 0755, 0777, 0604, 0640};
    mode_t before = umask(077);
    for (size_t i = 0; i < COUNT(modes); i++) {
        make_file(scratch("file"), "old", modes[i]);
        PUT(scratch("file"), "new");
        assert_access(scratch("file"), geteuid(), look(scratch("%s", "")).st_gid, modes[i]);
    }
    umask(before);
}

/* As the kernel does when somebody writes into such a file. */
static void no_set_id_bits(void **state)
{
    (void)state;
    make_file(scratch("file"), "old", 07755);
    PUT(scratch("file"), "new");
    assert_int_equal(look(scratch("file")).st_mode & 07777, 0755);
}

static void root_keeps_the_owner(void **state)
{
    (void)state;
    need_root();
    PUT(make_owned(ME, GROUP, 0640), "new");
    assert_access(scratch("file"), ME, GROUP, 0640);
    PUT(make_owned(ME, GROUP, 0444), "root writes all");
    assert_access(scratch("file"), ME, GROUP, 0444);
}

/* A stranger's file that I may write, in a directory of mine. */
static void as_me(void)
{
    need_root();
    assert_int_equal(chown(scratch("%s", ""), ME, ME), 0);
    become(ME, ME);
}

static void owner_cannot_be_kept(void **state)
{
    (void)state;
    need_root();
    PUT(make_owned(STRANGER, ME, 0660), "old");
    as_me();
    PUT(scratch("file"), "new");
    assert_access(scratch("file"), ME, ME, 0660);
}

/* The group's rights are not those of another group, and the others, who now include the group, get no more than it had. */
static void group_cannot_be_kept(void **state)
{
    (void)state;
    static const mode_t modes[][2] = {{0666, 0666}, {0646, 0644}, {0676, 0666}, {0606, 0600}, {0636, 0622}};
    need_root();
    for (size_t i = 0; i < COUNT(modes); i++) {
        const char *path = scratch("file%zu", i);
        make_file(path, "old", 0600);
        assert_int_equal(chown(path, STRANGER, GROUP), 0);
        assert_int_equal(chmod(path, modes[i][0]), 0);
    }
    as_me();
    for (size_t i = 0; i < COUNT(modes); i++) {
        PUT(scratch("file%zu", i), "new");
        assert_access(scratch("file%zu", i), ME, ME, modes[i][1]);
    }
}

static void directory_gives_the_group(void **state)
{
    (void)state;
    need_root();
    make_owned(STRANGER, GROUP, 0666);
    assert_int_equal(chown(scratch("%s", ""), ME, GROUP), 0);
    assert_int_equal(chmod(scratch("%s", ""), 02770), 0);
    become(ME, ME);
    PUT(scratch("file"), "new");
    assert_access(scratch("file"), ME, GROUP, 0666);
}

/* ---- who may */

static void read_only_files(void **state)
{
    (void)state;
    need_root();
    make_owned(ME, ME, 0444);
    as_me();
    REFUSED(scratch("file"), EACCES, "it is read-only", "uid 12345 must be able to write");
    assert_contents(scratch("file"), "old");
}

/* What counts is the effective user, where it is another one. */
static void effective_user(void **state)
{
    (void)state;
    need_root();
    make_owned(STRANGER, STRANGER, 0644);
    assert_int_equal(chmod(scratch("%s", ""), 0777), 0);
    assert_int_equal(setresuid(ME, STRANGER, 0), 0);
    PUT(scratch("file"), "new");
    assert_int_equal(setresuid(STRANGER, 0, 0), 0);
    assert_int_equal(setresuid(STRANGER, ME, 0), 0);
    REFUSED(scratch("file"), EACCES, "it is read-only", "uid 12345");
}

static void closed_directories(void **state)
{
    (void)state;
    need_root();
    make_owned(ME, ME, 0644);
    become(ME, ME);
    REFUSED(scratch("file"), EACCES, "no file can be made in its directory", "uid 12345");
    REFUSED(scratch("new"), EACCES, "no file can be made in its directory");
    assert_contents(scratch("file"), "old");
}

/* In /tmp and the like a stranger's file or link may be there to mislead, and who is misled may be root. */
static void traps(void **state)
{
    (void)state;
    need_root();
    make_owned(STRANGER, STRANGER, 0666);
    make_file(scratch("target"), "mine", 0600);
    assert_int_equal(chown(scratch("target"), ME, ME), 0);
    assert_int_equal(symlink("target", scratch("link")), 0);
    assert_int_equal(lchown(scratch("link"), STRANGER, STRANGER), 0);
    assert_int_equal(symlink("target", scratch("my link")), 0);
    assert_int_equal(lchown(scratch("my link"), ME, ME), 0);
    assert_int_equal(chmod(scratch("%s", ""), 01777), 0);
    REFUSED(scratch("file"), EACCES, "uid 12346", "may be a trap");
    REFUSED(scratch("link"), EACCES, "uid 12346", "may be a trap");
    become(ME, ME);
    REFUSED(scratch("file"), EACCES, "uid 12346", "may be a trap");
    REFUSED(scratch("link"), EACCES, "uid 12346", "may be a trap");
    assert_contents(scratch("target"), "mine");
    PUT(scratch("my link"), "new");
    assert_contents(scratch("target"), "new");
    PUT(scratch("mine, too"), "new");
}

/* ---- access control lists, spelled as the kernel has them: tag, permissions, id */

enum { USER_OBJ = 1, USER = 2, GROUP_OBJ = 4, MASK = 16, OTHER = 32 };

typedef struct {
    uint32_t version;
    struct {
        uint16_t tag, permissions;
        uint32_t id;
    } entry[5];
} list;

#define NOBODY UINT32_C(0xffffffff)
#define LIST(group, mask, other) \
    { \
        2, \
        { \
            {USER_OBJ, 6, NOBODY}, {USER, 6, STRANGER}, {GROUP_OBJ, group, NOBODY}, {MASK, mask, NOBODY}, \
            { \
                OTHER, other, NOBODY \
            } \
        } \
    }

static void set_list(const char *path, const char *kind, const list *acl)
{
    if (setxattr(path, kind, acl, sizeof *acl, 0) != 0 && errno == EOPNOTSUPP) {
        SKIP("no access control lists here");
    }
}

static void assert_list(const char *path, const list *want)
{
    list got;
    assert_int_equal(getxattr(path, "system.posix_acl_access", &got, sizeof got), sizeof got);
    assert_memory_equal(&got, want, sizeof got);
}

static void list_is_kept(void **state)
{
    (void)state;
    const list acl = LIST(0, 6, 4);
    make_file(scratch("file"), "old", 0600);
    set_list(scratch("file"), "system.posix_acl_access", &acl);
    PUT(scratch("file"), "new");
    assert_list(scratch("file"), &acl);
    assert_int_equal(look(scratch("file")).st_mode & 0777, 0664);
}

static void list_of_another_group(void **state)
{
    (void)state;
    const list acl = LIST(5, 7, 6), narrowed = LIST(4, 7, 4);
    need_root();
    make_owned(STRANGER, GROUP, 0600);
    set_list(scratch("file"), "system.posix_acl_access", &acl);
    as_me();
    PUT(scratch("file"), "new");
    assert_list(scratch("file"), &narrowed);
}

/* The directory's list is for new files: an old one without a list does not get one. */
static void list_of_the_directory(void **state)
{
    (void)state;
    const list acl = LIST(4, 6, 0);
    char nothing[8];
    make_file(scratch("file"), "old", 0640);
    set_list(scratch("%s", ""), "system.posix_acl_default", &acl);
    PUT(scratch("file"), "new");
    assert_int_equal(getxattr(scratch("file"), "system.posix_acl_access", nothing, sizeof nothing), -1);
    assert_int_equal(look(scratch("file")).st_mode & 0777, 0640);
    mode_t before = umask(077);
    PUT(scratch("new"), "new");
    umask(before);
    assert_list(scratch("new"), &acl);
}

static void alone(void **state)
{
    in_child((void (*)(void **))(uintptr_t)*state);
}

#define CASE(function) \
    { \
#function, alone, suite_begin, suite_end, (void *)(uintptr_t)function \
    }

void group_replace_access(void)
{
    static const struct CMUnitTest replace_access[] = {
        TEST(mode_is_kept),          TEST(no_set_id_bits),
        TEST(root_keeps_the_owner),  CASE(owner_cannot_be_kept),
        CASE(group_cannot_be_kept),  CASE(directory_gives_the_group),
        CASE(read_only_files),       CASE(closed_directories),
        CASE(effective_user),        CASE(traps),
        TEST(list_is_kept),          CASE(list_of_another_group),
        TEST(list_of_the_directory),
    };
    RUN(replace_access);
}
