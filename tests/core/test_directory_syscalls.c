/*
 * A process that is killed at every system call of everything that the directory store does, whatever that call is, while two comers
 * are at it. Both get the lock, with tokens that grow; nobody who lost it is told that he had it; the place is as good as before.
 *
 * test_directory_steps.c does the same at the steps that change the share, with others that come, or go on, later.
 */
#include "share.h"

#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "tracer.h"

static peer victim, watcher, comers[2];
static char x[32], key[FL_KEY_SIZE];
static uint64_t last; /* the largest token that was seen */
static int round_number;
static int passed; /* seconds, for everybody and the server */

/* ---- the operations -------------------------------------------------------------------------------------------------- */

static void keep_token(const peer *p)
{
    last = peer_token(p) > last ? peer_token(p) : last;
}

static void keep_key(const peer *p)
{
    snprintf(key, sizeof key, "%s", strstr(p->answer, "key=") + 4);
}

static void nothing(void)
{
}

static void watcher_holds(void)
{
    EXPECT(&watcher, "ok", "try 0 100 %s", x);
    keep_token(&watcher);
}

static void name_exists(void)
{
    watcher_holds();
    EXPECT(&watcher, "ok", "release 0");
}

static void set_clocks(peer *p, int ahead)
{
    EXPECT(p, "ok", "server %d", ahead);
    EXPECT(p, "ok", "clock %d %d", ahead, ahead);
}

static void name_was_used_long_ago(void)
{
    name_exists();
    passed += 2 * COLLECT_AFTER;
    peer *all[] = {&victim, &watcher, &comers[0], &comers[1]};
    for (size_t i = 0; i < COUNT(all); i++) {
        set_clocks(all[i], passed);
    }
}

static void holder_died(void)
{
    peer dead;
    peer_open(&dead, share());
    EXPECT(&dead, "ok", "try 0 1000 %s", x);
    keep_token(&dead);
    peer_kill(&dead);
}

static void victim_holds(void)
{
    EXPECT(&victim, "ok", "try 0 100 %s", x);
    keep_token(&victim);
}

static void victim_has_a_key(void)
{
    victim_holds();
    EXPECT(&victim, "ok", "key 0");
    keep_key(&victim);
}

static void watcher_left(void)
{
    watcher_holds();
    EXPECT(&watcher, "ok", "key 0");
    keep_key(&watcher);
    EXPECT(&watcher, "ok", "leave 0");
}

typedef struct {
    const char *name;
    void (*prepare)(void);
    const char *order; /* KEY, TOKEN and NAME stand for what they say */
    int ahead;         /* seconds, of the clocks of the victim and of the server as it sees it */
    bool first;        /* nothing was done before, neither by the victim nor in this directory */
} operation;

static const operation operations[] = {
    {"bootstrap", nothing, "try 0 100 NAME", 0, true},
    {"take a new name", nothing, "try 0 100 NAME", 0, false},
    {"take a known name", name_exists, "try 0 100 NAME", 0, false},
    {"recover and take", holder_died, "try 0 100 NAME", 0, false},
    {"take an expired name", watcher_holds, "try 0 100 NAME", 3600, false},
    {"release", victim_holds, "release 0", 0, false},
    {"refresh", victim_holds, "refresh 0", 0, false},
    {"leave", victim_has_a_key, "leave 0", 0, false},
    {"restore", watcher_left, "restore 0 KEY", 0, false},
    {"break", watcher_holds, "break TOKEN NAME", 0, false},
    {"collect", name_was_used_long_ago, "collect", 0, false},
    {"close", victim_holds, "close", 0, false},
};

static void give_order(const operation *o)
{
    size_t verb = strcspn(o->order, "KTN");
    if (strcmp(o->order + verb, "KEY") == 0) {
        peer_tell(&victim, "%.*s%s", (int)verb, o->order, key);
    } else if (strcmp(o->order + verb, "TOKEN NAME") == 0) {
        peer_tell(&victim, "%.*s%llu %s", (int)verb, o->order, (unsigned long long)last, x);
    } else {
        peer_tell(&victim, "%.*s%s", (int)verb, o->order, o->order[verb] ? x : "");
    }
}

static void open_anew(peer *p)
{
    EXPECT(p, "ok", "close");
    EXPECT(p, "ok", "open %s", share());
}

static void begin_anew(void)
{
    assert_int_equal(rename(scratch("d"), scratch("d%d", round_number)), 0);
    share();
    open_anew(&watcher);
    open_anew(&comers[0]);
    open_anew(&comers[1]);
}

static void start_victim(const operation *o)
{
    peer_open(&victim, share());
    set_clocks(&victim, passed + o->ahead);
    if (!o->first) {
        EXPECT(&victim, "ok", "cycle 1 of the victim");
    }
}

