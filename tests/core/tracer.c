#include "tracer.h"

#include "suite.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "agent.h"

static long stopped_before;

static void await_stop(const peer *p)
{
    int status = 0;
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    assert_true(WIFSTOPPED(status));
}

void tracer_seize(peer *p)
{
    assert_int_equal(ptrace(PTRACE_SEIZE, p->pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)), 0);
    assert_int_equal(ptrace(PTRACE_INTERRUPT, p->pid, NULL, NULL), 0);
    await_stop(p);
}

typedef struct __ptrace_syscall_info call_info;

/* To where it enters the next system call, or leaves this one. */
static void go_on(const peer *p, call_info *info)
{
    assert_int_equal(ptrace(PTRACE_SYSCALL, p->pid, NULL, NULL), 0);
    await_stop(p);
    assert_true(ptrace(PTRACE_GET_SYSCALL_INFO, p->pid, (void *)sizeof *info, info) > 0);
}

static bool is_about(const call_info *info, long number, int fd)
{
    return (long)info->entry.nr == number && (int)info->entry.args[0] == fd;
}

bool tracer_run_to(peer *p, int n)
{
    call_info info;
    bool answered = false;
    while (!answered) {
        go_on(p, &info);
        if (info.op != PTRACE_SYSCALL_INFO_ENTRY || is_about(&info, SYS_read, AGENT_IN)) {
            continue;
        }
        stopped_before = (long)info.entry.nr;
        if (--n == 0) {
            return true;
        }
        answered = is_about(&info, SYS_write, AGENT_OUT);
    }
    assert_int_equal(ptrace(PTRACE_DETACH, p->pid, NULL, NULL), 0);
    return false;
}

long tracer_stopped_before(void)
{
    return stopped_before;
}
