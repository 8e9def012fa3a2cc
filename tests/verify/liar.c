/*
 * A file server that renames what a client has opened instead of what is called so, as SMB servers do: whoever comes too late with a
 * name that is gone moves what has become of it, and is told that it succeeded. Preloaded, for renames whose source's path contains
 * FILELOCK_LIE.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_told_lies(const char *path)
{
    const char *part = getenv("FILELOCK_LIE");
    return part != NULL && strstr(path, part) != NULL;
}

/* The one file in the source's directory. */
static int find_moved(const char *from, char *moved, size_t size)
{
    int found = 0, length = snprintf(moved, size, "%.*s", (int)(strrchr(from, '/') + 1 - from), from);
    DIR *stream = opendir(moved);
    for (struct dirent *entry; stream != NULL && !found && (entry = readdir(stream)) != NULL;) {
        found = entry->d_name[0] != '.';
        if (found)
            snprintf(moved + length, size - (size_t)length, "%s", entry->d_name);
    }
    if (stream != NULL)
        closedir(stream);
    return found;
}

int rename(const char *from, const char *to)
{
    char moved[4096];
    int (*true_rename)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");
    if (is_told_lies(from))
        usleep(1000); /* it is far away */
    if (true_rename(from, to) == 0)
        return 0;
    return errno == ENOENT && is_told_lies(from) && find_moved(from, moved, sizeof moved) ? true_rename(moved, to) : -1;
}
