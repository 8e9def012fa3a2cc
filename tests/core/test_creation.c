/*
 * A table that does not exist yet, and a creator that is killed or stopped at every step of making it: the next comer gets in
 * at once, there is one table, and it is a good one.
 */
#include "suite.h"

#include "image.h"
#include "testing.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static peer creator, comer, third;
static const char *table; /* below the scratch directory */

/* In a chroot, / is no mount point, and /proc is one. */
static void hide_proc(void)
{
    if (unshare(CLONE_NEWNS) != 0 ||
        (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 &&
         mount(NULL, "/proc", NULL, MS_REC | MS_PRIVATE, NULL) != 0) ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0) {
        _exit(125);
    }
}

static void start_creator(void (*before)(void))
{
    const peer_options options = {.before = before};
    peer_start(&creator, &options);
    EXPECT(&creator, "ok", "open %s", dsn("%s?capacity=64", table));
}

/* False: it came through. */
static bool end_at_step(int n, const char *how, void (*before)(void))
{
    static char name[16];
    snprintf(name, sizeof name, "t%d", n);
    table = name;
    start_creator(before);
    EXPECT(&creator, "ok", "arm %d %s", n, how);
    peer_tell(&creator, "try 0 100 x");
    peer_answer(&creator);
    return peer_said(&creator, "killed") || peer_said(&creator, "stopped");
}

/* On a disk, a table must know its boot, and without /proc that is refused. */
static bool is_refused_without_proc(void)
{
    return end_at_step(1000, "kill", hide_proc) == false && peer_said(&creator, "error") &&
           strstr(creator.answer, "/proc");
}

static void next_comer_gets_in(const char *name)
{
    peer_open(&comer, dsn("%s?capacity=64", table));
    EXPECT(&comer, "ok", "try 0 100 %s", name);
    peer_open(&third, dsn("%s?capacity=64", table));
    EXPECT(&third, "busy", "try 0 100 %s", name);
    EXPECT(&third, "ok", "status %s", name);
    assert_int_equal((pid_t)peer_number(&third, "pid="), comer.pid);
}

/*
 * One table, as large as its capacity asks for, with every block allocated, and nothing beside it. Where an unnamed file
 * cannot be used, one who is killed right after publishing leaves his other name for the table.
 */
static void assert_good_table(int names)
{
    table_counts counts;
    struct stat st;
    assert_in_range(entries_in(scratch("%s", table)), 1, names);
    assert_int_equal(stat(scratch("%s/filelock.table", table), &st), 0);
    assert_true(st.st_blocks * 512 >= st.st_size);
    assert_true(image_count(scratch("%s/filelock.table", table), &counts));
    assert_int_equal(counts.twins + counts.strays, 0);
}

static void killed_creators(void (*before)(void))
{
    int n = 1;
    for (; end_at_step(n, "kill", before); n++) {
        print_message("creation: step %d, %s\n", n, creator.answer);
        peer_kill(&creator);
        next_comer_gets_in("x");
        assert_good_table(before ? 2 : 1);
        peers_end();
    }
    assert_true(peer_said(&creator, "ok"));
    assert_true(n > 5);
}

static void killed_at_every_step(void **state)
{
    (void)state;
    killed_creators(NULL);
}

/* Without /proc an unnamed file cannot be given a name, and creation goes another way. */
static void killed_at_every_step_without_proc(void **state)
{
    (void)state;
    need_root();
    if (!is_refused_without_proc()) {
        killed_creators(hide_proc);
    }
}

/*
 * The stopped one may have x already; then the comer does not get it, but everything else. Then it goes on: there still is
 * one table, and no name has two holders.
 */
static void stopped_creators(void (*before)(void))
{
    int n = 1;
    for (; end_at_step(n, "stop", before); n++) {
        print_message("creation: step %d, %s\n", n, creator.answer);
        peer_await_stop(&creator);
        next_comer_gets_in("y");
        bool late_has_it = strcmp(peer_ask(&third, "try 1 100 x"), "busy") == 0;
        peer_continue(&creator);
        peer_answer(&creator);
        assert_true(peer_said(&creator, late_has_it ? "ok" : "busy"));
        EXPECT(&creator, "busy", "try 1 100 y");
        EXPECT(&creator, "ok", "try 2 100 z");
        EXPECT(&comer, "busy", "try 2 100 z");
        EXPECT(&comer, "ok", "verify 0");
        assert_good_table(1);
        peers_end();
    }
    assert_true(n > 5);
}

static void stopped_at_every_step(void **state)
{
    (void)state;
    stopped_creators(NULL);
}

static void stopped_at_every_step_without_proc(void **state)
{
    (void)state;
    need_root();
    if (!is_refused_without_proc()) {
        stopped_creators(hide_proc);
    }
}

/* A table that is there but unusable for a reason that passes: the creator does not replace what others use. */
static void never_replaces_a_table_in_use(void **state)
{
    (void)state;
    struct stat before, after;
    table = "t";
    start_creator(NULL);
    EXPECT(&creator, "ok", "try 0 inf x");
    assert_int_equal(stat(scratch("t/filelock.table"), &before), 0);
    for (int i = 0; i < 5; i++) {
        peer_open(&comer, dsn("t?capacity=%d&mode=0660", 64 << i));
        EXPECT(&comer, "busy", "try 0 100 x");
        peer_finish(&comer);
    }
    assert_int_equal(stat(scratch("t/filelock.table"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_int_equal(before.st_mode, after.st_mode);
}

static int removals;

static void remove_directory(const char *step)
{
    if (strcmp(step, "create:locked") == 0 && removals-- > 0) {
        assert_int_equal(rmdir(scratch("t")), 0);
    }
}

/* Removed between its opening and the table's creation: it is made anew. */
static void the_directory_vanishes(void **state)
{
    (void)state;
    fl_store *store = open_store(dsn("t?capacity=64"));
    fl_lease lease;
    removals = 3;
    fl_step_hook = remove_directory;
    TRY(FL_OK, store, &lease, "x", 100);
    fl_step_hook = NULL;
    assert_true(removals < 0);
    fl_close(store);
}

void group_creation(void)
{
    static const struct CMUnitTest creation[] = {
        TEST(killed_at_every_step),          TEST(killed_at_every_step_without_proc),
        TEST(stopped_at_every_step),         TEST(stopped_at_every_step_without_proc),
        TEST(never_replaces_a_table_in_use), TEST(the_directory_vanishes),
    };
    RUN(creation);
}
