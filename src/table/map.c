/* The table's file and its directory: opening, checking, mapping. Nothing here changes a file that exists. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the directory */

static bool is_private(const struct stat *st)
{
    return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static fl_result check_own_directory(const table *t, int fd, fl_error *error)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return fl_fail(error, errno, "filelock: cannot examine the directory %s", t->directory);
    if (is_private(&st))
        return FL_OK;
    fl_fail(error, 0, "filelock: the directory %s belongs to uid %u with mode %04o, but must be uid %u's alone",
            t->directory, (unsigned)st.st_uid, (unsigned)st.st_mode & 07777, (unsigned)geteuid());
    fl_advise(error, "remove it, or set filelock.store to a directory of your own, as in table:/run/app");
    return FL_ERROR;
}

fl_result directory_open(const table *t, int *fd, fl_error *error)
{
    *fd = open(t->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (t->own_directory ? O_NOFOLLOW : 0));
    if (*fd < 0 && errno == ENOENT)
        return FL_FREE;
    if (*fd < 0) {
        fl_fail(error, errno, "filelock: cannot open the directory %s as uid %u", t->directory, (unsigned)geteuid());
        fl_advise(error,
                  "users who share a store need a directory that all of them can read and write, "
                  "as in: install -d -m 2770 -g GROUP %s",
                  t->directory);
        return FL_ERROR;
    }
    if (!t->own_directory || check_own_directory(t, *fd, error) == FL_OK)
        return FL_OK;
    close(*fd);
    return FL_ERROR;
}

/* A file mode of 0660 asks for a directory of 02770: whoever may use the table may also make a new one, for the same group. */
static mode_t directory_mode(const table *t)
{
    mode_t mode = t->mode | (t->mode & 0444) >> 2;
    return (t->mode & 0060) ? mode | S_ISGID : mode;
}

fl_result directory_make(const table *t, fl_error *error)
{
    if (mkdir(t->directory, 0700) != 0) {
        if (errno == EEXIST)
            return FL_OK;
        fl_fail(error, errno, "filelock: cannot make the directory %s as uid %u", t->directory, (unsigned)geteuid());
        fl_advise(error, "make it beforehand, as in: install -d -m %04o %s", (unsigned)directory_mode(t), t->directory);
        return FL_ERROR;
    }
    /* Independent of the umask. Nobody but us can have entered it before this. */
    int fd = open(t->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        fchmod(fd, directory_mode(t));
        close(fd);
    }
    return FL_OK;
}

/* ---- the header */

