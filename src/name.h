/* Names, packed into words so that hashing, comparing and copying them works on 8 bytes at a time. */
#ifndef FILELOCK_NAME_H
#define FILELOCK_NAME_H

#include <string.h>

#include "filelock.h"

enum { FL_NAME_HEAD = 47, FL_NAME_HEAD_WORDS = 6, FL_NAME_TAIL_WORDS = 26 };

static inline size_t name_length(const fl_name *name)
{
    return *(const unsigned char *)name->head;
}

/* How many words of head and tail carry bytes. */
static inline size_t name_head_words(size_t length)
{
    return length >= FL_NAME_HEAD ? FL_NAME_HEAD_WORDS : length / 8 + 1;
}

static inline size_t name_tail_words(size_t length)
{
    return length <= FL_NAME_HEAD ? 0 : (length - FL_NAME_HEAD + 7) / 8;
}

/* Multiply two words, fold the 128-bit product: the mixing step of the wyhash family. */
static inline uint64_t name_mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Keyed by the store's random seed, so that nobody can choose names that collide. */
static inline uint64_t name_hash(const fl_name *name, uint64_t seed)
{
    size_t length = name_length(name), head = name_head_words(length), tail = name_tail_words(length);
    uint64_t h = seed;
    for (size_t i = 0; i < head; i++)
        h = name_mix(h ^ name->head[i], UINT64_C(0x9e3779b97f4a7c15));
    for (size_t i = 0; i < tail; i++)
        h = name_mix(h ^ name->tail[i], UINT64_C(0xd6e8feb86659fd93));
    return name_mix(h, UINT64_C(0xa0761d6478bd642f) ^ seed);
}

/* length is 1 to FL_NAME_MAX. Unused bytes of the words that are in use become 0. */
static inline void name_pack(fl_name *name, const char *bytes, size_t length, uint64_t seed)
{
    size_t in_head = length < FL_NAME_HEAD ? length : FL_NAME_HEAD;
    unsigned char *head = (unsigned char *)name->head;
    memset(head, 0, sizeof name->head);
    head[0] = (unsigned char)length;
    memcpy(head + 1, bytes, in_head);
    if (length > FL_NAME_HEAD) {
        name->tail[name_tail_words(length) - 1] = 0;
        memcpy(name->tail, bytes + FL_NAME_HEAD, length - FL_NAME_HEAD);
    }
    name->hash = name_hash(name, seed);
}

static inline bool name_equal(const fl_name *a, const fl_name *b)
{
    size_t length = name_length(a);
    for (size_t i = 0, n = name_head_words(length); i < n; i++)
        if (a->head[i] != b->head[i])
            return false;
    return length <= FL_NAME_HEAD || memcmp(a->tail, b->tail, length - FL_NAME_HEAD) == 0;
}

/* bytes: room for FL_NAME_MAX + 1; a final 0 is written. Returns the length. */
static inline size_t name_unpack(const fl_name *name, char *bytes)
{
    size_t length = name_length(name), in_head = length < FL_NAME_HEAD ? length : FL_NAME_HEAD;
    memcpy(bytes, (const unsigned char *)name->head + 1, in_head);
    if (length > FL_NAME_HEAD)
        memcpy(bytes + FL_NAME_HEAD, name->tail, length - FL_NAME_HEAD);
    bytes[length] = '\0';
    return length;
}

#endif
