/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stable rank of a block's digits, for kernels in both languages: where each element of a tile lies when the tile is sorted
 * by a small number, its digit. Radix sorts, partitions and binning are made of it. Kernels include this header as
 * <yoke/block_rank.h>, which Yoke always finds. C has no templates: the header is included once for each shape of block, with
 * macros that say the shape, and forgets them at its end.
 *
 *     #define YOKE_RANK_NAME rank           the first word of all names below
 *     #define YOKE_RANK_THREADS 256         threads of the block: a multiple of 32, and a power of two if below 2^BITS
 *     #define YOKE_RANK_ITEMS 4             elements of each thread; the tile has THREADS * ITEMS elements
 *     #define YOKE_RANK_BITS 8              1 to 8: digits are 0 to 2^BITS - 1; 8 where it is left out
 *     #include <yoke/block_rank.h>
 *
 *     YOKE_KERNEL YOKE_BLOCK_SIZE(256, 1, 1) void sort_bytes(YOKE_GLOBAL yoke_u32 *keys)      by their lowest byte
 *     {
 *         YOKE_SHARED rank_memory memory;
 *         YOKE_SHARED yoke_u32 sorted[1024];
 *         yoke_u32 digits[4], ranks[4];
 *         for (int i = 0; i < 4; i++)
 *             digits[i] = keys[rank_element(i)] & 255u;
 *         rank_digits(&memory, digits, ranks);
 *         for (int i = 0; i < 4; i++)
 *             sorted[ranks[i]] = keys[rank_element(i)];
 *         yoke_barrier();
 *         ...
 *     }
 *
 * rank_element(i)         the position in the tile of the calling thread's element i. Elements of equal digits are ranked in the
 *                         order of their positions. Neighbouring threads have neighbouring elements where the device has warps.
 * rank_digits(m, d, r)    rank all elements: r[i] is the rank of the thread's element i, 0 to THREADS * ITEMS - 1. All threads of
 *                         the block call it. Afterwards m->start[digit] is the rank of the digit's first element, and
 *                         m->total[digit] the number of its elements, for every thread. The memory may be used again after a
 *                         barrier.
 * rank_count(m, d), rank_finish(m, d, r)   the two halves of rank_digits. Between them a thread may read m->total of the digits
 *                         that it owns, those with digit / max(1, 2^BITS / THREADS) == thread: what other blocks wait for can
 *                         leave early, since most of the work is in the second half.
 */
#include <yoke/kernel.h>
#include <yoke/types.h>

#ifndef YOKE_RANK_BITS
#define YOKE_RANK_BITS 8
#endif
#ifndef YOKE_RANK_JOIN
#define YOKE_RANK_JOIN(a, b) YOKE_RANK_JOIN_(a, b)
#define YOKE_RANK_JOIN_(a, b) a##b
#endif
/* How the threads of a warp find those with the same digit: 0 votes on each bit, 1 asks the device (match). */
#ifndef YOKE_RANK_MATCH
#define YOKE_RANK_MATCH 0
#endif
/* NVIDIA's compilers take seven instructions for a vote on a bit that are four in PTX. */
#if (defined(__CUDACC_RTC__) || defined(__NVCC__)) && !defined(YOKE_CUDA_DOUBLE)
#define YOKE_RANK_ASM asm
#elif YOKE_HAS_WARP && (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__))
#define YOKE_RANK_ASM __asm__
#endif

#define YOKE_RANK_WORD(word) YOKE_RANK_JOIN(YOKE_RANK_NAME, word)
#define YOKE_RANK_DIGITS (1 << YOKE_RANK_BITS)
#define YOKE_RANK_GROUPS ((YOKE_RANK_THREADS) / 32)
/* Digits whose totals one thread adds up. */
#define YOKE_RANK_OWNED ((YOKE_RANK_DIGITS) > (YOKE_RANK_THREADS) ? (YOKE_RANK_DIGITS) / (YOKE_RANK_THREADS) : 1)

typedef struct YOKE_RANK_WORD(_memory) {
    yoke_u32 places[YOKE_RANK_GROUPS * YOKE_RANK_DIGITS]; /* of each group of 32 threads: its counts, and then its ranks */
    yoke_u32 total[YOKE_RANK_DIGITS];
    yoke_u32 start[YOKE_RANK_DIGITS];
    yoke_u32 sums[YOKE_HAS_WARP ? YOKE_RANK_GROUPS : (YOKE_RANK_THREADS)];
} YOKE_RANK_WORD(_memory);

