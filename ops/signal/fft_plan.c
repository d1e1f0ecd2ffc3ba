/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a length becomes passes over memory, and a pass becomes stages in registers. What is chosen here decides the order of all
 * operations: it depends on the length, the dtype and whether transforms lie side by side, never on the device.
 */
#include "fft.h"

/* A block of a GPU holds 4096 points of complex64, 2048 of complex128, in 32 KiB of shared memory. Several passes read memory in
 * columns, which should be wide enough for the memory's transactions: 8 columns of 512 points are 64 bytes wide. Two passes go
 * further, since all of that fits in the cache. */
enum { MOST_ROW = 4096, MOST_OF_TWO = 1024, MOST_OF_MANY = 512 };

static uint32_t get_limit(uint32_t passes, bool is_wide, bool is_strided)
{
    uint32_t limit = passes == 1 && !is_strided ? MOST_ROW : passes == 2 && !is_strided ? MOST_OF_TWO : MOST_OF_MANY;
    return is_wide ? limit / 2 : limit;
}

/* ---- Stages ---- */

static void add_stage(yops_fft_factor *factor, uint32_t radix)
{
    factor->radix[factor->stages++] = radix;
}

/* Few stages, as equal as possible: 2^bits. A thread of a GPU has registers for 16 points of complex64, 8 of complex128; 16 points
 * in one stage would be far apart for neighbouring threads. */
static void add_powers_of_2(yops_fft_factor *factor, uint32_t bits, bool is_wide)
{
    uint32_t most = is_wide || bits == 4 ? 3 : 4;
    for (uint32_t stages = (bits + most - 1) / most; stages > 0; stages--) {
        uint32_t now = (bits + stages - 1) / stages;
        add_stage(factor, 1u << now);
        bits -= now;
    }
}

/* Make the stages of a length, which is at most MOST_ROW = 4096 < 3^8: there are at most 7. False: it has another prime factor. */
static bool make_factor(uint32_t length, bool is_wide, yops_fft_factor *out_factor)
{
    static const uint32_t primes[] = { 13, 11, 7, 5, 3 };
    yops_fft_factor factor = { .length = length };
    uint32_t rest = length, bits = 0;
    for (size_t i = 0; i < YOPS_COUNT_OF(primes); i++)
        for (; rest % primes[i] == 0; rest /= primes[i])
            add_stage(&factor, primes[i]);
    for (; rest % 2 == 0; rest /= 2)
        bits++;
    if (rest != 1)
        return false;
    add_powers_of_2(&factor, bits, is_wide);
    if (factor.stages == 0)
        add_stage(&factor, 1);
    *out_factor = factor;
    return true;
}

/* ---- Passes ---- */

/* Cut n into `count` lengths up to the limit, which are as equal as possible, the larger ones first. */
static bool cut(uint32_t n, uint32_t count, uint32_t limit, bool is_wide, yops_fft_factor *passes)
{
    if (count == 1)
        return n <= limit && make_factor(n, is_wide, &passes[0]);
    uint32_t equal = 1;
    for (; equal <= limit; equal++) {
        uint64_t power = 1;
        for (uint32_t i = 0; i < count && power < n; i++)
            power *= equal;
        if (power >= n)
            break;
    }
    for (uint32_t length = equal; length <= limit; length++)
        if (n % length == 0 && make_factor(length, is_wide, &passes[0]) && cut(n / length, count - 1, limit, is_wide, passes + 1))
            return true;
    return false;
}

static bool has_only_small_factors(uint32_t n)
{
    static const uint32_t primes[] = { 2, 3, 5, 7, 11, 13 };
    for (size_t i = 0; i < YOPS_COUNT_OF(primes); i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

yops_fft_plan yops_fft_make_plan(uint32_t n, bool is_wide, bool is_strided)
{
    yops_fft_plan plan = { 0 };
    if (!has_only_small_factors(n))
        return plan;
    for (uint32_t count = 1; count <= YOPS_FFT_MOST_PASSES; count++)
        if (cut(n, count, get_limit(count, is_wide, is_strided), is_wide, plan.pass)) {
            plan.count = count;
            break;
        }
    return plan;
}

int64_t yops_fft_good_length(int64_t n)
{
    for (n += n % 2;; n += 2) {
        int64_t rest = n;
        for (int64_t prime = 2; prime <= 7; prime++)
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            return n;
    }
}
