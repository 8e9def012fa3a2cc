/* status and list: they change nothing, need nothing but permission to read, and say what a try would find. */
#include "contract.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static fl_error error;
static fl_lease lease, other;
static const char *const names[] = {"held", "free", "free1", "never", "expired", "dead"};

static int count_one(void *context, const fl_status_t *status)
{
    (void)status;
    ++*(int *)context;
    return 0;
}

/* Released, killed, expired: what can lie about. */
static void leave_traces(void)
{
    peer dead;
    open_peer(&dead);
    EXPECT(&dead, "ok", "try 0 1000 dead");
    EXPECT(&dead, "ok", "try 1 0.001 expired");
    EXPECT(&dead, "ok", "each 3 free");
    EXPECT(&dead, "ok", "cycle 1 free");
    peer_kill(&dead);
}

static void await_expired(fl_store *store)
{
    fl_status_t s;
    while (fl_status(store, "expired", 7, &s, &error) == FL_OK) {
        usleep(1000);
    }
}

static void look(fl_store *store)
{
    fl_status_t s;
    fl_info info;
    int listed = 0;
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_int_not_equal(fl_status(store, names[i], strlen(names[i]), &s, &error), FL_ERROR);
    }
    RESULT_OR(FL_OK, fl_list(store, "", 0, count_one, &listed, &error), &error);
    RESULT_OR(FL_OK, fl_inspect(store, &info, &error), &error);
}

static void creates_nothing(void **state)
{
    (void)state;
    char *before = snapshot();
    fl_store *store = open_it();
    look(store);
    RESULT_OR(it_can(FL_CAN_BREAK) ? FL_FREE : FL_ERROR, fl_break(store, "never", 5, 1, &error), &error);
    fl_close(store);
    char *after = snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* Nothing created, removed, renamed, written or touched: neither by a new process nor by one that holds. */
static void changes_nothing(void **state)
{
    (void)state;
    fl_store *store = open_it();
    leave_traces();
    TRY(FL_OK, store, &lease, "held", 100);
    if (it_can(FL_CAN_EXPIRE)) {
        await_expired(store);
    }
    char *before = snapshot();
    fl_store *looker = open_it();
    for (int i = 0; i < 20; i++) {
        look(looker);
        look(store);
    }
    fl_close(looker);
    char *after = snapshot();
    assert_string_equal(before, after);
    free(before);
    free(after);
    fl_close(store);
}

/* The snapshot is not blind: a try is seen in it. */
static void a_try_is_seen(void **state)
{
    (void)state;
    fl_store *store = open_it();
    leave_traces();
    char *before = snapshot();
    TRY(FL_OK, store, &lease, "held", 100);
    char *after = snapshot();
    assert_string_not_equal(before, after);
    free(before);
    free(after);
    fl_close(store);
}

static void says_what_a_try_would(void **state)
{
    (void)state;
    fl_store *store = open_it(), *second = open_it();
    leave_traces();
    TRY(FL_OK, store, &lease, "held", 100);
    if (it_can(FL_CAN_EXPIRE)) {
        await_expired(second);
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        fl_status_t s;
        fl_result seen = fl_status(second, names[i], strlen(names[i]), &s, &error);
        TRY(seen == FL_FREE ? FL_OK : FL_BUSY, second, &other, names[i], 100);
        fl_release(&other, &error);
        RESULT(seen, fl_status(second, names[i], strlen(names[i]), &s, &error));
    }
    fl_close(second);
    fl_close(store);
}

static void tells_who(void **state)
{
    (void)state;
    peer holder;
    fl_status_t s;
    char sentence[FL_SENTENCE_MAX];
    fl_store *store = open_it();
    open_peer(&holder);
    EXPECT(&holder, "ok", "label import.php");
    EXPECT(&holder, "ok", "try 0 100 x");
    RESULT_OR(FL_OK, fl_status(store, "x", 1, &s, &error), &error);
    assert_int_equal(s.name_length, 1);
    assert_string_equal(s.name, "x");
    assert_true(s.pid == holder.pid || s.pid == -1);
    assert_true(s.uid == (int64_t)geteuid() || s.uid == -1);
    assert_true(s.label[0] == 0 || strcmp(s.label, "import.php") == 0);
    assert_true(s.token > 0);
    assert_false(s.mine || s.shared);
    assert_int_equal(s.holders, 1);
    if (it_can(FL_CAN_EXPIRE)) {
        assert_true(s.remaining > 0 && s.remaining <= 100 + its_grace(100));
    } else {
        assert_true(isinf(s.remaining));
    }
    assert_true(fl_describe(&s, sentence) > 0);
    assert_non_null(strstr(sentence, "x: held"));
    fl_close(store);
}

/* Whatever was in the memory before. Who has taken a lock knows the store's clock. */
static void fills_every_field(void **state)
{
    (void)state;
    fl_status_t s[2];
    fl_store *store = open_it();
    TRY(FL_OK, store, &lease, "x", 100);
    for (int i = 0; i < 2; i++) {
        memset(&s[i], i ? 0 : 0xff, sizeof s[i]);
        RESULT_OR(FL_OK, fl_status(store, "x", 1, &s[i], &error), &error);
        s[i].since = s[i].remaining = 0;
    }
    assert_int_equal(s[0].shared, s[1].shared);
    assert_int_equal(s[0].mine, s[1].mine);
    assert_int_equal(s[0].approximate, s[1].approximate);
    assert_false(s[0].approximate);
    assert_true(s[0].holders == s[1].holders && s[0].waiters == s[1].waiters);
    assert_true(s[0].token == s[1].token && s[0].pid == s[1].pid && s[0].uid == s[1].uid);
    assert_string_equal(s[0].host, s[1].host);
    assert_string_equal(s[0].label, s[1].label);
    assert_memory_equal(s[0].name, "x", 2);
    fl_close(store);
}

static void lists_by_prefix(void **state)
{
    (void)state;
    static fl_lease leases[30];
    int all = 0, some = 0, one = 0;
    fl_store *store = open_it(), *looker = open_it();
    for (size_t i = 0; i < COUNT(leases); i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%zu", i % 3 ? "a/" : "b/", i);
        TRY(FL_OK, store, &leases[i], name, 100);
    }
    RESULT_OR(FL_OK, fl_list(looker, "", 0, count_one, &all, &error), &error);
    RESULT_OR(FL_OK, fl_list(looker, "a/", 2, count_one, &some, &error), &error);
    RESULT_OR(FL_OK, fl_list(looker, "b/27", 4, count_one, &one, &error), &error);
    assert_int_equal(all, 30);
    assert_int_equal(some, 20);
    assert_int_equal(one, 1);
    fl_close(store);
    RESULT_OR(FL_OK, fl_list(looker, "", 0, count_one, &all, &error), &error);
    assert_int_equal(all, 30);
    fl_close(looker);
}

/* ---- with no other right than to read ---------------------------------------------------------------------------------- */

static void become_nobody(void)
{
    if (setgid(65534) != 0 || setuid(65534) != 0) {
        _exit(125);
    }
}

/* Only this process sees it so. */
static void make_it_read_only(void)
{
    const char *place = the_directory();
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount(place, place, NULL, MS_BIND, NULL) != 0 ||
        mount(NULL, place, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) != 0) {
        _exit(125);
    }
}

