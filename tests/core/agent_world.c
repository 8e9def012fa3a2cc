#include "agent.h"

#include "directory/directory.h"
#include "directory/files.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Steps of the core: count them, or end at the n-th ------------------------------------------------------------ */

static int steps, fatal_step, fatal_signal;
static char fatal_label[32];

/* The answer is written before the signal, so that whoever waits for it knows where it happened. */
static void count_step(const char *label)
{
    if (++steps == fatal_step || strcmp(label, fatal_label) == 0) {
        fatal_label[0] = 0;
        agent_say("%s at=%s", fatal_signal == SIGKILL ? "killed" : "stopped", label);
        kill(getpid(), fatal_signal);
    }
}

/* arm N kill|stop: at the N-th step from now on; 0 only counts. arm at LABEL kill|stop: at the next step with that label. */
static void do_arm(agent *a, char *arguments)
{
    (void)a;
    steps = 0;
    const char *where = agent_next(&arguments);
    fatal_step = atoi(where);
    snprintf(fatal_label, sizeof fatal_label, "%s", strcmp(where, "at") == 0 ? agent_next(&arguments) : "");
    fatal_signal = strcmp(arguments, "kill") == 0 ? SIGKILL : SIGSTOP;
    fl_step_hook = count_step;
    agent_say("ok");
}

static void do_disarm(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    fl_step_hook = NULL;
    agent_say("ok steps=%d", steps);
}

/* clock COARSE PRECISE: seconds by which the two clocks are ahead in this process. */
static void do_clock(agent *a, char *arguments)
{
    (void)a;
    atomic_store(&fl_clock_offset_coarse, (int64_t)(agent_number(&arguments) * 1e9));
    atomic_store(&fl_clock_offset_precise, (int64_t)(agent_number(&arguments) * 1e9));
    agent_say("ok");
}

/* ---- The server of a shared directory ------------------------------------------------------------------------------- */

static int64_t server_offset;
static int (*server_stamp)(const char *path, int64_t *time);

static int stamp_with_offset(const char *path, int64_t *time)
{
    int result = server_stamp(path, time);
    *time += server_offset;
    return result;
}

/* server SECONDS: its clock is so far ahead, as this process sees it. */
static void do_server(agent *a, char *arguments)
{
    (void)a;
    server_offset = (int64_t)(agent_number(&arguments) * 1e9);
    if (!server_stamp) {
        server_stamp = files.stamp;
        files.stamp = stamp_with_offset;
    }
    agent_say("ok");
}

/* collect: names of the shared directory that nobody has used for long are removed. */
static void do_collect(agent *a, char *arguments)
{
    (void)arguments;
    unsigned removed;
    fl_error error = {.message = ""};
    agent_say(collect_attached(a->store, &removed, &error) == FL_OK ? "ok" : error.message);
}

/* wall SECONDS: by which the wall clock is ahead in this process. */
static void do_wall(agent *a, char *arguments)
{
    (void)a;
    atomic_store(&fl_clock_offset_wall, (int64_t)(agent_number(&arguments) * 1e9));
    agent_say("ok");
}

/* time: what this process takes for it, in seconds. */
static void do_time(agent *a, char *arguments)
{
    struct timespec t;
    (void)a, (void)arguments;
    clock_gettime(CLOCK_REALTIME, &t);
    agent_say("ok time=%lld", (long long)t.tv_sec);
}

/* ---- Descriptors -------------------------------------------------------------------------------------------------- */

/* All but the two it talks through, behind the back of the library. */
static void do_closeothers(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    for (int fd = 0; fd < 1024; fd++) {
        if (fd != AGENT_IN && fd != AGENT_OUT) {
            close(fd);
        }
    }
    agent_say("ok");
}

static void do_nofile(agent *a, char *arguments)
{
    (void)a;
    rlim_t limit = (rlim_t)agent_number(&arguments);
    struct rlimit both = {limit, limit};
    agent_say(setrlimit(RLIMIT_NOFILE, &both) == 0 ? "ok" : "failed");
}

