#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os.h"

/* ---- statx(2), spelled out, since older C libraries lack it; it asks a network file system's server for sure */

#define ASK_SERVER 0x2000
#define ASK_MODIFIED 0x40u

struct asked {
    uint32_t mask, block_size;
    uint64_t attributes;
    uint32_t links, uid, gid;
    uint16_t mode, spare;
    uint64_t inode, size, blocks, attributes_mask;
    struct {
        int64_t seconds;
        uint32_t ns;
        int32_t spare;
    } accessed, born, changed, modified;
    uint64_t rest[16];
};
_Static_assert(sizeof(struct asked) == 256, "the kernel's size of it");

static int ask_by_opening(const char *path, int64_t *time)
{
    struct stat st = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno != EACCES)
        return -1;
    int result = fd < 0 ? lstat(path, &st) : fstat(fd, &st);
    if (fd >= 0)
        close(fd);
    *time = os_file_time(st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return result;
}

static int ask_server(const char *path, int64_t *time)
{
    struct asked a;
    FL_STEP("files:stat");
    if (syscall(SYS_statx, AT_FDCWD, path, ASK_SERVER | AT_SYMLINK_NOFOLLOW, ASK_MODIFIED, &a) == 0) {
        *time = os_file_time(a.modified.seconds, a.modified.ns);
        return 0;
    }
    /* Sandboxes of before 2018 refuse calls that they do not know. */
    return errno == ENOSYS || errno == EPERM ? ask_by_opening(path, time) : -1;
}

static int exists(const char *path)
{
    int64_t time;
    return ask_server(path, &time);
}

/* ---- the rest */

static int list(const char *path, files_each each, void *context)
{
    FL_STEP("files:list");
    DIR *stream = opendir(path);
    if (stream == NULL)
        return -1;
    struct dirent *entry;
    bool go_on = true;
    errno = 0;
    while (go_on && (entry = readdir(stream)) != NULL) {
        const char *name = entry->d_name;
        if (name[0] != '.' || (name[1] != '\0' && (name[1] != '.' || name[2] != '\0')))
            go_on = each(context, name);
        errno = 0;
    }
    int code = errno;
    closedir(stream);
    errno = code;
    return go_on && code != 0 ? -1 : 0;
}

/* Where there are no rights (exfat, vfat) there are none to set: the mount says who may do what. */
static bool is_refused(int result)
{
    return result != 0 && errno != EPERM && errno != ENOTSUP;
}

/*
 * Who comes here first together with me may put his empty directory in the place of the one that I was just entering, and then
 * the server says ENOENT. Each of them does so once at most.
 */
enum { COMERS = 16 };

static int make_inside(const char *path)
{
    int result = -1;
    errno = ENOENT;
    for (int i = 0; i < COMERS && result != 0 && errno == ENOENT; i++) {
        FL_STEP("files:mkdir");
        result = mkdir(path, 0700);
    }
    return result;
}

static int create_inside(const char *path)
{
    int fd = -1;
    errno = ENOENT;
    for (int i = 0; i < COMERS && fd < 0 && errno == ENOENT; i++) {
        FL_STEP("files:create");
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    return fd;
}

/* Not by umask, which is the process's and not the store's. A group that is not mine stays as the directory gives it. */
static int make_directory(const char *path, unsigned mode, int group)
{
    if (make_inside(path) != 0)
        return -1;
    FL_STEP("files:chmod");
    if (group >= 0)
        (void)!chown(path, (uid_t)-1, (gid_t)group);
    if (!is_refused(chmod(path, (mode_t)mode)))
        return 0;
    int code = errno;
    rmdir(path);
    errno = code;
    return -1;
}

static int fill(int fd, const void *bytes, size_t n, unsigned mode, int group)
{
    if (group >= 0)
        (void)!fchown(fd, (uid_t)-1, (gid_t)group);
    if (is_refused(fchmod(fd, (mode_t)mode)))
        return -1;
    FL_STEP("files:write");
    ssize_t put = n > 0 ? write(fd, bytes, n) : 0;
    if (put >= 0 && (size_t)put < n)
        errno = ENOSPC;
    return put == (ssize_t)n ? 0 : -1;
}

static int make_file(const char *path, const void *bytes, size_t n, unsigned mode, int group)
{
    int fd = create_inside(path);
    if (fd < 0)
        return -1;
    FL_STEP("files:chmod");
    int code = fill(fd, bytes, n, mode, group) == 0 ? 0 : errno;
    /* Network file systems tell here that the disk is full. */
    if (close(fd) != 0 && code == 0)
        code = errno;
    if (code == 0)
        return 0;
    unlink(path);
    errno = code;
    return -1;
}

static int read_bytes(const char *path, void *bytes, size_t size, size_t *got)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, bytes, size);
    int code = errno;
    close(fd);
    *got = n > 0 ? (size_t)n : 0;
    errno = code;
    return n < 0 ? -1 : 0;
}

static int rename_exact(const char *from, const char *to)
{
#ifdef FL_NEGATIVE_CONTROL /* a server that lets everybody succeed: the torture must find it out */
    if (rename(from, to) != 0 && errno == ENOENT)
        return make_file(to, NULL, 0, 0600, -1);
    return 0;
#else
    FL_STEP("files:rename");
    int result = rename(from, to);
    FL_STEP("files:renamed");
    return result;
#endif
}

static int remove_file(const char *path)
{
    FL_STEP("files:unlink");
    return unlink(path);
}

static int remove_directory(const char *path)
{
    FL_STEP("files:rmdir");
    return rmdir(path);
}

#ifndef FL_TESTING
const
#endif
    files_operations files = {
        .rename = rename_exact,
        .list = list,
        .exists = exists,
        .make_directory = make_directory,
        .make_file = make_file,
        .remove_file = remove_file,
        .remove_directory = remove_directory,
        .read = read_bytes,
        .stamp = ask_server,
};
