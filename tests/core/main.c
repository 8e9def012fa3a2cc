/* The groups of the suite, and which of them are run. */
#include "suite.h"

#include <stdio.h>
#include <string.h>

enum { LONG = 1, DISK = 2 };

#define GROUP(name, flags) void group_##name(void);
#include "groups.h"
#undef GROUP

static const struct {
    const char *name;
    void (*run)(void);
    int flags;
} groups[] = {
#define GROUP(name, flags) {#name, group_##name, flags},
#include "groups.h"
};

static bool wanted(size_t group, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], groups[group].name) == 0 ||
            (strcmp(argv[i], "--short") == 0 && !(groups[group].flags & LONG))) {
            return true;
        }
    }
    return argc == 1;
}

/* Where the kernel keeps a table in memory is not where it keeps it on a disk: those that care are run once more. */
static struct {
    size_t group;
    bool on_disk;
} jobs[2 * COUNT(groups)];
static size_t job_count;

static void collect_jobs(int argc, char **argv)
{
    for (size_t i = 0; i < COUNT(groups); i++) {
        if (wanted(i, argc, argv)) {
            jobs[job_count++].group = i;
        }
    }
    for (size_t i = 0; argc == 1 && i < COUNT(groups); i++) {
        if (groups[i].flags & DISK) {
            jobs[job_count].on_disk = true;
            jobs[job_count++].group = i;
        }
    }
}

static void run_job(size_t number, tally *counts)
{
    suite_on_disk = jobs[number].on_disk;
    if (suite_on_disk) {
        printf("---- on a disk\n");
    }
    groups[jobs[number].group].run();
    *counts = suite_sum();
}

/* suite [--short] [group…]: without arguments, everything. */
int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    collect_jobs(argc, argv);
    return suite_close(lanes_run(job_count, run_job));
}
