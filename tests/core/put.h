/* What the tests of replacing a file share. All paths are of scratch(). */
#ifndef FILELOCK_TEST_PUT_H
#define FILELOCK_TEST_PUT_H

#include <sys/types.h>

#include "replace.h"
#include "suite.h"

/* Resolves and replaces. */
fl_result put(const char *path, const char *contents, fl_error *error);
/* The same; anything but FL_OK fails the test. */
#define PUT(path, contents) put_at(__FILE__, __LINE__, path, contents)
void put_at(const char *file, int line, const char *path, const char *contents);
/* It fails with this errno and these words in its message, and leaves no litter. */
#define REFUSED(path, code, ...) \
    refused(__FILE__, __LINE__, path, code, (const char *const[]){__VA_ARGS__}, \
            COUNT(((const char *const[]){__VA_ARGS__})))
void refused(const char *file, int line, const char *path, int code, const char *const *words, size_t count);

void make_file(const char *path, const char *contents, mode_t mode);
void assert_contents(const char *path, const char *contents);
/* Files in the directory of `path` that have the name of a temporary one. */
int litter_beside(const char *path);
/* Ends this process's rights as root; call it in_child(). */
void become(uid_t uid, gid_t gid);

#endif
