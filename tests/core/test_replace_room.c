/* Replacing a file where there is no room for it: the old file is untouched, and nothing else is left. */
#include "put.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void fill_up(const char *path)
{
    static const char bytes[4096];
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    while (write(fd, bytes, sizeof bytes) > 0) {
    }
    assert_int_equal(errno, ENOSPC);
    close(fd);
}

static void full_disk(void **state)
{
    (void)state;
    private_mounts();
    assert_int_equal(mkdir(scratch("small"), 0755), 0);
    assert_int_equal(mount("none", scratch("small"), "tmpfs", 0, "size=256k"), 0);
    PUT(scratch("small/file"), "old");
    fill_up(scratch("small/rest"));
    REFUSED(scratch("small/file"), ENOSPC, "new contents cannot be written", "make room", "untouched");
    REFUSED(scratch("small/new"), ENOSPC, "new contents cannot be written");
    assert_contents(scratch("small/file"), "old");
    assert_int_equal(entries_in(scratch("small")), 2);
    unlink(scratch("small/rest"));
    PUT(scratch("small/file"), "new");
}

/* Nothing is said under the limit: it holds for this process's own output, too. */
static fl_result put_limited(const char *path, const char *contents, fl_error *error)
{
    const struct rlimit limit = {5, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fl_result result = put(path, contents, error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    return result;
}

/* A limit of the process is an error, not a signal: the default of SIGXFSZ would end this process. */
static void size_limit(void **state)
{
    (void)state;
    fl_error error;
    PUT(scratch("file"), "old");
    RESULT(FL_ERROR, put_limited(scratch("file"), "longer", &error));
    assert_int_equal(error.code, EFBIG);
    ASSERT_ERROR(&error, "new contents cannot be written", "ulimit -f");
    RESULT(FL_ERROR, put_limited(scratch("new"), "longer", &error));
    assert_contents(scratch("file"), "old");
    assert_int_equal(entries_in(scratch("%s", "")), 1);
    RESULT(FL_OK, put_limited(scratch("file"), "limit", &error));
    assert_contents(scratch("file"), "limit");
}

static void no_descriptors(void **state)
{
    (void)state;
    const struct rlimit limit = {3, 3};
    fl_error error;
    PUT(scratch("file"), "old");
    for (int fd = 3; fd < 64; fd++) {
        close(fd);
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    RESULT(FL_ERROR, put(scratch("file"), "new", &error));
    assert_int_equal(error.code, EMFILE);
}

static void mounted_file(void **state)
{
    (void)state;
    private_mounts();
    make_file(scratch("below"), "below", 0600);
    make_file(scratch("file"), "old", 0600);
    assert_int_equal(mount(scratch("below"), scratch("file"), NULL, MS_BIND, NULL), 0);
    REFUSED(scratch("file"), EBUSY, "cannot take its place", "mount its directory");
    assert_contents(scratch("file"), "below");
}

static void read_only_mount(void **state)
{
    (void)state;
    private_mounts();
    PUT(scratch("file"), "old");
    assert_int_equal(mount(scratch("%s", ""), scratch("%s", ""), NULL, MS_BIND, NULL), 0);
    assert_int_equal(mount(NULL, scratch("%s", ""), NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), 0);
    REFUSED(scratch("file"), EROFS, "/file");
    REFUSED(scratch("new"), EROFS, "/new");
    assert_contents(scratch("file"), "old");
}

static void alone(void **state)
{
    in_child((void (*)(void **))(uintptr_t)*state);
}

#define CASE(function) \
    { \
#function, alone, suite_begin, suite_end, (void *)(uintptr_t)function \
    }

void group_replace_room(void)
{
    static const struct CMUnitTest replace_room[] = {
        CASE(full_disk), CASE(size_limit), CASE(no_descriptors), CASE(mounted_file), CASE(read_only_mount),
    };
    RUN(replace_room);
}
