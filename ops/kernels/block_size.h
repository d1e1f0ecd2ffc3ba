/* SPDX-License-Identifier: Apache-2.0 */
/* The size of blocks, and how many of them run at a time. */
#ifndef YOPS_BLOCK_SIZE_H
#define YOPS_BLOCK_SIZE_H

/* The size of a block of one dimension, of which a multiprocessor shall take `blocks` at a time. Without a number NVIDIA's compiler
 * for CUDA spares registers, and with them loads that are under way at the same time. Its compiler for OpenCL takes as many as it
 * likes, unless the program is built with the option MOST_REGISTERS (program.c) and the kernel does not tell the size of its
 * blocks: to a kernel that does, the limit does not apply. */
#if defined(__CUDACC__)
#define BLOCK_SIZE(threads, blocks) __launch_bounds__(threads, blocks)
#elif defined(MOST_REGISTERS)
#define BLOCK_SIZE(threads, blocks)
#else
#define BLOCK_SIZE(threads, blocks) YOKE_BLOCK_SIZE(threads, 1, 1)
#endif

#endif
