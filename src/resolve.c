/*
 * Where a path leads. The last part is followed here, link by link, each held by a descriptor while it is judged: the kernel's own
 * protection against links of strangers (fs.protected_symlinks) acts only where it follows them itself.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINKS_MOST = 40, SHOWN = 400 };

typedef struct {
    char directory[FL_PATH_SIZE];
    const char *name; /* in the text that was split */
} parts;

const char *path_shown(const char *path)
{
    size_t length = strlen(path);
    return length > SHOWN ? path + length - SHOWN : path;
}

fl_result path_fail(fl_error *error, int code, const char *what, const char *path)
{
    return fl_fail(error, code, "filelock: cannot write %s: %s", path_shown(path), what);
}

fl_result path_check_type(const struct stat *st, const char *path, fl_error *error)
{
    if (S_ISREG(st->st_mode))
        return FL_OK;
    if (S_ISDIR(st->st_mode))
        return path_fail(error, EISDIR, "it is no file", path);
    fl_fail(error, EINVAL, "filelock: cannot write %s: it is a device, a pipe or a socket", path_shown(path));
    fl_advise(error, "only regular files can be replaced; write to this one with file_put_contents()");
    return FL_ERROR;
}

fl_result path_check_trap(const struct stat *directory, const struct stat *st, const char *path, fl_error *error)
{
    bool open_to_all = (directory->st_mode & S_ISVTX) && (directory->st_mode & S_IWOTH);
    if (!open_to_all || st->st_uid == geteuid() || st->st_uid == directory->st_uid)
        return FL_OK;
    fl_fail(error, EACCES, "filelock: cannot write %s: uid %u has put it into a directory that everybody can write",
            path_shown(path), (unsigned)st->st_uid);
    fl_advise(error, "it may be a trap; take a directory of your own");
    return FL_ERROR;
}

/* False (errno): there is no such directory, or it may not be searched. */
static bool split(const char *path, parts *p)
{
    char directory[FL_PATH_SIZE];
    size_t length = (size_t)(strrchr(path, '/') - path);
    snprintf(directory, sizeof directory, "%.*s", (int)(length > 0 ? length : 1), path);
    p->name = path + length + 1;
    return realpath(directory, p->directory) != NULL;
}

static bool is_name(const char *name)
{
    return *name != '\0' && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* dir/name, or name where that is absolute. False: too long. */
static bool join(char path[FL_PATH_SIZE], const char *directory, const char *name)
{
    const char *slash = strcmp(directory, "/") == 0 ? "" : "/";
    int n = *name == '/' ? snprintf(path, FL_PATH_SIZE, "%s", name)
                         : snprintf(path, FL_PATH_SIZE, "%s%s%s", directory, slash, name);
    return n < FL_PATH_SIZE;
}

/* What `fd`, a link in this directory, says. False (error): it must not be followed. */
static bool follow(int fd, const struct stat *link, const char *directory, char target[FL_PATH_SIZE], const char *path,
                   fl_error *error)
{
    struct stat st;
    if (stat(directory, &st) != 0) {
        path_fail(error, errno, "its directory cannot be looked at", path);
        return false;
    }
    if (path_check_trap(&st, link, path, error) != FL_OK)
        return false;
    ssize_t n = readlinkat(fd, "", target, FL_PATH_SIZE - 1);
    if (n <= 0) {
        path_fail(error, n < 0 ? errno : ENOENT, "its link cannot be read", path);
        return false;
    }
    target[n] = '\0';
    return true;
}

typedef enum { ARRIVED, ON_THE_WAY, FAILED } progress;

/* One link further: `at` is where we are, and where we will be. */
static progress step(char at[FL_PATH_SIZE], const char *path, fl_error *error)
{
    parts p;
    char here[FL_PATH_SIZE], target[FL_PATH_SIZE];
    if (!is_name(strrchr(at, '/') + 1))
        return path_fail(error, EISDIR, "it is no file", path), FAILED;
    if (!split(at, &p))
        return path_fail(error, errno, "its directory", path), FAILED;
    if (!join(here, p.directory, p.name))
        return path_fail(error, ENAMETOOLONG, "its real path", path), FAILED;
    int fd = open(here, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno != ENOENT)
        return path_fail(error, errno, "it cannot be looked at", path), FAILED;
    memcpy(at, here, sizeof here);
    if (fd < 0)
        return ARRIVED;
    struct stat st;
    progress now = FAILED;
    if (fstat(fd, &st) != 0)
        path_fail(error, errno, "it cannot be looked at", path);
    else if (!S_ISLNK(st.st_mode))
        now = path_check_type(&st, path, error) == FL_OK ? ARRIVED : FAILED;
    else if (follow(fd, &st, p.directory, target, path, error))
        now = ON_THE_WAY;
    close(fd);
    if (now == ON_THE_WAY && !join(at, p.directory, target))
        return path_fail(error, ENAMETOOLONG, "where its link leads", path), FAILED;
    return now;
}

fl_result fl_resolve_file(const char *path, char real[FL_PATH_SIZE], fl_error *error)
{
    if (*path != '/')
        return fl_refuse(error, FL_ARG_NONE, "must be an absolute path");
    if (!join(real, "/", path))
        return path_fail(error, ENAMETOOLONG, "its path", path);
    struct stat st; /* links of /proc lead where no path does */
    if (stat(path, &st) == 0 && path_check_type(&st, path, error) != FL_OK)
        return FL_ERROR;
    for (int links = 0; links <= LINKS_MOST; links++) {
        progress now = step(real, path, error);
        if (now != ON_THE_WAY)
            return now == ARRIVED ? FL_OK : FL_ERROR;
    }
    return path_fail(error, ELOOP, "its links", path);
}
