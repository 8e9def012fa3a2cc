/*
 * One change of a lock. A reply can be lost after the server has done it, or say anything: after an error a look at the lock
 * decides, and no error number. The state that was to be made can be recognised, since no two are alike.
 */
#include "directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "files.h"

/* The server has no such name, or no such file any more: then somebody was faster, whatever a cached listing shows. */
static bool says_gone(int code)
{
    return code == ENOENT || code == ESTALE;
}

/* Nor is there room for a new lock where one is, also when an old listing does not show it. */
static bool says_taken(int code)
{
    return code == ENOTEMPTY || code == EEXIST;
}

static step_result look_after_error(const lock_path *path, const lock_state *from, const lock_state *to, int code)
{
    char made[STATE_PATH_MAX];
    lock_state now;
    FL_STEP("step:look");
    path_of_state(path, to->text, made);
    if (files.exists(made) == 0)
        return STEP_DONE;
    scan_result seen = scan_lock(path, &now);
    if (seen == SCAN_STATE && strcmp(now.text, to->text) == 0)
        return STEP_DONE;
    bool unchanged = from != NULL ? seen == SCAN_STATE && strcmp(now.text, from->text) == 0 : seen != SCAN_STATE;
    bool too_late = says_gone(code) || (from == NULL && says_taken(code));
    errno = code;
    return seen == SCAN_FAILED || (unchanged && !too_late) ? STEP_FAILED : STEP_CHANGED;
}

step_result step_move(const lock_path *path, const lock_state *from, const lock_state *to)
{
    char old[STATE_PATH_MAX], new[STATE_PATH_MAX];
    path_of_state(path, from->text, old);
    path_of_state(path, to->text, new);
    FL_STEP("step:rename");
    if (files.rename(old, new) == 0)
        return STEP_DONE;
    return look_after_error(path, from, to, errno);
}

/* ---- a new lock */

static void drop_prepared(const lock_path *prepared, const lock_state *first)
{
    char file[STATE_PATH_MAX];
    int code = errno;
    path_of_state(prepared, first->text, file);
    files.remove_file(file);
    files.remove_directory(prepared->text);
    errno = code;
}

static int prepare(const directory *d, const lock_path *prepared, const fl_name *name, const lock_state *first)
{
    char file[STATE_PATH_MAX], bytes[FL_NAME_MAX + 1];
    size_t length = name_unpack(name, bytes);
    path_of_state(prepared, first->text, file);
    if (files.make_directory(prepared->text, format_directory_mode(d), (int)d->group) != 0)
        return -1;
    FL_STEP("create:directory");
    if (files.make_file(file, bytes, length, d->mode, (int)d->group) == 0)
        return 0;
    drop_prepared(prepared, first);
    return -1;
}

int step_make_directory(const directory *d, const char *where, const char *place)
{
    char made[FL_DSN_PATH_MAX + 48];
    uint64_t name[2];
    if (files.exists(place) == 0)
        return 0;
    if (!os_random(name, sizeof name))
        return -1;
    snprintf(made, sizeof made, "%s/%s/.made-%016" PRIx64 "%016" PRIx64, d->path, where, name[0], name[1]);
    if (files.make_directory(made, format_directory_mode(d), (int)d->group) != 0)
        return -1;
    FL_STEP("make:directory");
    if (files.rename(made, place) == 0)
        return 0;
    int code = errno;
    files.remove_directory(made);
    bool exists = files.exists(place) == 0;
    errno = code;
    return exists ? 0 : -1;
}

static int make_bucket(const directory *d, const lock_path *path)
{
    char bucket[LOCK_PATH_MAX];
    path_of_bucket(path, bucket);
    return step_make_directory(d, ".new", bucket);
}

/*
 * Some servers (SFTP without an extension) rename onto nothing only, not onto an empty directory. Removing an empty one harms
 * nobody: it is no lock.
 */
static int publish(const lock_path *prepared, const lock_path *path)
{
    FL_STEP("create:publish");
    if (files.rename(prepared->text, path->text) == 0)
        return 0;
    int code = errno;
    if (files.remove_directory(path->text) == 0)
        return files.rename(prepared->text, path->text);
    errno = code;
    return -1;
}

step_result step_create(directory *d, const lock_path *path, const fl_name *name, const lock_state *first)
{
    lock_path prepared;
    snprintf(prepared.text, sizeof prepared.text, "%s/.new/%016" PRIx64 "%016" PRIx64, d->path, first->nonce[0],
             first->nonce[1]);
    if (prepare(d, &prepared, name, first) != 0)
        return STEP_FAILED;
    if (make_bucket(d, path) == 0 && publish(&prepared, path) == 0)
        return STEP_DONE;
    step_result result = look_after_error(path, NULL, first, errno);
    if (result != STEP_DONE)
        drop_prepared(&prepared, first);
    return result;
}
