/* Is a lock stale, is it mine, which holding is it? */
#include <errno.h>
#include <string.h>

#include "foreign.h"

#define LAG (100 * INT64_C(1000000)) /* what coarse file times and clocks may differ by */

/* Nobody writes so much into a lock: a file with that name that is somebody's work must not be taken for a stale one. */
static bool is_too_large(const foreign *f, const struct stat *st)
{
    enum { MOST = 4096 };
    return f->method->remove != NULL && S_ISREG(st->st_mode) && st->st_size > MOST;
}

bool judge_is_lock(const foreign *f, const owner *o)
{
    return (o->st.st_mode & S_IFMT) == f->method->type && !is_too_large(f, &o->st);
}

static const char *kind(const foreign *f, const struct stat *st)
{
    switch (st->st_mode & S_IFMT) {
        case S_IFREG:
            return is_too_large(f, st) ? "a file with other contents" : "a file";
        case S_IFDIR:
            return "a directory";
        case S_IFLNK:
            return "a symbolic link";
        default:
            return "a pipe, a socket or a device";
    }
}

fl_result judge_tell(const foreign *f, const char *what, const place *p, fl_error *error)
{
    int code = errno;
    owner o;
    if (lstat(p->path, &o.st) == 0 && !judge_is_lock(f, &o))
        return fl_fail(error, 0, "filelock: cannot %s the lock %s: it is %s, and with method=%s a lock is %s", what,
                       p->path, kind(f, &o.st), f->method->name, kind(f, &(struct stat){.st_mode = f->method->type}));
    return fl_fail(error, code, "filelock: cannot %s the lock %s", what, p->path);
}

/* Times in the future are respected, as the partners do. */
static bool is_old(const foreign *f, const owner *o, int64_t now)
{
    return f->stale != INT64_MAX && now - file_time(&o->st) >= f->stale + LAG;
}

/*
 * A PID counts only where it means what it says. Theirs says nothing about the machine but its host: so the file system must be this
 * kernel's, and I must see all processes. (One that means another namespace's process is beyond anybody's knowledge.)
 */
static bool is_dead(const foreign *f, const owner *o)
{
    if (o->pid <= 0)
        return false;
    if (o->ours)
        return (f->method->capabilities & FL_CAN_RECOVER) && f->machine != 0 && o->machine == f->machine &&
               os_process_is_dead(o->pid, o->start);
    return f->method->by_process && f->local && f->sees_all && (o->host[0] == '\0' || strcmp(o->host, f->host) == 0) &&
           os_process_is_dead(o->pid, 0);
}

bool judge_is_stale(const foreign *f, const owner *o, int64_t now)
{
    return file_is_marked(&o->st) || is_old(f, o, now) || is_dead(f, o);
}

holding *judge_find_mine(const foreign *f, const owner *o)
{
    for (holding *h = f->held; h != NULL; h = h->next)
        if (file_is_at(h, &o->st))
            return h;
    return NULL;
}

/*
 * Inode numbers are used again soon, times are not. A refresh changes the file's time, and not the line about the holder. 53 bits,
 * so that a script that makes a float of it does no harm.
 */
int64_t judge_token(const owner *o)
{
    uint64_t since = o->ours ? (uint64_t)o->since : (uint64_t)file_time(&o->st);
    uint64_t h = name_mix((uint64_t)o->st.st_ino ^ NAME_END, NAME_STEP);
    h = name_mix(h ^ since, NAME_STEP);
    h = name_mix(h ^ (uint64_t)o->pid, NAME_STEP);
    return (int64_t)(h >> 11 | 1);
}
