/* A lock's state as a file name, and the directory that a lock name leads to. Text only, no system call. */
#ifndef FILELOCK_DIRECTORY_STATE_H
#define FILELOCK_DIRECTORY_STATE_H

#include "dsn.h"
#include "filelock.h"

enum {
    STATE_MAX = 230, /* bytes of a state name */
    HEAD_MAX = 60,   /* bytes of a lock name, escaped, that show in its directory's name */
    LOCK_PATH_MAX = FL_DSN_PATH_MAX + 4 + HEAD_MAX + 1 + 32 + 1,
    STATE_PATH_MAX = LOCK_PATH_MAX + 1 + STATE_MAX + 1
};

typedef struct {
    uint64_t hash[2];
    char text[LOCK_PATH_MAX];
} lock_path;

typedef enum { STATE_FREE = 'F', STATE_HELD = 'H', STATE_LEFT = 'L' } state_kind;

typedef struct {
    state_kind kind;
    uint64_t generation;
    uint64_t nonce[2];
    /* Not of a free one: */
    uint64_t token;
    int64_t deadline, ttl, since; /* ms, the server's clock */
    uint64_t machine;
    int64_t pid;
    uint64_t start;
    int64_t uid;
    char host[FL_HOST_MAX + 1];
    char label[FL_LABEL_MAX + 1];
    char text[STATE_MAX + 1]; /* the exact name */
} lock_state;

/* Sets text from the other fields. Host and label are cut so that it fits. */
void state_format(lock_state *s);
/* False: not the name of a state. */
bool state_parse(const char *text, lock_state *s);
/* A free state that follows `s`, made by who has `nonce`. */
void state_free_after(const lock_state *s, uint64_t generation, const uint64_t nonce[2], lock_state *next);
bool state_is_made_by(const lock_state *s, const uint64_t nonce[2]);

void path_of_name(const char *base, const char *name, size_t length, lock_path *path);
void path_of_state(const lock_path *path, const char *state, char text[STATE_PATH_MAX]);
/* base/ab of a lock's path. */
void path_of_bucket(const lock_path *path, char text[LOCK_PATH_MAX]);

#endif
