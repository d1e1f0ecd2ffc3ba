/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: the checks, and counting. histogram.yk has the kernels. */
#include <stdio.h>
#include <string.h>

#include "histogram.h"

/* The first line is as in the kernels. A CPU's threads have a histogram each, unless there are more bins than CHUNK_BINS. */
enum {
    THREADS = 256,
    COUNTERS = 8192,
    EDGES_COUNTERS = 6144,
    SHARED_BYTES = 32768,
    MOST_COPIES = 32,
    BLOCKS_PER_UNIT = 5,
    BLOCK_ELEMENTS = 16384
};
enum { CHUNK_BINS = 32768, CHUNKS_PER_UNIT = 4, CHUNK_ELEMENTS = 4096 };
static const uint64_t launch_elements = UINT64_C(1) << 31; /* no 32-bit counter overflows */

int yops_histogram_kernels;

/* ---- Checks ---- */

static yoke_status check_bins(yops_histogram *h, const yoke_array *bins, bool weighted, yops_place *place)
{
    yoke_status status = yops_check_output(&h->call, "bins", bins, place);
    if (status < 0)
        return status;
    if (bins->dimensions != 1 || bins->shape[0] == 0)
        return yops_fail(&h->call, YOKE_E_INVALID_ARGUMENT, "bins has the shape %s: one dimension and at least one bin are needed",
                         yops_shape(bins->dimensions, bins->shape).text);
    if (bins->shape[0] > INT32_MAX)
        return yops_fail(&h->call, YOKE_E_RANGE, "bins has the shape %s: up to 2^31 - 1 bins are possible",
                         yops_shape(1, bins->shape).text);
    if (!weighted && (status = yops_check_positions(&h->call, "bins", bins->dtype, 0)) < 0)
        return status;
    h->count = (uint32_t)bins->shape[0];
    h->bins = place->root;
    h->bins_origin = place->origin;
    h->bins_stride = bins->strides[0];
    h->bins_dtype = bins->dtype;
    return YOKE_OK;
}

static yoke_status check_weights(yops_histogram *h, const yoke_array *bins, const yops_place *bins_place, const yoke_array *a,
                                 const yoke_array *weights)
{
    yops_place place;
    yoke_array all;
    yoke_status status = yops_check_input(&h->call, "weights", weights, &place);
    if (status == YOKE_OK)
        status = yops_check_overlap(&h->call, "bins", bins, bins_place, "weights", weights, &place, false);
    if (status == YOKE_OK)
        status = yops_broadcast(&h->call, "weights", weights, a->dimensions, a->shape, &all);
    if (status < 0)
        return status;
    h->weights = place.root;
    h->w = yops_get_strided(&all, &place);
    h->weights_dtype = weights->dtype;
    return YOKE_OK;
}

/* All checks but those of the rule. */
static yoke_status begin(yops_histogram *h, const char *function, const char *where, yoke_stream *stream, const yoke_array *bins,
                         yops_place *bins_place, const yoke_array *a, const yoke_array *weights)
{
    yops_place place = { 0 };
    *h = (yops_histogram){ .n = 0 };
    yoke_status status = yops_begin(&h->call, function, where, stream);
    if (status == YOKE_OK)
        status = check_bins(h, bins, weights != NULL, bins_place);
    if (status == YOKE_OK)
        status = yops_check_input(&h->call, "a", a, &place);
    if (status < 0)
        return status;
    if (yops_is_complex(a->dtype))
        return yops_fail(&h->call, YOKE_E_INVALID_ARGUMENT, "a has the dtype %s: complex numbers have no order",
                         yoke_dtype_get_name(a->dtype));
    status = yops_check_overlap(&h->call, "bins", bins, bins_place, "a", a, &place, false);
    if (status == YOKE_OK && !weights)
        status = yops_check_count(&h->call, "bins", bins->dtype, (uint64_t)yoke_array_get_size(a));
    if (status == YOKE_OK && weights)
        status = check_weights(h, bins, bins_place, a, weights);
    if (status == YOKE_OK)
        status = yops_get_traits(&h->call, &h->traits);
    if (status < 0)
        return status;
    if (yops_counts_rounds(&h->traits) || h->traits.max_shared_bytes < SHARED_BYTES)
        h->traits.is_cpu = !yops_counts_rounds(&h->traits);
    if (yops_histogram_kernels)
        h->traits.is_cpu = yops_histogram_kernels == 2;
    h->n = (uint64_t)yoke_array_get_size(a);
    h->elements = h->edges = place.root;
    h->a = yops_get_strided(a, &place);
    h->dtype = a->dtype;
    return status;
}

