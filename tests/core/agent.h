/*
 * The agent: a process that reads one command per line from descriptor 20 and answers each with one line on 21. A result is
 * said in one word (ok, busy, free, lost, self, interrupted, error), followed by key=value pairs.
 */
#ifndef FILELOCK_TEST_AGENT_H
#define FILELOCK_TEST_AGENT_H

#include "filelock.h"

enum { AGENT_IN = 20, AGENT_OUT = 21, AGENT_LEASES = 1024 };

typedef struct {
    fl_store *store;
    fl_lease leases[AGENT_LEASES];
    fl_error error;
} agent;

typedef struct {
    const char *word;
    void (*run)(agent *a, char *arguments);
} agent_command;

/*
 * Commands about locks (agent_lock.c), about what is more than one exclusive lock (agent_crowd.c), and about the process and
 * its surroundings (agent_world.c); the last one is empty.
 */
extern const agent_command agent_lock_commands[];
extern const agent_command agent_crowd_commands[];
extern const agent_command agent_world_commands[];

void agent_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The result in one word, with the message where there is one. */
void agent_say_result(agent *a, fl_result result);
const char *agent_word(fl_result result);
/* The same with what is to be known of a lease that was granted. */
void agent_say_lease(agent *a, const fl_lease *lease, fl_result result);
fl_lease *agent_lease(agent *a, char **arguments);

/* The first word of *arguments, which then points behind it. */
char *agent_next(char **arguments);
double agent_number(char **arguments);

#endif