#if YOKE_HAS_WARP

YOKE_FUNCTION yoke_u32 YOKE_RANK_WORD(_element)(yoke_u32 item)
{
    yoke_u32 thread = yoke_thread_x();
    return (thread >> 5) * (32u * (YOKE_RANK_ITEMS)) + item * 32u + (thread & 31u);
}

/* The lanes that have this digit too. */
YOKE_FUNCTION yoke_u32 YOKE_RANK_WORD(_match)(yoke_u32 digit)
{
#if YOKE_RANK_MATCH
    return yoke_match_any(digit);
#else
    yoke_u32 peers = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < YOKE_RANK_BITS; bit++) {
        /* Those that vote as this lane does: the votes, or the others' where this bit is 0. */
#ifdef YOKE_RANK_ASM
        yoke_u32 alike;
        YOKE_RANK_ASM volatile("{ .reg .pred set; and.b32 %0, %1, %2; setp.ne.b32 set, %0, 0; "
                               "vote.sync.ballot.b32 %0, set, 0xffffffff; @!set not.b32 %0, %0; }"
                               : "=&r"(alike)
                               : "r"(digit), "r"(1u << bit));
        peers &= alike;
#else
        yoke_u32 set = digit >> bit & 1u, votes = yoke_ballot((int)set);
        peers &= votes ^ (set - 1u);
#endif
    }
    return peers;
#endif
}

#define YOKE_RANK_GROUP_BARRIER() yoke_warp_sync()

/* The rank of each element. `places`: of each digit, the rank of the warp's next element. */
YOKE_INLINE_FUNCTION void YOKE_RANK_WORD(_in_group)(YOKE_SHARED_PTR yoke_u32 *places, const yoke_u32 *digits, yoke_u32 *ranks)
{
    const yoke_u32 lower = (1u << (yoke_thread_x() & 31u)) - 1u;
    volatile YOKE_SHARED_PTR yoke_u32 *mine = places;
#pragma unroll
    for (int i = 0; i < (YOKE_RANK_ITEMS); i++) {
        const yoke_u32 peers = YOKE_RANK_WORD(_match)(digits[i]), before = (yoke_u32)yoke_popcount(peers & lower);
        const yoke_u32 found = mine[digits[i]];
        yoke_warp_sync();
        if (before == 0u)
            mine[digits[i]] = found + (yoke_u32)yoke_popcount(peers);
        yoke_warp_sync();
        ranks[i] = found + before;
    }
}

#else

YOKE_FUNCTION yoke_u32 YOKE_RANK_WORD(_element)(yoke_u32 item)
{
    return yoke_thread_x() * (YOKE_RANK_ITEMS) + item;
}

#define YOKE_RANK_GROUP_BARRIER() yoke_barrier()

/* One thread of each group after the other. */
YOKE_INLINE_FUNCTION void YOKE_RANK_WORD(_in_group)(YOKE_SHARED_PTR yoke_u32 *places, const yoke_u32 *digits, yoke_u32 *ranks)
{
    const yoke_u32 lane = yoke_thread_x() & 31u;
    for (yoke_u32 turn = 0u; turn < 32u; turn++) {
        if (turn == lane)
            for (int i = 0; i < (YOKE_RANK_ITEMS); i++)
                ranks[i] = places[digits[i]]++;
        yoke_barrier();
    }
}

#endif

