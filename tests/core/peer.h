/*
 * A second process (agent.c) that is stepped over a pipe: it does one thing when it is told to, and answers with one line.
 * Nothing waits by sleeping; the order of what two peers do is the order in which the test asked them.
 */
#ifndef FILELOCK_TEST_PEER_H
#define FILELOCK_TEST_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct peer {
    pid_t pid;
    int to, from;
    size_t fill;
    char incoming[4096];
    char answer[4096];
} peer;

/* How a peer differs from a plain child; all zero = a plain child. */
typedef struct {
    const char *program;  /* another agent, e.g. of another C library */
    int clone_flags;      /* CLONE_NEWPID: it is process 1 of its own */
    void (*before)(void); /* called in the child, before exec */
    bool no_standard;     /* descriptors 0 to 2 are closed */
} peer_options;

/* Starts an agent; it is killed at the end of the test at the latest. */
void peer_start(peer *p, const peer_options *options);
/* Starts an agent that has opened `dsn`. */
void peer_open(peer *p, const char *dsn);

/* Tells it something and waits for the line it answers; "" when it died instead. */
const char *peer_ask(peer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void peer_tell(peer *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *peer_answer(peer *p);
bool peer_has_answered(const peer *p); /* there is something to read, or it died */

/* Asks, and fails the test unless the answer's first word is `want`. Returns the rest of the answer. */
#define EXPECT(peer, want, ...) peer_expect(__FILE__, __LINE__, peer, want, __VA_ARGS__)
const char *peer_expect(const char *file, int line, peer *p, const char *want, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The number behind `key` in its last answer ("token=", "now=", …); the test fails if there is none. */
double peer_number(const peer *p, const char *key);
uint64_t peer_token(const peer *p);
bool peer_said(const peer *p, const char *word);

void peer_kill(peer *p);       /* SIGKILL; reaped, and the next tick of the clock has begun */
void peer_stop(peer *p);       /* SIGSTOP, and it has stopped */
void peer_await_stop(peer *p); /* it stops itself: until it has */
void peer_continue(peer *p);
int peer_finish(peer *p); /* an orderly end; the wait status */
void peers_end(void);

/* The agent that belongs to this suite, and the one of the other C library ("" = not built). */
const char *own_agent(void);
const char *other_agent(void);

#endif
