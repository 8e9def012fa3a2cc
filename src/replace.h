/*
 * Replacing a file's contents, so that a reader sees the old or the new ones and nothing else, also after a power cut.
 *
 * CALLING SEQUENCE
 *
 *     char real[FL_PATH_SIZE];
 *     fl_error error;
 *     if (fl_resolve_file("/app/state.json", real, &error) != FL_OK)    // follows symbolic links
 *         die(error.message);
 *     // here the caller may judge whether `real` is a place where it wants to write
 *     if (fl_replace_file(real, bytes, length, &error) != FL_OK)
 *         die(error.message);
 *
 * STEPS: a new file in the same directory; contents, owner, access; fsync of the file; rename; fsync of the directory. Until the
 * rename the new file has no name, if the file system can do that (O_TMPFILE), so that a process which is killed leaves
 * nothing behind. Where it cannot, and in the instant before the rename, the name is FL_TEMPORARY and 16 hexadecimal digits.
 *
 * ERRORS: up to the rename nothing has happened to the old file, and the new one is gone. If only the last fsync fails, the new
 * contents are in place, and the message says that a power cut may still undo that. A file system that cannot fsync a
 * directory (EINVAL) is taken to need no fsync.
 *
 * WHAT IS KEPT of the old file: permissions; owner and group where the system allows it (root, or a member of the group);
 * a POSIX access control list. What cannot be kept never widens the access:
 *
 *     owner      another one may not be given: it is the caller then
 *     group      neither the new group nor the others may do what one of both could not: group = others = group & others
 *     not kept   set-user-id, set-group-id and sticky bits, capabilities, other extended attributes, the security label
 *                (that of a new file in this directory is taken), other hard links (they keep the old contents)
 *
 * A new file has 0666 & ~umask, or what the directory's default access control list says.
 *
 * WHO MAY: whoever may write the old file (a read-only file is refused, although its directory would allow it) and may
 * write and read the directory. In a sticky directory that others can write (/tmp), links and files of strangers are refused:
 * they may be traps.
 *
 * Takes no lock: of two who replace at the same time, the later one's contents stay, whole. The functions keep no state, open
 * nothing for longer than the call, and may be used by any thread. They raise no SIGXFSZ.
 */
#ifndef FILELOCK_REPLACE_H
#define FILELOCK_REPLACE_H

#include "filelock.h"

#define FL_PATH_SIZE 4096
#define FL_TEMPORARY ".filelock-put-"

/*
 * Where a path leads: `real` is absolute and free of symbolic links. The file need not be there, its directory must; a link that
 * leads to no file leads to the one that is to be made. `path` must be absolute.
 */
fl_result fl_resolve_file(const char *path, char real[FL_PATH_SIZE], fl_error *error);

/* `real` is from fl_resolve_file(): a part of it that has become a link since is refused. bytes may be NULL if length is 0. */
fl_result fl_replace_file(const char *real, const void *bytes, size_t length, fl_error *error);

#endif