YOKE_INLINE_FUNCTION void YOKE_RANK_WORD(_count)(YOKE_SHARED_PTR YOKE_RANK_WORD(_memory) * memory, const yoke_u32 *digits)
{
    const yoke_u32 thread = yoke_thread_x();
    YOKE_SHARED_PTR yoke_u32 *mine = memory->places + (thread >> 5) * YOKE_RANK_DIGITS;
    for (yoke_u32 digit = thread & 31u; digit < YOKE_RANK_DIGITS; digit += 32u)
        mine[digit] = 0u;
    YOKE_RANK_GROUP_BARRIER();
#pragma unroll
    for (int i = 0; i < (YOKE_RANK_ITEMS); i++)
        yoke_atomic_add(mine + digits[i], 1u);
    yoke_barrier();
    for (yoke_u32 i = 0u; i < YOKE_RANK_OWNED; i++) {
        const yoke_u32 digit = thread * YOKE_RANK_OWNED + i;
        yoke_u32 sum = 0u;
        if (digit >= YOKE_RANK_DIGITS)
            break;
#pragma unroll
        for (yoke_u32 group = 0u; group < YOKE_RANK_GROUPS; group++) {
            const yoke_u32 count = memory->places[group * YOKE_RANK_DIGITS + digit];
            memory->places[group * YOKE_RANK_DIGITS + digit] = sum;
            sum += count;
        }
        memory->total[digit] = sum;
    }
}

/* The sum of the values of the threads before this one. */
YOKE_INLINE_FUNCTION yoke_u32 YOKE_RANK_WORD(_sum_before)(YOKE_SHARED_PTR yoke_u32 *sums, yoke_u32 value)
{
    const yoke_u32 thread = yoke_thread_x();
#if YOKE_HAS_WARP
    const yoke_u32 lane = thread & 31u, group = thread >> 5;
    yoke_u32 sum = value;
#pragma unroll
    for (yoke_u32 distance = 1u; distance < 32u; distance *= 2u) {
        const yoke_u32 left = yoke_shuffle_up(sum, distance);
        sum += lane >= distance ? left : 0u;
    }
    if (lane == 31u)
        sums[group] = sum;
    yoke_barrier();
    sum -= value;
#pragma unroll
    for (yoke_u32 other = 0u; other + 1u < YOKE_RANK_GROUPS; other++)
        sum += other < group ? sums[other] : 0u;
    return sum;
#else
    sums[thread] = value;
    yoke_barrier();
    for (yoke_u32 distance = 1u; distance < (YOKE_RANK_THREADS); distance *= 2u) {
        const yoke_u32 left = thread >= distance ? sums[thread - distance] : 0u;
        yoke_barrier();
        sums[thread] += left;
        yoke_barrier();
    }
    return sums[thread] - value;
#endif
}

YOKE_INLINE_FUNCTION void YOKE_RANK_WORD(_finish)(YOKE_SHARED_PTR YOKE_RANK_WORD(_memory) * memory, const yoke_u32 *digits,
                                                  yoke_u32 *ranks)
{
    const yoke_u32 thread = yoke_thread_x(), first = thread * YOKE_RANK_OWNED;
    yoke_u32 sum = 0u;
    for (yoke_u32 i = 0u; i < YOKE_RANK_OWNED && first + i < YOKE_RANK_DIGITS; i++)
        sum += memory->total[first + i];
    sum = YOKE_RANK_WORD(_sum_before)(memory->sums, sum);
    for (yoke_u32 i = 0u; i < YOKE_RANK_OWNED && first + i < YOKE_RANK_DIGITS; i++) {
        memory->start[first + i] = sum;
#pragma unroll
        for (yoke_u32 group = 0u; group < YOKE_RANK_GROUPS; group++)
            memory->places[group * YOKE_RANK_DIGITS + first + i] += sum;
        sum += memory->total[first + i];
    }
    yoke_barrier();
    YOKE_RANK_WORD(_in_group)(memory->places + (thread >> 5) * YOKE_RANK_DIGITS, digits, ranks);
}

YOKE_INLINE_FUNCTION void YOKE_RANK_WORD(_digits)(YOKE_SHARED_PTR YOKE_RANK_WORD(_memory) * memory, const yoke_u32 *digits,
                                                  yoke_u32 *ranks)
{
    YOKE_RANK_WORD(_count)(memory, digits);
    YOKE_RANK_WORD(_finish)(memory, digits, ranks);
}

#undef YOKE_RANK_NAME
#undef YOKE_RANK_THREADS
#undef YOKE_RANK_ITEMS
#undef YOKE_RANK_BITS
#undef YOKE_RANK_WORD
#undef YOKE_RANK_DIGITS
#undef YOKE_RANK_GROUPS
#undef YOKE_RANK_OWNED
#undef YOKE_RANK_GROUP_BARRIER
