/*
 * What all clients of a directory agree on, and whether it can hold locks at all.
 *
 * The format is the name of the only entry of base/.format, which is made elsewhere and renamed into place: the first client
 * decides, and nobody sees half of it. It fixes the version, the mode of files, their group, and how coarse the server's time
 * stamps are, since all have to grant the same grace.
 *
 * The base itself is never made: where a share is not mounted there is nothing, or an empty directory of this machine alone,
 * and two stores are no exclusion.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "directory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

enum { FORMAT_VERSION = 1 };

/* Setgid where a group shares it, so that all in it belongs to that group. */
unsigned format_directory_mode(const directory *d)
{
    return d->mode | (d->mode & 0444) >> 2 | (d->mode & 0020 ? 02000 : 0);
}

/* ---- the place */

static bool is_safe_mount(const char *type)
{
    static const char *const safe[] = {"virtiofs", "fuse.sshfs", "fuse.exfat", "exfat", "fuseblk"};
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
        if (strcmp(type, safe[i]) == 0)
            return true;
    return false;
}

static bool is_safe_remote(const char *name)
{
    return strcmp(name, "NFS") == 0 || strcmp(name, "9p") == 0 || strcmp(name, "exfat") == 0 ||
           strcmp(name, "vfat") == 0;
}

/* By a list of those where a rename is one step of the server and a directory's time is the server's. */
const char *format_file_system(const directory *d, char *buffer, size_t size)
{
    const char *name = "unknown";
    int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool safe = fd >= 0 && (os_is_local(fd, &name) || is_safe_remote(name));
    if (fd >= 0)
        close(fd);
    snprintf(buffer, size, "%s", name);
    if (!safe && strcmp(name, "FUSE") == 0 && os_mount_type(d->path, buffer, size))
        safe = is_safe_mount(buffer);
    return safe ? "" : buffer;
}

static fl_result check_file_system(const directory *d, fl_error *error)
{
    char buffer[64];
    const char *name = format_file_system(d, buffer, sizeof buffer);
    if (name[0] == '\0')
        return FL_OK;
    fl_fail(error, 0,
            "filelock: %s lies on a file system (%s) where a rename is not known to be one step for all clients",
            d->path, name);
    fl_advise(error, "export the directory by NFS, or use a table: store on one machine");
    return FL_ERROR;
}

static fl_result check_readable(const directory *d, fl_error *error)
{
    int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        fl_fail(error, errno, "filelock: cannot read the directory %s", d->path);
        fl_advise(error, "a status needs permission to read it, a lock to write into it, too");
        return FL_ERROR;
    }
    close(fd);
    return FL_OK;
}

static fl_result check_base(const directory *d, struct stat *st, fl_error *error)
{
    if (stat(d->path, st) != 0) {
        fl_fail(error, errno, "filelock: cannot use the directory %s", d->path);
        fl_advise(error, "is the share mounted? A dir: store never makes its directory: mkdir -m 2770 %s", d->path);
        return FL_ERROR;
    }
    if (!S_ISDIR(st->st_mode))
        return fl_fail(error, ENOTDIR, "filelock: %s", d->path);
    unsigned mode = d->asked_mode != 0 ? d->asked_mode : st->st_mode;
    if ((st->st_mode & S_ISVTX) && (mode & 022)) {
        fl_fail(
            error, 0,
            "filelock: %s is sticky (mode %04o): whoever may write there can put a store of his own in the place, and "
            "nobody may rename the files of others",
            d->path, (unsigned)st->st_mode & 07777);
        fl_advise(error, "make a directory for the locks below it: mkdir -m 2770 %s/locks", d->path);
        return FL_ERROR;
    }
    return check_readable(d, error) == FL_OK ? check_file_system(d, error) : FL_ERROR;
}

/* ---- reading */

typedef struct {
    directory *d;
    int entries;
    bool good;
} format_reading;

static bool read_entry(void *context, const char *entry)
{
    format_reading *f = context;
    unsigned version, mode, group, grain;
    int end = 0;
    f->entries++;
    f->good = sscanf(entry, "v%u-mode%o-group%u-grain%u%n", &version, &mode, &group, &grain, &end) == 4 &&
              entry[end] == '\0' && version == FORMAT_VERSION && (mode & ~0666u) == 0 && grain <= 60000;
    if (!f->good)
        return false;
    f->d->mode = mode;
    f->d->group = group;
    f->d->granularity = grain;
    return true;
}

static fl_result read_format(directory *d, fl_error *error)
{
    char path[FL_DSN_PATH_MAX + 8];
    format_reading f = {.d = d};
    snprintf(path, sizeof path, "%s/.format", d->path);
    if (files.list(path, read_entry, &f) != 0)
        return errno == ENOENT ? FL_FREE : fl_fail(error, errno, "filelock: cannot read %s", path);
    if (f.entries != 1 || !f.good) {
        fl_fail(error, 0, "filelock: %s does not hold exactly one entry of version %d", path, FORMAT_VERSION);
        fl_advise(error, "use the same version on all machines, or delete the whole store while nobody uses it");
        return FL_ERROR;
    }
    d->viewed = true;
    return FL_OK;
}

