/* What is in a lock's directory? A listing during a rename may show neither name or both, and a cached one an old name. */
#include "directory.h"

#include <errno.h>

#include "files.h"

enum { LOOKS = 3 };

typedef struct {
    lock_state *highest;
    int states, others;
} finding;

static bool note_state(void *context, const char *entry)
{
    finding *f = context;
    lock_state s;
    if (!state_parse(entry, &s))
        f->others++;
    else if (f->states++ == 0 || s.generation > f->highest->generation)
        *f->highest = s;
    return true;
}

/* Two states, still there at the third look, were put there by somebody else (a backup, say): the later one counts. */
scan_result scan_lock(const lock_path *path, lock_state *found)
{
    finding f = {found, 0, 0};
    for (int i = 0; i < LOOKS && f.states != 1; i++) {
        f.states = 0;
        if (files.list(path->text, note_state, &f) != 0)
            return errno == ENOENT || errno == ENOTDIR ? SCAN_ABSENT : SCAN_FAILED;
    }
    if (f.states > 0)
        return SCAN_STATE;
    errno = ENOTEMPTY; /* nobody can make a lock there, and nobody of us put that there */
    return f.others > 0 ? SCAN_FAILED : SCAN_EMPTY;
}

int scan_count(const lock_path *path)
{
    lock_state s;
    finding f = {&s, 0, 0};
    for (int i = 0; i < LOOKS && f.states != 1; i++) {
        f.states = 0;
        files.list(path->text, note_state, &f);
    }
    return f.states;
}

fl_result scan_failed(const lock_path *path, fl_error *error)
{
    int code = errno;
    fl_fail(error, code, "filelock: cannot read the lock %s", path->text);
    if (code == ENOTEMPTY)
        fl_advise(
            error,
            "there is something else than a lock in it, which something else than filelock put there: remove that");
    return FL_ERROR;
}