static bool stop_before(const operation *o, int n)
{
    snprintf(x, sizeof x, "%d", ++round_number);
    last = 0;
    if (o->first) {
        begin_anew();
    }
    start_victim(o);
    o->prepare();
    tracer_seize(&victim);
    give_order(o);
    return tracer_run_to(&victim, n);
}

/* ---- the judge --------------------------------------------------------------------------------------------------------- */

/* Those who look are not in anybody's way, nor anybody in theirs. Is it still the watcher's? */
static bool look(void)
{
    uint64_t before = last;
    EXPECT(&watcher, "ok", "list ");
    peer_ask(&watcher, "status %s", x);
    assert_true(peer_said(&watcher, "ok") || peer_said(&watcher, "free"));
    if (peer_said(&watcher, "free")) {
        return false;
    }
    keep_token(&watcher);
    return last == before;
}

static void let_comers_race(void)
{
    for (size_t i = 0; i < COUNT(comers); i++) {
        peer_tell(&comers[i], "acquire 0 100 15 %s", x);
    }
}

static peer *next_comer(void)
{
    struct pollfd waiting[] = {{.fd = comers[0].from, .events = POLLIN}, {.fd = comers[1].from, .events = POLLIN}};
    assert_true(poll(waiting, COUNT(waiting), -1) > 0);
    return &comers[waiting[0].revents ? 0 : 1];
}

static void serve(peer *comer)
{
    peer_answer(comer);
    if (!peer_said(comer, "ok")) {
        fail_msg("a comer is told \"%s\"", comer->answer);
    }
    assert_true(peer_token(comer) > last);
    keep_token(comer);
    EXPECT(comer, "ok", "release 0");
}

/* Whose lease it was is told the truth, and what was left can still be adopted, unless a comer was told that nobody has it. */
static void judge_owner(const operation *o, bool untouched)
{
    if (o->prepare == watcher_holds) {
        EXPECT(&watcher, untouched ? "ok" : "lost", "release 0");
    }
    if (o->prepare == watcher_left || o->prepare == victim_has_a_key) {
        peer_ask(&watcher, "restore 1 %s", key);
        if (peer_said(&watcher, "ok")) {
            assert_true(peer_token(&watcher) == last);
            EXPECT(&watcher, "ok", "release 1");
        } else {
            assert_true(peer_said(&watcher, "free"));
        }
    }
}

static void judge(const operation *o)
{
    bool untouched = look();
    let_comers_race();
    peer_kill(&victim);
    assert_string_equal(peer_answer(&victim), ""); /* not even that call was made */
    judge_owner(o, untouched);
    serve(next_comer());
    serve(next_comer());
    EXPECT(&watcher, "free", "status %s", x);
    EXPECT(&watcher, "ok", "cycle 2 %s", x);
    assert_int_equal(kind_of(x), 'F');
}

static void make_old(const char *part)
{
    struct timespec hours_ago[2] = {{.tv_sec = time(NULL) - 7200}, {.tv_sec = time(NULL) - 7200}};
    DIR *directory = opendir(scratch("d/%s", part));
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            assert_int_equal(utimensat(dirfd(directory), entry->d_name, hours_ago, 0), 0);
    closedir(directory);
}

/* What the dead left half made goes when it is old enough. */
static void judge_litter(void)
{
    make_old(".new");
    make_old(".clock");
    EXPECT(&watcher, "ok", "collect");
    assert_int_equal(entries_in(scratch("d/.new")), 0);
    assert_int_equal(entries_in(scratch("d/.clock")), 0);
    assert_int_equal(entries_in(scratch("d/.format")), 1);
    EXPECT(&watcher, "ok", "cycle 1 others");
}

static int n;

static void killed_at_every_system_call(void **state)
{
    const operation *o = *state;
    passed = 0;
    peer_open(&watcher, share());
    peer_open(&comers[0], share());
    peer_open(&comers[1], share());
    for (n = 1; stop_before(o, n); n++) {
        judge(o);
    }
    peer_answer(&victim);
    assert_true(peer_said(&victim, "ok"));
    assert_true(n > 2); /* more than the answer */
    peer_kill(&victim);
    judge_litter();
}

static int end(void **state)
{
    print_message("the last of %d was stopped before system call number %ld\n", n, tracer_stopped_before());
    return share_end(state);
}

void group_directory_syscalls(void)
{
    static struct CMUnitTest each[COUNT(operations)];
    for (size_t i = 0; i < COUNT(operations); i++) {
        each[i] = (struct CMUnitTest){operations[i].name, killed_at_every_system_call, suite_begin, end,
                                      (void *)&operations[i]};
    }
    suite_run("directory_syscalls", each, COUNT(each));
}
