/* Where a table can be and where not: full and read-only file systems, directories of others, shared ones. */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static fl_error error;

static void use_many_names(fl_store *store)
{
    fl_lease lease = FL_LEASE_INIT;
    for (int i = 0; i < 5000; i++) {
        char name[20];
        size_t length = (size_t)snprintf(name, sizeof name, "name%d", i);
        RESULT_OR(FL_OK, fl_try(store, &lease, name, length, INFINITY, &error), &error);
        RESULT(FL_OK, fl_release(&lease, &error));
    }
}

/* ---- file systems that are full or cannot be written ---------------------------------------------------------------- */

static void mount_small(const char *options)
{
    private_mounts();
    mkdir(scratch("small"), 0755);
    assert_int_equal(mount("none", scratch("small"), "tmpfs", 0, options), 0);
}

/* On a disk of `kilobytes`: a working table, or an error that speaks of the space and leaves nothing behind. */
static bool fits_into(int kilobytes)
{
    fl_lease lease = FL_LEASE_INIT;
    char options[40];
    snprintf(options, sizeof options, "size=%dk", kilobytes);
    mount_small(options);
    fl_store *store = open_store(dsn("small/t?capacity=64"));
    fl_result result = fl_try(store, &lease, "x", 1, INFINITY, &error);
    if (result == FL_OK) {
        use_many_names(store);
    } else {
        RESULT(FL_ERROR, result);
        assert_int_equal(error.code, ENOSPC);
        ASSERT_ERROR(&error, scratch("small/t"), "MiB");
        assert_true(access(scratch("small/t"), F_OK) != 0 || entries_in(scratch("small/t")) == 0);
    }
    fl_close(store);
    assert_int_equal(umount(scratch("small")), 0);
    return result == FL_OK;
}

static void grow_the_disk(void **state)
{
    (void)state;
    int kilobytes = 4;
    assert_false(fits_into(kilobytes));
    while (!fits_into(kilobytes)) {
        kilobytes = kilobytes * 5 / 4 + 4;
        assert_true(kilobytes < 65536);
    }
    print_message("64 names fit into %d KiB\n", kilobytes);
}

static void full_disk(void **state)
{
    (void)state;
    in_child(grow_the_disk);
}

static int fill_disk(void)
{
    static char block[65536];
    int fd = open(scratch("small/ballast"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (write(fd, block, sizeof block) > 0) {
    }
    while (write(fd, block, 1) > 0) {
    }
    close(fd);
    return errno;
}

/* The disk becomes full after the table was made: nobody notices, since every page is there. */
static void use_on_a_full_disk(void **state)
{
    (void)state;
    fl_lease lease = FL_LEASE_INIT;
    mount_small("size=16m");
    fl_store *store = open_store(dsn("small/t?capacity=1024"));
    RESULT_OR(FL_OK, fl_try(store, &lease, "x", 1, INFINITY, &error), &error);
    assert_int_equal(fill_disk(), ENOSPC);
    use_many_names(store);
    fl_close(store);
}

static void disk_full_later(void **state)
{
    (void)state;
    in_child(use_on_a_full_disk);
}

static void use_read_only(void **state)
{
    (void)state;
    fl_lease lease = FL_LEASE_INIT;
    fl_status_t s;
    mount_small("size=16m");
    assert_int_equal(mount("none", scratch("small"), NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    fl_store *store = open_store(dsn("small/t"));
    RESULT(FL_ERROR, fl_try(store, &lease, "x", 1, 10, &error));
    assert_int_equal(error.code, EROFS);
    ASSERT_ERROR(&error, scratch("small/t"));
    RESULT(FL_FREE, fl_status(store, "x", 1, &s, &error));
    fl_close(store);
}

static void read_only_file_system(void **state)
{
    (void)state;
    in_child(use_read_only);
}

/* ---- directories and other users ------------------------------------------------------------------------------------ */

enum { SOMEBODY = 12345 };

static void become_somebody(void)
{
    if (setgid(SOMEBODY) != 0 || setuid(SOMEBODY) != 0) {
        _exit(125);
    }
}

static void somebody_opens(peer *p, const char *text)
{
    static const peer_options options = {.before = become_somebody};
    peer_start(p, &options);
    EXPECT(p, "ok", "open %s", text);
}

static void read_only_directory(void **state)
{
    (void)state;
    peer p;
    need_root();
    assert_int_equal(mkdir(scratch("t"), 0555), 0);
    somebody_opens(&p, dsn("t"));
    EXPECT(&p, "error", "try 0 10 x");
    assert_true(peer_number(&p, "code=") == EACCES);
    assert_non_null(strstr(p.answer, scratch("t")));
    EXPECT(&p, "free", "status x");
    assert_int_equal(entries_in(scratch("t")), 0);
}

/*
 * The kernel refuses O_CREAT on somebody else's file in a sticky directory, even to root. Root's table, which all may write,
 * is usable by all; one of another user is not to be trusted.
 */
static void table_of_another_in_a_sticky_directory(void **state)
{
    (void)state;
    peer root, user;
    need_root();
    assert_int_equal(mkdir(scratch("t"), 0755), 0);
    assert_int_equal(chmod(scratch("t"), 01777), 0);
    peer_open(&root, dsn("t?mode=0666"));
    EXPECT(&root, "ok", "try 0 inf x");
    somebody_opens(&user, dsn("t?mode=0666"));
    EXPECT(&user, "busy", "try 0 inf x");
    EXPECT(&user, "ok", "try 1 inf y");
    EXPECT(&root, "busy", "try 1 inf y");
    EXPECT(&root, "ok", "status y");
    assert_true(peer_number(&root, "uid=") == SOMEBODY);
}

static void untrusted_table_in_a_sticky_directory(void **state)
{
    (void)state;
    peer root, user;
    need_root();
    assert_int_equal(mkdir(scratch("t"), 0755), 0);
    assert_int_equal(chmod(scratch("t"), 01777), 0);
    somebody_opens(&user, dsn("t?mode=0666"));
    EXPECT(&user, "ok", "try 0 inf x");
    peer_open(&root, dsn("t?mode=0666"));
    EXPECT(&root, "error", "try 0 inf x");
    assert_non_null(strstr(root.answer, scratch("t")));
    assert_non_null(strstr(root.answer, "12345"));
    EXPECT(&user, "ok", "verify 0");
}

/* The way to share: a directory of a group, with the setgid bit. */
static void a_shared_directory(void **state)
{
    (void)state;
    peer root, user;
    need_root();
    assert_int_equal(mkdir(scratch("t"), 0755), 0);
    assert_int_equal(chown(scratch("t"), 0, SOMEBODY), 0);
    assert_int_equal(chmod(scratch("t"), 02770), 0);
    somebody_opens(&user, dsn("t?mode=0660"));
    peer_open(&root, dsn("t?mode=0660"));
    EXPECT(&user, "ok", "try 0 inf x");
    EXPECT(&root, "busy", "try 0 inf x");
    EXPECT(&root, "ok", "try 1 inf y");
    EXPECT(&user, "busy", "try 1 inf y");
    peer_kill(&user);
    EXPECT(&root, "ok", "try 0 inf x");
}

void group_places(void)
{
    static const struct CMUnitTest places[] = {
        TEST(full_disk),
        TEST(disk_full_later),
        TEST(read_only_file_system),
        TEST(read_only_directory),
        TEST(table_of_another_in_a_sticky_directory),
        TEST(untrusted_table_in_a_sticky_directory),
        TEST(a_shared_directory),
    };
    RUN(places);
}