static yoke_status run(const yops_histogram *h)
{
    return h->weights ? yops_histogram_weigh(h) : yops_histogram_count(h);
}

/* ---- The public functions ---- */

yoke_status yoke_histogram_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a, yoke_number low,
                              yoke_number high, const yoke_array *weights)
{
    yops_histogram h;
    yops_place bins_place;
    yoke_status status = begin(&h, "yoke_histogram", where, stream, bins, &bins_place, a, weights);
    if (status == YOKE_OK)
        status = yops_bins_even(&h.call, h.dtype, low, high, h.count, &h.rule);
    return status == YOKE_OK ? run(&h) : status;
}

yoke_status yoke_histogram_edges_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                    const yoke_array *edges, const yoke_array *weights)
{
    yops_histogram h;
    yops_place bins_place, place = { 0 };
    yoke_status status = begin(&h, "yoke_histogram_edges", where, stream, bins, &bins_place, a, weights);
    if (status == YOKE_OK)
        status = yops_check_input(&h.call, "edges", edges, &place);
    if (status == YOKE_OK)
        status = yops_check_overlap(&h.call, "bins", bins, &bins_place, "edges", edges, &place, false);
    if (status < 0)
        return status;
    if (edges->dtype != a->dtype)
        return yops_fail(&h.call, YOKE_E_INVALID_ARGUMENT, "edges has the dtype %s, and a has %s: they must be the same",
                         yoke_dtype_get_name(edges->dtype), yoke_dtype_get_name(a->dtype));
    if (edges->dimensions != 1 || edges->shape[0] != (int64_t)h.count + 1)
        return yops_fail(&h.call, YOKE_E_INVALID_ARGUMENT, "edges has the shape %s, and there are %u bins: (%llu) is needed",
                         yops_shape(edges->dimensions, edges->shape).text, h.count, (unsigned long long)h.count + 1);
    h.edges = place.root;
    h.rule.macro = "BINS_EDGES=1";
    h.rule.size = sizeof h.rule.rule.edges;
    h.rule.rule.edges = (yops_edges_rule){ place.origin, edges->strides[0], h.count, 0 };
    return run(&h);
}

yoke_status yoke_bincount_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                             const yoke_array *weights)
{
    yops_histogram h;
    yops_place bins_place;
    yoke_status status = begin(&h, "yoke_bincount", where, stream, bins, &bins_place, a, weights);
    if (status < 0)
        return status;
    if (!yops_is_integer(a->dtype))
        return yops_fail(&h.call, YOKE_E_INVALID_ARGUMENT, "a has the dtype %s: indices of bins are integers",
                         yoke_dtype_get_name(a->dtype));
    h.rule.macro = "BINS_INDEX=1";
    h.rule.size = sizeof h.rule.rule.index;
    h.rule.rule.index = (yops_index_rule){ h.count, 0 };
    return run(&h);
}

/* ---- Counting ---- */

