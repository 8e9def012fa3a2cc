/*
 * Names, packed into words so that hashing, comparing and copying them works on 8 bytes at a time. The bytes beyond the length
 * in the last word are 0; the length tells "a" from "a\0".
 */
#ifndef FILELOCK_NAME_H
#define FILELOCK_NAME_H

#include <string.h>

#include "filelock.h"

static inline size_t name_words(size_t length)
{
    return (length + 7) / 8;
}

/* Multiply two words, fold the 128-bit product: the mixing step of the wyhash family. */
static inline uint64_t name_mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#define NAME_STEP UINT64_C(0x9e3779b97f4a7c15)
#define NAME_END UINT64_C(0xa0761d6478bd642f)

/* Keyed by the store's random seed, so that nobody can choose names that collide. */
static inline uint64_t name_hash(const fl_name *name, uint64_t seed)
{
    uint64_t h = seed;
    for (size_t i = 0, n = name_words(name->length); i < n; i++)
        h = name_mix(h ^ name->words[i], NAME_STEP);
    return name_mix(h ^ name->length, NAME_END ^ seed); /* here, where no byte of the name can cancel the length */
}

/* memcpy, not a pointer cast: the bytes may lie anywhere. */
static inline uint64_t name_load(const char *bytes, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, bytes, n);
    return word;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* 1 to 7 bytes without a loop or a call, and without reading beyond them: overlapping halves. */
static inline uint64_t name_load_short(const char *bytes, size_t n)
{
    const unsigned char *b = (const unsigned char *)bytes;
    if (n >= 4)
        return name_load(bytes, 4) | name_load(bytes + n - 4, 4) << (n - 4) * 8;
    return b[0] | (uint64_t)b[n / 2] << n / 2 * 8 | (uint64_t)b[n - 1] << (n - 1) * 8;
}

/* The last `rest` (1 to 7) of `length` bytes as a word of their own. */
static inline uint64_t name_load_rest(const char *bytes, size_t length, size_t rest)
{
    if (length < 8)
        return name_load_short(bytes, length);
    return name_load(bytes + length - 8, 8) >> (8 - rest) * 8;
}
#else
static inline uint64_t name_load_rest(const char *bytes, size_t length, size_t rest)
{
    return name_load(bytes + length - rest, rest);
}
#endif

/* length is 1 to FL_NAME_MAX. Hashes while it packs: a word that was just stored in parts is slow to load. */
static inline void name_pack(fl_name *name, const char *bytes, size_t length, uint64_t seed)
{
    uint64_t h = seed;
    size_t i = 0, rest = length % 8;
    for (; i < length / 8; i++) {
        name->words[i] = name_load(bytes + 8 * i, 8);
        h = name_mix(h ^ name->words[i], NAME_STEP);
    }
    if (rest != 0) {
        name->words[i] = name_load_rest(bytes, length, rest);
        h = name_mix(h ^ name->words[i], NAME_STEP);
    }
    name->length = (uint32_t)length;
    name->hash = name_mix(h ^ length, NAME_END ^ seed);
}

static inline bool name_equal(const fl_name *a, const fl_name *b)
{
    if (a->length != b->length)
        return false;
    for (size_t i = 0, n = name_words(a->length); i < n; i++)
        if (a->words[i] != b->words[i])
            return false;
    return true;
}

/* bytes: room for FL_NAME_MAX + 1; a final 0 is written. Returns the length. */
static inline size_t name_unpack(const fl_name *name, char *bytes)
{
    memcpy(bytes, name->words, name->length);
    bytes[name->length] = '\0';
    return name->length;
}

#endif
