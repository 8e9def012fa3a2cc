/*
 * Who holds a file's flock: the kernel's list, /proc/locks, since to ask by trying would make others' tries fail.
 *
 * The kernel gives the list in pieces of a page, each of which is true of one moment. Between two pieces, what was unlocked before the
 * edge moves a lock over it, unseen. So each piece is read from some way before the edge, and must have the last records of the
 * one before in it. What was locked all the time keeps its place in the order of the list; new ones come in front of others. A lock that
 * was behind those records is then still behind them, and seen: unless all of these had been given back and taken again, in order.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 1 << 16 /* a page, or one record with all its waiters */,
    OVERLAP = 512,
    WAY = 256,
    LOOKS = 50,
    SCANS = 20
};

typedef struct {
    const os_file_id *wanted;
    os_flock_holders *found;
    int fd;
    off_t at;         /* where the piece begins in the list */
    size_t whole;     /* its length there, in whole lines */
    size_t length;    /* and here, tidied */
    off_t last_at;    /* where its last records begin there */
    size_t last;      /* and here */
    char *text, *old; /* this piece, the last records of the one before */
    size_t known;     /* their length */
} lock_list;

/* "FLOCK  ADVISORY  WRITE 4711 08:01:131090 0 EOF"; who waits has "->" before it. */
static void read_line(const lock_list *l, const char *line)
{
    os_file_id at;
    unsigned long long inode;
    long long pid;
    char type[8];
    bool waits = line[0] == '-';
    if (sscanf(line + 3 * waits, "FLOCK %*s %7s %lld %x:%x:%llu", type, &pid, &at.major_number, &at.minor_number,
               &inode) != 5)
        return;
    if (at.major_number != l->wanted->major_number || at.minor_number != l->wanted->minor_number ||
        inode != l->wanted->inode)
        return;
    l->found->waiters += waits;
    if (waits)
        return;
    l->found->holders++;
    l->found->shared = type[0] == 'R';
    /* A shell's flock belongs to a program that has ended: it took it for the shell, which has the file open. */
    if (l->found->pid == 0 && pid > 0 && !os_process_is_dead(pid, 0))
        l->found->pid = pid;
}

/*
 * Takes off the numbers, which change with every lock in front. The kernel looks for the place first, and again for what comes after
 * the record there: so the first record may be of another moment, and goes.
 */
static void tidy(lock_list *l)
{
    size_t out = 0;
    bool skip = l->at > 0;
    l->last = 0;
    l->last_at = l->at;
    for (size_t p = 0, n, number; p < l->whole; p += n) {
        char *line = l->text + p;
        n = (size_t)((char *)memchr(line, '\n', l->whole - p) + 1 - line);
        number = strspn(line, "0123456789: ");
        bool begins = line[number] != '-';
        if (skip && (p == 0 || !begins))
            continue;
        skip = false;
        if (begins && l->whole - p >= OVERLAP) {
            l->last = out;
            l->last_at = l->at + (off_t)p;
        }
        memmove(l->text + out, line + number, n - number);
        out += n - number;
    }
    l->length = out;
}

/* Returns what comes after the known records; NULL: they are not there. */
static char *find_known(const lock_list *l)
{
    char *known = l->known > 0 ? memmem(l->text, l->length, l->old, l->known) : l->text;
    return known != NULL && (known == l->text || known[-1] == '\n') ? known + l->known : NULL;
}

/* Reads the piece until the known records are in it. */
static char *read_piece(lock_list *l)
{
    char *next = NULL;
    for (int i = 0; i < LOOKS && next == NULL; i++) {
        ssize_t n = pread(l->fd, l->text, PIECE, l->at);
        char *end = n > 0 ? memrchr(l->text, '\n', (size_t)n) : NULL;
        l->whole = end != NULL ? (size_t)(end + 1 - l->text) : 0;
        tidy(l);
        next = find_known(l);
    }
    return next;
}

static void read_lines(const lock_list *l, char *next)
{
    for (char *end; next < l->text + l->length; next = end + 1) {
        end = memchr(next, '\n', (size_t)(l->text + l->length - next));
        *end = '\0';
        read_line(l, next);
        *end = '\n';
    }
}

static void step_on(lock_list *l)
{
    l->known = l->length - l->last;
    memcpy(l->old, l->text + l->last, l->known);
    l->at = l->last_at > WAY ? l->last_at - WAY : 0;
}

/* A long record does not come in one piece with those before it. When it was asked for alone, the kernel has room for it. */
static bool is_at_end(const lock_list *l)
{
    char byte;
    return pread(l->fd, &byte, 1, l->at + (off_t)l->whole + WAY) == 0;
}

static bool scan(lock_list *l)
{
    l->at = 0;
    l->known = 0;
    memset(l->found, 0, sizeof *l->found);
    for (int idle = 0; idle < LOOKS;) {
        char *next = read_piece(l);
        if (next == NULL)
            return false;
        if (next < l->text + l->length) {
            read_lines(l, next);
            step_on(l);
        } else if (is_at_end(l)) {
            return true;
        } else {
            idle++;
        }
    }
    return false;
}

static int scan_until_true(lock_list *l)
{
    l->text = malloc(2 * PIECE);
    if (l->text == NULL)
        return ENOMEM;
    char *buffer = l->text;
    bool done = false;
    l->old = l->text + PIECE;
    for (int i = 0; i < SCANS && !done; i++)
        done = scan(l);
    free(buffer);
    return done || l->found->holders > 0 ? 0 : EAGAIN;
}

int os_flock_find(const os_file_id *file, os_flock_holders *found)
{
    memset(found, 0, sizeof *found);
    lock_list l = {.wanted = file, .found = found, .fd = open("/proc/locks", O_RDONLY | O_CLOEXEC)};
    if (l.fd < 0)
        return ENOTSUP;
    int code = scan_until_true(&l);
    close(l.fd);
    return code != 0 || found->holders > 0 || os_sees_all_processes() ? code : ENOTSUP;
}
