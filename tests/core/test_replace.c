/* Replacing a file: what is replaced, and what is refused. */
#include "put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static ino_t inode(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_ino;
}

static void new_and_old(void **state)
{
    (void)state;
    const char *path = scratch("file");
    PUT(path, "one");
    PUT(path, "two, which is longer");
    PUT(path, "");
    PUT(path, "three");
    assert_int_equal(entries_in(scratch("%s", "")), 1);
}

/* Who has the old file open goes on reading it; the new one is another file. */
static void readers_keep_the_old(void **state)
{
    (void)state;
    char bytes[16] = "";
    const char *path = scratch("file");
    PUT(path, "old contents");
    ino_t before = inode(path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, 3), 3);
    PUT(path, "NEW CONTENTS");
    assert_true(inode(path) != before);
    assert_int_equal(read(fd, bytes + 3, 9), 9);
    assert_string_equal(bytes, "old contents");
    close(fd);
}

static void any_bytes(void **state)
{
    (void)state;
    char real[FL_PATH_SIZE];
    fl_error error;
    size_t size = 3 << 20, found;
    char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(i * 7 + i / 253);
    }
    RESULT(FL_OK, fl_resolve_file(scratch("big"), real, &error));
    RESULT(FL_OK, fl_replace_file(real, bytes, size, &error));
    char *got = read_file(real, &found);
    assert_int_equal(found, size);
    assert_memory_equal(got, bytes, size);
    RESULT(FL_OK, fl_replace_file(real, NULL, 0, &error));
    assert_contents(real, "");
    free(got);
    free(bytes);
}

/* A new file has what every new file has. */
static void umask_counts(void **state)
{
    (void)state;
    static const mode_t masks[] = {022, 077, 002, 0};
    for (size_t i = 0; i < COUNT(masks); i++) {
        struct stat st;
        mode_t before = umask(masks[i]);
        PUT(scratch("new%zu", i), "x");
        umask(before);
        assert_int_equal(stat(scratch("new%zu", i), &st), 0);
        assert_int_equal(st.st_mode & 07777, 0666 & ~masks[i]);
    }
}

/* ---- links */

