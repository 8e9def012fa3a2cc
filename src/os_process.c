/*
 * Is a process dead? Not knowing is "no": who says "dead" takes the lock of somebody who may be working.
 *
 * Sure signs are that no process has its number, that the process which has it started at another time, and that it is a zombie
 * without threads. /proc can be of another pid namespace (a container with its parent's /proc), where numbers mean others, and
 * can hide the processes of other users (hidepid=): a missing entry says nothing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sha256.h"

static bool read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, text, size - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* NSpid: has one number per namespace from that of /proc down to mine. */
static bool proc_is_mine(void)
{
    char text[4096];
    if (!read_text("/proc/self/status", text, sizeof text))
        return false;
    char *at = strstr(text, "\nNSpid:");
    if (at == NULL)
        return false;
    long long pid = strtoll(at + 7, &at, 10);
    return pid == getpid() && *at == '\n';
}

uint64_t os_machine(void)
{
    struct {
        unsigned char boot[16];
        uint64_t pids, times; /* a process starts at another time for who looks from another time namespace */
    } here = {.pids = 0};
    struct stat st;
    uint64_t digest[2];
    if (!os_boot_id(here.boot) || !os_time_namespace(&here.times) || stat("/proc/self/ns/pid", &st) != 0)
        return 0;
    here.pids = (uint64_t)st.st_ino;
    sha256_128(&here, sizeof here, digest);
    return digest[0];
}

bool os_sees_all_processes(void)
{
    enum { INITIAL = 0xEFFFFFFC }; /* the kernel's number for it */
    struct stat st;
    return stat("/proc/self/ns/pid", &st) == 0 && (unsigned)st.st_ino == (unsigned)INITIAL && proc_is_mine();
}

typedef struct {
    char state;
    long long threads;
    uint64_t start;
} process_stat;

/* The command's name, in parentheses, may contain anything; the fields are counted from the last one. */
static bool read_stat(int64_t pid, process_stat *p)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    if (!proc_is_mine() || !read_text(path, text, sizeof text))
        return false;
    char *at = strrchr(text, ')');
    if (at == NULL || at[1] != ' ')
        return false;
    p->state = at[2];
    at += 3;
    for (int field = 4; field <= 22; field++) {
        uint64_t number = strtoull(at, &at, 10);
        if (field == 20)
            p->threads = (long long)number;
        p->start = number;
    }
    return p->start != 0;
}

uint64_t os_process_start(int64_t pid)
{
    process_stat p;
    return read_stat(pid, &p) ? p.start : 0;
}

bool os_process_is_dead(int64_t pid, uint64_t start)
{
    process_stat p;
    if (pid <= 0 || pid != (pid_t)pid)
        return false;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return true;
    if (start == 0 || !read_stat(pid, &p))
        return false;
    /* A main thread that ended before the others is a zombie, too. */
    return p.start != start || (p.state == 'Z' && p.threads <= 1);
}
