/* Keys. A key is the hash of the lock's name and a secret; the secret's image is the nonce in the state's name. */
#include "directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "sha256.h"

#define MS INT64_C(1000000)

fl_result key_get(fl_store *store, fl_lease *lease, char key[FL_KEY_SIZE], fl_error *error)
{
    (void)error;
    if (give_verify(store, lease) != FL_OK)
        return FL_LOST;
    const record *r = (const record *)(uintptr_t)lease->priv[0];
    snprintf(key, FL_KEY_SIZE, "d1-%016" PRIx64 "%016" PRIx64 "-%016" PRIx64 "%016" PRIx64, r->path.hash[0],
             r->path.hash[1], r->secret[0], r->secret[1]);
    return FL_OK;
}

static bool parse_half(const char *text, uint64_t *number)
{
    char half[17] = {0};
    memcpy(half, text, 16);
    *number = strtoull(half, NULL, 16);
    return strspn(half, "0123456789abcdef") == 16;
}

static bool parse_key(const char *key, size_t length, uint64_t hash[2], uint64_t secret[2])
{
    return length == 3 + 32 + 1 + 32 && memcmp(key, "d1-", 3) == 0 && key[35] == '-' && parse_half(key + 3, &hash[0]) &&
           parse_half(key + 19, &hash[1]) && parse_half(key + 36, &secret[0]) && parse_half(key + 52, &secret[1]);
}

/* ---- from the hash to the lock */

typedef struct {
    char suffix[34];
    lock_path *path;
    size_t used; /* of path->text, the bucket and a slash */
    bool found;
} search;

static bool is_it(void *context, const char *entry)
{
    search *s = context;
    size_t n = strlen(entry);
    s->found = n > 33 && n <= HEAD_MAX + 33 && strcmp(entry + n - 33, s->suffix) == 0;
    if (s->found)
        memcpy(s->path->text + s->used, entry, n + 1);
    return !s->found;
}

static fl_result find_lock(const directory *d, const uint64_t hash[2], lock_path *path, fl_error *error)
{
    search s = {.path = path};
    memcpy(path->hash, hash, sizeof path->hash);
    snprintf(s.suffix, sizeof s.suffix, "-%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
    char bucket[FL_DSN_PATH_MAX + 4];
    s.used = (size_t)snprintf(bucket, sizeof bucket, "%s/%02x", d->path, (unsigned)(hash[0] >> 56));
    snprintf(path->text, sizeof path->text, "%s/", bucket);
    s.used++;
    if (files.list(bucket, is_it, &s) != 0 && errno != ENOENT)
        return fl_fail(error, errno, "filelock: cannot read %s", bucket);
    return s.found ? FL_OK : FL_FREE;
}

/* The name is the content of the state's file. */
static fl_result read_name(directory *d, const lock_path *path, const lock_state *s, fl_lease *lease, fl_error *error)
{
    char file[STATE_PATH_MAX], name[FL_NAME_MAX + 1];
    uint64_t hash[2];
    size_t length;
    path_of_state(path, s->text, file);
    if (files.read(file, name, sizeof name, &length) != 0)
        return errno == ENOENT ? FL_BUSY : fl_fail(error, errno, "filelock: cannot read %s", file);
    sha256_128(name, length <= FL_NAME_MAX ? length : 0, hash);
    if (length - 1 >= FL_NAME_MAX || memcmp(hash, path->hash, sizeof hash) != 0)
        return fl_fail(error, 0, "filelock: %s does not contain the name of its lock", file);
    name_pack(&lease->name, name, length, d->base.seed);
    return FL_OK;
}

/* ---- taking over */

static fl_result settle(directory *d, fl_lease *lease, record *r, int64_t start)
{
    int64_t left = r->state.deadline - clock_latest(d, start);
    r->deadline = start + left * MS;
    lease->kind = FL_EXCLUSIVE;
    lease->ttl = r->state.ttl * MS;
    fl_result result = take_settle(d, lease, r);
    if (result != FL_OK)
        return FL_FREE;
    lease->since = os_now() - (clock_latest(d, os_boottime()) - r->state.since) * MS;
    return FL_OK;
}

/* FL_BUSY: the state has changed, look again. */
static fl_result take_over(directory *d, fl_lease *lease, record *r, const uint64_t nonce[2], fl_error *error)
{
    lock_state seen;
    int64_t start = os_boottime();
    scan_result found = scan_lock(&r->path, &seen);
    if (found == SCAN_FAILED)
        return scan_failed(&r->path, error);
    if (found != SCAN_STATE || seen.kind == STATE_FREE || !state_is_made_by(&seen, nonce) ||
        clock_latest(d, start) >= seen.deadline)
        return FL_FREE;
    fl_result result = read_name(d, &r->path, &seen, lease, error);
    if (result != FL_OK)
        return result;
    uint64_t mine[2] = {r->state.nonce[0], r->state.nonce[1]};
    r->state = seen;
    r->state.kind = STATE_HELD;
    r->state.generation = take_generation(d, seen.generation);
    memcpy(r->state.nonce, mine, sizeof mine);
    take_describe_me(d, &r->state);
    state_format(&r->state);
    step_result moved = step_move(&r->path, &seen, &r->state);
    if (moved == STEP_FAILED)
        return fl_fail(error, errno, "filelock: cannot take over the lock %s", r->path.text);
    return moved == STEP_DONE ? settle(d, lease, r, start) : FL_BUSY;
}

static fl_result restore_with(directory *d, fl_lease *lease, const uint64_t hash[2], const uint64_t nonce[2],
                              fl_error *error)
{
    enum { ATTEMPTS = 100 };
    record *r = calloc(1, sizeof *r);
    if (r == NULL || !take_new_secret(r->secret, r->state.nonce)) {
        free(r);
        return fl_fail(error, errno, "filelock: another lease");
    }
    fl_result result = find_lock(d, hash, &r->path, error);
    if (result == FL_OK)
        result = FL_BUSY;
    for (int i = 0; i < ATTEMPTS && result == FL_BUSY; i++)
        result = take_over(d, lease, r, nonce, error);
    if (result == FL_BUSY)
        result = fl_fail(error, EAGAIN, "filelock: the lock %s changes faster than it can be taken over", r->path.text);
    if (result != FL_OK && lease->priv[0] != (uint64_t)(uintptr_t)r)
        free(r);
    return result;
}

fl_result key_restore(fl_store *store, fl_lease *lease, const char *key, size_t length, fl_error *error)
{
    directory *d = (directory *)store;
    uint64_t hash[2], secret[2], nonce[2];
    if (!parse_key(key, length, hash, secret))
        return FL_FREE;
    if (clock_sample_recent(d, error) != FL_OK)
        return FL_ERROR;
    take_nonce_of(secret, nonce);
    lease->priv[0] = 0;
    return restore_with(d, lease, hash, nonce, error);
}
