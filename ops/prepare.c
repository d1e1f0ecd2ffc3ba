/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling ahead: each operation is recorded once in a graph that is never launched, on a small array and on one of several tiles,
 * so that exactly the kernels are built that calls on contiguous arrays use.
 */
#include "api/reductions.h"
#include "call/call.h"
#include "signal/filter.h"

#include <yoke/graph.h>

enum { SMALL = 100, LARGE = 100000 };
enum { SMALL_ROWS = 16, LARGE_ROWS = 304 }; /* of square matrices, whose rows are aligned as those of most sizes */
enum { SMALL_TRANSFORM = 1 << 6, LARGE_TRANSFORM = 1 << 16 };

typedef struct preparation {
    yoke_stream *stream;
    yoke_array in, out, flags, indices, count, bins, scalar;
    int64_t rows, transform;
    bool real; /* not complex */
} preparation;

static yoke_status prepare_maps(const preparation *p)
{
    yoke_status status = yoke_assign(p->stream, &p->out, &p->in);
    if (status == YOKE_OK)
        status = yoke_assign_value(p->stream, &p->out, yoke_number_i32(1));
    if (status == YOKE_OK)
        status = yoke_add(p->stream, &p->out, &p->in, &p->in);
    if (status == YOKE_OK)
        status = yoke_subtract(p->stream, &p->out, &p->in, &p->in);
    if (status == YOKE_OK)
        status = yoke_multiply(p->stream, &p->out, &p->in, &p->in);
    if (status == YOKE_OK)
        status = yoke_divide(p->stream, &p->out, &p->in, &p->in);
    if (status == YOKE_OK)
        status = yoke_where(p->stream, &p->out, &p->flags, &p->in, &p->in);
    if (status == YOKE_OK && p->real)
        status = yoke_clamp(p->stream, &p->out, &p->in, yoke_number_i32(0), yoke_number_i32(1));
    return status;
}

static yoke_status prepare_reductions(const preparation *p)
{
    yoke_status status = YOKE_OK;
    bool floating = yops_is_floating(p->in.dtype);
    for (int32_t operation = 1; status == YOKE_OK && operation < YK_REDUCTION_COUNT; operation++) {
        yk_reduction_rule rule = yk_reduction_get(operation)->rule;
        const yoke_array *out = rule == YK_REDUCTION_LOGIC ? &p->flags : rule == YK_REDUCTION_POSITION ? &p->count : &p->scalar;
        yoke_array one = *out;
        if (rule == YK_REDUCTION_BITS || (rule == YK_REDUCTION_FRACTION && !floating) || (!p->real && rule != YK_REDUCTION_SUM))
            continue;
        one.dimensions = 0;
        status = yoke_reduce(p->stream, operation, &one, &p->in, YOKE_ALL_AXES);
    }
    for (int32_t operation = 1; status == YOKE_OK && operation < YK_REDUCTION_COUNT; operation++)
        if (yk_reduction_is_scanned(operation) && (p->real || yk_reduction_get(operation)->takes_complex))
            status = yoke_scan(p->stream, operation, YOKE_SCAN_INCLUSIVE, &p->out, &p->in, 0);
    return status;
}

static yoke_status prepare_order(const preparation *p)
{
    yoke_status status = yoke_select(p->stream, &p->out, &p->count, &p->in, &p->flags);
    if (status == YOKE_OK)
        status = yoke_partition(p->stream, &p->out, &p->count, &p->in, &p->flags);
    if (status == YOKE_OK)
        status = yoke_gather(p->stream, &p->out, &p->in, &p->indices, 0);
    if (status == YOKE_OK)
        status = yoke_scatter(p->stream, YOKE_SCATTER_SET, &p->out, &p->in, &p->indices, 0);
    if (status < 0 || !p->real)
        return status;
    status = yoke_unique(p->stream, &p->out, NULL, &p->count, &p->in);
    if (status == YOKE_OK)
        status = yoke_sort(p->stream, YOKE_SORT_ASCENDING, &p->out, NULL);
    if (status == YOKE_OK)
        status = yoke_argsort(p->stream, YOKE_SORT_ASCENDING, &p->indices, &p->in);
    if (status == YOKE_OK)
        status = yoke_searchsorted(p->stream, YOKE_SEARCH_LEFT, &p->indices, &p->in, &p->out);
    if (status == YOKE_OK && p->in.dtype != YOKE_BOOL)
        status = yoke_histogram(p->stream, &p->bins, &p->in, yoke_number_i32(0), yoke_number_i32(64), NULL);
    return status;
}

/* The product of two matrices, and of a matrix and a vector. */
static yoke_status prepare_products(const preparation *p)
{
    yoke_array a = yoke_array_2d(p->in.buffer, p->in.dtype, p->rows, p->rows), b = a, c = a;
    c.buffer = p->out.buffer;
    c.offset = p->out.offset;
    yoke_status status = yoke_matmul(p->stream, &c, &a, &b, NULL);
    b = yoke_array_index(b, 0, 0);
    c = yoke_array_index(c, 0, 0);
    return status < 0 ? status : yoke_matmul(p->stream, &c, &a, &b, NULL);
}

/* Weights along each axis of a matrix, along both, and those that are not separable. */
static yoke_status prepare_filters(const preparation *p)
{
    static const double sigmas[] = { 1, 1 }, weights[9] = { 1 };
    yoke_array a = yoke_array_2d(p->in.buffer, p->in.dtype, p->rows, p->rows), out = a;
    if (!yops_filter_takes(p->in.dtype))
        return YOKE_OK;
    out.buffer = p->out.buffer;
    out.offset = p->out.offset;
    yoke_status status = yoke_gaussian_filter(p->stream, &out, &a, sigmas, YOKE_AXES(0), NULL);
    if (status == YOKE_OK)
        status = yoke_gaussian_filter(p->stream, &out, &a, sigmas, YOKE_AXES(1), NULL);
    if (status == YOKE_OK)
        status = yoke_gaussian_filter(p->stream, &out, &a, sigmas, YOKE_AXES(0, 1), NULL);
    return status < 0 ? status : yoke_correlate(p->stream, &out, &a, weights, (const int64_t[]){ 3, 3 }, YOKE_AXES(0, 1), NULL);
}

