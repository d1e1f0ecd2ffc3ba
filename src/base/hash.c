/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only file that compiles xxHash, which is a header and needs no library. Yoke can be built without that header, and then has
 * no program binaries and no cache.
 */
#include "base/hash.h"

#ifdef HAVE_XXHASH

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *yk_hash_lacks(void)
{
    return NULL;
}

void yk_hash(const void *bytes, size_t size, uint64_t seed, unsigned char *out_hash)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_withSeed(bytes, size, seed));
    _Static_assert(sizeof canonical.digest == YK_HASH_SIZE, "the hash has 128 bits");
    memcpy(out_hash, canonical.digest, YK_HASH_SIZE);
}

#else

const char *yk_hash_lacks(void)
{
    return "Yoke was built without <xxhash.h> (Debian: libxxhash-dev)";
}

void yk_hash(const void *bytes, size_t size, uint64_t seed, unsigned char *out_hash)
{
    (void)bytes, (void)size, (void)seed;
    memset(out_hash, 0, YK_HASH_SIZE);
}

#endif
