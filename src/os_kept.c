/*
 * Descriptors that stay open, at numbers that no program takes for its standard ones, and that no forked child keeps: a child
 * that had one would hold its parent's lock.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST = 10, CHUNK = 256, CHUNKS = 4096 /* as many descriptors as a kernel allows by default, and more */ };

typedef struct {
    _Atomic bool used;
    dev_t device;
    ino_t inode;
} kept;

/*
 * Process-wide because fork is: the handler runs in the child's only thread and must know the descriptors of all threads. An element
 * belongs to who has the descriptor of its number; chunks are made at need and stay.
 */
static _Atomic(kept *) chunks[CHUNKS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static kept *chunk_at(int number)
{
    kept *chunk = atomic_load(&chunks[number]), *none = NULL;
    if (chunk != NULL)
        return chunk;
    chunk = calloc(CHUNK, sizeof *chunk);
    if (chunk == NULL || atomic_compare_exchange_strong(&chunks[number], &none, chunk))
        return chunk;
    free(chunk);
    return none;
}

/* NULL: no memory, or a number beyond all bounds. */
static kept *element_of(int fd)
{
    kept *chunk = fd < CHUNK * CHUNKS ? chunk_at(fd / CHUNK) : NULL;
    return chunk != NULL ? &chunk[fd % CHUNK] : NULL;
}

/* Somebody may have closed it behind our back, and the number may be another file's by now. */
static void close_own(const kept *k, int fd)
{
    struct stat st;
    if (fstat(fd, &st) == 0 && st.st_dev == k->device && st.st_ino == k->inode)
        close(fd);
}

static void close_all(void)
{
    for (int fd = 0; fd < CHUNK * CHUNKS; fd++) {
        kept *chunk = atomic_load(&chunks[fd / CHUNK]);
        if (chunk == NULL)
            fd += CHUNK - 1;
        else if (atomic_exchange(&chunk[fd % CHUNK].used, false))
            close_own(&chunk[fd % CHUNK], fd);
    }
}

static void register_close_all(void)
{
    pthread_atfork(NULL, NULL, close_all);
}

static bool keep(int fd)
{
    struct stat st;
    kept *k = element_of(fd);
    if (k == NULL || fstat(fd, &st) != 0)
        return false;
    k->device = st.st_dev;
    k->inode = st.st_ino;
    atomic_store(&k->used, true);
    return true;
}

int os_keep_descriptor(int fd)
{
    pthread_once(&once, register_close_all);
    int high = fcntl(fd, F_DUPFD_CLOEXEC, LEAST);
    if (high < 0)
        return -1;
    if (keep(high))
        return high;
    close(high);
    errno = EMFILE;
    return -1;
}

void os_drop_descriptor(int fd)
{
    kept *k = fd >= 0 ? element_of(fd) : NULL;
    if (k != NULL && atomic_exchange(&k->used, false))
        close_own(k, fd);
}
