/*
 * verify [-n PROCESSES] [-t SECONDS] DIRECTORY [SECOND-MOUNT]: is this directory good enough for a dir: store? The figures, and the
 * verdict in the last line. Ends with 0 (good enough), 1 (it is not), 2 (wrong arguments) or 130 (interrupted).
 */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "selftest.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static int is_interrupted(void *context)
{
    (void)context;
    return interrupted;
}

static void show_progress(void *context, const char *sentence)
{
    (void)context;
    printf("%s\n", sentence);
}

static void show_seconds(const char *what, double seconds)
{
    if (isnan(seconds))
        printf("%-52s not seen\n", what);
    else if (fabs(seconds) < 1)
        printf("%-52s %.3g ms\n", what, seconds * 1e3);
    else
        printf("%-52s %.3g s\n", what, seconds);
}

static void show_times(const char *what, const fl_selftest_times *times)
{
    if (times->count == 0)
        printf("%-52s not seen\n", what);
    else
        printf("%-52s median %.1f ms, worst %.1f ms (%u times)\n", what, times->median * 1e3, times->worst * 1e3,
               times->count);
}

static void show(const fl_selftest_report *r, const char *second)
{
    printf("\n");
    show_seconds("steps of the server's times", r->granularity);
    show_seconds("the server's clock before this machine's", r->clock_ahead);
    if (second != NULL)
        show_seconds("a rename is seen through the second mount after", r->stale);
    printf("%-52s %s\n", "hard links (the link method of file: needs them)", r->hard_links ? "yes" : "no");
    printf("%-52s %u, exactly one succeeded each time", "races of two renames of one file", r->races);
    printf(r->errors ? " (%u times the one was told of an error)\n" : "\n", r->errors);
    printf("%-52s %lu, with growing tokens\n", "locks taken", r->taken);
    printf("%-52s %u\n", "processes killed", r->killed);
    show_times("from a release to the next holder", &r->hand_over);
    show_times("from a holder's death to the next holder", &r->after_kill);
    show_times("from the end of the time to live to the next holder", &r->after_end);
}

static int usage(void)
{
    fprintf(stderr, "Usage: verify [-n PROCESSES] [-t SECONDS] DIRECTORY [SECOND-MOUNT]\n");
    return 2;
}

/* Without SA_RESTART: a sleep ends. */
static void mind_signals(void)
{
    const struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int main(int argc, char **argv)
{
    const fl_interrupt stop = {is_interrupted, NULL};
    fl_selftest_plan plan = {.processes = 8, .seconds = 5, .interrupt = &stop, .progress = show_progress};
    fl_selftest_report report;
    for (int option; (option = getopt(argc, argv, "n:t:")) != -1;) {
        if (option == 'n')
            plan.processes = atoi(optarg);
        else if (option == 't')
            plan.seconds = atof(optarg);
        else
            return usage();
    }
    if (argc - optind < 1 || argc - optind > 2)
        return usage();
    plan.directory = argv[optind];
    plan.second = argv[optind + 1];
    setvbuf(stdout, NULL, _IOLBF, 0);
    mind_signals();
    bool good = fl_selftest(&plan, &report);
    if (good)
        show(&report, plan.second);
    printf("\n%s: %s\n", plan.directory, report.verdict);
    return good ? 0 : report.interrupted ? 130 : 1;
}
