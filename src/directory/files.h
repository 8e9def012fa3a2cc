/*
 * Every file operation of the directory store, so that tests can put a lying server in their place. All return 0, or -1 and
 * errno. Descriptors are open for the duration of one call only.
 */
#ifndef FILELOCK_DIRECTORY_FILES_H
#define FILELOCK_DIRECTORY_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called for every entry but . and ..; false ends the listing. */
typedef bool (*files_each)(void *context, const char *entry);

typedef struct {
    int (*rename)(const char *from, const char *to);
    int (*list)(const char *path, files_each each, void *context);
    int (*exists)(const char *path); /* asks the server, not a cache */
    int (*make_directory)(const char *path, unsigned mode, int group);
    int (*make_file)(const char *path, const void *bytes, size_t n, unsigned mode, int group);
    int (*remove_file)(const char *path);
    int (*remove_directory)(const char *path);
    int (*read)(const char *path, void *bytes, size_t size, size_t *got);
    /* The directory's modification time by the server, ns. */
    int (*stamp)(const char *path, int64_t *time);
} files_operations;

#ifdef FL_TESTING
extern files_operations files;
#else
extern const files_operations files;
#endif

#endif
