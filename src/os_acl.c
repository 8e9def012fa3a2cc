/*
 * POSIX access control lists, as the kernel hands them out: a version (32 bits), then entries of 8 bytes, little-endian: tag and
 * permissions (16 bits each), id (32 bits). linux/posix_acl_xattr.h has the format.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <sys/xattr.h>

#define ACL_ATTRIBUTE "system.posix_acl_access"

enum { ACL_HEAD = 4, ACL_ENTRY = 8, ACL_PERMISSIONS = 2, ACL_GROUP_OBJECT = 0x04, ACL_OTHER = 0x20 };

int os_acl_get(const char *path, os_acl *acl)
{
    ssize_t n = lgetxattr(path, ACL_ATTRIBUTE, acl->bytes, sizeof acl->bytes);
    acl->size = n > 0 ? (size_t)n : 0;
    return n >= 0 || errno == ENODATA || errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

int os_acl_set(int fd, const os_acl *acl)
{
    if (acl->size > 0)
        return fsetxattr(fd, ACL_ATTRIBUTE, acl->bytes, acl->size, 0) == 0 ? 0 : errno;
    int code = fremovexattr(fd, ACL_ATTRIBUTE) == 0 ? 0 : errno;
    return code == ENODATA || code == EOPNOTSUPP || code == ENOSYS ? 0 : code;
}

static unsigned char *find(os_acl *acl, unsigned tag)
{
    for (size_t at = ACL_HEAD; at + ACL_ENTRY <= acl->size; at += ACL_ENTRY)
        if (acl->bytes[at] == tag && acl->bytes[at + 1] == 0)
            return &acl->bytes[at + ACL_PERMISSIONS];
    return NULL;
}

void os_acl_narrow(os_acl *acl)
{
    unsigned char *group = find(acl, ACL_GROUP_OBJECT), *other = find(acl, ACL_OTHER);
    if (group != NULL && other != NULL)
        *group = *other = *group & *other;
}
