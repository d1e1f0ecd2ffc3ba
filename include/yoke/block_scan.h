/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans of a block's threads, for kernels in both languages: running sums, or any other associative operation, of one value per
 * thread. Kernels include this header as <yoke/block_scan.h>, which Yoke always finds. The functions are made by macros, since C
 * has no templates:
 *
 *     #include <yoke/block_scan.h>
 *
 *     YOKE_FUNCTION float add(float a, float b) { return a + b; }
 *     YOKE_BLOCK_SCAN(scan_floats, float, add)
 *
 *     YOKE_KERNEL YOKE_BLOCK_SIZE(256, 1, 1) void running_sums(YOKE_GLOBAL float *x)
 *     {
 *         YOKE_SHARED float shared[YOKE_BLOCK_SCAN_ELEMENTS(256)];
 *         float total, before, mine = x[yoke_global_x()];
 *         float sum = scan_floats(mine, shared, &total);
 *         x[yoke_global_x()] = sum;
 *     }
 *
 * The order is the same on every device, so that floats give the same bits: the 32 threads of a group are combined as a tree, at
 * distances 1, 2, 4, 8 and 16 (thread l, if its bit d is set, takes the last of the d threads before the block of d that it belongs
 * to), and the groups from the left to the right. `combine(left, right)` need not be commutative.
 */
#ifndef YOKE_BLOCK_SCAN_H
#define YOKE_BLOCK_SCAN_H

#include <yoke/kernel.h>
#include <yoke/types.h>

/* The elements of shared memory that a scan of `threads` threads needs. */
#define YOKE_BLOCK_SCAN_ELEMENTS(threads) (2 * (threads))

/* The thread's lane in its group of 32, and the group. Blocks have one dimension. */
#define yoke_scan_lane() (yoke_thread_x() & 31u)
#define yoke_scan_group() (yoke_thread_x() >> 5)

/*
 * Define `type name(type value)`, the inclusive scan of the 32 lanes of a warp, where YOKE_HAS_WARP is 1: all lanes take part.
 * `shuffle(value, lane)` gives the value of another lane: yoke_shuffle, or a function of your own for a struct.
 */
#define YOKE_WARP_SCAN(name, type, combine, shuffle)                                   \
    YOKE_FUNCTION type name(type value)                                                \
    {                                                                                  \
        const yoke_u32 lane = yoke_scan_lane();                                        \
        for (yoke_u32 distance = 1; distance < 32; distance *= 2) {                    \
            type left = shuffle(value, (lane & ~(2 * distance - 1)) | (distance - 1)); \
            if (lane & distance)                                                       \
                value = combine(left, value);                                          \
        }                                                                              \
        return value;                                                                  \
    }

/*
 * Define `type name(type value, YOKE_SHARED_PTR type *shared, type *out_total)`: the inclusive scan of the block's values, for
 * blocks of one dimension and a multiple of 32 threads, which all call it. `shared` has YOKE_BLOCK_SCAN_ELEMENTS(threads) elements.
 * *out_total is the combination of all, the same for each thread. `shared` may be used again after a barrier. The combination of
 * the threads before one's own is the previous thread's value: see YOKE_BLOCK_SCAN_BEFORE.
 */
#define YOKE_BLOCK_SCAN(name, type, combine)                                                  \
    YOKE_INLINE_FUNCTION type name(type value, YOKE_SHARED_PTR type *shared, type *out_total) \
    {                                                                                         \
        const yoke_u32 thread = yoke_thread_x(), lane = thread & 31u, group = thread >> 5;    \
        const yoke_u32 threads = yoke_block_size_x(), groups = threads >> 5;                  \
        YOKE_BLOCK_SCAN_GROUP(type, combine)                                                  \
        type before = value, total = shared[threads];                                         \
        for (yoke_u32 other = 0; other < groups; other++) {                                   \
            if (other > 0)                                                                    \
                total = combine(total, shared[threads + other]);                              \
            if (other + 1 == group)                                                           \
                before = total;                                                               \
        }                                                                                     \
        *out_total = total;                                                                   \
        value = group > 0 ? combine(before, value) : value;                                   \
        shared[thread] = value;                                                               \
        return value;                                                                         \
    }

/* After a call of a function of YOKE_BLOCK_SCAN and a barrier: the combination of all threads before this one, and `none` for the
 * first. */
#define YOKE_BLOCK_SCAN_BEFORE(shared, none) (yoke_thread_x() > 0 ? (shared)[yoke_thread_x() - 1] : (none))

/* Part of YOKE_BLOCK_SCAN: `value` becomes its scan within the group, and shared[threads + group] the group's total. */
#if YOKE_HAS_WARP
#define YOKE_BLOCK_SCAN_GROUP(type, combine)                                            \
    for (yoke_u32 distance = 1; distance < 32; distance *= 2) {                         \
        type left = yoke_shuffle(value, (lane & ~(2 * distance - 1)) | (distance - 1)); \
        if (lane & distance)                                                            \
            value = combine(left, value);                                               \
    }                                                                                   \
    if (lane == 31)                                                                     \
        shared[threads + group] = value;                                                \
    yoke_barrier();
#else
#define YOKE_BLOCK_SCAN_GROUP(type, combine)                                                 \
    shared[thread] = value;                                                                  \
    yoke_barrier();                                                                          \
    for (yoke_u32 distance = 1; distance < 32; distance *= 2) {                              \
        if (lane & distance)                                                                 \
            value = combine(shared[(thread & ~(2 * distance - 1)) | (distance - 1)], value); \
        yoke_barrier();                                                                      \
        shared[thread] = value;                                                              \
        yoke_barrier();                                                                      \
    }                                                                                        \
    if (lane == 31)                                                                          \
        shared[threads + group] = value;                                                     \
    yoke_barrier();
#endif

#endif
