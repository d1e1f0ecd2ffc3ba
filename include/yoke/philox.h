/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Philox4x32-10, the random numbers of Salmon, Moraes, Dror and Shaw ("Parallel random numbers: as easy as 1, 2, 3", 2011), for
 * kernels that are one text in both languages, or in either of them. Yoke always finds this header.
 *
 *     #include <yoke/philox.h>
 *
 *     YOKE_KERNEL void walk(YOKE_GLOBAL float *x, yoke_u64 seed, yoke_u32 step)
 *     {
 *         yoke_u32 i = yoke_global_x();
 *         uint4 words = yoke_random_words(seed, step, i);
 *         x[i] += yoke_random_float(words.x) - yoke_random_float(words.y);
 *     }
 *
 * There is no state: the words depend on the arguments alone, and every device gives the same ones. Where the sequence is below
 * 2^32, yoke_random_words gives the words that yoke_random_integers of <yoke/random.h> stores for the full range of uint32: its
 * numbers 4 * block to 4 * block + 3.
 */
#ifndef YOKE_PHILOX_H
#define YOKE_PHILOX_H

#include <yoke/kernel.h>
#include <yoke/types.h>

/* The key's words change by these numbers from round to round, and the counter's are multiplied by those. */
#define YOKE_PHILOX_KEY_X 0x9e3779b9u
#define YOKE_PHILOX_KEY_Y 0xbb67ae85u
#define YOKE_PHILOX_FACTOR_X 0xd2511f53u
#define YOKE_PHILOX_FACTOR_Z 0xcd9e8d57u

/* The upper half of a product: on NVIDIA's GPUs its instruction gives the lower half too, which a 64-bit product would not lead to.
 */
#if defined(__CUDACC__)
#define yoke_philox_high(a, b) __umulhi(a, b)
#elif defined(__NV_CL_C_VERSION)
#define yoke_philox_high(a, b) mul_hi(a, b)
#else
#define yoke_philox_high(a, b) ((yoke_u32)((yoke_u64)(a) * (b) >> 32))
#endif

/* Philox4x32-10 in place: the four words of a counter become random ones. */
YOKE_FUNCTION void yoke_philox_words(yoke_u32 *words, yoke_u32 key_x, yoke_u32 key_y)
{
    yoke_u32 x = words[0], y = words[1], z = words[2], w = words[3];
#pragma unroll
    for (yoke_u32 round = 0; round < 10; round++) {
        const yoke_u32 high_x = yoke_philox_high(YOKE_PHILOX_FACTOR_X, x), low_x = YOKE_PHILOX_FACTOR_X * x;
        const yoke_u32 high_z = yoke_philox_high(YOKE_PHILOX_FACTOR_Z, z), low_z = YOKE_PHILOX_FACTOR_Z * z;
        x = high_z ^ y ^ (key_x + round * YOKE_PHILOX_KEY_X);
        y = low_z;
        z = high_x ^ w ^ (key_y + round * YOKE_PHILOX_KEY_Y);
        w = low_x;
    }
    words[0] = x;
    words[1] = y;
    words[2] = z;
    words[3] = w;
}

/* Philox4x32-10 of any counter and key. */
YOKE_FUNCTION uint4 yoke_philox(uint4 counter, uint2 key)
{
    yoke_u32 words[4];
    words[0] = counter.x;
    words[1] = counter.y;
    words[2] = counter.z;
    words[3] = counter.w;
    yoke_philox_words(words, key.x, key.y);
    return yoke_uint4(words[0], words[1], words[2], words[3]);
}

/* Four random words: the seed is the key, the block the counter's lower half, the sequence its upper half. */
YOKE_FUNCTION uint4 yoke_random_words(yoke_u64 seed, yoke_u64 sequence, yoke_u64 block)
{
    return yoke_philox(yoke_uint4((yoke_u32)block, (yoke_u32)(block >> 32), (yoke_u32)sequence, (yoke_u32)(sequence >> 32)),
                       yoke_uint2((yoke_u32)seed, (yoke_u32)(seed >> 32)));
}

/* A number of [0, 1) with 24 bits. */
YOKE_FUNCTION float yoke_random_float(yoke_u32 word)
{
    return (float)(word >> 8) * 5.9604644775390625e-8f;
}

#endif