static yoke_status prepare_random(const preparation *p)
{
    if (yops_is_integer(p->out.dtype))
        return yoke_random_integers(p->stream, &p->out, yoke_number_i32(0), yoke_number_i32(2), 0, 0, NULL);
    yoke_status status = yoke_random_uniform(p->stream, &p->out, 0, 1, 0, 0, NULL);
    if (status == YOKE_OK)
        status = yoke_random_normal(p->stream, &p->out, 0, 1, 0, 0, NULL);
    return status < 0 ? status : yoke_random_exponential(p->stream, &p->out, 1, 0, 0, NULL);
}

/* Of real numbers, there and back. */
static yoke_status prepare_transforms(const preparation *p)
{
    bool is_wide = p->in.dtype == YOKE_F64 || p->in.dtype == YOKE_C128;
    int32_t dtype = is_wide ? YOKE_C128 : YOKE_C64;
    yoke_array a = yoke_array_1d(p->in.buffer, p->in.dtype, p->transform);
    yoke_array out = yoke_array_1d(p->out.buffer, dtype, p->real ? p->transform / 2 + 1 : p->transform), half = out;
    if (p->in.dtype != YOKE_F32 && p->in.dtype != YOKE_F64 && p->real)
        return YOKE_OK;
    out.offset = p->out.offset;
    yoke_status status = yoke_fft(p->stream, YOKE_FFT_FORWARD, &out, &a, YOKE_AXES(0), NULL);
    if (status < 0 || !p->real)
        return status;
    half.buffer = p->in.buffer;
    a.buffer = p->out.buffer;
    a.offset = p->out.offset;
    return yoke_fft(p->stream, YOKE_FFT_INVERSE, &a, &half, YOKE_AXES(0), NULL);
}

/* The outputs lie side by side in one buffer. The input has its own: kernels differ where one buffer is read and written. */
static preparation make_preparation(yoke_stream *stream, yoke_buffer *input, yoke_buffer *buffer, int32_t dtype, bool is_large)
{
    preparation p = { .stream = stream, .real = !yops_is_complex(dtype) };
    const int64_t n = is_large ? LARGE : SMALL;
    p.rows = is_large ? LARGE_ROWS : SMALL_ROWS;
    p.transform = is_large ? LARGE_TRANSFORM : SMALL_TRANSFORM;
    const uint64_t part = (uint64_t)LARGE * 16;
    p.in = yoke_array_1d(input, dtype, n);
    p.out = p.scalar = yoke_array_1d(buffer, dtype, n);
    p.out.offset = part;
    p.flags = yoke_array_1d(buffer, YOKE_BOOL, n);
    p.flags.offset = 2 * part;
    p.indices = yoke_array_1d(buffer, YOKE_I32, n);
    p.indices.offset = 3 * part;
    p.count = yoke_array_nd(buffer, YOKE_I64, 0, NULL);
    p.count.offset = 4 * part;
    p.bins = yoke_array_1d(buffer, YOKE_U32, 64);
    p.bins.offset = 4 * part + 64;
    p.scalar.offset = 4 * part + 1024;
    return p;
}

static yoke_status prepare_dtype(yoke_stream *stream, yoke_buffer *input, yoke_buffer *buffer, int32_t dtype)
{
    yoke_status status = YOKE_OK;
    static yoke_status (*const families[])(const preparation *p) = { prepare_maps,      prepare_reductions, prepare_order,
                                                                     prepare_products,  prepare_filters,    prepare_random,
                                                                     prepare_transforms };
    for (int size = 0; size < 2; size++) {
        preparation p = make_preparation(stream, input, buffer, dtype, size > 0);
        for (size_t i = 0; status == YOKE_OK && i < YOPS_COUNT_OF(families); i++)
            status = families[i](&p);
    }
    return status;
}

yoke_status yoke_ops_prepare(yoke_device *device, const int32_t *dtypes, size_t count)
{
    static const char function[] = "yoke_ops_prepare";
    yoke_stream *stream = NULL;
    yoke_buffer *input = NULL, *buffer = NULL;
    yoke_graph *graph = NULL;
    if (count > 0 && !dtypes)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: dtypes is NULL and count is %zu", function, count);
    for (size_t i = 0; i < count; i++)
        if (!yops_is_dtype(dtypes[i]))
            return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: dtypes[%zu] is %d, which is not a dtype", function, i, (int)dtypes[i]);
    yoke_status status = yoke_stream_create(device, NULL, &stream);
    if (status == YOKE_OK)
        status = yoke_buffer_create(device, (size_t)LARGE * 16, &input);
    if (status == YOKE_OK)
        status = yoke_buffer_create(device, (size_t)5 * LARGE * 16, &buffer);
    if (status == YOKE_OK)
        status = yoke_graph_create(device, "yoke_ops_prepare", &graph);
    if (status == YOKE_OK)
        status = yoke_graph_begin(graph, stream);
    for (size_t i = 0; status == YOKE_OK && i < count; i++)
        status = prepare_dtype(stream, input, buffer, dtypes[i]);
    yoke_graph_release(graph);
    yoke_buffer_release(buffer);
    yoke_buffer_release(input);
    yoke_stream_release(stream);
    return status;
}
