#include "state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sha256.h"

/*
 * What no state of ours has, and a stranger's must not have: milliseconds (until 2213) that nanoseconds or a sum of two times do
 * not hold, and a generation after which there is no other.
 */
#define TIME_MOST (INT64_C(7) << 40)
#define GENERATION_MOST (UINT64_C(1) << 62)

/* ---- text: no dot and nothing that a file system could dislike or fold */

static bool is_plain(unsigned char c, bool fold)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || (!fold && c >= 'A' && c <= 'Z');
}

/* Appends as much as fits into `room` bytes without cutting an escape. */
static size_t escape(const char *bytes, size_t n, char *out, size_t room, bool fold)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (fold && c >= 'A' && c <= 'Z')
            c = (unsigned char)(c + 'a' - 'A');
        size_t needs = is_plain(c, fold) ? 1 : 3;
        if (used + needs > room)
            break;
        if (needs == 1)
            out[used] = (char)c;
        else
            snprintf(out + used, 4, "%%%02x", c);
        used += needs;
    }
    out[used] = '\0';
    return used;
}

static void unescape(const char *text, size_t n, char *out, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < n && used + 1 < size; i++) {
        unsigned c = (unsigned char)text[i];
        if (c == '%' && i + 2 < n && sscanf(text + i + 1, "%2x", &c) == 1)
            i += 2;
        out[used++] = (char)c;
    }
    out[used] = '\0';
}

/* ---- states */

static size_t format_head(const lock_state *s, char *text)
{
    return (size_t)sprintf(text, "%" PRIx64 ".%c.%016" PRIx64 "%016" PRIx64, s->generation, (char)s->kind, s->nonce[0],
                           s->nonce[1]);
}

void state_format(lock_state *s)
{
    enum { HOST_ROOM = 32 };
    char *text = s->text;
    size_t used = format_head(s, text);
    if (s->kind == STATE_FREE)
        return;
    used += (size_t)sprintf(
        text + used,
        ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRIx64 ".%" PRId64 ".%" PRIx64 ".%" PRId64 ".", s->token,
        (uint64_t)s->deadline, (uint64_t)s->ttl, (uint64_t)s->since, s->machine, s->pid, s->start, s->uid);
    used += escape(s->host, strlen(s->host), text + used, HOST_ROOM, false);
    text[used++] = '.';
    escape(s->label, strlen(s->label), text + used, STATE_MAX - used, false);
}

/* The next field up to a dot or the end, as a number; false: it is none. */
static bool next_number(const char **at, int base, uint64_t *number)
{
    size_t n = strcspn(*at, "."), most = base == 16 ? 16 : 19; /* digits that 64 bits always hold */
    if (n == 0 || n > most || strspn(*at, "0123456789abcdef") != n)
        return false;
    char *end;
    *number = strtoull(*at, &end, base);
    if (end != *at + n)
        return false;
    *at = *end == '.' ? end + 1 : end;
    return true;
}

static bool next_up_to(const char **at, int base, int64_t most, int64_t *number)
{
    uint64_t n;
    if (!next_number(at, base, &n) || n > (uint64_t)most)
        return false;
    *number = (int64_t)n;
    return true;
}

/* A token is a generation, too. */
static bool next_generation(const char **at, uint64_t *generation)
{
    return next_number(at, 16, generation) && *generation <= GENERATION_MOST;
}

static bool next_time(const char **at, int64_t *ms)
{
    return next_up_to(at, 16, TIME_MOST, ms);
}

static bool next_nonce(const char **at, uint64_t nonce[2])
{
    char half[17] = {0};
    if (strspn(*at, "0123456789abcdef") != 32)
        return false;
    memcpy(half, *at, 16);
    nonce[0] = strtoull(half, NULL, 16);
    memcpy(half, *at + 16, 16);
    nonce[1] = strtoull(half, NULL, 16);
    *at += 32;
    return true;
}

static bool parse_holder(const char *at, lock_state *s)
{
    if (!next_generation(&at, &s->token) || !next_time(&at, &s->deadline) || !next_time(&at, &s->ttl) ||
        !next_time(&at, &s->since) || !next_number(&at, 16, &s->machine) || !next_up_to(&at, 10, INT64_MAX, &s->pid) ||
        !next_number(&at, 16, &s->start) || !next_up_to(&at, 10, INT64_MAX, &s->uid))
        return false;
    size_t host = strcspn(at, ".");
    if (at[host] != '.' || strchr(at + host + 1, '.') != NULL)
        return false;
    unescape(at, host, s->host, sizeof s->host);
    unescape(at + host + 1, strlen(at + host + 1), s->label, sizeof s->label);
    return true;
}

bool state_parse(const char *text, lock_state *s)
{
    const char *at = text;
    size_t length = strlen(text);
    memset(s, 0, sizeof *s);
    if (length > STATE_MAX || !next_generation(&at, &s->generation) || strchr("FHL", *at) == NULL || at[0] == '\0' ||
        at[1] != '.')
        return false;
    s->kind = (state_kind)*at;
    at += 2;
    memcpy(s->text, text, length + 1);
    if (!next_nonce(&at, s->nonce))
        return false;
    if (s->kind == STATE_FREE)
        return *at == '\0';
    return *at == '.' && parse_holder(at + 1, s);
}

void state_free_after(const lock_state *s, uint64_t generation, const uint64_t nonce[2], lock_state *next)
{
    memset(next, 0, sizeof *next);
    next->kind = STATE_FREE;
    next->generation = generation > s->generation ? generation : s->generation + 1;
    next->nonce[0] = nonce[0];
    next->nonce[1] = nonce[1];
    state_format(next);
}

bool state_is_made_by(const lock_state *s, const uint64_t nonce[2])
{
    return s->nonce[0] == nonce[0] && s->nonce[1] == nonce[1];
}

/* ---- paths */

void path_of_name(const char *base, const char *name, size_t length, lock_path *path)
{
    char head[HEAD_MAX + 4];
    sha256_128(name, length, path->hash);
    escape(name, length, head, HEAD_MAX, true);
    snprintf(path->text, sizeof path->text, "%s/%02x/%s-%016" PRIx64 "%016" PRIx64, base[1] == '\0' ? "" : base,
             (unsigned)(path->hash[0] >> 56), head, path->hash[0], path->hash[1]);
}

void path_of_state(const lock_path *path, const char *state, char text[STATE_PATH_MAX])
{
    snprintf(text, STATE_PATH_MAX, "%s/%s", path->text, state);
}

void path_of_bucket(const lock_path *path, char text[LOCK_PATH_MAX])
{
    memcpy(text, path->text, LOCK_PATH_MAX);
    *strrchr(text, '/') = '\0';
}