static void links_are_followed(void **state)
{
    (void)state;
    struct stat st;
    assert_int_equal(mkdir(scratch("a"), 0755), 0);
    assert_int_equal(mkdir(scratch("b"), 0755), 0);
    assert_int_equal(symlink("../b/link", scratch("a/link")), 0);
    assert_int_equal(symlink(scratch("b/file"), scratch("b/link")), 0);
    assert_int_equal(symlink("a", scratch("c")), 0);
    PUT(scratch("a/link"), "made through links that led to nothing");
    assert_contents(scratch("b/file"), "made through links that led to nothing");
    PUT(scratch("c/link"), "through a directory's link, too");
    PUT(scratch("c/../b/./link"), "from c, up is not a but what is above it");
    assert_contents(scratch("b/file"), "from c, up is not a but what is above it");
    assert_int_equal(lstat(scratch("a/link"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_int_equal(entries_in(scratch("a")), 1);
    assert_int_equal(entries_in(scratch("b")), 2);
}

static void links_that_lead_nowhere(void **state)
{
    (void)state;
    assert_int_equal(symlink("loop", scratch("loop")), 0);
    assert_int_equal(symlink("missing/file", scratch("lost")), 0);
    assert_int_equal(symlink(".", scratch("here")), 0);
    assert_int_equal(symlink("new/", scratch("slash")), 0);
    REFUSED(scratch("loop"), ELOOP, "cannot write", "/loop", "its links");
    REFUSED(scratch("lost"), ENOENT, "its directory", "/lost");
    REFUSED(scratch("here"), EISDIR, "it is no file");
    REFUSED(scratch("slash"), EISDIR, "it is no file");
    char chain[24], next[24];
    for (int i = 0; i < 41; i++) {
        snprintf(chain, sizeof chain, "chain%d", i);
        snprintf(next, sizeof next, "chain%d", i + 1);
        assert_int_equal(symlink(next, scratch("%s", chain)), 0);
    }
    PUT(scratch("chain1"), "forty links");
    REFUSED(scratch("chain0"), ELOOP, "its links");
}

/* Judged by the caller between the two calls: a link that came since is not followed. */
static void what_became_a_link_since(void **state)
{
    (void)state;
    char real[FL_PATH_SIZE];
    fl_error error;
    struct stat st;
    assert_int_equal(mkdir(scratch("good"), 0755), 0);
    assert_int_equal(mkdir(scratch("evil"), 0755), 0);
    make_file(scratch("evil/file"), "not to be touched", 0600);
    RESULT(FL_OK, fl_resolve_file(scratch("good/file"), real, &error));
    assert_int_equal(symlink(scratch("evil/file"), scratch("good/file")), 0);
    RESULT(FL_ERROR, fl_replace_file(real, "x", 1, &error));
    assert_int_equal(rename(scratch("good"), scratch("away")), 0);
    assert_int_equal(symlink("evil", scratch("good")), 0);
    RESULT(FL_ERROR, fl_replace_file(real, "x", 1, &error));
    ASSERT_ERROR(&error, "its directory cannot be opened");
    assert_int_equal(error.code, ELOOP);
    assert_contents(scratch("evil/file"), "not to be touched");
    assert_int_equal(lstat(scratch("away/file"), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
}

/* ---- what is refused */

static void no_files(void **state)
{
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", scratch("socket"));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(mkdir(scratch("directory"), 0755), 0);
    assert_int_equal(mkfifo(scratch("fifo"), 0666), 0);
    REFUSED(scratch("directory"), EISDIR, "it is no file", "/directory");
    REFUSED(scratch("directory/"), EISDIR, "it is no file");
    REFUSED(scratch("directory/."), EISDIR, "it is no file");
    REFUSED(scratch("directory/.."), EISDIR, "it is no file");
    REFUSED(scratch("fifo"), EINVAL, "a pipe or a socket", "only regular files", "file_put_contents()");
    REFUSED(scratch("socket"), EINVAL, "a pipe or a socket");
    REFUSED("/dev/null", EINVAL, "a device", "/dev/null");
    REFUSED("/", EISDIR, "it is no file");
    close(fd);
}

static void no_places(void **state)
{
    (void)state;
    char name[300] = "";
    fl_error error;
    char real[FL_PATH_SIZE];
    static char path[2 * FL_PATH_SIZE];
    memset(name, 'n', 256);
    make_file(scratch("file"), "", 0600);
    REFUSED(scratch("missing/file"), ENOENT, "its directory", "/missing/file");
    REFUSED(scratch("file/file"), ENOTDIR, "file/file");
    REFUSED(scratch("%s", name), ENAMETOOLONG, "nnn");
    memset(path, '/', FL_PATH_SIZE);
    strcpy(path + FL_PATH_SIZE, "end");
    RESULT(FL_ERROR, fl_resolve_file(path, real, &error));
    ASSERT_ERROR(&error, "its path", "/end");
    RESULT(FL_ERROR, fl_resolve_file("relative", real, &error));
    assert_int_equal(error.fault, FL_BAD_ARGUMENT);
    RESULT(FL_ERROR, fl_replace_file("relative", "x", 1, &error));
    assert_int_equal(error.fault, FL_BAD_ARGUMENT);
    name[255] = '\0';
    PUT(scratch("%s", name), "the longest name");
}

void group_replace(void)
{
    static const struct CMUnitTest replace[] = {
        TEST(new_and_old),
        TEST(readers_keep_the_old),
        TEST(any_bytes),
        TEST(umask_counts),
        TEST(links_are_followed),
        TEST(links_that_lead_nowhere),
        TEST(what_became_a_link_since),
        TEST(no_files),
        TEST(no_places),
    };
    RUN(replace);
}
