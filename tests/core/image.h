/*
 * A look at a table file from outside, without the code that works on it: the bytes of one lease, and whether the whole is
 * consistent. Shared with the torture program.
 */
#ifndef FILELOCK_TEST_IMAGE_H
#define FILELOCK_TEST_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What belongs to a lease: the word that names its record, and token, time and secret in the record. */
typedef struct {
    uint64_t word;
    uint64_t token;
    int64_t since, ttl;
    uint64_t secret[2];
} lease_image;

/* The lease on `name` as the bytes of the file have it; false: the name has no entry or nobody owns it. */
bool image_of_lease(const char *path, const char *name, lease_image *image);

/* Writes the next name after prefix<*n> that lives in the same bucket as `name`, and raises *n. */
bool image_neighbour(const char *path, const char *name, const char *prefix, int *n, char *neighbour, size_t size);

/* The name that an entry still bears which somebody is about to give another one; false: there is no such entry. */
bool image_of_binding(const char *path, char *name, size_t size);

/* Counts over the whole table. In a quiet table without holders everything but `names` is 0. */
typedef struct {
    unsigned names;   /* bound */
    unsigned twins;   /* bound twice */
    unsigned strays;  /* ways that lead to another name, a wrong bucket or nowhere */
    unsigned owned;   /* words that name a record */
    unsigned waiting; /* cells that are published */
    unsigned records; /* records that belong to somebody */
    unsigned slots;   /* slots in use */
    unsigned awake;   /* waiters that are called, or look */
    bool first_awake; /* of all waiters the first in order is (where there is one queue) */
    uint32_t calls;   /* that the first has had since its cell was made */
} table_counts;

bool image_count(const char *path, table_counts *counts);

#endif