/* Who am I? Judging whether others are dead needs it, too. */
static void identify(directory *d)
{
    if (d->pid == getpid())
        return;
    d->pid = getpid();
    d->machine = os_machine();
    d->start = os_process_start(d->pid);
    os_host_name(d->host, sizeof d->host);
}

fl_result format_view(directory *d, fl_error *error)
{
    struct stat st;
    identify(d);
    if (d->viewed)
        return FL_OK;
    fl_result result = check_base(d, &st, error);
    return result == FL_OK ? read_format(d, error) : result;
}

/* ---- making */

static fl_result make_part(const directory *d, const char *where, const char *part, fl_error *error)
{
    char path[FL_DSN_PATH_MAX + 8];
    snprintf(path, sizeof path, "%s/%s", d->path, part);
    if (step_make_directory(d, where, path) == 0)
        return FL_OK;
    fl_fail(error, errno, "filelock: cannot make %s", path);
    fl_advise(error, "taking a lock needs permission to write into the store; looking needs none");
    return FL_ERROR;
}

static fl_result make_parts(const directory *d, fl_error *error)
{
    fl_result result = make_part(d, ".", ".new", error);
    FL_STEP("format:new");
    return result == FL_OK ? make_part(d, ".new", ".clock", error) : result;
}

/* A time stamp without a fraction twice in a row is no accident. */
static fl_result measure_granularity(directory *d, fl_error *error)
{
    d->granularity = GRAIN_SECONDS;
    for (int i = 0; i < 2; i++) {
        if (clock_sample_now(d, error) != FL_OK)
            return FL_ERROR;
        if (d->sample.server % 1000 != 0)
            d->granularity = GRAIN_FINE;
    }
    return FL_OK;
}

static fl_result publish_format(directory *d, fl_error *error)
{
    char prepared[FL_DSN_PATH_MAX + 48], entry[FL_DSN_PATH_MAX + 128], place[FL_DSN_PATH_MAX + 8];
    uint64_t name[2];
    if (!os_random(name, sizeof name))
        return fl_fail(error, errno, "filelock: no random bytes");
    snprintf(prepared, sizeof prepared, "%s/.new/%016" PRIx64 "%016" PRIx64, d->path, name[0], name[1]);
    snprintf(entry, sizeof entry, "%s/v%d-mode%04o-group%u-grain%u", prepared, FORMAT_VERSION, d->mode, d->group,
             (unsigned)d->granularity);
    snprintf(place, sizeof place, "%s/.format", d->path);
    int code = files.make_directory(prepared, format_directory_mode(d), (int)d->group) == 0 &&
                       files.make_file(entry, NULL, 0, d->mode, (int)d->group) == 0
                   ? 0
                   : errno;
    FL_STEP("format:prepared");
    bool made = code == 0 && files.rename(prepared, place) == 0;
    if (!made) {
        code = code != 0 ? code : errno;
        files.remove_file(entry);
        files.remove_directory(prepared);
    }
    /* Whatever the error says: if there is one now, somebody made it. */
    fl_result result = read_format(d, error);
    return result == FL_FREE ? fl_fail(error, made ? ENOENT : code, "filelock: cannot make %s", place) : result;
}

static fl_result make_format(directory *d, const struct stat *base, fl_error *error)
{
    d->mode = d->asked_mode != 0 ? d->asked_mode : base->st_mode & 0666;
    d->group = base->st_gid;
    fl_result result = make_parts(d, error);
    if (result == FL_OK)
        result = measure_granularity(d, error);
    return result == FL_OK ? publish_format(d, error) : result;
}

/* ---- attaching */

static void forget_inherited(directory *d)
{
    for (record *r; (r = d->held) != NULL;)
        give_forget(d, r); /* the parent's: nothing is given back */
}

/* Where a share was mounted, a new store would be no exclusion. */
fl_result format_vanished(const directory *d, fl_error *error)
{
    fl_fail(error, ENOENT, "filelock: %s/.format", d->path);
    fl_advise(error, "the share is not mounted any more, or the store was deleted: then open it anew");
    return FL_ERROR;
}

/* After a fork, too: the child has another pid, and holds nothing. */
fl_result format_attach(fl_store *store, fl_error *error)
{
    directory *d = (directory *)store;
    struct stat st;
    bool forked = store_is_forked(store);
    if (forked)
        forget_inherited(d);
    os_fork_page_free(store->here);
    store->here = NULL;
    fl_result result = check_base(d, &st, error);
    if (result == FL_OK)
        result = read_format(d, error);
    if (result == FL_FREE)
        result = d->viewed ? format_vanished(d, error) : make_format(d, &st, error);
    else if (result == FL_OK)
        result = make_parts(d, error);
    if (result != FL_OK)
        return FL_ERROR;
    identify(d);
    if (!os_random(&store->seed, sizeof store->seed) || (store->here = os_fork_page_new()) == NULL)
        return fl_fail(error, errno, "filelock: no memory that tells a forked child");
    store_next_epoch(store, forked);
    return FL_OK;
}
