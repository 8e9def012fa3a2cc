/*
 * Making a table. The file is complete, fully allocated and named nowhere until one link(2) or rename(2) publishes it: killed
 * at any instruction, a creator leaves no table or a good one.
 *
 * A lock on the directory keeps a crowd from allocating one table each (on a small file system that fails for want of space).
 * It is not needed for correctness: who cannot get it for a while (its holder may be stopped) goes on without.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOCK_PATIENCE (1000 * INT64_C(1000000))
#define LOCK_STEP INT64_C(2000000)
#define TEMPORARY "." LAYOUT_FILE "."

enum { TEMPORARY_SIZE = 48 };

static bool is_there(int directory)
{
    return faccessat(directory, LAYOUT_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Until I have the lock, or there is a table, or patience ends. */
static void lock_directory(int directory)
{
    int64_t until = os_now_precise() + LOCK_PATIENCE;
    while (flock(directory, LOCK_EX | LOCK_NB) != 0 && !is_there(directory) && os_now_precise() < until)
        os_sleep_until(os_now_precise() + LOCK_STEP);
}

static fl_result fill_header(const table *t, int fd, fl_error *error)
{
    table_geometry g;
    geometry_init(&g, t->capacity);
    table_header h = {.format = LAYOUT_FORMAT, .capacity = t->capacity, .size = g.size};
    memcpy(h.magic, LAYOUT_MAGIC, sizeof h.magic);
    if (header_identify(&h, os_is_memory(fd), t->path, error) != FL_OK)
        return FL_ERROR;
    if (!os_random(h.nonce, sizeof h.nonce) || !os_random(&h.seed, sizeof h.seed))
        return fl_fail(error, errno, "filelock: no random bytes for %s", t->path);
    h.first_token = (uint64_t)os_wall();
    h.checksum = header_checksum(&h);
    if (pwrite(fd, &h, sizeof h, 0) == (ssize_t)sizeof h)
        return FL_OK;
    return fl_fail(error, errno, "filelock: cannot write %s", t->path);
}

/* Every block is allocated now: writing into the mapping can never meet a full disk, which would be a SIGBUS. */
static int allocate(int fd, uint64_t size)
{
    static const char zeros[65536];
    if (fallocate(fd, 0, 0, (off_t)size) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return errno;
    for (uint64_t at = 0; at < size;) {
        size_t n = size - at < sizeof zeros ? (size_t)(size - at) : sizeof zeros;
        ssize_t written = pwrite(fd, zeros, n, (off_t)at);
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        at += (uint64_t)written;
    }
    return 0;
}

static fl_result fill(const table *t, int fd, fl_error *error)
{
    table_geometry g;
    geometry_init(&g, t->capacity);
    int code = fchmod(fd, t->mode) == 0 ? allocate(fd, g.size) : errno;
    FL_STEP("create:allocated");
    if (code == 0)
        return fill_header(t, fd, error);
    fl_fail(error, code, "filelock: cannot make %s, which takes %.1f MiB", t->path, (double)g.size / (1 << 20));
    if (code == ENOSPC)
        fl_advise(error, "make room, or ask for fewer names than %u, as in table:%s?capacity=1024", t->capacity,
                  t->directory);
    return FL_ERROR;
}

/* ---- a file without a name where the file system has it, else one with a temporary name */

static bool make_temporary_name(char *name)
{
    uint64_t random;
    if (!os_random(&random, sizeof random))
        return false;
    snprintf(name, TEMPORARY_SIZE, TEMPORARY "%016llx", (unsigned long long)random);
    return true;
}

/* Gives the unnamed file a name. False: this kernel or mount cannot (no /proc). */
static bool link_unnamed(int fd, int directory, const char *name)
{
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, self, directory, name, AT_SYMLINK_FOLLOW) == 0;
}

static fl_result make_named(const table *t, int directory, const char *name, fl_error *error)
{
    int fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 && errno == ENOENT)
        return FL_LOST; /* the directory was removed since it was opened */
    if (fd < 0) {
        fl_fail(error, errno, "filelock: cannot make a file in %s as uid %u", t->directory, (unsigned)geteuid());
        fl_advise(error, "the directory must be writable for all who share the store");
        return FL_ERROR;
    }
    fl_result result = fill(t, fd, error);
    close(fd);
    if (result != FL_OK)
        unlinkat(directory, name, 0);
    return result;
}

/* A complete table under the temporary name. */
static fl_result make(const table *t, int directory, const char *name, fl_error *error)
{
    int fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0)
        return make_named(t, directory, name, error);
    FL_STEP("create:unnamed");
    fl_result result = fill(t, fd, error);
    FL_STEP("create:filled");
    bool linked = result == FL_OK && link_unnamed(fd, directory, name);
    close(fd);
    if (result != FL_OK || linked)
        return result;
    return make_named(t, directory, name, error);
}

