/* SPDX-License-Identifier: Apache-2.0 */
/* The hash against values published for XXH64 (xxHash's own xxhsum checks itself with them), and where the bytes are. */
#include "base/hash.h"

#include <inttypes.h>

#include "../tap/tap.h"

enum { BYTES = 1024 };
static unsigned char bytes[BYTES + 8];

/* The bytes that the published values are for. */
static void fill(void)
{
    uint64_t state = 2654435761;
    for (size_t i = 0; i < BYTES; i++, state *= 11400714785074694797u)
        bytes[i] = (unsigned char)(state >> 56);
}

static void published(void)
{
    static const struct {
        size_t size;
        uint64_t seed, expected;
    } values[] = {
        { 0, 0, 0xEF46DB3751D8E999 },           { 0, 2654435761, 0xAC75FDA2929B17EF }, { 1, 0, 0xE934A84ADB052768 },
        { 1, 2654435761, 0x5014607643A9B4C3 },  { 4, 0, 0x9136A0DCA57457EE },          { 14, 0, 0x8282DCC4994E35C8 },
        { 14, 2654435761, 0xC3BD6BF63DEB6DF0 }, { 222, 0, 0xB641AE8CB691C174 },        { 222, 2654435761, 0x20CB8AB7AE10C14A },
    };
    for (size_t i = 0; i < YK_COUNT_OF(values); i++)
        tap_is(yk_hash64(bytes, values[i].size, values[i].seed), values[i].expected, "%zu bytes, seed %" PRIu64, values[i].size,
               values[i].seed);
    tap_is(yk_hash64("abc", 3, 0), 0x44BC2CF5AD770999, "abc");
}

/* Each size's hash is the seed of the next: the value is that of libxxhash 0.8.1. */
static void sizes(void)
{
    uint64_t hash = 0;
    for (size_t size = 0; size <= BYTES; size++)
        hash = yk_hash64(bytes, size, hash);
    tap_is(hash, 0x2676F2C2024D9642, "every size up to %d", BYTES);
}

static void places(void)
{
    unsigned char moved[BYTES + 8];
    unsigned same = 0;
    for (size_t i = 0; i < 8; i++) {
        memcpy(moved + i, bytes, BYTES);
        same += yk_hash64(moved + i, BYTES - 1, 7) == yk_hash64(bytes, BYTES - 1, 7);
    }
    tap_is(same, 8, "bytes at any address");
}

static void halves(void)
{
    unsigned char hash[YK_HASH_SIZE], other[YK_HASH_SIZE];
    uint64_t first = 0;
    yk_hash(bytes, 222, 0, hash);
    for (int i = 0; i < 8; i++)
        first = first << 8 | hash[i];
    tap_is(first, 0xB641AE8CB691C174, "the first half is XXH64, most significant byte first");
    tap_ok(memcmp(hash, hash + 8, 8) != 0, "the second half is another");
    yk_hash(bytes, 222, 1, other);
    tap_ok(memcmp(hash, other, 8) != 0 && memcmp(hash + 8, other + 8, 8) != 0, "both depend on the seed");

    unsigned unnoticed = 0;
    for (size_t bit = 0; bit < 8 * (size_t)222; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        yk_hash(bytes, 222, 0, other);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        unnoticed += memcmp(hash, other, 8) == 0 || memcmp(hash + 8, other + 8, 8) == 0;
    }
    tap_is(unnoticed, 0, "and on each bit");
}

int main(void)
{
    tap_start(60);
    fill();
    published();
    sizes();
    places();
    halves();
    return tap_done();
}