uint64_t header_checksum(const table_header *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    uint64_t sum = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < offsetof(table_header, checksum); i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* A table in memory is gone after a reboot; elsewhere the boot must be known, or old leases would look alive. */
fl_result header_identify(table_header *header, bool in_memory, const char *path, fl_error *error)
{
    os_time_namespace(&header->time_namespace);
    if (os_boot_id(header->boot) || in_memory)
        return FL_OK;
    fl_fail(error, 0, "filelock: cannot tell one boot from another for %s, since /proc is not readable here", path);
    fl_advise(error, "mount /proc, or put the table on a tmpfs");
    return FL_ERROR;
}

static fl_result foreign(const table *t, fl_error *error, const char *what)
{
    fl_fail(error, 0, "filelock: %s is %s", t->path, what);
    fl_advise(error, "it was left untouched: move it away, or use another directory");
    return FL_ERROR;
}

static fl_result check_header(const table *t, const table_header *h, ssize_t n, off_t size, fl_error *error)
{
    if (n < (ssize_t)sizeof *h || memcmp(h->magic, LAYOUT_MAGIC, sizeof h->magic) != 0)
        return foreign(t, error, n < (ssize_t)sizeof *h ? "too short to be a filelock table" : "not a filelock table");
    if (h->format != LAYOUT_FORMAT)
        return foreign(t, error, "a filelock table of another format, made by another version of filelock");
    if (h->checksum != header_checksum(h) || h->capacity < CAPACITY_LEAST || h->capacity > CAPACITY_MOST)
        return foreign(t, error, "a damaged filelock table");
    if (h->size != (uint64_t)size)
        return foreign(t, error, "a truncated filelock table");
    return FL_OK;
}

static fl_result check_world(const table *t, const table_header *h, bool in_memory, fl_error *error)
{
    table_header mine = {0};
    if (header_identify(&mine, in_memory, t->path, error) != FL_OK)
        return FL_ERROR;
    static const unsigned char unknown[sizeof mine.boot];
    if (memcmp(mine.boot, h->boot, sizeof mine.boot) != 0 && memcmp(h->boot, unknown, sizeof unknown) != 0 &&
        memcmp(mine.boot, unknown, sizeof unknown) != 0)
        return FL_LOST;
    if (mine.time_namespace != h->time_namespace && mine.time_namespace != 0 && h->time_namespace != 0) {
        fl_fail(error, 0, "filelock: %s belongs to another time namespace: its deadlines mean nothing here", t->path);
        fl_advise(error, "use a directory of this namespace's own");
        return FL_ERROR;
    }
    return FL_OK;
}

/* ---- the file */

/* Others' files are used only where the directory says so: its owner's, or its group's by the setgid bit. */
static bool is_trusted(const struct stat *file, const struct stat *directory)
{
    return file->st_uid == geteuid() || file->st_uid == 0 || file->st_uid == directory->st_uid ||
           ((directory->st_mode & S_ISGID) && file->st_gid == directory->st_gid);
}

static fl_result check_file(const table *t, int directory, int fd, struct stat *st, fl_error *error)
{
    struct stat dir;
    if (fstat(fd, st) != 0 || fstat(directory, &dir) != 0)
        return fl_fail(error, errno, "filelock: cannot examine %s", t->path);
    if (!S_ISREG(st->st_mode))
        return foreign(t, error, "not a regular file");
    if (!is_trusted(st, &dir)) {
        fl_fail(error, 0, "filelock: %s belongs to uid %u, who could deceive uid %u", t->path, (unsigned)st->st_uid,
                (unsigned)geteuid());
        fl_advise(error, "share a directory with a group, as in: install -d -m 2770 -g GROUP %s", t->directory);
        return FL_ERROR;
    }
    const char *type;
    if (os_is_local(fd, &type))
        return FL_OK;
    fl_fail(error, 0, "filelock: %s lies on a file system (%s) that does not share memory between kernels", t->path,
            type);
    fl_advise(error, "use a local directory");
    return FL_ERROR;
}

static fl_result open_file(const table *t, int directory, bool writable, int *fd, fl_error *error)
{
    /* Never O_CREAT: in a sticky directory the kernel refuses it for others' files. Never block on a FIFO. */
    *fd =
        openat(directory, LAYOUT_FILE, (writable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*fd >= 0)
        return FL_OK;
    if (errno == ENOENT)
        return FL_FREE;
    if (errno == ELOOP)
        return foreign(t, error, "a symbolic link, which is never followed");
    if (errno == EISDIR || errno == ENXIO)
        return foreign(t, error, "not a regular file");
    struct stat st;
    int code = errno;
    bool known = fstatat(directory, LAYOUT_FILE, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (known && !S_ISREG(st.st_mode))
        return foreign(t, error, "not a regular file");
    fl_fail(error, code, "filelock: cannot open %s as uid %u", t->path, (unsigned)geteuid());
    if (known)
        fl_advise(error,
                  "it belongs to uid %u, gid %u with mode %04o; a store for several users is table:%s?mode=0660 "
                  "in a directory of mode 2770",
                  (unsigned)st.st_uid, (unsigned)st.st_gid, (unsigned)st.st_mode & 07777, t->directory);
    return FL_ERROR;
}

static void point_into(table_map *map)
{
    const table_geometry *g = &map->geometry;
    map->header = (table_header *)map->base;
    map->slot = (table_slot *)(map->base + g->slot);
    map->own = (_Atomic uint32_t *)(map->base + g->own);
    map->pin = (_Atomic uint16_t *)(map->base + g->pin);
    map->pub = (_Atomic uint64_t *)(map->base + g->pub);
    map->record = (table_record *)(map->base + g->record);
    map->bucket = (table_bucket *)(map->base + g->bucket);
    map->entry = (table_entry *)(map->base + g->entry);
    map->rest = (table_rest *)(map->base + g->rest);
    map->first_token = map->header->first_token;
}

#ifdef FL_TESTING
/* A race detector sees addresses: all stores of the process get the first one's mapping, and the descriptor stays open. */
static void *shared_for_tsan(int fd, size_t size)
{
    static _Atomic(void *) shared;
    void *none = NULL, *base = atomic_load(&shared);
    dup(fd);
    if (base != NULL)
        return base;
    base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (atomic_compare_exchange_strong(&shared, &none, base))
        return base;
    munmap(base, size);
    return none;
}
#endif

static void *map_file(int fd, size_t size, bool writable)
{
#ifdef FL_TESTING
    if (fl_map_shared_for_tsan)
        return shared_for_tsan(fd, size);
#endif
    void *base = mmap(NULL, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return NULL;
    /* The mapping keeps my byte lock: a child must not have it, or it would keep a dead parent alive. */
    if (writable && madvise(base, size, MADV_DONTFORK) != 0) {
        munmap(base, size);
        return NULL;
    }
    madvise(base, size, MADV_DONTDUMP); /* keys are secret */
    return base;
}

static fl_result map_checked(const table *t, int directory, int fd, bool writable, table_map *map, fl_error *error)
{
    table_header header;
    struct stat st;
    fl_result result = check_file(t, directory, fd, &st, error);
    if (result != FL_OK)
        return result;
    ssize_t n = pread(fd, &header, sizeof header, 0);
    result = check_header(t, &header, n, st.st_size, error);
    if (result == FL_OK)
        result = check_world(t, &header, os_is_memory(fd), error);
    if (result != FL_OK)
        return result;
    geometry_init(&map->geometry, header.capacity);
    if (map->geometry.size != header.size)
        return foreign(t, error, "a damaged filelock table");
    map->base = map_file(fd, map->geometry.size, writable);
    if (map->base == NULL)
        return fl_fail(error, errno, "filelock: cannot map %s", t->path);
    map->device = st.st_dev;
    map->inode = st.st_ino;
    map->exclusive = st.st_uid == geteuid() && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0;
    point_into(map);
    return FL_OK;
}

fl_result map_open(table *t, bool writable, table_map *map, int *fd, fl_error *error)
{
    int directory, file;
    fl_result result = directory_open(t, &directory, error);
    if (result != FL_OK)
        return result;
    result = open_file(t, directory, writable, &file, error);
    if (result == FL_OK) {
        result = map_checked(t, directory, file, writable, map, error);
        if (result == FL_OK && fd != NULL)
            *fd = file;
        else
            close(file);
    }
    close(directory);
    return result;
}

void map_close(table_map *map)
{
    bool shared = false;
#ifdef FL_TESTING
    shared = fl_map_shared_for_tsan;
#endif
    if (map->base != NULL && !shared)
        munmap(map->base, map->geometry.size);
    memset(map, 0, sizeof *map);
}
