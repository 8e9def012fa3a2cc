#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifdef FL_TESTING
void (*fl_step_hook)(const char *step);
_Atomic int64_t fl_clock_offset_coarse, fl_clock_offset_precise, fl_clock_offset_wall;
bool fl_map_shared_for_tsan;
#endif

int64_t os_wall(void)
{
#ifdef FL_TESTING
    return os_clock(CLOCK_REALTIME) + atomic_load(&fl_clock_offset_wall);
#else
    return os_clock(CLOCK_REALTIME);
#endif
}

int64_t os_deadline_now(int64_t boottime)
{
    int64_t now = os_now_precise();
    FL_STEP("clock:between");
    return boottime == INT64_MAX ? INT64_MAX : now + (boottime - os_boottime());
}

struct timespec os_timespec(int64_t ns)
{
#ifdef FL_TESTING
    ns -= atomic_load(&fl_clock_offset_precise);
#endif
    return (struct timespec){.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
}

void os_yield(void)
{
    sched_yield();
}

void os_sleep_until(int64_t precise)
{
    struct timespec t = os_timespec(precise);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

void os_sleep_interruptible(int64_t precise)
{
    struct timespec t = os_timespec(precise);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* ---- fork */

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

/* The kernel refuses MADV_WIPEONFORK on shared pages, so that the page is private and every object has its own. */
const uint32_t *os_fork_page_new(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    uint32_t *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
        int e = errno;
        munmap(page, size);
        errno = e;
        return NULL;
    }
    *page = 1;
    return page;
}

void os_fork_page_free(const uint32_t *page)
{
    if (page != NULL)
        munmap((void *)(uintptr_t)page, (size_t)sysconf(_SC_PAGESIZE));
}

/* ---- futex */

int os_futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t until)
{
    /* An absolute time, so that the kernel never restarts the wait behind our back after a signal: it answers EINTR. */
    struct timespec t = os_timespec(until);
    long r = syscall(SYS_futex, word, FUTEX_WAIT_BITSET, expected, &t, NULL, FUTEX_BITSET_MATCH_ANY);
    if (r == 0 || errno == EAGAIN)
        return 0;
    return errno;
}

int os_futex_wake(_Atomic uint32_t *word, int n)
{
    long r = syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
    return r > 0 ? (int)r : 0;
}

bool os_random(void *bytes, size_t n)
{
    return getrandom(bytes, n, 0) == (ssize_t)n;
}

/* ---- identity */

bool os_boot_id(unsigned char id[16])
{
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char text[64];
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    size_t digits = 0;
    memset(id, 0, 16);
    for (ssize_t i = 0; i < n && digits < 32; i++) {
        const char *hex = "0123456789abcdef", *at = text[i] ? strchr(hex, text[i]) : NULL;
        if (at == NULL)
            continue;
        id[digits / 2] = (unsigned char)(id[digits / 2] << 4 | (at - hex));
        digits++;
    }
    return digits == 32;
}

bool os_time_namespace(uint64_t *id)
{
    struct stat st;
    if (stat("/proc/self/ns/time", &st) == 0) {
        *id = (uint64_t)st.st_ino;
        return true;
    }
    /* A kernel without time namespaces has one; no /proc at all: unknown. */
    *id = 0;
    return stat("/proc/self/ns", &st) == 0;
}

void os_host_name(char *buffer, size_t size)
{
    if (gethostname(buffer, size) != 0)
        buffer[0] = '\0';
    buffer[size - 1] = '\0';
}

/* ---- byte locks: open file description locks, Linux >= 3.15 */

#ifndef F_OFD_GETLK
#define F_OFD_GETLK 36
#define F_OFD_SETLK 37
#endif

static struct flock byte_lock(int64_t offset, short type)
{
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
}

int os_lock_byte(int fd, int64_t offset, os_lock_type type)
{
    static const short types[] = {F_RDLCK, F_WRLCK, F_UNLCK};
    struct flock lock = byte_lock(offset, types[type]);
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
        return 0;
    return errno == EACCES ? EAGAIN : errno;
}

int os_byte_is_write_locked(int fd, int64_t offset)
{
    struct flock lock = byte_lock(offset, F_RDLCK);
    if (fcntl(fd, F_OFD_GETLK, &lock) != 0)
        return -1;
    return lock.l_type != F_UNLCK;
}

/* ---- file systems: numbers from statfs(2) and the kernel's magic.h, spelled out because older headers lack some */

static const struct {
    unsigned long magic;
    const char *name;
    bool local;
} file_systems[] = {
    {0x01021994, "tmpfs", true}, {0x858458f6, "ramfs", true},    {0xef53, "ext4", true},
    {0x58465342, "xfs", true},   {0x9123683e, "btrfs", true},    {0xf2f52010, "f2fs", true},
    {0x2fc12fc1, "zfs", true},   {0xca451a4e, "bcachefs", true}, {0x794c7630, "overlayfs", true},
    {0x3153464a, "jfs", true},   {0x52654973, "reiserfs", true}, {0x6969, "NFS", false},
    {0xff534d42, "SMB", false},  {0xfe534d42, "SMB", false},     {0x517b, "SMB", false},
    {0x01021997, "9p", false},   {0x65735546, "FUSE", false},    {0x00c36400, "CephFS", false},
    {0x01161970, "GFS2", false}, {0x7461636f, "OCFS2", false},   {0x0bd00bd0, "Lustre", false},
    {0x5346414f, "AFS", false},  {0x6b414653, "AFS", false},     {0x786f4256, "vboxsf", false},
    {0x47504653, "GPFS", false}, {0x19830326, "BeeGFS", false},  {0x2011bab0, "exfat", false},
    {0x4d44, "vfat", false},
};

static const char *find_file_system(int fd, bool *local)
{
    struct statfs fs;
    *local = false;
    if (fstatfs(fd, &fs) != 0)
        return "unknown";
    for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; i++) {
        if ((unsigned long)fs.f_type != file_systems[i].magic)
            continue;
        *local = file_systems[i].local;
        return file_systems[i].name;
    }
    return "unknown";
}

const char *os_file_system(int fd)
{
    bool local;
    return find_file_system(fd, &local);
}

bool os_is_local(int fd, const char **type_name)
{
    bool local;
    *type_name = find_file_system(fd, &local);
    return local;
}

bool os_is_memory(int fd)
{
    bool local;
    const char *name = find_file_system(fd, &local);
    return strcmp(name, "tmpfs") == 0 || strcmp(name, "ramfs") == 0;
}
