#include "foreign_kit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os.h"

static void make_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void make_dot_lock(const char *path, long pid)
{
    (void)pid;
    make_file(path, "0");
}

static void make_directory(const char *path, long pid)
{
    (void)pid;
    assert_int_equal(mkdir(path, 0755), 0);
}

static void make_pid_file(const char *path, long pid)
{
    char text[32];
    snprintf(text, sizeof text, "%ld\n", pid);
    make_file(path, text);
}

static void make_empty_file(const char *path, long pid)
{
    (void)pid;
    make_file(path, "");
}

static void make_link(const char *path, long pid)
{
    char host[100], target[150];
    assert_int_equal(gethostname(host, sizeof host), 0);
    snprintf(target, sizeof target, "%s-%ld", host, pid);
    assert_int_equal(symlink(target, path), 0);
}

const method methods[METHODS] = {
    {"link", true, true, true, make_dot_lock},       {"mkdir", true, false, false, make_directory},
    {"exclusive", true, false, true, make_pid_file}, {"touch", true, true, false, make_empty_file},
    {"symlink", true, false, true, make_link},       {"flock", false, false, true, NULL},
};

const char *foreign_dsn(const method *m)
{
    static char text[2][400];
    static int turn;
    turn = !turn;
    if (!is_there(scratch("%s", m->name)))
        assert_int_equal(mkdir(scratch("%s", m->name), 0777), 0);
    snprintf(text[turn], sizeof text[turn], "file:%s?method=%s", scratch("%s", m->name), m->name);
    return text[turn];
}

const char *lock_path(const method *m, const char *name)
{
    return scratch("%s/%s.lock", m->name, name);
}

const char *guard_path(const method *m)
{
    return scratch("%s/.filelock-guard", m->name);
}

bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

void set_time(const char *path, int64_t seconds, long nanoseconds)
{
    struct timespec times[2] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

int64_t time_of(const char *path)
{
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    return st.st_mtim.tv_sec * INT64_C(1000000000) + st.st_mtim.tv_nsec;
}

void need_all_processes(void)
{
    if (!os_sees_all_processes())
        SKIP("a container: not all processes are seen");
}

long dead_pid(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}
