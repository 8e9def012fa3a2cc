/*
 * Preloaded by scripts/php-asan. PHP opens extensions with RTLD_DEEPBIND, which the address sanitizer refuses
 * because its own malloc would be bypassed; so take the flag away.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
    return next(file, mode & ~RTLD_DEEPBIND);
}
