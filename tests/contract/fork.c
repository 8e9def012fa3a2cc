/* A forked child owns nothing, an exec'ed one inherits nothing. */
#include "contract.h"

#include <signal.h>
#include <string.h>
#include <sys/types.h>

static peer parent, other;

static void begin(void)
{
    open_peer(&parent);
    open_peer(&other);
    EXPECT(&parent, "ok", "try 0 1000 x");
}

static void a_child_owns_nothing(void **state)
{
    static const char *const lives[] = {"exit",         "_exit",       "exec",      "kill",
                                        "release exit", "close _exit", "own _exit", "own release close exit"};
    (void)state;
    begin();
    for (size_t i = 0; i < COUNT(lives); i++) {
        if (strcmp(lives[i], "own _exit") == 0 && !it_can(FL_CAN_RECOVER)) {
            continue; /* the child's own lock would stay */
        }
        EXPECT(&parent, "ok", "fork %s", lives[i]);
        int status = (int)peer_number(&parent, "status=");
        assert_true(status == 0 || status == SIGKILL);
        EXPECT(&parent, "ok", "verify 0");
        EXPECT(&other, "busy", "try 0 100 x");
        if (it_can(FL_CAN_RECOVER)) {
            EXPECT(&other, "free", "status of the child");
        }
    }
    EXPECT(&parent, "ok", "refresh 0");
    EXPECT(&parent, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 100 x");
}

/* What the child has of it keeps nothing. */
static void given_back_while_a_child_lives(void **state)
{
    (void)state;
    begin();
    EXPECT(&parent, "ok", "fork release stay");
    pid_t child = (pid_t)peer_number(&parent, "pid=");
    EXPECT(&parent, "ok", "verify 0");
    EXPECT(&parent, "ok", "release 0");
    EXPECT(&other, "ok", "try 0 100 x");
    kill(child, SIGKILL);
}

static void killed_while_a_child_lives(void **state)
{
    (void)state;
    begin();
    EXPECT(&parent, "ok", "fork stay");
    pid_t child = (pid_t)peer_number(&parent, "pid=");
    peer_kill(&parent);
    EXPECT(&other, "ok", "try 0 100 x");
    kill(child, SIGKILL);
}

static void killed_while_a_program_lives(void **state)
{
    (void)state;
    begin();
    EXPECT(&parent, "ok", "spawn");
    pid_t child = (pid_t)peer_number(&parent, "pid=");
    peer_kill(&parent);
    EXPECT(&other, "ok", "try 0 100 x");
    kill(child, SIGKILL);
}

void contract_fork(void)
{
    static const contract_case cases[] = {
        ALWAYS(a_child_owns_nothing),
        ALWAYS(given_back_while_a_child_lives),
        WITH(killed_while_a_child_lives, FL_CAN_RECOVER),
        WITH(killed_while_a_program_lives, FL_CAN_RECOVER),
    };
    RUN_CASES(cases);
}
