/*
 * The server's clock, which all clients share: make a file in base/.clock, and the directory's modification time is the
 * server's time of that. A file's own times may be the client's, and a directory's time without a change of one's own may be
 * an old one from a cache.
 *
 * A sample dates from some moment between `before` and `after`, so that it bounds the server's time from both sides: who sets
 * a deadline takes the later bound, who judges one the earlier.
 *
 * JUMPS. If the server's clock got ahead of mine by more than JUMP and a thousandth of the time between, deadlines that were set
 * before say nothing any more; such a state is over only when I saw it unchanged for ttl + grace on my own clock (judge.c).
 * A clock that jumps back only makes others wait, and that same rule ends the wait. A process without an earlier sample cannot see
 * a jump.
 */
#include "directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "files.h"

#define SAMPLE_AGE (30 * NS_PER_SECOND)
#define MS INT64_C(1000000)
#define JUMP INT64_C(1000) /* ms */

bool clock_is_known(const directory *d)
{
    return d->sample.after != 0;
}

int64_t clock_latest(const directory *d, int64_t boot)
{
    return d->sample.server + (boot - d->sample.before) / MS + 1;
}

int64_t clock_earliest(const directory *d, int64_t boot)
{
    return d->sample.server + (boot - d->sample.after) / MS;
}

static void note_jump(directory *d, const clock_sample *new)
{
    const clock_sample *old = &d->sample;
    int64_t between = (new->after - old->before) / MS;
    if (clock_is_known(d) && new->server - old->server > between + between / 1000 + JUMP + d->granularity)
        d->trust_from = new->server;
}

static fl_result cannot_tell_time(const directory *d, int code, fl_error *error)
{
    fl_fail(error, code, "filelock: cannot read the server's clock with a file in %s/.clock", d->path);
    if (code == ENOENT)
        fl_advise(error, "the share is not mounted any more, or the store was deleted: then open it anew");
    else if (code == ENOSPC || code == EDQUOT)
        fl_advise(error, "make room for one empty file");
    else
        fl_advise(error, "taking a lock needs permission to write into the store");
    return FL_ERROR;
}

static fl_result sample_once(directory *d, clock_sample *s, fl_error *error)
{
    char path[FL_DSN_PATH_MAX + 8], file[FL_DSN_PATH_MAX + 48];
    uint64_t name[2];
    int64_t time;
    if (!os_random(name, sizeof name))
        return fl_fail(error, errno, "filelock: no random bytes");
    snprintf(path, sizeof path, "%s/.clock", d->path);
    snprintf(file, sizeof file, "%s/%016" PRIx64 "%016" PRIx64, path, name[0], name[1]);
    s->before = os_boottime();
    if (files.make_file(file, NULL, 0, d->mode, (int)d->group) != 0)
        return cannot_tell_time(d, errno, error);
    FL_STEP("clock:made");
    int code = files.stamp(path, &time) == 0 ? 0 : errno;
    s->after = os_boottime();
    files.remove_file(file);
    if (code != 0)
        return cannot_tell_time(d, code, error);
    s->server = time / MS;
    return FL_OK;
}

/* A process that was stopped meanwhile knows little, and would set its deadlines that much too late: then once more. */
fl_result clock_sample_now(directory *d, fl_error *error)
{
    enum { SAMPLES = 3 };
    clock_sample s = {0};
    for (int i = 0; i == 0 || (i < SAMPLES && s.after - s.before > NS_PER_SECOND); i++)
        if (sample_once(d, &s, error) != FL_OK)
            return FL_ERROR;
    note_jump(d, &s);
    d->sample = s;
    return FL_OK;
}

fl_result clock_sample_recent(directory *d, fl_error *error)
{
    return clock_is_known(d) && os_boottime() - d->sample.before < SAMPLE_AGE ? FL_OK : clock_sample_now(d, error);
}