static yoke_status get_kernels(const yops_histogram *h, const char *first_name, yoke_kernel **first, const char *second_name,
                               yoke_kernel **second)
{
    char options[128], only[sizeof options + YOPS_ONLY_SIZE];
    yops_write(options, sizeof options, "IN=%s %s%s%s", yops_dtype_token(h->dtype), h->rule.macro,
               yops_is_dense(&h->a) ? "" : " STRIDED=1", yops_needs_f64(h->dtype) ? " NEED_F64=1" : "");
    yops_only(only, sizeof only, options, first_name);
    yoke_status status = yops_kernel(&h->call, "histogram", only, first_name, first);
    if (h->traits.is_cpu) /* where kernels are slow to compile, the second, which knows no elements, is one for all */
        yops_only(only, sizeof only, "IN=u8 BINS_INDEX=1", second_name);
    else if (strcmp(first_name, "count_chunks") == 0) /* of CPUs, so that the two are no part */
        yops_only(only, sizeof only, options, second_name);
    return status == YOKE_OK ? yops_kernel(&h->call, "histogram", only, second_name, second) : status;
}

static uint32_t get_words(const yops_histogram *h)
{
    return (uint32_t)yoke_dtype_get_size(h->bins_dtype) / 4;
}

/* The counters of a block; edges lie beside them. */
static uint32_t get_counters(const yops_histogram *h)
{
    return strcmp(h->rule.macro, "BINS_EDGES=1") == 0 ? EDGES_COUNTERS : COUNTERS;
}

/* Of bins.yh: two searches or a division of 32 bits, of which a branch may hold both. */
uint64_t yops_histogram_get_rounds(const yops_histogram *h)
{
    return strcmp(h->rule.macro, "BINS_INDEX=1") == 0 ? 0 : 72;
}

/* So many blocks that the driver does not end the loops of their threads. FOR_ALL of histogram.yk takes 16 bytes at a time.
 */
static uint64_t get_fewest_blocks(const yops_histogram *h, uint64_t n)
{
    uint64_t size = yoke_dtype_get_size(h->dtype), at_once = yops_is_dense(&h->a) ? 16 / size : 1;
    uint64_t each = at_once * (yops_histogram_get_rounds(h) + 1) + 2;
    uint64_t fixed = 2 * each + (uint64_t)(COUNTERS / THREADS) * (MOST_COPIES + 4);
    uint64_t turns = yops_fit_rounds(&h->traits, fixed, each);
    return turns > n ? 1 : yops_divide_up(n, turns * at_once * THREADS);
}

static yoke_status count_by_blocks(const yops_histogram *h)
{
    yoke_kernel *count, *merge;
    yoke_buffer *partial = NULL;
    uint32_t spread = 0, counted = yoke_dtype_get_size(h->dtype) == 1 ? THREADS : h->count; /* values, or bins */
    while (2u << spread <= MOST_COPIES && (uint64_t)counted << (spread + 1) <= get_counters(h))
        spread++;
    uint64_t blocks = yops_divide_up(h->n, BLOCK_ELEMENTS), most = (uint64_t)h->traits.compute_units * BLOCKS_PER_UNIT;
    blocks = blocks < most ? blocks : most;
    blocks = blocks > h->n / launch_elements ? blocks : h->n / launch_elements + 1;
    uint64_t fewest = get_fewest_blocks(h, h->n);
    blocks = blocks > fewest ? blocks : fewest;
    yoke_status status = get_kernels(h, "count", &count, "merge", &merge);
    if (status == YOKE_OK && blocks > 1)
        status = yops_temporary(&h->call, blocks * h->count * sizeof(uint32_t), &partial);
    if (status == YOKE_OK)
        status = yops_launch(&h->call, count, blocks, THREADS,
                             YOKE_ARGS(h->elements, YOPS_STRIDED_ARG(h->a), (uint64_t)0, h->n, h->edges, YOPS_RULE_ARG(h), spread,
                                       partial ? partial : h->bins, h->bins_origin, h->bins_stride, get_words(h)));
    if (status == YOKE_OK && blocks > 1)
        status = yops_launch(&h->call, merge, h->count, THREADS,
                             YOKE_ARGS(partial, (uint32_t)blocks, h->bins, h->bins_origin, h->bins_stride, get_words(h)));
    yoke_buffer_release(partial);
    return status;
}

