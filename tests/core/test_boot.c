/*
 * A table on a disk that is of an earlier boot: nobody of this one can be attached to it, and its times mean nothing any more.
 * It is replaced by a new one, whatever the one who does so is interrupted by.
 */
#include "suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table/table.h"

#define TABLE scratch("t/filelock.table")

static peer comer, next;

static int begin(void **state)
{
    suite_on_disk = true;
    return suite_begin(state);
}

static int end(void **state)
{
    suite_on_disk = false;
    return suite_end(state);
}

/* A table in which a name is held for ever, as a crash of the machine leaves it. Returns the token. */
static uint64_t make_table(void)
{
    peer holder;
    peer_open(&holder, dsn("t?capacity=64"));
    EXPECT(&holder, "ok", "try 0 inf x");
    uint64_t token = peer_token(&holder);
    EXPECT(&holder, "ok", "try 1 inf y");
    peer_kill(&holder);
    return token;
}

static ino_t make_it_old(void)
{
    table_header header;
    struct stat st;
    int fd = open(TABLE, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
    header.boot[3] ^= 1;
    header.checksum = header_checksum(&header);
    assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
    assert_int_equal(fstat(fd, &st), 0);
    close(fd);
    return st.st_ino;
}

/* A disk keeps what it was; in memory no table outlives its boot, and the header does not say which it was. */
static void need_disk(void)
{
    int fd = open(scratch("."), O_RDONLY | O_CLOEXEC);
    bool memory = os_is_memory(fd);
    close(fd);
    if (memory) {
        SKIP("no disk at /var/tmp");
    }
}

static void is_replaced(void **state)
{
    (void)state;
    struct stat st;
    need_disk();
    uint64_t token = make_table();
    ino_t old = make_it_old();
    peer_open(&comer, dsn("t?capacity=64"));
    EXPECT(&comer, "ok", "try 0 10 x");
    assert_true(peer_token(&comer) > token);
    EXPECT(&comer, "ok", "list ");
    assert_true(peer_number(&comer, "count=") == 1);
    assert_int_equal(stat(TABLE, &st), 0);
    assert_true(st.st_ino != old);
    assert_int_equal(entries_in(scratch("t")), 1);
}

/* Nothing of it is held, and looking does not replace it. */
static void is_free_to_look_at(void **state)
{
    (void)state;
    struct stat st;
    need_disk();
    make_table();
    ino_t old = make_it_old();
    peer_open(&comer, dsn("t?capacity=64"));
    EXPECT(&comer, "free", "status x");
    EXPECT(&comer, "ok", "list ");
    assert_true(peer_number(&comer, "count=") == 0);
    assert_int_equal(stat(TABLE, &st), 0);
    assert_int_equal(st.st_ino, old);
}

static bool replacing_ends_at(int n, const char *how)
{
    make_table();
    make_it_old();
    peer_open(&comer, dsn("t?capacity=64"));
    EXPECT(&comer, "ok", "arm %d %s", n, how);
    peer_tell(&comer, "try 0 100 x");
    peer_answer(&comer);
    return peer_said(&comer, "killed") || peer_said(&comer, "stopped");
}

static void remove_table(void)
{
    peers_end();
    assert_int_equal(entries_in(scratch("t")), 1);
    assert_int_equal(unlink(TABLE), 0);
}

static void replacing_is_killed(void **state)
{
    (void)state;
    int n = 1;
    need_disk();
    for (; replacing_ends_at(n, "kill"); n++) {
        peer_kill(&comer);
        peer_open(&next, dsn("t?capacity=64"));
        EXPECT(&next, "ok", "try 0 inf x");
        EXPECT(&next, "ok", "try 1 inf y");
        remove_table();
    }
    assert_true(n > 5);
}

/*
 * Stopped where it alone may replace the file, it keeps the others from it: they are told so and get nothing. Stopped anywhere
 * else, it does not concern them; and whatever it does when it goes on, nobody's lease gets lost.
 */
static void others_while_stopped(bool *kept_out, bool *late_has_it)
{
    peer_open(&next, dsn("t?capacity=64"));
    peer_ask(&next, "try 1 inf y");
    *kept_out = peer_said(&next, "error");
    *late_has_it = false;
    if (*kept_out) {
        assert_true(peer_number(&next, "code=") == EAGAIN);
        assert_non_null(strstr(next.answer, TABLE));
        return;
    }
    assert_true(peer_said(&next, "ok"));
    *late_has_it = strcmp(peer_ask(&next, "try 0 inf x"), "busy") == 0;
}

static void replacing_is_stopped(void **state)
{
    (void)state;
    int n = 1, times_kept_out = 0;
    need_disk();
    for (; replacing_ends_at(n, "stop"); n++) {
        bool kept_out, late_has_it;
        peer_await_stop(&comer);
        others_while_stopped(&kept_out, &late_has_it);
        peer_continue(&comer);
        peer_answer(&comer);
        assert_true(peer_said(&comer, kept_out || late_has_it ? "ok" : "busy"));
        if (kept_out) {
            EXPECT(&next, "ok", "try 1 inf y");
        } else if (!late_has_it) {
            EXPECT(&next, "ok", "verify 0");
        }
        EXPECT(&next, "ok", "verify 1");
        EXPECT(&next, "busy", "try 2 inf x");
        EXPECT(&comer, "busy", "try 1 inf y");
        times_kept_out += kept_out;
        remove_table();
    }
    assert_true(n > 5);
    assert_in_range(times_kept_out, 0, 3);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_boot(void)
{
    static const struct CMUnitTest boot[] = {
        CASE(is_replaced),
        CASE(is_free_to_look_at),
        CASE(replacing_is_killed),
        CASE(replacing_is_stopped),
    };
    RUN(boot);
}
