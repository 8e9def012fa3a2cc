/* For administrators: what the store is, and what is unsafe or surprising about it here. Reads only. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void say_who_shares(const table *t, const struct stat *st, char *text, size_t size)
{
    if (t->own_directory)
        snprintf(text, size, "processes of uid %u on this machine (and in this container)", (unsigned)geteuid());
    else if (st->st_mode & S_IWOTH)
        snprintf(text, size, "every user who can enter the directory");
    else if (st->st_mode & S_IWGRP)
        snprintf(text, size, "uid %u and the group %u", (unsigned)st->st_uid, (unsigned)st->st_gid);
    else
        snprintf(text, size, "uid %u", (unsigned)st->st_uid);
}

static uint32_t count_attached(table *t)
{
    uint32_t n = 0, used = atomic_load(&t->map.header->slots_used);
    int fd = table_open_again(t);
    for (uint32_t i = 0; fd >= 0 && i < used && i < t->map.geometry.slots; i++)
        n += atomic_load(&t->map.slot[i].state) == SLOT_USED &&
             (i + 1 == t->me || os_byte_is_write_locked(fd, LAYOUT_LOCKS + i) == 1);
    if (fd >= 0)
        close(fd);
    return n;
}

static int count_one(void *context, const fl_status_t *status)
{
    fl_info *info = context;
    info->held++;
    info->waiting += status->waiters;
    return 0;
}

static void describe_future(const table *t, fl_info *info)
{
    table_geometry g;
    geometry_init(&g, t->capacity);
    struct stat st = {.st_mode = t->mode, .st_uid = geteuid(), .st_gid = getegid()};
    say_who_shares(t, &st, info->shared_with, sizeof info->shared_with);
    info->capacity = t->capacity;
    info->bytes = g.size;
    info->mode = t->mode;
}

fl_result table_inspect(fl_store *store, fl_info *info, fl_error *error)
{
    table *t = (table *)store;
    memset(info, 0, sizeof *info);
    snprintf(info->path, sizeof info->path, "%s", t->path);
    fl_result result = table_view(t, error);
    if (result == FL_FREE) {
        describe_future(t, info);
        return FL_OK;
    }
    struct stat st;
    if (result != FL_OK || stat(t->path, &st) != 0)
        return result == FL_OK ? fl_fail(error, 0, "filelock: %s has just vanished", t->path) : result;
    say_who_shares(t, &st, info->shared_with, sizeof info->shared_with);
    info->exists = true;
    info->mode = st.st_mode & 0777;
    info->capacity = t->map.geometry.capacity;
    info->bytes = t->map.geometry.size;
    info->attached = count_attached(t);
    return fl_list(store, "", 0, count_one, info, error);
}

/* ---- findings */

typedef struct {
    const table *t;
    fl_check_function each;
    void *context;
} findings;

static void check_directory(const findings *f, const struct stat *directory)
{
    if ((directory->st_mode & S_IWOTH) && !(directory->st_mode & S_ISVTX))
        fl_tell(f->each, f->context,
                "every user can delete the table: the directory %s is writable for all (mode %04o)", f->t->directory,
                (unsigned)directory->st_mode & 07777);
    if ((f->t->mode & 0060) && !(directory->st_mode & S_ISGID))
        fl_tell(
            f->each, f->context,
            "a table made by another user will belong to that user's group, since %s is not setgid; chmod g+s makes it "
            "the directory's",
            f->t->directory);
}

static void check_existing(const findings *f, const struct stat *file)
{
    unsigned mode = file->st_mode & 0777;
    if (mode != f->t->mode)
        fl_tell(f->each, f->context, "%s has mode %04o, while %04o is asked for: the first who made it decided",
                f->t->path, mode, f->t->mode);
    if (f->t->map.base != NULL && f->t->map.geometry.capacity != f->t->capacity)
        fl_tell(f->each, f->context, "%s has room for %u names, while %u are asked for: the first who made it decided",
                f->t->path, f->t->map.geometry.capacity, f->t->capacity);
    if ((mode & S_IROTH) && !(mode & S_IWOTH))
        fl_tell(f->each, f->context,
                "every user can read %s, and so keep new processes out of it, by locking their places", f->t->path);
    if (mode & S_IWOTH)
        fl_tell(f->each, f->context, "every user can write into %s, and so take, break or forge any lock in it",
                f->t->path);
}

static void check_place(const findings *f, int directory)
{
    const char *type;
    if (!os_is_local(directory, &type))
        fl_tell(f->each, f->context,
                "%s lies on a file system (%s) that does not share memory between kernels: it is refused",
                f->t->directory, type);
    if (strcmp(type, "overlayfs") == 0)
        fl_tell(f->each, f->context, "%s lies inside a container's own file system: no other container shares it",
                f->t->directory);
    if (strncmp(f->t->directory, "/dev/shm/", 9) == 0 && geteuid() > 999)
        fl_tell(f->each, f->context, "logind may erase %s when uid %u logs out (RemoveIPC=yes)", f->t->directory,
                (unsigned)geteuid());
    if (f->t->own_directory)
        fl_tell(
            f->each, f->context,
            "only processes of uid %u share this store; for several users set filelock.store to a directory of mode "
            "2770, as in table:/run/app?mode=0660",
            (unsigned)geteuid());
}

fl_result table_check(fl_store *store, fl_check_function each, void *context, fl_error *error)
{
    table *t = (table *)store;
    findings f = {t, each, context};
    struct stat st;
    int directory;
    fl_result result = directory_open(t, &directory, error);
    if (result != FL_OK)
        return result == FL_FREE ? FL_OK : result;
    check_place(&f, directory);
    if (fstat(directory, &st) == 0 && !t->own_directory)
        check_directory(&f, &st);
    close(directory);
    result = table_view(t, error);
    if (result == FL_OK && stat(t->path, &st) == 0)
        check_existing(&f, &st);
    return result == FL_FREE ? FL_OK : result;
}
