/*
 * A table on a disk that is of an earlier boot: nobody of this one can be attached to it, and its times mean nothing any more.
 * It is replaced by a new one, also when one who was about to do so is killed.
 */
#include "suite.h"

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

#define CASE(function) cmocka_unit_test_setup_teardown(function, begin, end)

void group_boot(void)
{
    static const struct CMUnitTest boot[] = {
        CASE(is_replaced),
        CASE(is_free_to_look_at),
        CASE(replacing_is_killed),
    };
    RUN(boot);
}
