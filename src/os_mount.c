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

static bool mount_id(int fd, int *id)
{
    char path[40], line[128];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    FILE *info = fopen(path, "re");
    bool found = false;
    while (info != NULL && !found && fgets(line, sizeof line, info) != NULL)
        found = sscanf(line, "mnt_id: %d", id) == 1;
    if (info != NULL)
        fclose(info);
    return found;
}

/* These have a device for each volume or file, which is not that of the mount. */
static bool has_own_devices(const char *file_system)
{
    static const char *const names[] = {"btrfs", "bcachefs", "overlayfs", "unknown"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(file_system, names[i]) == 0)
            return true;
    return false;
}

/* In a chroot the list need not have the mount. */
static bool find_device(int fd, os_file_id *file)
{
    int wanted, id;
    FILE *mounts = mount_id(fd, &wanted) ? fopen("/proc/self/mountinfo", "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (mounts != NULL && !found && getline(&line, &room, mounts) > 0)
        found = sscanf(line, "%d %*d %u:%u", &id, &file->major_number, &file->minor_number) == 3 && id == wanted;
    free(line);
    if (mounts != NULL)
        fclose(mounts);
    return found;
}

bool os_file_identify(int fd, os_file_id *file)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    *file = (os_file_id){major(st.st_dev), minor(st.st_dev), (uint64_t)st.st_ino};
    return !has_own_devices(os_file_system(fd)) || find_device(fd, file);
}
