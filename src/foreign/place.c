/*
 * From a name to its file and back. Bytes other than letters, digits, "_", "-" and an inner "." are written as %xx, so that the
 * files that other programs use for plain names are found, and no name leaves the directory, hides, or meets the guard. What does not
 * fit into a file name ends in "~" and a hash; then the name cannot be read back.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"
#include "sha256.h"

enum { FILE_MAX = 255, HASH_LENGTH = 33 /* with the ~ */ };

static bool is_plain(unsigned char c, size_t at)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (c == '.' && at > 0);
}

/* Returns the length, or 0: it does not fit into `room` bytes, which are filled as far as they go. */
static size_t escape(const char *name, size_t length, char *out, size_t room)
{
    static const char digits[] = "0123456789abcdef";
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        size_t needs = is_plain(c, i) ? 1 : 3;
        if (used + needs > room)
            return 0;
        if (needs == 1) {
            out[used++] = (char)c;
            continue;
        }
        out[used++] = '%';
        out[used++] = digits[c >> 4];
        out[used++] = digits[c & 15];
    }
    return used;
}

/* What of a name that is too long fits beside a hash of it. */
static size_t shorten(const char *name, size_t length, char *out, size_t room)
{
    uint64_t digest[2];
    char head[FILE_MAX + 1] = "";
    escape(name, length, head, room - HASH_LENGTH);
    sha256_128(name, length, digest);
    return (size_t)snprintf(out, room + 1, "%s~%016" PRIx64 "%016" PRIx64, head, digest[0], digest[1]);
}

static void name_file(const foreign *f, const char *name, size_t length, char *file)
{
    size_t suffix = strlen(f->suffix), room = FILE_MAX - suffix;
    size_t used = escape(name, length, file, room);
    if (used == 0)
        used = shorten(name, length, file, room);
    memcpy(file + used, f->suffix, suffix + 1);
}

void place_decide(foreign *f)
{
    size_t n = strlen(f->path), suffix = strlen(f->suffix);
    f->single =
        suffix > 0 && n > suffix + 1 && strcmp(f->path + n - suffix, f->suffix) == 0 && f->path[n - suffix - 1] != '/';
    const char *last = strrchr(f->path, '/');
    if (f->single)
        n = last == f->path ? 1 : (size_t)(last - f->path);
    memcpy(f->directory, f->path, n);
    f->directory[n] = '\0';
}

fl_result place_check_name(const fl_store *store, const char *name, size_t length, fl_error *error)
{
    const foreign *f = (const foreign *)store;
    const char *file = strrchr(f->path, '/') + 1;
    size_t stem = strlen(file) - strlen(f->suffix);
    if (!f->single || (stem == length && memcmp(file, name, length) == 0))
        return FL_OK;
    return fl_refuse(error, FL_ARG_NAME, "must be \"%.*s\": the store is the one lock %s", (int)stem, file, f->path);
}

/* Returns where the file's name goes: up to FILE_MAX bytes and the end. */
static char *begin(const foreign *f, place *p)
{
    size_t n = strlen(f->directory);
    memcpy(p->path, f->directory, n);
    if (n > 1)
        p->path[n++] = '/';
    p->directory = f->directory;
    p->file = p->path + n;
    return p->path + n;
}

void place_of_file(const foreign *f, const char *file, place *p)
{
    snprintf(begin(f, p), FILE_MAX + 1, "%s", file);
}

fl_result place_of_name(const foreign *f, const char *name, size_t length, place *p, fl_error *error)
{
    if (place_check_name(&f->base, name, length, error) != FL_OK)
        return FL_ERROR;
    char *file = begin(f, p);
    if (f->single)
        memcpy(file, strrchr(f->path, '/') + 1, strlen(strrchr(f->path, '/')));
    else
        name_file(f, name, length, file);
    return FL_OK;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One byte of a name, from `text`, its `at`-th; returns how much of it was read, 0: that is not how I write it. */
static size_t unescape(const char *text, const char *end, size_t at, char *byte)
{
    int high = 0, low = 0;
    *byte = *text;
    if (*text != '%')
        return is_plain((unsigned char)*text, at) ? 1 : 0;
    if (end - text < 3 || (high = digit(text[1])) < 0 || (low = digit(text[2])) < 0)
        return 0;
    *byte = (char)(high << 4 | low);
    return is_plain((unsigned char)*byte, at) ? 0 : 3;
}

/* Ends what is left of a file name that is as long as can be in the hash of what did not fit? */
static bool is_hash(const char *text, const char *end, size_t length)
{
    return *text == '~' && end - text == HASH_LENGTH && strspn(text + 1, "0123456789abcdef") >= HASH_LENGTH - 1 &&
           length >= FILE_MAX - 2;
}

bool place_to_name(const foreign *f, const char *file, char name[FL_NAME_MAX + 1], size_t *length)
{
    size_t n = strlen(file), suffix = strlen(f->suffix), step = 1;
    const char *end = file + n - suffix;
    if (n <= suffix || strcmp(end, f->suffix) != 0)
        return false;
    for (*length = 0; file < end && step > 0 && *length < FL_NAME_MAX && !is_hash(file, end, n);
         file += step, ++*length)
        step = unescape(file, end, *length, &name[*length]);
    for (; file < end && step > 0 && *length < FL_NAME_MAX; file++) /* the hash as it stands there */
        name[(*length)++] = *file;
    return step > 0 && file == end;
}

/* Judging whether others are dead needs it, too; a forked child is another process. */
static void identify(foreign *f)
{
    if (f->pid == getpid())
        return;
    f->pid = getpid();
    f->machine = os_machine();
    f->start = os_process_start(f->pid);
    f->sees_all = os_sees_all_processes();
    os_host_name(f->host, sizeof f->host);
}

static fl_result check_file_system(foreign *f, int fd, fl_error *error)
{
    const char *type;
    f->local = os_is_local(fd, &type);
    if (f->local || (f->method->remove != NULL && strcmp(type, "NFS") == 0))
        return FL_OK;
    fl_fail(error, 0, "filelock: cannot lock by %s in %s: on its file system (%s) it may not be seen what others do",
            f->method->name, f->directory, type);
    fl_advise(error, "dir: is for shared directories, and method=link is for NFS");
    return FL_ERROR;
}

fl_result place_look(foreign *f, fl_error *error)
{
    if (store_is_forked(&f->base))
        keep_forget_all(f); /* the parent's: nothing of it is mine */
    identify(f);
    int fd = open(f->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        fl_fail(error, errno, "filelock: cannot lock in %s", f->directory);
        fl_advise(error, "make the directory first; a path that ends in \"%s\" is one lock", f->suffix);
        return FL_ERROR;
    }
    fl_result result = check_file_system(f, fd, error);
    close(fd);
    return result;
}
