/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of Yoke's built-in kernels, and the headers that kernels may include. The build generates it from kernels/NAME.cu,
 * kernels/NAME.cl, headers of include/yoke (build-aux/embed.awk), so that the library needs no files at run time.
 */
#ifndef YK_TWINS_H
#define YK_TWINS_H

#include <stddef.h>

/* One kernel source in both languages. */
typedef struct yk_twin {
    const char *name, *cuda, *opencl;
} yk_twin;

extern const yk_twin yk_twins[];
extern const size_t yk_twin_count;
extern const char *const yk_block_scan_header;
extern const char *const yk_block_reduce_header;
extern const char *const yk_block_rank_header;
extern const char *const yk_kernel_header;
extern const char *const yk_philox_header;
extern const char *const yk_types_header;

#endif
