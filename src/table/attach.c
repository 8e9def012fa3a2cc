/*
 * Getting in and out of a table, and noticing that it was deleted or replaced.
 *
 * DELETION. Somebody may remove or replace the file at any time; mapped memory goes on working, so that two tables could grant
 * the same name. Therefore: a grant counts only if the path led to this very file at a time no longer than CHECK_EVERY before
 * the grant is believed; and a new table grants nothing in its first QUARANTINE, counted from a time after it got its name.
 * CHECK_EVERY plus the lag of the coarse clock (at most 10 ms) is less than QUARANTINE: no two grants overlap. That holds for
 * every new table, also in a new directory, since a directory can have been removed with its table a moment ago.
 *
 * LIVENESS. The slot's byte lock belongs to the open file description, which the mapping keeps alive; so the descriptor is
 * closed at once: none to inherit, none that others could close. On overlayfs the mapping belongs to a file below, and the
 * descriptor has to stay.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

/* The kernel stamps files with a clock that lags by a tick. */
#define STAMP_LAG (10 * INT64_C(1000000))

/* A forked child: neither the map nor the slot exists here, and the descriptor was closed by the fork handler. */
static void forget(table *t)
{
    memset(&t->map, 0, sizeof t->map);
    os_fork_page_free(t->base.here);
    t->base.here = NULL;
    t->kept = -1;
    t->me = t->spares = t->owned = 0;
    store_next_epoch(&t->base, true);
}

static void settle_fork(table *t)
{
    if (store_is_forked(&t->base))
        forget(t);
}

void table_detach(table *t)
{
    settle_fork(t);
    if (t->base.here != NULL) {
        if (!slot_leave(t))
            memset(&t->map, 0, sizeof t->map); /* the mapping has to stay */
        os_fork_page_free(t->base.here);
        t->base.here = NULL;
        store_next_epoch(&t->base, false);
    }
    map_close(&t->map);
    os_drop_descriptor(t->kept);
    t->kept = -1;
}

/* ---- is it still the same file? */

static bool is_same(const table *t, const struct stat *st)
{
    return st->st_dev == t->map.device && st->st_ino == t->map.inode;
}

static fl_result cannot_check(const table *t, int code, fl_error *error)
{
    fl_fail(error, code, "filelock: cannot check whether %s still is the table in use", t->path);
    fl_advise(error, "after chroot or setuid a store must be opened anew");
    return FL_ERROR;
}

/* After chroot the path means another file, or none; that says nothing about the table. */
static bool is_root_moved(const table *t)
{
    struct stat st;
    return stat("/", &st) != 0 || st.st_dev != t->root_device || st.st_ino != t->root_inode;
}

static void remember_root(table *t)
{
    struct stat st = {0};
    stat("/", &st);
    t->root_device = st.st_dev;
    t->root_inode = st.st_ino;
}

fl_result table_check_path(table *t, fl_error *error)
{
    struct stat st;
    int64_t now = os_now();
    int code = stat(t->path, &st) == 0 ? 0 : errno;
    if (code == 0 && is_same(t, &st)) {
        t->checked = now;
        return FL_OK;
    }
    if (code != 0 && code != ENOENT && code != ENOTDIR)
        return cannot_check(t, code, error);
    if (is_root_moved(t))
        return cannot_check(t, 0, error);
    table_detach(t);
    return FL_LOST;
}

