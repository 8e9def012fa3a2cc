/*
 * No wake-up is lost: two processes hand one lock to and fro. One that were lost would cost a slice of some milliseconds, so it
 * shows in the share of slow hand-overs, which is compared with that of a blocking flock in the same run.
 */
#include "kinds.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BUCKETS = 4096, HOLD_US = 20, SLOW_US = 4000 };

static struct court {
    _Atomic int finished, last, asks[2];
    _Atomic int64_t given;
    _Atomic long count[BUCKETS + 1]; /* hand-overs that took so many µs */
} * court;

typedef struct {
    long all, slow;
    int median;
} summary;

/* What the lock protects: whose turn it was before, how long ago it was given back. Held until the other one asks for it. */
static void note_turn(int me)
{
    int64_t now = precise_now(), us = (now - atomic_load(&court->given)) / 1000;
    if (atomic_load(&court->last) != me && atomic_load(&court->last) >= 0) {
        atomic_fetch_add(&court->count[us < BUCKETS ? us : BUCKETS], 1);
    }
    atomic_store(&court->last, me);
    atomic_store(&court->asks[me], 0);
    while (!atomic_load(&court->asks[1 - me]) && !atomic_load(&court->finished)) {
        sched_yield();
    }
    usleep(HOLD_US); /* so that it sleeps for the lock, also where both share a processor */
    atomic_store(&court->given, precise_now());
}

static void play_filelock(int me)
{
    fl_error error;
    fl_lease lease = FL_LEASE_INIT;
    fl_store *store = open_store(dsn("t"));
    while (!atomic_load(&court->finished)) {
        atomic_store(&court->asks[me], 1);
        if (fl_acquire(store, &lease, "x", 1, 100, INFINITY, NULL, &error) != FL_OK) {
            _exit(1);
        }
        note_turn(me);
        fl_release(&lease, &error);
    }
}

static void play_flock(int me)
{
    int fd = open(scratch("flock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    while (!atomic_load(&court->finished)) {
        atomic_store(&court->asks[me], 1);
        if (flock(fd, LOCK_EX) != 0) {
            _exit(1);
        }
        note_turn(me);
        flock(fd, LOCK_UN);
    }
}

static summary sum_up(void)
{
    summary s = {0};
    long seen = 0;
    for (int us = 0; us <= BUCKETS; us++) {
        s.all += atomic_load(&court->count[us]);
        s.slow += us >= SLOW_US ? atomic_load(&court->count[us]) : 0;
    }
    for (int us = 0; us <= BUCKETS && seen <= s.all / 2; us++) {
        seen += atomic_load(&court->count[us]);
        s.median = us;
    }
    return s;
}

static summary play(void (*game)(int me), int seconds)
{
    pid_t player[2];
    court = mmap(NULL, sizeof *court, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    atomic_store(&court->last, -1);
    for (int i = 0; i < 2; i++) {
        player[i] = fork();
        if (player[i] == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            game(i);
            _exit(0);
        }
    }
    sleep((unsigned)seconds); /* how long they play, no more */
    atomic_store(&court->finished, 1);
    for (int i = 0; i < 2; i++) {
        int status = 1;
        waitpid(player[i], &status, 0);
        assert_int_equal(status, 0);
    }
    summary s = sum_up();
    munmap(court, sizeof *court);
    return s;
}

/* FL_TEST_SECONDS=300 for millions of hand-overs. */
static void no_wake_up_is_lost(void **state)
{
    const char *asked = getenv("FL_TEST_SECONDS");
    int seconds = asked ? atoi(asked) : 2;
    (void)state;
    alarm((unsigned)(2 * seconds + 60));
    summary theirs = play(play_flock, seconds), ours = play(play_filelock, seconds);
    print_message("flock: %ld hand-overs, median %d us, %ld slow; filelock: %ld, median %d us, %ld slow\n", theirs.all,
                  theirs.median, theirs.slow, ours.all, ours.median, ours.slow);
    assert_true(ours.all > 100);
    double rate = theirs.all ? (double)theirs.slow / (double)theirs.all : 0;
    assert_true((double)ours.slow <= (double)ours.all * (0.002 + 4 * rate) + 3);
}

void group_pingpong(void)
{
    static const struct CMUnitTest pingpong[] = {TEST(no_wake_up_is_lost)};
    RUN(pingpong);
}
