/* Which kind of mount is it? statfs(2) has one number for everything that goes through FUSE, safe or not. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw": is it about this device? Then the type. */
static bool type_of(const char *line, dev_t device, char *type, size_t size)
{
    unsigned major_number, minor_number;
    if (sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) != 2 || major_number != major(device) ||
        minor_number != minor(device))
        return false;
    const char *at = strstr(line, " - ");
    if (at == NULL)
        return false;
    snprintf(type, size, "%.*s", (int)strcspn(at + 3, " \n"), at + 3);
    return true;
}

bool os_mount_type(const char *path, char *type, size_t size)
{
    struct stat st;
    FILE *mounts = stat(path, &st) == 0 ? fopen("/proc/self/mountinfo", "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (mounts != NULL && !found && getline(&line, &room, mounts) > 0)
        found = type_of(line, st.st_dev, type, size);
    free(line);
    if (mounts != NULL)
        fclose(mounts);
    return found;
}
