/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XXH64, written from its specification (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), whose names the code
 * uses. It is our own because the cache and saved programs belong to every build, and must not hang on an optional header.
 */
#include "base/hash.h"

static const uint64_t prime_1 = 0x9E3779B185EBCA87, prime_2 = 0xC2B2AE3D27D4EB4F, prime_3 = 0x165667B19E3779F9,
                      prime_4 = 0x85EBCA77C2B2AE63, prime_5 = 0x27D4EB2F165667C5;

enum { STRIPE = 32 };

static uint64_t rotate(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

/* Little endian on every machine. Written like this, compilers make one load of each. */
static inline uint64_t read_32(const unsigned char *at)
{
    return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;
}

static inline uint64_t read_64(const unsigned char *at)
{
    return read_32(at) | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

static uint64_t mix_lane(uint64_t accumulator, uint64_t lane)
{
    return rotate(accumulator + lane * prime_2, 31) * prime_1;
}

static uint64_t merge(uint64_t accumulator, uint64_t other)
{
    return (accumulator ^ mix_lane(0, other)) * prime_1 + prime_4;
}

/* All whole stripes; `*at` moves behind them. */
static uint64_t mix_stripes(const unsigned char **at, size_t *left, uint64_t seed)
{
    uint64_t a = seed + prime_1 + prime_2, b = seed + prime_2, c = seed, d = seed - prime_1;
    for (; *left >= STRIPE; *at += STRIPE, *left -= STRIPE) {
        a = mix_lane(a, read_64(*at));
        b = mix_lane(b, read_64(*at + 8));
        c = mix_lane(c, read_64(*at + 16));
        d = mix_lane(d, read_64(*at + 24));
    }
    uint64_t all = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
    return merge(merge(merge(merge(all, a), b), c), d);
}

uint64_t yk_hash64(const void *bytes, size_t size, uint64_t seed)
{
    const unsigned char *at = bytes;
    size_t left = size;
    uint64_t hash = size >= STRIPE ? mix_stripes(&at, &left, seed) : seed + prime_5;
    hash += size;
    for (; left >= 8; at += 8, left -= 8)
        hash = rotate(hash ^ mix_lane(0, read_64(at)), 27) * prime_1 + prime_4;
    for (; left >= 4; at += 4, left -= 4)
        hash = rotate(hash ^ read_32(at) * prime_1, 23) * prime_2 + prime_3;
    for (; left > 0; at++, left--)
        hash = rotate(hash ^ *at * prime_5, 11) * prime_1;
    hash = (hash ^ hash >> 33) * prime_2;
    hash = (hash ^ hash >> 29) * prime_3;
    return hash ^ hash >> 32;
}

void yk_hash(const void *bytes, size_t size, uint64_t seed, unsigned char *out_hash)
{
    static const uint64_t other_seed = 0x243F6A8885A308D3; /* the first digits of pi: any number will do */
    uint64_t halves[] = { yk_hash64(bytes, size, seed), yk_hash64(bytes, size, seed ^ other_seed) };
    _Static_assert(sizeof halves == YK_HASH_SIZE, "the hash has 128 bits");
    for (size_t i = 0; i < YK_HASH_SIZE; i++)
        out_hash[i] = (unsigned char)(halves[i / 8] >> (56 - i % 8 * 8));
}
