/* What is more than one exclusive lock: readers, permits, from one to the other, handing over; and counters. */
#include "agent.h"

#include "testing.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static fl_kind kind_of(const char *word)
{
    return *word == 's' ? FL_SHARED : *word == 'p' ? FL_PERMIT : FL_EXCLUSIVE;
}

static int questions_left;

static int stop_at_last(void *context)
{
    (void)context;
    return questions_left > 0 && --questions_left == 0;
}

static const fl_interrupt interrupt = {stop_at_last, NULL};

/* patience N: the next wait is broken off when its interrupt function is asked for the N-th time; 0 = never. */
static void do_patience(agent *a, char *arguments)
{
    (void)a;
    questions_left = (int)agent_number(&arguments);
    agent_say("ok");
}

/* take LEASE exclusive|shared|permit PERMITS TTL TIMEOUT NAME */
static void do_take(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    fl_request request = {.interrupt = &interrupt};
    request.kind = kind_of(agent_next(&arguments));
    request.permits = (uint32_t)agent_number(&arguments);
    request.ttl = agent_number(&arguments);
    request.timeout = agent_number(&arguments);
    request.name = arguments;
    request.length = strlen(arguments);
    agent_say_lease(a, lease, fl_take(a->store, lease, &request, &a->error));
}

/* upgrade LEASE TIMEOUT */
static void do_upgrade(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    agent_say_lease(a, lease, fl_upgrade(lease, agent_number(&arguments), &interrupt, &a->error));
}

static void do_downgrade(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    agent_say_lease(a, lease, fl_downgrade(lease, &a->error));
}

static void do_leave(agent *a, char *arguments)
{
    agent_say_result(a, fl_leave(agent_lease(a, &arguments), &a->error));
}

static void do_key(agent *a, char *arguments)
{
    char key[FL_KEY_SIZE];
    fl_result result = fl_get_key(agent_lease(a, &arguments), key, &a->error);
    if (result == FL_OK) {
        agent_say("ok key=%s", key);
    } else {
        agent_say_result(a, result);
    }
}

/* restore LEASE KEY */
static void do_restore(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    agent_say_lease(a, lease, fl_restore(a->store, lease, arguments, strlen(arguments), &a->error));
}

static void do_stats(agent *a, char *arguments)
{
    fl_stats s;
    (void)arguments;
    fl_result result = fl_get_stats(a->store, &s, &a->error);
    if (result != FL_OK) {
        agent_say_result(a, result);
        return;
    }
    agent_say("ok acquired=%" PRIu64 " busy=%" PRIu64 " waited=%" PRIu64 " waited_ns=%" PRIu64 " expired=%" PRIu64
              " recovered=%" PRIu64 " broken=%" PRIu64 " lost=%" PRIu64,
              s.acquired, s.busy, s.waited, s.waited_ns, s.expired, s.recovered, s.broken, s.lost);
}

/* ---- one step by its name -------------------------------------------------------------------------------------------- */

static char fatal_label[64];
static int fatal_signal;

static void end_there(const char *label)
{
    if (strcmp(label, fatal_label) == 0) {
        fatal_label[0] = 0;
        agent_say("%s at=%s", fatal_signal == SIGKILL ? "killed" : "stopped", label);
        kill(getpid(), fatal_signal);
    }
}

/* armat kill|stop LABEL: when it next comes to this step. */
static void do_armat(agent *a, char *arguments)
{
    (void)a;
    fatal_signal = strcmp(agent_next(&arguments), "kill") == 0 ? SIGKILL : SIGSTOP;
    strncpy(fatal_label, arguments, sizeof fatal_label - 1);
    fl_step_hook = end_there;
    agent_say("ok");
}

/* How much processor time it has used, in microseconds. */
static void do_cpu(agent *a, char *arguments)
{
    struct rusage use;
    (void)a, (void)arguments;
    getrusage(RUSAGE_SELF, &use);
    agent_say("ok us=%lld", (long long)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 + use.ru_utime.tv_usec +
                                use.ru_stime.tv_usec);
}

const agent_command agent_crowd_commands[] = {
    {"take", do_take},
    {"upgrade", do_upgrade},
    {"downgrade", do_downgrade},
    {"leave", do_leave},
    {"key", do_key},
    {"restore", do_restore},
    {"stats", do_stats},
    {"patience", do_patience},
    {"armat", do_armat},
    {"cpu", do_cpu},
    {NULL, NULL},
};
