#include "peer.h"

#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000, AGENT_IN = 20, AGENT_OUT = 21, PEERS = 512 };

/* Copies: a test that failed has left the memory of its peers. */
static struct {
    pid_t pid; /* > 0 while it has to be ended */
    int to, from;
} running[PEERS];

static void remember(const peer *p)
{
    for (size_t i = 0; i < PEERS; i++) {
        if (running[i].pid == 0) {
            running[i].pid = p->pid;
            running[i].to = p->to;
            running[i].from = p->from;
            return;
        }
    }
    fail_msg("too many peers");
}

static void forget(size_t i)
{
    close(running[i].to);
    close(running[i].from);
    running[i].pid = 0;
}

/* It has been reaped. */
static void forget_peer(peer *p)
{
    for (size_t i = 0; i < PEERS; i++) {
        if (running[i].pid == p->pid) {
            forget(i);
        }
    }
    p->pid = 0;
}

void peers_end(void)
{
    for (size_t i = 0; i < PEERS; i++) {
        if (running[i].pid > 0) {
            kill(running[i].pid, SIGKILL);
            waitpid(running[i].pid, NULL, 0);
            forget(i);
        }
    }
}

const char *own_agent(void)
{
    return FL_AGENT;
}

const char *other_agent(void)
{
    return access(FL_OTHER_AGENT, X_OK) == 0 ? FL_OTHER_AGENT : "";
}

/* In the child. The pipe moves to descriptors that stay out of the way of tests about low descriptors. */
static void become_agent(const int in[2], const int out[2], const peer_options *options)
{
    const char *program = options->program ? options->program : own_agent();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* First out of the way: with many peers in[0] or out[1] may be one of the two numbers. */
    int from = fcntl(in[0], F_DUPFD_CLOEXEC, AGENT_OUT + 1), to = fcntl(out[1], F_DUPFD_CLOEXEC, AGENT_OUT + 1);
    if (dup2(from, AGENT_IN) < 0 || dup2(to, AGENT_OUT) < 0) {
        _exit(126);
    }
    /* Another user or another root may have no way to the program's path. */
    int file = fcntl(open(program, O_PATH | O_CLOEXEC), F_DUPFD_CLOEXEC, AGENT_OUT + 1);
    if (options->before) {
        options->before();
    }
    for (int fd = 0; options->no_standard && fd <= 2; fd++) {
        close(fd);
    }
    char *const arguments[] = {(char *)program, NULL};
    syscall(SYS_execveat, file, "", arguments, environ, AT_EMPTY_PATH);
    _exit(127);
}

static pid_t fork_with(int flags)
{
    fflush(NULL);
    return flags ? (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL) : fork();
}

void peer_start(peer *p, const peer_options *options)
{
    static const peer_options plain;
    int in[2], out[2];
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    memset(p, 0, sizeof *p);
    options = options ? options : &plain;
    p->pid = fork_with(options->clone_flags);
    if (p->pid == 0) {
        become_agent(in, out, options);
    }
    assert_true(p->pid > 0);
    p->to = in[1];
    p->from = out[0];
    close(in[0]);
    close(out[1]);
    remember(p);
}

void peer_open(peer *p, const char *text)
{
    peer_start(p, NULL);
    EXPECT(p, "ok", "open %s", text);
}

static void tell(peer *p, const char *format, va_list arguments)
{
    char line[1024];
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    line[length++] = '\n';
    signal(SIGPIPE, SIG_IGN);
    if (write(p->to, line, (size_t)length) != length) {
        print_error("peer %d is gone: %.*s", p->pid, length, line);
    }
}

void peer_tell(peer *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(p, format, arguments);
    va_end(arguments);
}

/* More bytes of its answer; false when it closed its end, that is, died. */
static bool receive(peer *p)
{
    struct pollfd waiting = {.fd = p->from, .events = POLLIN};
    int ready;
    while ((ready = poll(&waiting, 1, PATIENCE_MS)) < 0 && errno == EINTR) {
    }
    if (ready == 0) {
        fail_msg("peer %d does not come back", p->pid);
    }
    ssize_t got = read(p->from, p->incoming + p->fill, sizeof p->incoming - 1 - p->fill);
    p->fill += got > 0 ? (size_t)got : 0;
    return got > 0;
}

bool peer_has_answered(const peer *p)
{
    struct pollfd at_once = {.fd = p->from, .events = POLLIN};
    return poll(&at_once, 1, 0) > 0;
}

const char *peer_answer(peer *p)
{
    char *end;
    p->incoming[p->fill] = 0;
    while (!(end = strchr(p->incoming, '\n'))) {
        if (!receive(p)) {
            return strcpy(p->answer, "");
        }
        p->incoming[p->fill] = 0;
    }
    *end = 0;
    strcpy(p->answer, p->incoming);
    p->fill -= (size_t)(end + 1 - p->incoming);
    memmove(p->incoming, end + 1, p->fill + 1);
    return p->answer;
}

const char *peer_ask(peer *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(p, format, arguments);
    va_end(arguments);
    return peer_answer(p);
}

bool peer_said(const peer *p, const char *word)
{
    size_t length = strlen(word);
    return strncmp(p->answer, word, length) == 0 && (p->answer[length] == 0 || p->answer[length] == ' ');
}

const char *peer_expect(const char *file, int line, peer *p, const char *want, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    tell(p, format, arguments);
    va_end(arguments);
    peer_answer(p);
    if (!peer_said(p, want)) {
        char question[512];
        vsnprintf(question, sizeof question, format, again);
        print_error("\"%s\": \"%s\" instead of \"%s\"\n", question, p->answer, want);
        _fail(file, line);
    }
    va_end(again);
    return p->answer + strlen(want);
}

static const char *value(const peer *p, const char *key)
{
    const char *found = strstr(p->answer, key);
    if (!found) {
        fail_msg("no \"%s\" in \"%s\"", key, p->answer);
    }
    return found + strlen(key);
}

double peer_number(const peer *p, const char *key)
{
    return strtod(value(p, key), NULL);
}

uint64_t peer_token(const peer *p)
{
    return strtoull(value(p, "token="), NULL, 10);
}

/* An answer "alive" may be kept for one tick of the clock. */
static void await_tick(void)
{
    for (int64_t now = coarse_now(); coarse_now() == now;) {
        usleep(200);
    }
}

void peer_kill(peer *p)
{
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
        forget_peer(p);
        await_tick();
    }
}

void peer_await_stop(peer *p)
{
    int status = 0;
    assert_int_equal(waitpid(p->pid, &status, WUNTRACED), p->pid);
    assert_true(WIFSTOPPED(status));
}

void peer_stop(peer *p)
{
    assert_true(p->pid > 1);
    kill(p->pid, SIGSTOP);
    peer_await_stop(p);
}

void peer_continue(peer *p)
{
    assert_true(p->pid > 1);
    kill(p->pid, SIGCONT);
}

int peer_finish(peer *p)
{
    int status = 0;
    peer_tell(p, "exit");
    waitpid(p->pid, &status, 0);
    forget_peer(p);
    return status;
}
