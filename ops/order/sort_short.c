/* SPDX-License-Identifier: Apache-2.0 */
/* Short rows, which are sorted in one launch each, and how a row is sorted: so, in passes, or its first elements alone. */
#include <stdio.h>

#include "sort.h"

yops_sort_way yops_sort_forced = YOPS_SORT_BY_DEVICE;

enum {
    BLOCK_THREADS = 256,     /* of sort_block.yk */
    FEW_ITEMS = 4,           /* a thread's elements, of rows that fit */
    MANY_ITEMS = 16,         /* of longer rows, */
    MANY_ITEMS_WIDE = 8,     /* of keys of 8 bytes or on devices with little shared memory */
    MOST_TOGETHER = 256,     /* rows in a block */
    SHORT_FOR_THREADS = 4096 /* elements that one thread sorts alone, at most */
};

yoke_status yops_sort_kernel(const yops_sort *sort, const char *text, const char *extra, const char *name, yoke_kernel **out_kernel)
{
    char options[160];
    yops_write(options, sizeof options, "KEY=%s VALUE_BYTES=%u INDEX=%d %s", yops_dtype_token(sort->dtype),
               (unsigned)sort->value_bytes, sort->index, extra);
    return yops_kernel(sort->call, text, options, name, out_kernel);
}

/* Spans that a kernel does not use are passed as the keys. */
static yops_span span_or(yops_span span, yops_span other)
{
    return span.buffer ? span : (yops_span){ other.buffer, 0 };
}

/* ---- One thread for each row ---- */

/* The elements of a row that one thread may sort. Of n elements it takes, by sort_cpu.yk, 2 n rounds and twice 256 for each
 * byte of a key, and 4 n to copy. */
static int64_t get_most_for_a_thread(const yops_sort *sort, const yops_traits *traits)
{
    uint64_t bytes = yoke_dtype_get_size(sort->dtype), most = yops_fit_rounds(traits, 520 * bytes + 64, 2 * bytes + 4);
    return most < SHORT_FOR_THREADS ? (int64_t)most : SHORT_FOR_THREADS;
}

static yoke_status short_by_threads(const yops_sort *sort)
{
    uint64_t size = yoke_dtype_get_size(sort->dtype), total = (uint64_t)(sort->rows * sort->n);
    uint64_t values_at = 0, slots_at = (total * sort->value_bytes + 15) / 16 * 16, keys_at = slots_at + (total * 8 + 15) / 16 * 16;
    yoke_buffer *scratch = NULL;
    yoke_kernel *kernel;
    yops_span keys_out = span_or(sort->keys_out, sort->keys_in), values_in = span_or(sort->values_in, sort->keys_in);
    yops_span values_out = span_or(sort->values_out, sort->keys_in);
    yoke_status status = yops_sort_kernel(sort, "sort_cpu", "WIDE=0 ONLY=1 ONLY_sort_rows=1", "sort_rows", &kernel);
    if (status == YOKE_OK)
        status = yops_temporary(sort->call, keys_at + 2 * total * size, &scratch);
    if (status == YOKE_OK)
        status = yops_launch(sort->call, kernel, (uint64_t)sort->rows, 1,
                             YOKE_ARGS(sort->keys_in.buffer, sort->keys_in.origin, keys_out.buffer, keys_out.origin,
                                       values_in.buffer, values_in.origin, values_out.buffer, values_out.origin, scratch,
                                       (int64_t)(keys_at / size), scratch, (int64_t)(slots_at / 4), scratch, (int64_t)values_at,
                                       (uint32_t)sort->n, (uint32_t)sort->most, sort->flip, (uint32_t) !!sort->keys_out.buffer));
    yoke_buffer_release(scratch);
    return status;
}

/* ---- One block for some rows ---- */

static uint32_t choose_items(const yops_sort *sort, yops_sort_way way)
{
    uint32_t many = way == YOPS_SORT_BLOCKS || yoke_dtype_get_size(sort->dtype) == 8 ? MANY_ITEMS_WIDE : MANY_ITEMS;
    if (sort->rows == 1 && sort->n <= BLOCK_THREADS)
        return 1;
    if (sort->n <= (int64_t)BLOCK_THREADS * FEW_ITEMS)
        return FEW_ITEMS;
    return sort->n <= (int64_t)BLOCK_THREADS * many ? many : 0;
}

static yoke_status short_by_blocks(const yops_sort *sort, uint32_t items)
{
    char extra[60];
    yoke_kernel *kernel;
    yops_write(extra, sizeof extra, "THREADS=%d ITEMS=%u", BLOCK_THREADS, (unsigned)items);
    yoke_status status = yops_sort_kernel(sort, "sort_block", extra, "sort_rows", &kernel);
    int64_t together = (int64_t)BLOCK_THREADS * items / sort->n;
    together = together < MOST_TOGETHER ? together : MOST_TOGETHER;
    together = together < sort->rows ? together : sort->rows;
    yops_span keys_out = span_or(sort->keys_out, sort->keys_in), values_in = span_or(sort->values_in, sort->keys_in);
    yops_span values_out = span_or(sort->values_out, sort->keys_in);
    if (status == YOKE_OK)
        status =
            yops_launch(sort->call, kernel, (uint64_t)((sort->rows + together - 1) / together), BLOCK_THREADS,
                        YOKE_ARGS(sort->keys_in.buffer, sort->keys_in.origin, keys_out.buffer, keys_out.origin, values_in.buffer,
                                  values_in.origin, values_out.buffer, values_out.origin, (uint32_t)sort->n, sort->rows,
                                  (uint32_t)together, (uint32_t)sort->most, sort->flip, (uint32_t) !!sort->keys_out.buffer));
    return status;
}

yoke_status yops_sort_rows(const yops_sort *sort)
{
    yops_traits traits;
    yoke_status status = yops_get_traits(sort->call, &traits);
    yops_sort_way way = yops_sort_forced;
    if (status < 0 || sort->rows == 0 || sort->n == 0 || sort->most == 0)
        return status;
    if (way == YOPS_SORT_BY_DEVICE)
        way = traits.is_cpu ? YOPS_SORT_THREADS : traits.blocks_progress ? YOPS_SORT_LOOKBACK : YOPS_SORT_BLOCKS;
    if (way == YOPS_SORT_THREADS && sort->n <= get_most_for_a_thread(sort, &traits))
        return short_by_threads(sort);
    uint32_t items = way == YOPS_SORT_THREADS ? 0 : choose_items(sort, way);
    if (items)
        return short_by_blocks(sort, items);
    bool top = way != YOPS_SORT_THREADS && yops_top_suits(sort, &traits);
    return top ? yops_sort_top(sort, &traits) : yops_sort_long(sort, &traits, way);
}
