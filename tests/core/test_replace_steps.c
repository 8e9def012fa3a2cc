/*
 * Replacing a file, killed or stopped at every step: there are the old contents or the new ones, whole; what is left beside them has
 * a name that tells what it is; and the others go on. With files that have no name until they are complete, and without.
 */
#include "put.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testing.h"

static int steps, last_step, fatal_signal;

static void count_step(const char *label)
{
    (void)label;
    if (++steps == last_step) {
        raise(fatal_signal);
    }
}

static pid_t replace_until(int step, int signal, const char *path, const char *contents)
{
    fl_error error;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        steps = 0;
        last_step = step;
        fatal_signal = signal;
        fl_step_hook = count_step;
        _exit(put(path, contents, &error) == FL_OK ? 0 : 1);
    }
    return child;
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    return status;
}

static bool is(const char *path, const char *contents)
{
    size_t size;
    char *bytes = read_file(path, &size);
    bool same = size == strlen(contents) && memcmp(bytes, contents, size) == 0;
    free(bytes);
    return same;
}

static void sweep(const char *directory)
{
    char command[700];
    snprintf(command, sizeof command, "rm -f %s/" FL_TEMPORARY "*", directory);
    assert_int_equal(system(command), 0);
}

/* Returns at how many steps the old contents were still there, and (litter) at how many something was left. */
static int kill_at_every_step(const char *path, const char *directory, int *litter)
{
    int old = 0, step = 1;
    for (*litter = 0;; step++) {
        make_file(path, "old", 0640);
        int status = status_of(replace_until(step, SIGKILL, path, "new contents"));
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            break;
        }
        bool untouched = is(path, "old");
        assert_true(untouched || is(path, "new contents"));
        assert_int_equal(entries_in(directory), 1 + litter_beside(path));
        old += untouched;
        *litter += litter_beside(path);
        sweep(directory);
        PUT(path, "the next comer's");
    }
    assert_true(is(path, "new contents"));
    assert_int_equal(litter_beside(path), 0);
    assert_true(step > 5 && old >= 4 && old < step - 1);
    return old;
}

static void killed(void **state)
{
    (void)state;
    int litter;
    kill_at_every_step(scratch("file"), scratch("%s", ""), &litter);
    assert_true(litter <= 1); /* between the name and the renaming */
}

static void killed_while_there_is_no_file(void **state)
{
    (void)state;
    struct stat st;
    const char *path = scratch("file");
    for (int step = 1;; step++) {
        int status = status_of(replace_until(step, SIGKILL, path, "new contents"));
        bool there = stat(path, &st) == 0;
        assert_true(!there || is(path, "new contents"));
        if (WIFEXITED(status)) {
            assert_int_equal(WEXITSTATUS(status), 0);
            assert_true(there && step > 5);
            return;
        }
        sweep(scratch("%s", ""));
        unlink(path);
    }
}

/* An unnamed file gets its name through /proc. */
static void hide_proc(void)
{
    private_mounts();
    assert_int_equal(mount("none", "/proc", "tmpfs", 0, NULL), 0);
}

static void killed_without_unnamed_files(void **state)
{
    (void)state;
    int litter;
    hide_proc();
    kill_at_every_step(scratch("file"), scratch("%s", ""), &litter);
    assert_true(litter >= 3); /* so that the tests' own eye for litter is seen to work */
}

/* The others go on, and when the stopped one does, too, there is a whole file. */
static void stopped(void **state)
{
    (void)state;
    const char *path = scratch("file");
    for (int step = 1;; step++) {
        make_file(path, "old", 0640);
        pid_t child = replace_until(step, SIGSTOP, path, "of the stopped one");
        if (!WIFSTOPPED(status_of(child))) {
            assert_true(step > 5);
            break;
        }
        fl_error error;
        RESULT_OR(FL_OK, put(path, "of another", &error), &error);
        assert_contents(path, "of another");
        kill(child, SIGCONT);
        assert_int_equal(status_of(child), 0);
        assert_true(is(path, "of another") || is(path, "of the stopped one"));
        assert_int_equal(entries_in(scratch("%s", "")), 1);
    }
}

static void alone(void **state)
{
    in_child((void (*)(void **))(uintptr_t)*state);
}

void group_replace_steps(void)
{
    static const struct CMUnitTest replace_steps[] = {
        TEST(killed),
        TEST(killed_while_there_is_no_file),
        {"killed_without_unnamed_files", alone, suite_begin, suite_end,
         (void *)(uintptr_t)killed_without_unnamed_files},
        TEST(stopped),
    };
    RUN(replace_steps);
}
