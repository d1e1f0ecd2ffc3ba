/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions of a block, for kernels that are one text in both languages, or in either of them: <yoke/kernel.h> has its words, and
 * Yoke always finds this header too.
 *
 *     #include <yoke/block_reduce.h>
 *
 *     #define ADD(a, b) ((a) + (b))
 *     YOKE_BLOCK_REDUCE(sum_of_block, float, ADD)
 *
 *     YOKE_KERNEL void YOKE_BLOCK_SIZE(256, 1, 1) mean(YOKE_GLOBAL const float *x, YOKE_GLOBAL float *means)
 *     {
 *         YOKE_SHARED float scratch[256];
 *         float sum = sum_of_block(scratch, x[yoke_global_x()], 256);
 *         if (yoke_thread_x() == 0)
 *             means[yoke_block_x()] = sum / 256;
 *     }
 *
 * YOKE_BLOCK_REDUCE(name, type, combine) defines
 *
 *     type name(YOKE_SHARED_PTR type *scratch, type value, yoke_u32 count)
 *
 * which combines the values of the threads 0 to count - 1 of a block and returns the result in every thread. All threads of the
 * block call it, those beyond `count` too, whose values are ignored; `count` is at least 1 and the same in all threads. The block
 * is one row of threads: its size is count or more along x, and 1 along y and z. `scratch` has room for `count` values. When the
 * function returns, `scratch` may be used again at once.
 *
 * combine(a, b) is a function or a macro of two values of `type`, which may be a struct, and their order must not matter to it.
 * Thread t is combined with thread t + d, for d from the largest power of two below `count` down to 1, so that the order depends on
 * `count` alone: sums of floats have the same bits on every device.
 *
 * YOKE_GROUP_REDUCE(name, type, combine) defines
 *
 *     type name(YOKE_SHARED_PTR type *scratch, type value, yoke_u32 group)
 *
 * which does the same for each group of `group` neighbouring threads of the block by itself; `group` is a power of two that divides
 * the block's size, and `scratch` has room for a value of each thread of the block.
 */
#ifndef YOKE_BLOCK_REDUCE_H
#define YOKE_BLOCK_REDUCE_H

#include <yoke/kernel.h>
#include <yoke/types.h>

#define YOKE_BLOCK_REDUCE(name, type, combine)                                                               \
    YOKE_INLINE_FUNCTION type name(YOKE_SHARED_PTR type *yoke_scratch, type yoke_given, yoke_u32 yoke_count) \
    {                                                                                                        \
        yoke_u32 yoke_thread = yoke_thread_x(), yoke_step = 1;                                               \
        type yoke_value = yoke_given; /* rusticl of Mesa 22.3 gives functions the caller's own structs */    \
        while (2 * yoke_step < yoke_count)                                                                   \
            yoke_step *= 2;                                                                                  \
        if (yoke_thread < yoke_count)                                                                        \
            yoke_scratch[yoke_thread] = yoke_value;                                                          \
        yoke_barrier();                                                                                      \
        for (; yoke_step > 0; yoke_step /= 2) {                                                              \
            if (yoke_thread < yoke_step && yoke_thread + yoke_step < yoke_count) {                           \
                type yoke_other = yoke_scratch[yoke_thread + yoke_step];                                     \
                yoke_value = combine(yoke_value, yoke_other);                                                \
                yoke_scratch[yoke_thread] = yoke_value;                                                      \
            }                                                                                                \
            yoke_barrier();                                                                                  \
        }                                                                                                    \
        yoke_value = yoke_scratch[0];                                                                        \
        yoke_barrier();                                                                                      \
        return yoke_value;                                                                                   \
    }

#define YOKE_GROUP_REDUCE(name, type, combine)                                                               \
    YOKE_INLINE_FUNCTION type name(YOKE_SHARED_PTR type *yoke_scratch, type yoke_given, yoke_u32 yoke_group) \
    {                                                                                                        \
        yoke_u32 yoke_thread = yoke_thread_x(), yoke_step, yoke_own = yoke_thread & (yoke_group - 1);        \
        type yoke_value = yoke_given;                                                                        \
        yoke_scratch[yoke_thread] = yoke_value;                                                              \
        yoke_barrier();                                                                                      \
        for (yoke_step = yoke_group / 2; yoke_step > 0; yoke_step /= 2) {                                    \
            if (yoke_own < yoke_step) {                                                                      \
                type yoke_other = yoke_scratch[yoke_thread + yoke_step];                                     \
                yoke_value = combine(yoke_value, yoke_other);                                                \
                yoke_scratch[yoke_thread] = yoke_value;                                                      \
            }                                                                                                \
            yoke_barrier();                                                                                  \
        }                                                                                                    \
        yoke_value = yoke_scratch[yoke_thread - yoke_own];                                                   \
        yoke_barrier();                                                                                      \
        return yoke_value;                                                                                   \
    }

#endif
