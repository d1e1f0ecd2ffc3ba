/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of the program cache and of saved programs: it detects accidents, not attacks. The same on every machine. */
#ifndef YK_HASH_H
#define YK_HASH_H

#include "base/macros.h"

enum { YK_HASH_SIZE = 16 };

/* XXH64, as its specification defines it. */
uint64_t yk_hash64(const void *bytes, size_t size, uint64_t seed);
/* 128 bits: XXH64 with two seeds made of this one, most significant byte first. */
void yk_hash(const void *bytes, size_t size, uint64_t seed, unsigned char *out_hash);

#endif