static void do_fillfds(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    int count = 0;
    while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
        count++;
    }
    agent_say(errno == EMFILE ? "ok count=%d" : "failed %d", count);
}

static void do_countfds(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        count += fcntl(fd, F_GETFD) >= 0;
    }
    agent_say("ok count=%d", count);
}

/* ---- The process -------------------------------------------------------------------------------------------------- */

static void do_setuid(agent *a, char *arguments)
{
    (void)a;
    uid_t uid = (uid_t)agent_number(&arguments);
    agent_say(setgid(uid) == 0 && setuid(uid) == 0 ? "ok" : "failed");
}

static void do_chroot(agent *a, char *path)
{
    (void)a;
    agent_say(chroot(path) == 0 && chdir("/") == 0 ? "ok" : "failed");
}

static void do_pid(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    agent_say("ok pid=%d", (int)getpid());
}

/* An orderly end of the process that gives nothing back by itself. */
static void do_exit(agent *a, char *arguments)
{
    (void)a;
    exit((int)agent_number(&arguments));
}

static void do_spawn(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    char *const command[] = {"sleep", "60", NULL};
    pid_t child = 0;
    int failed = posix_spawnp(&child, command[0], NULL, NULL, command, environ);
    agent_say(failed ? "failed" : "ok pid=%d", (int)child);
}

/* Becomes a program that lives on. */
static void do_become(agent *a, char *arguments)
{
    (void)a, (void)arguments;
    execlp("sleep", "sleep", "60", (char *)NULL);
    agent_say("failed");
}

/* ---- Children that inherit a lease (lease 0) and must not own it --------------------------------------------------- */

static int lose_all(agent *a)
{
    return fl_verify(&a->leases[0]) == FL_LOST && fl_release(&a->leases[0], &a->error) == FL_LOST;
}

static int lock_own(agent *a)
{
    fl_lease *own = &a->leases[AGENT_LEASES - 1];
    return fl_try(a->store, own, "of the child", 12, 1000, &a->error) == FL_OK && fl_verify(own) == FL_OK;
}

static void be_child(agent *a, const char *kind)
{
    int right = 1;
    if (strstr(kind, "own")) {
        right = lock_own(a);
    }
    if (strstr(kind, "release")) {
        right = right && lose_all(a);
    }
    if (strstr(kind, "close")) {
        fl_close(a->store);
    }
    if (strstr(kind, "exec")) {
        execlp("true", "true", (char *)NULL);
    }
    if (strstr(kind, "kill")) {
        kill(getpid(), SIGKILL);
    }
    if (strstr(kind, "stay")) {
        agent_say(right ? "ok pid=%d" : "wrong", (int)getpid());
        alarm(20); /* nobody waits for it */
        pause();
    }
    if (strstr(kind, "_exit")) {
        _exit(!right);
    }
    exit(!right);
}

/* fork KIND: KIND is made of own, release, close and one of exit, _exit, exec, kill, stay. */
static void do_fork(agent *a, char *kind)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        be_child(a, kind);
    }
    if (strstr(kind, "stay")) {
        return; /* the child answers */
    }
    waitpid(child, &status, 0);
    agent_say("ok status=%d", status);
}

const agent_command agent_world_commands[] = {
    {"arm", do_arm},
    {"disarm", do_disarm},
    {"clock", do_clock},
    {"server", do_server},
    {"wall", do_wall},
    {"time", do_time},
    {"collect", do_collect},
    {"closeothers", do_closeothers},
    {"nofile", do_nofile},
    {"fillfds", do_fillfds},
    {"countfds", do_countfds},
    {"setuid", do_setuid},
    {"chroot", do_chroot},
    {"pid", do_pid},
    {"exit", do_exit},
    {"spawn", do_spawn},
    {"become", do_become},
    {"fork", do_fork},
    {NULL, NULL},
};
