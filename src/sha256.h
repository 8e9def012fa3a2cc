/*
 * SHA-256 (FIPS 180-4) of short texts: names of directories that all clients agree on, and a secret's one-way image.
 *
 * Why no simpler hash: names may come from users, and two that collide would be one lock; the image of a key's secret can be read by
 * everybody who can list the store, and must not lead back to it. Why our own: the core has no PHP, and no library to depend on.
 */
#ifndef FILELOCK_SHA256_H
#define FILELOCK_SHA256_H

#include <stddef.h>
#include <stdint.h>

/* The first 128 bits of the digest, big-endian; n is at most SHA256_INPUT_MAX. */
enum { SHA256_INPUT_MAX = 311 };
void sha256_128(const void *bytes, size_t n, uint64_t digest[2]);

#endif