static yoke_status count_by_chunks(const yops_histogram *h)
{
    yoke_kernel *count, *merge;
    yoke_buffer *partial = NULL;
    uint64_t chunks = (uint64_t)h->traits.compute_units * CHUNKS_PER_UNIT;
    uint64_t least = CHUNK_ELEMENTS > h->count ? CHUNK_ELEMENTS : h->count, chunk = yops_divide_up(h->n, chunks);
    chunk = chunk < least ? least : chunk;
    chunk = chunk < launch_elements ? chunk : launch_elements;
    chunks = h->n > 0 ? yops_divide_up(h->n, chunk) : 1; /* of none: the counts are zeros all the same */
    uint32_t pitch = (h->count + 31u) & ~31u;            /* rows do not share a cache line */
    yoke_status status = get_kernels(h, "count_chunks", &count, "merge_chunks", &merge);
    if (status == YOKE_OK)
        status = yops_temporary(&h->call, chunks * pitch * sizeof(uint32_t), &partial);
    if (status == YOKE_OK)
        status =
            yops_launch(&h->call, count, chunks, 1,
                        YOKE_ARGS(h->elements, YOPS_STRIDED_ARG(h->a), h->n, chunk, h->edges, YOPS_RULE_ARG(h), partial, pitch));
    if (status == YOKE_OK)
        status = yops_launch(
            &h->call, merge, yops_divide_up(h->count, 64), 64,
            YOKE_ARGS(partial, (uint32_t)chunks, pitch, h->count, h->bins, h->bins_origin, h->bins_stride, get_words(h)));
    yoke_buffer_release(partial);
    return status;
}

static yoke_status count_globally(const yops_histogram *h)
{
    static const uint32_t zero;
    yoke_kernel *count, *add;
    yoke_buffer *counters = NULL;
    yoke_status status = get_kernels(h, "count_global", &count, "add_counts", &add);
    if (status == YOKE_OK)
        status = yops_temporary(&h->call, h->count * sizeof(uint32_t), &counters);
    for (uint64_t first = 0; status == YOKE_OK && (first == 0 || first < h->n); first += launch_elements) {
        uint64_t n = h->n - first < launch_elements ? h->n - first : launch_elements;
        uint64_t blocks = yops_divide_up(n, BLOCK_ELEMENTS), most = (uint64_t)h->traits.compute_units * 2 * BLOCKS_PER_UNIT;
        uint64_t fewest = get_fewest_blocks(h, n);
        blocks = blocks < 1 ? 1 : blocks < most ? blocks : most;
        blocks = blocks > fewest ? blocks : fewest;
        status = yoke_fill_at(h->call.where, h->call.stream, counters, 0, h->count * sizeof(uint32_t), &zero, sizeof zero);
        if (status == YOKE_OK)
            status = yops_launch(&h->call, count, blocks, THREADS,
                                 YOKE_ARGS(h->elements, YOPS_STRIDED_ARG(h->a), first, n, h->edges, YOPS_RULE_ARG(h), counters));
        if (status == YOKE_OK)
            status = yops_launch(
                &h->call, add, yops_divide_up(h->count, THREADS), THREADS,
                YOKE_ARGS(counters, h->count, (uint32_t)(first == 0), h->bins, h->bins_origin, h->bins_stride, get_words(h)));
    }
    yoke_buffer_release(counters);
    return status;
}

yoke_status yops_histogram_count(const yops_histogram *h)
{
    if (h->count > (h->traits.is_cpu ? CHUNK_BINS : get_counters(h)))
        return count_globally(h);
    if (h->traits.is_cpu || h->n == 0)
        return count_by_chunks(h);
    return count_by_blocks(h);
}
