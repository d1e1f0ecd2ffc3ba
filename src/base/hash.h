/* SPDX-License-Identifier: Apache-2.0 */
/* A hash of 128 bits, by xxHash: it detects accidents, not attacks. The same on every machine. */
#ifndef YK_HASH_H
#define YK_HASH_H

#include "base/base.h"

enum { YK_HASH_SIZE = 16 };

/* NULL, or the reason why there is no hash: then none of the functions below may be called. */
const char *yk_hash_lacks(void);
void yk_hash(const void *bytes, size_t size, uint64_t seed, unsigned char *out_hash);

#endif
