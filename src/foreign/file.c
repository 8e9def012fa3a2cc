/* What the methods do with files: made by us, kept by descriptor, read with care. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"

#define SLACK (40 * INT64_C(1000000))   /* clocks and file times of one machine differ by some ticks */
#define COARSE_MOST (2 * NS_PER_SECOND) /* the coarsest file times */
/* "Given back". 1995: stale by every age, and no second in which a clock that was never set can be. Even, for exfat. */
#define MARK (790499524 * NS_PER_SECOND)
#ifndef FOREIGN_GRAIN               /* a torture cannot wait for whole seconds */
#define FOREIGN_GRAIN NS_PER_SECOND /* what partners count in */
#endif

int64_t file_time(const struct stat *st)
{
    return os_file_time(st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

bool file_is_at(const holding *h, const struct stat *st)
{
    return h->fd >= 0 && st->st_dev == h->device && st->st_ino == h->inode;
}

void file_drop(holding *h)
{
    os_drop_descriptor(h->fd);
    h->fd = -1;
}

static void move(holding *from, holding *to)
{
    to->fd = from->fd;
    to->device = from->device;
    to->inode = from->inode;
    from->fd = -1;
}

void file_spare(const foreign *f, holding *h)
{
    if (f->spare == NULL || h->fd < 0) {
        file_drop(h);
        return;
    }
    file_drop(f->spare);
    move(h, f->spare);
    memcpy(f->spare->place.path, h->place.path, strlen(h->place.path) + 1);
}

bool file_take_spare(const foreign *f, holding *h)
{
    struct stat st;
    if (f->spare->fd < 0 || strcmp(f->spare->place.path, h->place.path) != 0)
        return false;
    move(f->spare, h);
    if (fstat(h->fd, &st) == 0 &&
        file_is_at(h, &st)) /* else somebody closed it, and its number may be another file's */
        return true;
    file_drop(h);
    return false;
}

/* ---- times */

/* By descriptor, also of a link (O_PATH): whatever stands in its place by now is not touched. */
static int set_time(const holding *h, int64_t time)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {time / NS_PER_SECOND, time % NS_PER_SECOND}};
    return utimensat(h->fd, "", times, AT_EMPTY_PATH) == 0 || futimens(h->fd, times) == 0 ? 0 : -1;
}

/* A file system may cut a time off: then a later one. Returns what it has become; -1: errno. */
static int64_t set_time_at_least(const holding *h, int64_t time)
{
    struct stat st;
    int64_t asked = time;
    for (int i = 0; i < 2; i++, asked += COARSE_MOST) {
        if (set_time(h, asked) != 0 || fstat(h->fd, &st) != 0)
            return -1;
        if (file_time(&st) >= time)
            break;
    }
    return file_time(&st);
}

static int64_t round_up(int64_t time)
{
    return (time + FOREIGN_GRAIN - 1) / FOREIGN_GRAIN * FOREIGN_GRAIN;
}

/* `made` is the file system's time of a moment ago. */
static int set_first_time(const foreign *f, holding *h, int64_t made)
{
    int64_t ttl = h->deadline - h->start, coarse = made % NS_PER_SECOND == 0 ? COARSE_MOST : 0;
    int64_t end = round_up(made + coarse + ttl + ttl / 1000 + SLACK);
    h->time = set_time_at_least(h, end - f->stale);
    FL_STEP("file:timed");
    return h->time >= 0 ? 0 : -1;
}

/* As much as my deadline does: a new look at the file system's clock could only tell the same. */
int file_move_time(holding *h, int64_t by)
{
    int64_t time = set_time_at_least(h, h->time + round_up(by + (by > 0 ? by / 1000 : 0)));
    FL_STEP("file:moved");
    if (time < 0)
        return -1;
    h->time = time;
    return 0;
}

bool file_is_marked(const struct stat *st)
{
    return file_time(st) == MARK;
}

int file_mark(const holding *h)
{
    struct stat st;
    if (set_time(h, MARK) != 0 || fstat(h->fd, &st) != 0)
        return -1;
    errno = ENOTSUP;
    return file_is_marked(&st) ? 0 : -1;
}

/* ---- making */

/* Where a PID counts and mine means another process to who looks from outside, it must be told whose it is. */
static int note(const foreign *f, const holding *h)
{
    char line[LINE_MAX_OURS];
    who_describe(f, h, line);
    if (os_note_set(h->fd, line) || !f->method->by_process || f->sees_all)
        return 0;
    errno = ENODATA;
    return -1;
}

/* Keeps `fd`, which is closed, by another number. Returns the file's time; -1: errno. */
static int64_t keep(const foreign *f, holding *h, int fd)
{
    struct stat st;
    if (fd < 0)
        return -1;
    h->fd = fstat(fd, &st) == 0 ? os_keep_descriptor(fd) : -1;
    int code = errno;
    close(fd);
    errno = code;
    if (h->fd < 0)
        return -1;
    h->device = st.st_dev;
    h->inode = st.st_ino;
    return f->method->noted && note(f, h) != 0 ? -1 : file_time(&st);
}

/* The note first: who reads a PID must find it. */
int file_fill(const foreign *f, holding *h, int fd, const char *text, size_t length)
{
    int64_t made = keep(f, h, fd);
    if (made < 0)
        return -1;
    errno = length > 0 ? os_write_new(h->fd, text, length) : 0;
    if (errno != 0)
        return -1;
    return f->stale == INT64_MAX ? 0 : set_first_time(f, h, made);
}

int file_hold(const foreign *f, holding *h, int fd)
{
    return file_fill(f, h, fd, NULL, 0);
}

/* ---- reading */

static size_t read_text(int fd, char *text, size_t size)
{
    ssize_t n = fd >= 0 && text != NULL ? read(fd, text, size - 1) : 0;
    if (text != NULL)
        text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* Time and contents of one file, whatever comes into its place meanwhile. */
static int read_open(int fd, owner *o, char *text, size_t size, char *line, size_t line_size)
{
    if (fstat(fd, &o->st) != 0)
        return -1;
    read_text(fd, text, size);
    if (line != NULL)
        os_note_get_from(fd, line, line_size);
    return 0;
}

/* An existing file that I may not read is there all the same. */
int file_read(const place *p, owner *o, char *text, size_t size, char *line, size_t line_size)
{
    memset(o, 0, sizeof *o);
    if (text != NULL)
        text[0] = '\0';
    if (line != NULL)
        line[0] = '\0';
    if (lstat(p->path, &o->st) != 0)
        return -1;
    if ((text == NULL && line == NULL) || (!S_ISREG(o->st.st_mode) && !S_ISDIR(o->st.st_mode)))
        return 0;
    int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return errno == ENOENT ? -1 : 0;
    int result = read_open(fd, o, text, size, line, line_size), code = errno;
    close(fd);
    errno = code;
    return result;
}