int table_open_again(const table *t)
{
    struct stat st;
    int fd = open(t->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && is_same(t, &st))
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

/* ---- in */

static void sleep_until_old_enough(int64_t age)
{
    if (age < QUARANTINE)
        os_sleep_until(os_now_precise() + QUARANTINE - (age > 0 ? age : 0));
}

static int64_t since(struct timespec t)
{
    return os_wall() - os_file_time(t.tv_sec, t.tv_nsec);
}

/*
 * When was a table put here, itself or one of the directories above it? A rename into the directory changes its both times; a
 * directory that was itself renamed has a new change time (ctime) and the old mtime, which tells it from one that is just busy,
 * as /tmp is. Not the file's own times: writing into the mapping changes them on disks.
 */
static int64_t age_of_place(const table *t)
{
    struct stat st;
    char path[sizeof t->directory];
    memcpy(path, t->directory, sizeof path);
    int64_t age = stat(path, &st) == 0 ? since(st.st_ctim) : QUARANTINE;
    for (char *slash; (slash = strrchr(path, '/')) != NULL && slash != path;) {
        *slash = '\0';
        bool moved = stat(path, &st) == 0 &&
                     (st.st_ctim.tv_sec != st.st_mtim.tv_sec || st.st_ctim.tv_nsec != st.st_mtim.tv_nsec);
        if (moved && since(st.st_ctim) < age)
            age = since(st.st_ctim);
    }
    return age;
}

/*
 * A new table counts from its first attachment, however long its creator was stopped before. An old one may have been moved
 * here a moment ago. (A wall clock that goes wrong costs QUARANTINE once per attachment, no more. Not noticed: another file
 * system that is mounted over the place, with a table in it.)
 */
static void sit_out_quarantine(table *t)
{
    int64_t none = 0, now = os_now_precise();
    /* Only the value matters, no order. */
    if (!atomic_compare_exchange_strong(&t->map.header->born, &none, now))
        now = none;
    FL_STEP("attach:born");
    sleep_until_old_enough(os_now_precise() - now);
    sleep_until_old_enough(age_of_place(t) - STAMP_LAG);
}

/* Does my byte lock outlive the descriptor? Asked of the kernel, since it depends on the file system. */
static fl_result check_lock_is_kept(const table *t, const char *type, fl_error *error)
{
    int fd = table_open_again(t);
    if (fd < 0 && (errno == ESTALE || errno == ENOENT))
        return FL_OK; /* deleted just now: whoever checks the path next finds out */
    int locked = fd < 0 ? -1 : os_byte_is_write_locked(fd, LAYOUT_LOCKS + t->me - 1), code = errno;
    if (fd >= 0)
        close(fd);
    if (locked == 1)
        return FL_OK;
    if (locked < 0)
        return fl_fail(error, code, "filelock: cannot ask for my own lock on %s", t->path);
    fl_fail(error, 0, "filelock: %s lies on a file system (%s) that drops the lock of a mapped file", t->path, type);
    fl_advise(error, "put the table on a tmpfs");
    return FL_ERROR;
}

/* Closes fd; makes sure that the slot's lock outlives it. */
static fl_result secure_lock(table *t, int fd, fl_error *error)
{
    const char *type;
    os_is_local(fd, &type);
    if (strcmp(type, "overlayfs") == 0) {
        t->kept = os_keep_descriptor(fd);
        if (t->kept < 0)
            fl_fail(error, errno, "filelock: no descriptor to keep %s open with", t->path);
    }
    close(fd);
    if (t->kept >= 0)
        return FL_OK;
#ifdef FL_TESTING
    if (fl_map_shared_for_tsan)
        return FL_OK;
#endif
    return strcmp(type, "overlayfs") == 0 ? FL_ERROR : check_lock_is_kept(t, type, error);
}

static fl_result enter(table *t, int fd, fl_error *error)
{
    /* Temp cleaners leave alone what somebody has locked like this; nothing else depends on it. */
    flock(fd, LOCK_SH | LOCK_NB);
    t->base.here = os_fork_page_new();
    if (t->base.here == NULL) {
        close(fd);
        return fl_fail(error, errno, "filelock: this kernel cannot tell a forked child (needs Linux 4.14)");
    }
    FL_STEP("attach:mapped");
    fl_result result = slot_register(t, fd, error);
    if (result != FL_OK) {
        close(fd);
        return result;
    }
    FL_STEP("attach:registered");
    return secure_lock(t, fd, error);
}

/* One try at what may be deleted again at every step: FL_LOST = once more. */
static fl_result attach_once(table *t, fl_error *error)
{
    int fd;
    fl_result result = map_open(t, true, &t->map, &fd, error);
    if (result == FL_FREE || result == FL_LOST) {
        result = table_create(t, error);
        return result == FL_OK ? FL_LOST : result;
    }
    if (result == FL_OK)
        result = enter(t, fd, error);
    if (result != FL_OK) {
        table_detach(t);
        return result;
    }
    t->base.seed = t->map.header->seed;
    sit_out_quarantine(t);
    return table_check_path(t, error);
}

fl_result table_attach(fl_store *store, fl_error *error)
{
    enum { TRIES = 100 };
    table *t = (table *)store;
    table_detach(t); /* what a fork or a status left */
    memset(t->alive, 0, sizeof t->alive);
    remember_root(t);
    store_next_epoch(store, false);
    for (int i = 0; i < TRIES; i++) {
        fl_result result = attach_once(t, error);
        if (result != FL_LOST)
            return result;
    }
    return fl_fail(error, ENOENT, "filelock: %s is deleted as fast as it is made", t->path);
}

fl_result table_view(table *t, fl_error *error)
{
    settle_fork(t);
    int64_t now = os_now();
    if (t->map.base != NULL && (now - t->checked < CHECK_EVERY || table_check_path(t, error) == FL_OK))
        return FL_OK;
    if (t->map.base != NULL)
        return FL_ERROR;
    fl_result result = map_open(t, false, &t->map, NULL, error);
    remember_root(t);
    t->checked = now;
    return result == FL_LOST ? FL_FREE : result;
}