static void looks_only(void (*before)(void))
{
    const peer_options options = {.before = before};
    peer looker;
    fl_store *store = open_it();
    leave_traces();
    TRY(FL_OK, store, &lease, "held", 100);
    char *unchanged = snapshot();
    peer_start(&looker, &options);
    EXPECT(&looker, "ok", "open %s", the_dsn());
    EXPECT(&looker, "ok", "status held");
    EXPECT(&looker, "free", "status free");
    EXPECT(&looker, "free", "status never");
    EXPECT(&looker, it_can(FL_CAN_RECOVER) ? "free" : "ok", "status dead");
    EXPECT(&looker, "ok", "list held");
    assert_true(peer_number(&looker, "count=") == 1);
    EXPECT(&looker, "error", "try 0 10 never"); /* not busy: it could never succeed */
    assert_non_null(strstr(looker.answer, the_directory()));
    char *after = snapshot();
    assert_string_equal(unchanged, after);
    free(unchanged);
    free(after);
    fl_close(store);
}

static void permission_to_read_is_enough(void **state)
{
    (void)state;
    need_root();
    looks_only(become_nobody);
}

static void a_read_only_mount_is_enough(void **state)
{
    (void)state;
    need_root();
    looks_only(make_it_read_only);
}

/* Whoever may not even read is told so, and is told nothing of the lock. */
static void no_permission_says_so(void **state)
{
    (void)state;
    static const char *const questions[] = {"status held", "list ", "try 0 10 held", "break 1 held"};
    const peer_options options = {.before = become_nobody};
    peer looker;
    need_root();
    fl_store *store = open_it();
    TRY(FL_OK, store, &lease, "held", 100);
    assert_int_equal(chmod(the_directory(), 0700), 0);
    peer_start(&looker, &options);
    EXPECT(&looker, "ok", "open %s", the_dsn());
    for (size_t i = 0; i < COUNT(questions) - !it_can(FL_CAN_BREAK); i++) {
        EXPECT(&looker, "error", "%s", questions[i]);
        assert_non_null(strstr(looker.answer, "Permission denied"));
        assert_non_null(strstr(looker.answer, the_directory()));
    }
    RESULT_OR(FL_OK, fl_release(&lease, &error), &error);
    fl_close(store);
}

void contract_looking(void)
{
    static const contract_case cases[] = {
        ALWAYS(creates_nothing),
        ALWAYS(changes_nothing),
        ALWAYS(a_try_is_seen),
        ALWAYS(says_what_a_try_would),
        ALWAYS(tells_who),
        ALWAYS(fills_every_field),
        ALWAYS(lists_by_prefix),
        ALWAYS(no_permission_says_so),
        ALWAYS(permission_to_read_is_enough),
        ALWAYS(a_read_only_mount_is_enough),
    };
    RUN_CASES(cases);
}
