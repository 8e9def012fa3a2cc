/* What is unsafe or surprising about a directory, in sentences. Reads only. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "directory.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

typedef struct {
    const directory *d;
    fl_check_function each;
    void *context;
} findings;

static void check_place(const findings *f, int fd)
{
    const char *name, *path = f->d->path;
    char type[64] = "";
    bool local = os_is_local(fd, &name);
    os_mount_type(path, type, sizeof type);
    if (strcmp(name, "overlayfs") == 0)
        fl_tell(f->each, f->context, "%s lies inside a container's own file system: no other container shares it",
                path);
    else if (local)
        fl_tell(f->each, f->context, "%s is local to this machine (%s): a table: store is faster there and offers more",
                path, name);
    if (strcmp(type, "fuse.sshfs") == 0)
        fl_tell(f->each, f->context,
                "listings of %s may be up to 20 s old, and free locks seem busy: mount it with dir_cache=no", path);
}

static void check_rights(const findings *f, const struct stat *st)
{
    const directory *d = f->d;
    if (st->st_mode & S_IWOTH)
        fl_tell(f->each, f->context, "every user can delete or forge locks: %s is writable for all (mode %04o)",
                d->path, (unsigned)st->st_mode & 07777);
    if (!d->viewed)
        return;
    if (d->asked_mode != 0 && d->mode != d->asked_mode)
        fl_tell(f->each, f->context,
                "%s was made with mode %04o, while %04o is asked for: the first who used it decided", d->path, d->mode,
                d->asked_mode);
    if ((d->mode & 0020) && !(st->st_mode & S_ISGID))
        fl_tell(f->each, f->context,
                "what other users make in %s may belong to their own group: chmod g+s makes it the directory's",
                d->path);
    if (d->granularity > 1000)
        fl_tell(f->each, f->context,
                "the server's time stamps are whole seconds: a lock of a dead machine is free %.0f s after its ttl",
                (double)d->granularity / 1000);
}

/* ---- locks with two states, of which the later counts; no client makes such */

typedef struct {
    const findings *f;
    const char *bucket;
} lock_check;

static bool check_lock(void *context, const char *entry)
{
    const lock_check *c = context;
    lock_path path;
    if (strlen(entry) > HEAD_MAX + 33)
        return true;
    snprintf(path.text, sizeof path.text, "%s/%s", c->bucket, entry);
    int states = scan_count(&path);
    if (states > 1)
        fl_tell(c->f->each, c->f->context,
                "%s holds %d states of which only the latest counts: something else than filelock put files there",
                path.text, states);
    return true;
}

static void check_locks(const findings *f)
{
    char bucket[FL_DSN_PATH_MAX + 4];
    lock_check c = {f, bucket};
    for (unsigned i = 0; i < 256; i++) {
        snprintf(bucket, sizeof bucket, "%s/%02x", f->d->path, i);
        files.list(bucket, check_lock, &c);
    }
}

fl_result view_check(fl_store *store, fl_check_function each, void *context, fl_error *error)
{
    directory *d = (directory *)store;
    findings f = {d, each, context};
    struct stat st = {0};
    fl_result result = format_view(d, error);
    if (result == FL_ERROR)
        return result;
    int fd = open(d->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return format_vanished(d, error);
    check_place(&f, fd);
    fstat(fd, &st);
    close(fd);
    check_rights(&f, &st);
    check_locks(&f);
    if (os_machine() == 0)
        fl_tell(f.each, f.context, "without /proc a lock of a killed process is free only after its ttl");
    return FL_OK;
}
