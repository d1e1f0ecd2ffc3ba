/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms with weights: sums in an order that the elements alone define. histogram_weights.yk has the kernels. */
#include <stdio.h>

#include "group.h"
#include "histogram.h"

/* What defines the order of additions: never the device. ROWS_MOST: sums of all tiles together. */
enum { TILE_BINS = 16384, TILE_LEAST = 1024, COMBINED = 64 };
static const uint64_t rows_most = UINT64_C(1) << 23;

static uint64_t get_row_size(const yops_histogram *h)
{
    return (uint64_t)h->count * yoke_dtype_get_size(yops_get_sum_dtype(h->weights_dtype));
}

static yoke_status get_kernel(const yops_histogram *h, const char *part, const char *name, yoke_kernel **out_kernel)
{
    char options[160], only[sizeof options + YOPS_ONLY_SIZE];
    bool wide = yops_needs_f64(h->dtype) || yops_needs_f64(h->weights_dtype) || yops_needs_f64(h->bins_dtype);
    yops_write(options, sizeof options, "IN=%s %s WEIGHT=%s SUM=%s OUT=%s%s", yops_dtype_token(h->dtype), h->rule.macro,
               yops_dtype_token(h->weights_dtype), yops_dtype_token(yops_get_sum_dtype(h->weights_dtype)),
               yops_dtype_token(h->bins_dtype), wide ? " NEED_F64=1" : "");
    yops_only(only, sizeof only, options, part);
    return yops_kernel(&h->call, "histogram_weights", only, name, out_kernel);
}

static yoke_status finish(const yops_histogram *h, yoke_kernel *kernel, yoke_buffer *sums)
{
    return yops_launch(&h->call, kernel, yops_divide_up(h->count, 64), 64,
                       YOKE_ARGS(sums, (uint32_t)(h->n > 0), h->count, h->bins, h->bins_origin, h->bins_stride));
}

static yoke_status weigh_by_tiles(const yops_histogram *h)
{
    static const uint32_t zero;
    yoke_kernel *weigh, *combine = NULL, *end = NULL;
    yoke_buffer *sums = NULL, *other = NULL;
    uint64_t tile = TILE_LEAST;
    while (yops_divide_up(h->n, tile) * h->count > rows_most)
        tile *= 2;
    uint64_t rows = yops_divide_up(h->n, tile), each = yops_histogram_get_rounds(h) + 1;
    uint64_t part = yops_fit_rounds(&h->traits, h->count + 16, each); /* of a tile, in one launch */
    uint32_t threads = h->traits.is_cpu ? 1 : 32;
    yoke_status status = get_kernel(h, "tiles", "weigh_tiles", &weigh);
    if (status == YOKE_OK && rows > 1)
        status = get_kernel(h, "combine", "combine", &combine);
    if (status == YOKE_OK)
        status = get_kernel(h, "tiles", "finish", &end);
    if (status == YOKE_OK)
        status = yops_temporary(&h->call, (rows > 0 ? rows : 1) * get_row_size(h), &sums);
    if (status == YOKE_OK && rows == 0)
        status = yoke_fill_at(h->call.where, h->call.stream, sums, 0, (size_t)get_row_size(h), &zero, sizeof zero);
    if (status == YOKE_OK && rows > 1)
        status = yops_temporary(&h->call, yops_divide_up(rows, COMBINED) * get_row_size(h), &other);
    part = part < tile ? part : tile;
    for (uint64_t from = 0; from < tile && status == YOKE_OK && rows > 0; from += part)
        status = yops_launch(&h->call, weigh, yops_divide_up(rows, threads), threads,
                             YOKE_ARGS(h->elements, YOPS_STRIDED_ARG(h->a), h->n, tile, from, from + part, h->edges,
                                       YOPS_RULE_ARG(h), h->weights, YOPS_STRIDED_ARG(h->w), sums));
    yoke_buffer *from = sums, *to = other;
    for (; rows > 1 && status == YOKE_OK; rows = yops_divide_up(rows, COMBINED)) {
        uint64_t n = yops_divide_up(rows, COMBINED) * h->count;
        status = yops_launch(&h->call, combine, yops_divide_up(n, 64), 64, YOKE_ARGS(from, rows, h->count, to));
        yoke_buffer *kept = from;
        from = to;
        to = kept;
    }
    if (status == YOKE_OK)
        status = finish(h, end, from);
    yoke_buffer_release(other);
    yoke_buffer_release(sums);
    return status;
}

static yoke_status weigh_group(const yops_histogram *h, yoke_kernel *get_keys, yoke_kernel *sum, yops_group *group, uint64_t first,
                               uint32_t n, yoke_buffer *sums)
{
    yoke_status status = yops_launch(
        &h->call, get_keys, yops_divide_up(n, 64), 64,
        YOKE_ARGS(h->elements, YOPS_STRIDED_ARG(h->a), first, n, h->edges, YOPS_RULE_ARG(h), group->keys, group->positions));
    if (status == YOKE_OK)
        status = yops_group_sort(&h->call, group, n);
    const uint64_t most = yops_fit_rounds(&h->traits, 16, 1); /* a bin may have all elements, which are one thread's */
    for (uint32_t from = 0; from < n && status == YOKE_OK;) {
        uint32_t to = n - from < most ? n : from + (uint32_t)most;
        status = yops_launch(
            &h->call, sum, yops_divide_up(to - from, 64), 64,
            YOKE_ARGS(group->keys, group->positions, first, from, to, h->count, h->weights, YOPS_STRIDED_ARG(h->w), sums));
        from = to;
    }
    return status;
}

static yoke_status weigh_by_groups(const yops_histogram *h)
{
    static const uint32_t zero;
    yoke_kernel *get_keys, *sum = NULL, *end = NULL;
    yoke_buffer *sums = NULL;
    yops_group group = { .keys = NULL };
    uint32_t most = h->n < YOPS_GROUP_MOST ? (uint32_t)h->n : (uint32_t)YOPS_GROUP_MOST;
    yoke_status status = get_kernel(h, "keys", "weigh_keys", &get_keys);
    if (status == YOKE_OK)
        status = get_kernel(h, "keys", "sum_runs", &sum);
    if (status == YOKE_OK)
        status = get_kernel(h, "keys", "finish", &end);
    if (status == YOKE_OK)
        status = yops_temporary(&h->call, get_row_size(h), &sums);
    if (status == YOKE_OK)
        status = yops_group_create(&h->call, &h->traits, most, h->count, &group);
    if (status == YOKE_OK)
        status = yoke_fill_at(h->call.where, h->call.stream, sums, 0, (size_t)get_row_size(h), &zero, sizeof zero);
    for (uint64_t first = 0; first < h->n && status == YOKE_OK; first += YOPS_GROUP_MOST) {
        uint32_t n = h->n - first < YOPS_GROUP_MOST ? (uint32_t)(h->n - first) : (uint32_t)YOPS_GROUP_MOST;
        status = weigh_group(h, get_keys, sum, &group, first, n, sums);
    }
    if (status == YOKE_OK)
        status = finish(h, end, sums);
    yops_group_release(&group);
    yoke_buffer_release(sums);
    return status;
}

yoke_status yops_histogram_weigh(const yops_histogram *h)
{
    return h->count <= TILE_BINS ? weigh_by_tiles(h) : weigh_by_groups(h);
}
