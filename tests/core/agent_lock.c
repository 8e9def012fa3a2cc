#include "agent.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

fl_lease *agent_lease(agent *a, char **arguments)
{
    return &a->leases[(int)agent_number(arguments) % AGENT_LEASES];
}

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* now and at are this process's real clocks, coarse and precise, without any offset: what a history can be made of. */
void agent_say_lease(agent *a, const fl_lease *lease, fl_result result)
{
    if (result == FL_OK) {
        agent_say("ok token=%" PRIu64 " epoch=%" PRIu32 " since=%" PRId64 " deadline=%" PRId64 " now=%" PRId64
                  " at=%" PRId64,
                  lease->token, lease->epoch, lease->since, lease->deadline, now(CLOCK_MONOTONIC_COARSE),
                  now(CLOCK_MONOTONIC));
    } else {
        agent_say_result(a, result);
    }
}

static void do_open(agent *a, char *dsn)
{
    agent_say_result(a, fl_open(dsn, &a->store, &a->error));
}

static void do_close(agent *a, char *arguments)
{
    (void)arguments;
    fl_close(a->store);
    a->store = NULL;
    memset(a->leases, 0, sizeof a->leases); /* they went with it */
    agent_say("ok");
}

static void do_label(agent *a, char *label)
{
    fl_set_label(a->store, label, strlen(label));
    agent_say("ok");
}

/* try LEASE TTL NAME */
static void do_try(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    double ttl = agent_number(&arguments);
    agent_say_lease(a, lease, fl_try(a->store, lease, arguments, strlen(arguments), ttl, &a->error));
}

/* acquire LEASE TTL TIMEOUT NAME */
static void do_acquire(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    double ttl = agent_number(&arguments);
    double timeout = agent_number(&arguments);
    agent_say_lease(a, lease, fl_acquire(a->store, lease, arguments, strlen(arguments), ttl, timeout, NULL, &a->error));
}

static void do_release(agent *a, char *arguments)
{
    agent_say_result(a, fl_release(agent_lease(a, &arguments), &a->error));
}

/* refresh LEASE [TTL] */
static void do_refresh(agent *a, char *arguments)
{
    fl_lease *lease = agent_lease(a, &arguments);
    bool given = arguments && *arguments;
    double ttl = given ? agent_number(&arguments) : 0;
    agent_say_lease(a, lease, fl_refresh(lease, given ? &ttl : NULL, &a->error));
}

static void do_verify(agent *a, char *arguments)
{
    agent_say_result(a, fl_verify(agent_lease(a, &arguments)));
}

static void do_status(agent *a, char *name)
{
    fl_status_t s;
    fl_result result = fl_status(a->store, name, strlen(name), &s, &a->error);
    if (result != FL_OK) {
        agent_say_result(a, result);
        return;
    }
    agent_say("ok token=%" PRId64 " pid=%" PRId64 " uid=%" PRId64 " holders=%" PRIu32 " waiters=%" PRIu32
              " mine=%d shared=%d since=%.6f remaining=%.6f label=%s",
              s.token, s.pid, s.uid, s.holders, s.waiters, s.mine, s.shared, s.since, s.remaining, s.label);
}

static int count_name(void *context, const fl_status_t *status)
{
    (void)status;
    ++*(int *)context;
    return 0;
}

static void do_list(agent *a, char *prefix)
{
    int count = 0;
    fl_result result = fl_list(a->store, prefix, strlen(prefix), count_name, &count, &a->error);
    if (result == FL_OK) {
        agent_say("ok count=%d", count);
    } else {
        agent_say_result(a, result);
    }
}

/* break TOKEN NAME */
static void do_break(agent *a, char *arguments)
{
    int64_t token = 0;
    sscanf(agent_next(&arguments), "%" SCNd64, &token);
    agent_say_result(a, fl_break(a->store, arguments, strlen(arguments), token, &a->error));
}

static fl_result take_and_give(agent *a, const char *name)
{
    fl_lease lease = FL_LEASE_INIT;
    fl_result result = fl_try(a->store, &lease, name, strlen(name), 1000.0, &a->error);
    return result == FL_OK ? fl_release(&lease, &a->error) : result;
}

/* cycle COUNT NAME: takes it and gives it back so often; each must succeed. */
static void do_cycle(agent *a, char *arguments)
{
    fl_result result = FL_OK;
    for (int left = (int)agent_number(&arguments); left > 0 && result == FL_OK; left--) {
        result = take_and_give(a, arguments);
    }
    agent_say_result(a, result);
}

/* swap COUNT TTL NAME: tries so often, busy or not, and gives back at once. */
static void do_swap(agent *a, char *arguments)
{
    fl_lease lease = FL_LEASE_INIT;
    int count = (int)agent_number(&arguments);
    double ttl = agent_number(&arguments);
    while (count-- > 0) {
        if (fl_try(a->store, &lease, arguments, strlen(arguments), ttl, &a->error) == FL_OK) {
            fl_release(&lease, &a->error);
        }
    }
    agent_say("ok");
}

/* each COUNT PREFIX: the same once for each of PREFIX0, PREFIX1, … */
static void do_each(agent *a, char *arguments)
{
    fl_result result = FL_OK;
    int count = (int)agent_number(&arguments);
    for (int i = 0; i < count && result == FL_OK; i++) {
        char name[300];
        snprintf(name, sizeof name, "%s%d", arguments, i);
        result = take_and_give(a, name);
    }
    agent_say_result(a, result);
}

const agent_command agent_lock_commands[] = {
    {"open", do_open},       {"close", do_close},     {"label", do_label},
    {"try", do_try},         {"acquire", do_acquire}, {"release", do_release},
    {"refresh", do_refresh}, {"verify", do_verify},   {"status", do_status},
    {"list", do_list},       {"break", do_break},     {"cycle", do_cycle},
    {"swap", do_swap},       {"each", do_each},       {NULL, NULL},
};
