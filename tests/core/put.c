#include "put.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

fl_result put(const char *path, const char *contents, fl_error *error)
{
    char real[FL_PATH_SIZE];
    fl_result result = fl_resolve_file(path, real, error);
    return result == FL_OK ? fl_replace_file(real, contents, strlen(contents), error) : result;
}

void put_at(const char *file, int line, const char *path, const char *contents)
{
    fl_error error;
    result_at(file, line, FL_OK, put(path, contents, &error), &error);
    assert_contents(path, contents);
    assert_int_equal(litter_beside(path), 0);
}

void refused(const char *file, int line, const char *path, int code, const char *const *words, size_t count)
{
    fl_error error = {.code = -1};
    result_at(file, line, FL_ERROR, put(path, "refused", &error), &error);
    if (error.code != code) {
        print_error("%d instead of %d: %s\n", error.code, code, error.message);
        _fail(file, line);
    }
    assert_error(&error, words, count);
    assert_int_equal(error.fault, FL_WORLD_FAILED);
    assert_int_equal(litter_beside(path), 0);
}

void make_file(const char *path, const char *contents, mode_t mode)
{
    unlink(path);
    write_file(path, contents, strlen(contents));
    assert_int_equal(chmod(path, mode), 0);
}

void assert_contents(const char *path, const char *contents)
{
    size_t size;
    char *bytes = read_file(path, &size);
    bytes[size] = '\0';
    assert_string_equal(bytes, contents);
    free(bytes);
}

int litter_beside(const char *path)
{
    char directory[FL_PATH_SIZE];
    int found = 0;
    snprintf(directory, sizeof directory, "%.*s", (int)(strrchr(path, '/') - path), path);
    DIR *entries = opendir(directory);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        found += strncmp(entry->d_name, FL_TEMPORARY, strlen(FL_TEMPORARY)) == 0;
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

void become(uid_t uid, gid_t gid)
{
    assert_int_equal(setgroups(0, NULL), 0);
    assert_int_equal(setgid(gid), 0);
    assert_int_equal(setuid(uid), 0);
}
