/* A line beside a file's contents, where the file system has room for such (an extended attribute). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <string.h>
#include <sys/xattr.h>

#define NOTE_ATTRIBUTE "user.filelock"

bool os_note_set(int fd, const char *text)
{
    return fsetxattr(fd, NOTE_ATTRIBUTE, text, strlen(text), 0) == 0;
}

bool os_note_get_from(int fd, char *text, size_t size)
{
    ssize_t n = fgetxattr(fd, NOTE_ATTRIBUTE, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}
