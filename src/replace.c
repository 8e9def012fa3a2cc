/* Replacing a file's contents. See replace.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os.h"
#include "path.h"

enum { TEMPORARY_SIZE = sizeof FL_TEMPORARY + 16 };

typedef struct {
    const char *path, *name; /* name is the last part of path */
    const void *bytes;
    size_t length;
    int directory;
    bool is_new;
    struct stat old;
    os_acl acl;
    char temporary[TEMPORARY_SIZE];
} replacement;

static fl_result fail(const replacement *r, int code, const char *what, fl_error *error)
{
    path_fail(error, code, what, r->path);
    if (code == ENOSPC || code == EDQUOT)
        fl_advise(error, "make room; the old contents are untouched");
    else if (code == EFBIG)
        fl_advise(error, "raise the limit of the file size (ulimit -f); the old contents are untouched");
    else if (code == EBUSY)
        fl_advise(error, "if it is mounted itself (a container's single file), mount its directory instead");
    else if (code == EPERM || code == EACCES)
        fl_advise(error, "uid %u must be able to write the file and to write and read its directory",
                  (unsigned)geteuid());
    return FL_ERROR;
}

/* ---- owner and access */

/* Not allowed is no error here: what could not be kept is looked at afterwards. */
static int keep_owner(const replacement *r, int fd, struct stat *new)
{
    if (fstat(fd, new) != 0)
        return errno;
    if (new->st_uid == r->old.st_uid &&new->st_gid == r->old.st_gid)
        return 0;
    if (fchown(fd, r->old.st_uid, r->old.st_gid) != 0 && fchown(fd, (uid_t)-1, r->old.st_gid) != 0 && errno != EPERM &&
        errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS)
        return errno;
    return fstat(fd, new) == 0 ? 0 : errno;
}

static mode_t narrow(mode_t mode)
{
    mode_t both = (mode >> 3) & mode & 07;
    return (mode & 0700) | both << 3 | both;
}

/* Until here the file is its maker's alone. Its own list is one that the directory made it inherit. */
static int keep_access(replacement *r, int fd)
{
    struct stat new;
    mode_t mode = r->old.st_mode & 0777;
    int code = keep_owner(r, fd, &new);
    if (code == 0 && new.st_gid != r->old.st_gid) {
        mode = narrow(mode);
        os_acl_narrow(&r->acl);
    }
    if (code == 0)
        code = os_acl_set(fd, &r->acl);
    if (code == 0 && r->acl.size == 0 && fchmod(fd, mode) != 0)
        code = errno;
    return code;
}

/* ---- the new file */

static unsigned mode_while_filled(const replacement *r)
{
    return r->is_new ? 0666 : 0600;
}

static fl_result fill(replacement *r, int fd, fl_error *error)
{
    int code = os_write_new(fd, r->bytes, r->length);
    FL_STEP("put:written");
    if (code != 0)
        return fail(r, code, "the new contents cannot be written", error);
    if (!r->is_new && (code = keep_access(r, fd)) != 0)
        return fail(r, code, "the new file cannot have the old one's permissions", error);
    FL_STEP("put:accessible");
    if ((code = os_sync(fd)) != 0)
        return fail(r, code, "the new contents do not reach the disk (fsync)", error);
    FL_STEP("put:synced");
    return FL_OK;
}

static fl_result make_named(replacement *r, fl_error *error)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(r->directory, r->temporary, flags, mode_while_filled(r));
    if (fd < 0)
        return fail(r, errno, "no file can be made in its directory", error);
    FL_STEP("put:named");
    fl_result result = fill(r, fd, error);
    close(fd);
    if (result != FL_OK)
        unlinkat(r->directory, r->temporary, 0);
    return result;
}

/* Complete, under the temporary name. */
static fl_result make(replacement *r, fl_error *error)
{
    int fd = os_open_unnamed(r->directory, mode_while_filled(r));
    if (fd < 0)
        return make_named(r, error);
    FL_STEP("put:unnamed");
    fl_result result = fill(r, fd, error);
    bool linked = result == FL_OK && os_link_unnamed(fd, r->directory, r->temporary);
    close(fd);
    FL_STEP("put:linked");
    return result != FL_OK || linked ? result : make_named(r, error);
}

static fl_result publish(const replacement *r, fl_error *error)
{
    if (renameat(r->directory, r->temporary, r->directory, r->name) != 0) {
        int code = errno;
        unlinkat(r->directory, r->temporary, 0);
        return fail(r, code, "the new file cannot take its place", error);
    }
    FL_STEP("put:renamed");
    int code = os_sync(r->directory);
    FL_STEP("put:durable");
    if (code == 0 || code == EINVAL)
        return FL_OK;
    fl_fail(error, code,
            "filelock: %s has its new contents, but a power cut may still undo that: fsync of its directory",
            path_shown(r->path));
    fl_advise(error, "replace it again when the disk is well");
    return FL_ERROR;
}

/* ---- the old file */

/* As the effective user. An older container's sandbox lets only the call without flags through. */
static bool is_writable(const replacement *r)
{
    bool plain = geteuid() == getuid() && getegid() == getgid();
    return faccessat(r->directory, r->name, W_OK, plain ? 0 : AT_EACCESS) == 0;
}

static fl_result check_old(replacement *r, fl_error *error)
{
    struct stat directory;
    if (path_check_type(&r->old, r->path, error) != FL_OK)
        return FL_ERROR;
    if (fstat(r->directory, &directory) != 0)
        return fail(r, errno, "its directory cannot be looked at", error);
    if (path_check_trap(&directory, &r->old, r->path, error) != FL_OK)
        return FL_ERROR;
    if (!is_writable(r))
        return fail(r, errno, "it is read-only", error);
    int code = os_acl_get(r->path, &r->acl);
    return code == 0 ? FL_OK : fail(r, code, "its access control list cannot be read", error);
}

static fl_result look(replacement *r, fl_error *error)
{
    if (fstatat(r->directory, r->name, &r->old, AT_SYMLINK_NOFOLLOW) == 0)
        return check_old(r, error);
    r->is_new = true;
    return errno == ENOENT ? FL_OK : fail(r, errno, "it cannot be looked at", error);
}

static fl_result name_temporary(replacement *r, fl_error *error)
{
    uint64_t random;
    if (!os_random(&random, sizeof random))
        return fail(r, errno, "no random bytes for a temporary name", error);
    snprintf(r->temporary, sizeof r->temporary, FL_TEMPORARY "%016llx", (unsigned long long)random);
    return FL_OK;
}

static fl_result open_directory(replacement *r, fl_error *error)
{
    char directory[FL_PATH_SIZE];
    r->name = strrchr(r->path, '/') + 1;
    size_t length = (size_t)(r->name - r->path);
    snprintf(directory, sizeof directory, "%.*s", (int)length, r->path);
    r->directory = os_open_directory(directory);
    return r->directory >= 0 ? FL_OK : fail(r, errno, "its directory cannot be opened", error);
}

fl_result fl_replace_file(const char *real, const void *bytes, size_t length, fl_error *error)
{
    replacement r = {.path = real, .bytes = bytes, .length = length};
    if (*real != '/')
        return fl_refuse(error, FL_ARG_NONE, "must be an absolute path");
    if (open_directory(&r, error) != FL_OK)
        return FL_ERROR;
    bool made = look(&r, error) == FL_OK && name_temporary(&r, error) == FL_OK && make(&r, error) == FL_OK;
    fl_result result = made ? publish(&r, error) : FL_ERROR;
    close(r.directory);
    return result;
}
