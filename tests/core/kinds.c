#include "kinds.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static fl_error error;

void take_within_at(const char *file, int line, fl_result want, fl_store *store, fl_lease *lease, fl_kind kind,
                    uint32_t permits, const char *name, double ttl, double timeout)
{
    fl_request request = {
        .name = name, .length = strlen(name), .ttl = ttl, .timeout = timeout, .kind = kind, .permits = permits};
    *lease = (fl_lease)FL_LEASE_INIT;
    result_at(file, line, want, fl_take(store, lease, &request, &error), &error);
}

void take_at(const char *file, int line, fl_result want, fl_store *store, fl_lease *lease, fl_kind kind,
             uint32_t permits, const char *name, double ttl)
{
    take_within_at(file, line, want, store, lease, kind, permits, name, ttl, 0);
}

fl_status_t status_of(fl_store *store, const char *name)
{
    fl_status_t s = {.holders = 0};
    fl_result result = fl_status(store, name, strlen(name), &s, &error);
    if (result != FL_FREE) {
        RESULT_OR(FL_OK, result, &error);
        return s;
    }
    return (fl_status_t){.holders = 0};
}

void await_waiters(fl_store *store, const char *name, uint32_t count)
{
    while (status_of(store, name).waiters != count) {
        usleep(100);
    }
}

void await_holders(fl_store *store, const char *name, uint32_t count)
{
    while (status_of(store, name).holders != count) {
        usleep(100);
    }
}

void await_free(fl_store *store, const char *name)
{
    await_holders(store, name, 0);
}

static char state_of(pid_t pid)
{
    char path[40], state = '?';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
    fclose(file);
    return state;
}

void await_asleep(const peer *p)
{
    while (state_of(p->pid) != 'S') {
        usleep(100);
    }
}

void answer_at(const char *file, int line, peer *p, const char *want)
{
    peer_answer(p);
    if (!peer_said(p, want)) {
        print_error("\"%s\" instead of \"%s\"\n", p->answer, want);
        _fail(file, line);
    }
}

bool has_answered(const peer *p)
{
    struct pollfd from = {.fd = p->from, .events = POLLIN};
    return poll(&from, 1, 1) > 0;
}

const char *key_of(const peer *p)
{
    const char *key = strstr(p->answer, "key=");
    assert_non_null(key);
    return key + 4;
}

long number_in(int fd)
{
    char text[32] = "";
    return pread(fd, text, sizeof text - 1, 0) < 0 ? -1 : atol(text);
}

bool add_one(int fd)
{
    char text[32];
    int length = snprintf(text, sizeof text, "%-20ld\n", number_in(fd) + 1);
    return pwrite(fd, text, (size_t)length, 0) == length;
}
