/* The status in one line, for people. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "filelock.h"
#include "os.h"

typedef struct {
    char *at;
    size_t used;
} line;

static void put(line *l, const char *format, ...) FL_PRINTF(2, 3);
static void put(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->at + l->used, FL_SENTENCE_MAX - l->used, format, arguments);
    va_end(arguments);
    if (n > 0)
        l->used += (size_t)n < FL_SENTENCE_MAX - l->used ? (size_t)n : FL_SENTENCE_MAX - l->used - 1;
}

/* A terminal or a log must not be fooled by what somebody put into a name or a label; UTF-8 stays as it is. */
static void put_bytes(line *l, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        put(l, c < 0x20 || c == 0x7f || c == '\\' ? "\\x%02X" : "%c", c);
    }
}

static void put_duration(line *l, double s)
{
    if (s < 1)
        put(l, "%.0f ms", s < 0 ? 0 : s * 1e3);
    else if (s < 120)
        put(l, "%.0f s", s);
    else if (s < 7200)
        put(l, "%.0f min", s / 60);
    else if (s < 172800)
        put(l, "%.0f h", s / 3600);
    else
        put(l, "%.0f days", s / 86400);
}

static void put_ids(line *l, const fl_status_t *s)
{
    if (s->pid < 0)
        return;
    put(l, " (pid %lld", (long long)s->pid);
    if (s->uid >= 0)
        put(l, ", uid %lld", (long long)s->uid);
    if (s->host[0] != '\0')
        put(l, " on %s", s->host);
    put(l, ")");
}

static void put_holder(line *l, const fl_status_t *s)
{
    put(l, s->shared ? "shared by " : "held by ");
    if (s->holders > 1)
        put(l, "%u, longest by ", s->holders);
    put_bytes(l, s->label, strnlen(s->label, FL_LABEL_MAX));
    if (s->label[0] == '\0')
        put(l, "somebody");
    put_ids(l, s);
}

size_t fl_describe(const fl_status_t *s, char *buffer)
{
    line l = {buffer, 0};
    put_bytes(&l, s->name, s->name_length);
    put(&l, ": ");
    if (s->holders > 0)
        put_holder(&l, s);
    else
        put(&l, "free");
    if (!isnan(s->since)) {
        double now = (double)os_wall() / 1e9;
        put(&l, " for ");
        put_duration(&l, now - s->since);
    }
    if (!isnan(s->remaining) && !isinf(s->remaining)) {
        put(&l, s->approximate ? ", about " : ", ");
        put_duration(&l, s->remaining);
        put(&l, " left");
    }
    if (s->waiters > 0)
        put(&l, ", %u waiting", s->waiters);
    return l.used;
}
