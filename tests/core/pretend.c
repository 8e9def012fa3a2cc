#include "pretend.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/types.h>

pretences pretend;

void pretend_end(void)
{
    pretend = (pretences){.file_system = NULL};
}

static int deny(int code)
{
    errno = code;
    return -1;
}

bool __real_os_is_local(int fd, const char **type_name);
bool __wrap_os_is_local(int fd, const char **type_name);
bool __wrap_os_is_local(int fd, const char **type_name)
{
    if (!pretend.file_system) {
        return __real_os_is_local(fd, type_name);
    }
    *type_name = pretend.file_system;
    return pretend.local;
}

bool __real_os_mount_type(const char *path, char *type, size_t size);
bool __wrap_os_mount_type(const char *path, char *type, size_t size);
bool __wrap_os_mount_type(const char *path, char *type, size_t size)
{
    if (!pretend.mount) {
        return __real_os_mount_type(path, type, size);
    }
    snprintf(type, size, "%s", pretend.mount);
    return true;
}

uint64_t __real_os_machine(void);
uint64_t __wrap_os_machine(void);
uint64_t __wrap_os_machine(void)
{
    return pretend.no_machine ? 0 : __real_os_machine();
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    bool denied = number == SYS_statx && pretend.statx;
    return denied ? deny(pretend.statx) : __real_syscall(number, a, b, c, d, e, f);
}

int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode)
{
    return pretend.fchmod ? deny(pretend.fchmod) : __real_fchmod(fd, mode);
}

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    return __real_write(fd, bytes, pretend.short_write && n > 0 ? n - 1 : n);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
{
    int result = __real_close(fd);
    return pretend.close ? deny(pretend.close) : result;
}