/* The kernel's "rename unless there is one": the temporary name is gone in the same step. Some file systems lack it. */
static int rename_unless_there(int directory, const char *name)
{
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif
    if (syscall(SYS_renameat2, directory, name, directory, LAYOUT_FILE, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    return linkat(directory, name, directory, LAYOUT_FILE, 0) == 0 ? 0 : errno;
}

/*
 * The last step. EEXIST is somebody else's success; ENOENT: taken for litter, look again.
 */
static fl_result publish(const table *t, int directory, const char *name, fl_error *error)
{
    FL_STEP("create:publish");
    int code = rename_unless_there(directory, name);
    FL_STEP("create:published");
    unlinkat(directory, name, 0); /* if it is still there */
    if (code == 0 || code == EEXIST || code == ENOENT)
        return FL_OK;
    return fl_fail(error, code, "filelock: cannot give %s its name", t->path);
}

/* ---- the table of an earlier boot */

static int lock_old_table(int old)
{
    int64_t until = os_now_precise() + LOCK_PATIENCE;
    int code;
    while ((code = os_lock_byte(old, LAYOUT_GUARD, OS_LOCK_WRITE)) == EAGAIN && os_now_precise() < until)
        os_sleep_until(os_now_precise() + LOCK_STEP);
    return code;
}

static bool is_still_there(int directory, int old)
{
    struct stat a, b;
    return fstat(old, &a) == 0 && fstatat(directory, LAYOUT_FILE, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Somebody may have replaced the old one before I opened it. */
static bool is_of_this_boot(int fd)
{
    table_header h;
    unsigned char boot[sizeof h.boot];
    return pread(fd, &h, sizeof h, 0) == (ssize_t)sizeof h && os_boot_id(boot) &&
           memcmp(h.boot, boot, sizeof boot) == 0;
}

/*
 * Replacing must not hit a table that somebody else has put here, and uses, since I looked. So the old file's guard byte is
 * locked from before the look until after the rename. This is the one place where a *stopped* process keeps others out: they
 * get an error. (Dead, it keeps nobody out.)
 */
static fl_result replace(const table *t, int directory, const char *name, fl_error *error)
{
    int old = openat(directory, LAYOUT_FILE, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (old < 0)
        return errno == ENOENT ? FL_OK : fl_fail(error, errno, "filelock: cannot open %s, of an earlier boot", t->path);
    int code = lock_old_table(old);
    FL_STEP("create:publish");
    if (code == 0 && is_still_there(directory, old) && !is_of_this_boot(old)) {
        FL_STEP("create:replace");
        code = renameat(directory, name, directory, LAYOUT_FILE) == 0 ? 0 : errno;
    }
    FL_STEP("create:published");
    close(old);
    unlinkat(directory, name, 0);
    if (code == 0 || code == ENOENT)
        return FL_OK;
    fl_fail(error, code, "filelock: cannot replace %s, which is of an earlier boot", t->path);
    if (code == EAGAIN)
        fl_advise(error, "another process has begun to and does not go on; let it go on, or end it");
    return FL_ERROR;
}

/* What a killed creator may have left. One who works without the directory's lock may lose its file, too: it tries again. */
static void remove_litter(int directory)
{
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
    if (list == NULL && copy >= 0)
        close(copy);
    for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;)
        if (strncmp(e->d_name, TEMPORARY, sizeof TEMPORARY - 1) == 0)
            unlinkat(directory, e->d_name, 0);
    if (list != NULL)
        closedir(list);
}

static fl_result create_in(table *t, int directory, fl_error *error)
{
    table_map map = {0};
    fl_result there = map_open(t, false, &map, NULL, error);
    map_close(&map);
    if (there == FL_OK || there == FL_ERROR)
        return there;
    remove_litter(directory);
    char name[TEMPORARY_SIZE];
    if (!make_temporary_name(name))
        return fl_fail(error, errno, "filelock: no random bytes for %s", t->path);
    fl_result result = make(t, directory, name, error);
    if (result != FL_OK)
        return result;
    return there == FL_LOST ? replace(t, directory, name, error) : publish(t, directory, name, error);
}

fl_result table_create(table *t, fl_error *error)
{
    int directory;
    fl_result result = directory_open(t, &directory, error);
    if (result == FL_FREE) {
        result = directory_make(t, error);
        FL_STEP("create:directory");
        if (result == FL_OK)
            result = directory_open(t, &directory, error);
        if (result == FL_FREE)
            return fl_fail(error, ENOENT, "filelock: the directory %s vanishes as soon as it is made", t->directory);
    }
    if (result != FL_OK)
        return result;
    lock_directory(directory);
    FL_STEP("create:locked");
    result = create_in(t, directory, error);
    close(directory);
    return result;
}
