/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public structs that begin with their size, as the program was compiled; it is smaller or larger than this library's when the
 * versions differ. A size of 0 stands for the struct of version 0.1: up to the member that the list names. A struct that grows
 * keeps its line, and a new one gets a line for its last member.
 */
#ifndef YK_SIZED_H
#define YK_SIZED_H

#include <stddef.h>
#include <string.h>

#define YK_SIZE_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))
#define YK_FIRST_SIZE(type) YK_FIRST_SIZE_##type

#define YK_FIRST_SIZE_yoke_device_info YK_SIZE_TO(yoke_device_info, view_alignment)
#define YK_FIRST_SIZE_yoke_stream_desc YK_SIZE_TO(yoke_stream_desc, user)
#define YK_FIRST_SIZE_yoke_memory_info YK_SIZE_TO(yoke_memory_info, cached_limit)
#define YK_FIRST_SIZE_yoke_image_desc YK_SIZE_TO(yoke_image_desc, sampler)
#define YK_FIRST_SIZE_yoke_source YK_SIZE_TO(yoke_source, text_file)
#define YK_FIRST_SIZE_yoke_compiler_info YK_SIZE_TO(yoke_compiler_info, target)
#define YK_FIRST_SIZE_yoke_cache_info YK_SIZE_TO(yoke_cache_info, reason)
#define YK_FIRST_SIZE_yoke_kernel_info YK_SIZE_TO(yoke_kernel_info, required_block)
#define YK_FIRST_SIZE_yoke_param_info YK_SIZE_TO(yoke_param_info, scalar_bytes)
#define YK_FIRST_SIZE_yoke_native_device YK_SIZE_TO(yoke_native_device, platform)
#define YK_FIRST_SIZE_yoke_fft_options YK_SIZE_TO(yoke_fft_options, flags)
#define YK_FIRST_SIZE_yoke_filter_options YK_SIZE_TO(yoke_filter_options, origins)
#define YK_FIRST_SIZE_yoke_matmul_options YK_SIZE_TO(yoke_matmul_options, var_count)
#define YK_FIRST_SIZE_yoke_random_options YK_SIZE_TO(yoke_random_options, interval)
#define YK_FIRST_SIZE_yoke_ops_library YK_SIZE_TO(yoke_ops_library, reason)
#define YK_FIRST_SIZE_yoke_comm_info YK_SIZE_TO(yoke_comm_info, nccl_bytes)

/* The bytes of the caller's struct. */
static inline size_t yk_sized_bytes(const void *sized, size_t first)
{
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size > 0 ? size : first;
}

/* Copy what a caller describes over the defaults in `out`, which has `known` bytes. */
static inline void yk_sized_take(void *out, const void *described, size_t known, size_t first)
{
    size_t size = yk_sized_bytes(described, first);
    memcpy(out, described, size < known ? size : known);
    memcpy(out, &known, sizeof known);
}

/* Copy as many members as the caller's struct has room for; its size, and members that this library does not know, stay. */
static inline void yk_sized_fill(void *out, const void *info, size_t known, size_t first)
{
    size_t size = yk_sized_bytes(out, first);
    size = size < known ? size : known;
    if (size > sizeof size)
        memcpy((char *)out + sizeof size, (const char *)info + sizeof size, size - sizeof size);
}

#endif
