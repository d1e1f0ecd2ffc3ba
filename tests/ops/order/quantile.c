/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles: by NumPy's numbers, beside sorted elements on the host for all dtypes and axes, of short and of long rows. */
#include "../arrays.h"
#include "order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <yoke/graph.h>

#include "ops/order/sort.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ---- NumPy's numbers ---- */

enum { NUMBERS = 10, PARTS = 7, METHODS = 13 };

static const double numbers[NUMBERS] = { 3.5, -2, 7.25, 0.5, 11, -8.75, 4, 6, 1.5, 9 };
static const double parts[PARTS] = { 0, .08, .25, .37, .5, .9, 1 };

/* numpy.quantile(numbers, parts, method=…) of NumPy 2.4, by the methods' order. */
static const double found_by_numpy[METHODS][PARTS] = {
    { -8.75, -3.89, 0.75, 2.16, 3.75, 9.2, 11.0 },
    { -8.75, -8.75, 0.5, 1.5, 3.5, 9.0, 11.0 },
    { -8.75, -2.0, 1.5, 3.5, 4.0, 11.0, 11.0 },
    { -8.75, -2.0, 0.5, 1.5, 3.5, 9.0, 11.0 },
    { -8.75, -5.375, 1.0, 2.5, 3.75, 10.0, 11.0 },
    { -8.75, -8.75, 0.5, 1.5, 3.5, 9.0, 11.0 },
    { -8.75, -8.75, 0.5, 1.5, 3.75, 10.0, 11.0 },
    { -8.75, -8.75, -2.0, 1.5, 3.5, 9.0, 11.0 },
    { -8.75, -8.75, -0.75, 1.2000000000000002, 3.5, 9.0, 11.0 },
    { -8.75, -6.725, 0.5, 1.9000000000000004, 3.75, 10.0, 11.0 },
    { -8.75, -8.75, -0.125, 1.6400000000000006, 3.75, 10.8, 11.0 },
    { -8.75, -7.669999999999999, 0.2916666666666663, 1.8133333333333344, 3.75, 10.266666666666666, 11.0 },
    { -8.75, -7.43375, 0.34375, 1.8350000000000009, 3.75, 10.2, 11.0 },
};

static void as_numpy(suite *t)
{
    const int32_t dtype = test_has(t, YOKE_F64) ? YOKE_F64 : YOKE_F32;
    test_array a = { 0 }, out = { 0 };
    NEED(test_array_create(t, dtype, 1, SHAPE(NUMBERS), LAYOUT_CONTIGUOUS, 1, &a));
    NEED(test_array_create(t, dtype, 1, SHAPE(PARTS), LAYOUT_CONTIGUOUS, 2, &out));
    for (int i = 0; i < NUMBERS; i++)
        test_set(&a, i, numbers[i]);
    NEED(test_upload(t, &a));
    for (int32_t method = 0; method < METHODS; method++) {
        NEED(test_upload(t, &out));
        NEED_OK(yoke_quantile(t->stream, method, &out.array, &a.array, parts, PARTS, YOKE_ALL_AXES));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false));
        for (int i = 0; i < PARTS; i++)
            if (!CHECK(fabsl(test_get(&out, i) - found_by_numpy[method][i]) < (dtype == YOKE_F64 ? 4e-15L : 4e-6L)))
                tap_diag("method %d of %g: %.17Lg", (int)method, parts[i], test_get(&out, i));
    }
out:
    test_array_release(&a);
    test_array_release(&out);
}

/* ---- The reference ---- */

typedef struct problem {
    int32_t in, out;
    int32_t method;
    int64_t shape[3]; /* 0: one axis less */
    const int32_t *axes;
    size_t axis_count;
    layout how;
    bool keep; /* reduced axes have an extent of 1 in out */
    int wild;  /* 1: of the whole range, with NaN and the like; 2: one value; 3: values that differ in the last byte alone; 4: an
                  infinite one; 5: a NaN */
} problem;

/* The rows as a contiguous array of two dimensions, on the host. */
static bool take_rows(suite *t, const problem *p, const test_array *a, test_array *out_rows)
{
    bool named[3] = { false };
    int64_t rows = 1, n = 1;
    int32_t dimensions = a->array.dimensions;
    for (size_t i = 0; i < p->axis_count; i++)
        named[p->axes[i]] = true;
    for (int32_t i = 0; i < dimensions; i++)
        *(named[i] || p->axis_count == 0 ? &n : &rows) *= p->shape[i];
    if (!test_array_create(t, p->in, 2, SHAPE(rows, n), LAYOUT_CONTIGUOUS, 1, out_rows))
        return false;
    for (int64_t e = 0; e < a->count; e++) {
        int64_t row = 0, place = 0, row_stride = 1, place_stride = 1, rest = e;
        for (int32_t i = dimensions - 1; i >= 0; i--) {
            const int64_t extent = p->shape[i] > 0 ? p->shape[i] : 1;
            const bool inside = named[i] || p->axis_count == 0;
            int64_t *stride = inside ? &place_stride : &row_stride;
            *(inside ? &place : &row) += rest % extent * *stride;
            *stride *= extent;
            rest /= extent;
        }
        memcpy(test_element(out_rows, row * n + place), test_element(a, e), yoke_dtype_get_size(p->in));
    }
    return true;
}

static long double between(bool wide, long double low, long double high, double part)
{
    if (wide) {
        double a = (double)low, b = (double)high, step = (b - a) * (part >= 0.5 ? 1 - part : part);
        return part == 0 || a == b ? a : part >= 0.5 ? b - step : a + step;
    }
    float a = (float)low, b = (float)high, t = (float)part, step = (b - a) * (t >= 0.5f ? 1 - t : t);
    return t == 0 || a == b ? a : t >= 0.5f ? b - step : a + step;
}

/* The quantile of sorted elements, into an element of `out`. */
static void expect(const problem *p, const test_array *rows, const int64_t *order, int64_t n, double q, void *want)
{
    double place = (double)(n - 1) * q;
    if (p->method == YOKE_QUANTILE_MIDPOINT)
        place = (floor(place) + ceil(place)) / 2;
    else if (p->method != YOKE_QUANTILE_LINEAR)
        place = p->method == YOKE_QUANTILE_LOWER ? floor(place) : p->method == YOKE_QUANTILE_HIGHER ? ceil(place) : rint(place);
    int64_t low = (int64_t)floor(place), high = (int64_t)ceil(place);
    long double a = test_get(rows, order[low]), b = test_get(rows, order[high]), last = test_get(rows, order[n - 1]);
    bool element = p->method != YOKE_QUANTILE_LINEAR && p->method != YOKE_QUANTILE_MIDPOINT;
    bool wide = p->in == YOKE_F64 || p->out == YOKE_F64;
    long double result = isnan(last) ? last : element ? a : between(wide, a, b, place - (double)low);
    if (isnan(last) && yk_dtype_is_integer(p->out))
        result = 0;
    test_store(p->out, want, p->in == YOKE_BOOL && element ? a != 0 : result);
}

static bool is_unsigned(int32_t dtype)
{
    return dtype == YOKE_BOOL || dtype == YOKE_U8 || dtype == YOKE_U16 || dtype == YOKE_U32 || dtype == YOKE_U64;
}

static void fill(const problem *p, test_array *a)
{
    test_fill_whole_range(a, 77, true);
    for (int64_t i = 0; i < a->count && p->wild != 1; i++) {
        long double value = p->wild == 2 ? 5 : p->wild == 3 ? 1000 + i % 7 : (i * 7919 + 13) % 101 - (is_unsigned(p->in) ? 0 : 50);
        test_set(a, i, p->wild > 3 && i == 3 ? (p->wild == 4 ? INFINITY : NAN) : value);
    }
}

static bool finds(suite *t, problem p, const double *quantiles, size_t count)
{
    test_array a = { 0 }, out = { 0 }, rows = { 0 };
    int64_t out_shape[4] = { (int64_t)count };
    int32_t dimensions = p.shape[2] ? 3 : p.shape[1] ? 2 : 1, out_dimensions = 1;
    int64_t *order = NULL;
    bool ok = false;
    if (!test_has(t, p.in) || !test_has(t, p.out))
        return true;
    for (int32_t i = 0; i < dimensions; i++) {
        bool named = p.axis_count == 0;
        for (size_t j = 0; j < p.axis_count; j++)
            named = named || p.axes[j] == i;
        if (!named || p.keep)
            out_shape[out_dimensions++] = named ? 1 : p.shape[i];
    }
    NEED(test_array_create(t, p.in, dimensions, p.shape, p.how, 5, &a));
    NEED(test_array_create(t, p.out, out_dimensions, out_shape, p.how, 6, &out));
    fill(&p, &a);
    NEED(take_rows(t, &p, &a, &rows));
    order = order_of(&rows, YOKE_SORT_ASCENDING);
    ok = test_upload(t, &a) && test_upload(t, &out) &&
         CHECK_OK(yoke_quantile(t->stream, p.method, &out.array, &a.array, quantiles, count, p.axes, p.axis_count)) &&
         CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &a, true) && test_download_checked(t, &out, false);
    int64_t per = rows.array.shape[0], n = rows.array.shape[1];
    for (int64_t i = 0; i < out.count && ok; i++) {
        unsigned char want[16] = { 0 };
        expect(&p, &rows, order + i % per * n, n, quantiles[i / per], want);
        ok = CHECK(test_same(p.out, test_element(&out, i), want));
        if (!ok)
            tap_diag("element %lld is %Lg, not %Lg", (long long)i, test_get(&out, i), test_load(p.out, want));
    }
    if (!ok)
        tap_diag("%s to %s, method %d, (%lld, %lld, %lld), values %d, way %d", yoke_dtype_get_name(p.in),
                 yoke_dtype_get_name(p.out), (int)p.method, (long long)p.shape[0], (long long)p.shape[1], (long long)p.shape[2],
                 p.wild, (int)yops_sort_forced);
out:
    memory_free(order);
    test_array_release(&a);
    test_array_release(&out);
    test_array_release(&rows);
    return ok;
}

static const double few[] = { 0.5, 0.25, 1, 0 };
static const double many[] = { 0, .1, .15, .2, .3, .35, .4, .45, .55, .6, .7, .8, .9, .95, .97, .99, .999, 1 };

#define FEW few, sizeof few / sizeof *few
#define MANY many, sizeof many / sizeof *many
#define ALONG(...) ((const int32_t[]){ __VA_ARGS__ }), sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)

static const int32_t real_dtypes[] = { YOKE_BOOL, YOKE_I8,  YOKE_U8,  YOKE_I16,  YOKE_U16, YOKE_I32, YOKE_U32,
                                       YOKE_I64,  YOKE_U64, YOKE_F16, YOKE_BF16, YOKE_F32, YOKE_F64 };
enum { REAL_DTYPES = sizeof real_dtypes / sizeof *real_dtypes };

/* ---- Cases ---- */

static void short_rows(suite *t)
{
    for (int i = 0; i < REAL_DTYPES; i++) {
        int32_t in = real_dtypes[i], wide = test_has(t, YOKE_F64) ? YOKE_F64 : YOKE_F32;
        int32_t out = yk_dtype_is_integer(in) ? wide : in;
        finds(t, (problem){ in, out, YOKE_QUANTILE_LINEAR, { 4, 23 }, ALONG(1), LAYOUT_CONTIGUOUS, false, 0 }, FEW);
        finds(t, (problem){ in, in, YOKE_QUANTILE_NEAREST, { 4, 23 }, ALONG(1), LAYOUT_RANDOM, false, 1 }, FEW);
    }
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 3, 5, 7 }, ALONG(0, 2), LAYOUT_RANDOM, false, 0 }, FEW);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_MIDPOINT, { 3, 5, 7 }, ALONG(1), LAYOUT_RANDOM, true, 0 }, MANY);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 3, 5, 7 }, NULL, 0, LAYOUT_OFFSET, true, 4 }, FEW);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 6, 1 }, ALONG(1), LAYOUT_RANDOM, false, 0 }, FEW);
    finds(t, (problem){ YOKE_F32, YOKE_I32, YOKE_QUANTILE_LOWER, { 6, 9 }, ALONG(0), LAYOUT_OFFSET, false, 0 }, FEW);
    finds(t, (problem){ YOKE_F32, YOKE_I32, YOKE_QUANTILE_LOWER, { 6, 9 }, ALONG(0), LAYOUT_OFFSET, false, 5 }, few + 3, 1);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 6, 9 }, ALONG(1), LAYOUT_OFFSET, false, 5 }, FEW);
    finds(t, (problem){ YOKE_I32, YOKE_F16, YOKE_QUANTILE_LINEAR, { 6, 9 }, ALONG(0), LAYOUT_OFFSET, false, 0 }, MANY);
}

/* Of each number of bytes, with lists and without, by threads and by blocks. */
static void long_rows(suite *t)
{
    static const int32_t dtypes[] = { YOKE_U8, YOKE_BOOL, YOKE_BF16, YOKE_F32, YOKE_I64 };
    for (int i = 0; i < 5; i++)
        for (int wild = 0; wild < 4; wild++)
            finds(t, (problem){ dtypes[i], dtypes[i], YOKE_QUANTILE_HIGHER, { 3, 4500 }, ALONG(1), LAYOUT_OFFSET, false, wild },
                  FEW);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 20011 }, NULL, 0, LAYOUT_RANDOM, false, 0 }, MANY);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 40011 }, NULL, 0, LAYOUT_RANDOM, false, 0 }, many, 7);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_NEAREST, { 2, 40, 3000 }, ALONG(0, 2), LAYOUT_OFFSET, false, 1 }, many,
          15);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 2, 5000 }, ALONG(1), LAYOUT_OFFSET, false, 5 }, FEW);
    finds(t, (problem){ YOKE_F64, YOKE_F32, YOKE_QUANTILE_LINEAR, { 9000, 2 }, ALONG(0), LAYOUT_OFFSET, false, 4 }, FEW);
}

static void long_rows_all_ways(suite *t)
{
    long_rows(t);
    yops_sort_forced = YOPS_SORT_BLOCKS;
    long_rows(t);
    yops_sort_forced = YOPS_SORT_BY_DEVICE;
}

/* A row of no elements, no row, no quantile. */
static void empty(suite *t)
{
    test_array none = { 0 }, out = { 0 }, whole = { 0 };
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(3, 0), LAYOUT_CONTIGUOUS, 1, &none));
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(1, 3), LAYOUT_CONTIGUOUS, 2, &out));
    NEED(test_array_create(t, YOKE_I32, 1, SHAPE(3), LAYOUT_CONTIGUOUS, 3, &whole));
    NEED(test_upload(t, &out) && test_upload(t, &whole));
    NEED_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LINEAR, &out.array, &none.array, few, 1, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "no elements along the axes|int32",
                yoke_quantile(t->stream, YOKE_QUANTILE_LOWER, &whole.array, &none.array, few, 1, YOKE_AXES(1)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &out, false));
    for (int i = 0; i < 3; i++)
        CHECK(isnan(test_get(&out, i)));
    yoke_array rows = yoke_array_slice(none.array, 0, 0, 0, 1), no_rows = yoke_array_slice(out.array, 1, 0, 0, 1);
    CHECK_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LINEAR, &no_rows, &rows, few, 1, YOKE_AXES(1)));
    yoke_array no_whole = yoke_array_slice(whole.array, 0, 0, 0, 1);
    CHECK_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LOWER, &no_whole, &rows, few, 1, YOKE_AXES(1)));
    yoke_array nothing = yoke_array_slice(out.array, 0, 0, 0, 1);
    CHECK_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LINEAR, &nothing, &none.array, NULL, 0, YOKE_AXES(1)));
out:
    test_array_release(&none);
    test_array_release(&out);
    test_array_release(&whole);
}

static void refusals(suite *t)
{
    yoke_array a = { 0 }, out = { 0 }, whole, odd, pairs, shared;
    static const double wrong[] = { 0.5, 1.5 }, nan_too[] = { 0.5, NAN };
    yoke_buffer *buffers[2] = { NULL };
    NEED_OK(yoke_buffer_create(t->device, 192, &buffers[0]));
    NEED_OK(yoke_buffer_create(t->device, 64, &buffers[1]));
    a = yoke_array_2d(buffers[0], YOKE_F32, 4, 6);
    pairs = yoke_array_2d(buffers[0], YOKE_C64, 4, 6);
    shared = yoke_array_2d(buffers[0], YOKE_F32, 2, 4);
    whole = odd = out = yoke_array_2d(buffers[1], YOKE_F32, 2, 4);
    whole.dtype = YOKE_I32;
    odd.shape[1] = 3;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_quantile|method is 13|YOKE_QUANTILE_LINEAR",
                yoke_quantile(t->stream, 13, &out, &a, few, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "quantiles[1] is 1.5|0 to 1",
                yoke_quantile(t->stream, 0, &out, &a, wrong, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "quantiles[1] is nan", yoke_quantile(t->stream, 0, &out, &a, nan_too, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "quantiles is NULL|2", yoke_quantile(t->stream, 0, &out, &a, NULL, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "fractions|floating|int32", yoke_quantile(t->stream, 0, &whole, &a, few, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "(2, 3)|2 quantiles|(4, 6)", yoke_quantile(t->stream, 0, &odd, &a, few, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "axis 2 is out of range", yoke_quantile(t->stream, 0, &out, &a, few, 2, YOKE_AXES(2)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "a has the dtype complex64",
                yoke_quantile(t->stream, 0, &out, &pairs, few, 2, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out overlaps a", yoke_quantile(t->stream, 0, &shared, &a, few, 2, YOKE_AXES(1)));
out:
    yoke_buffer_release(buffers[0]);
    yoke_buffer_release(buffers[1]);
}

/* Recorded once, launched with other data each time. */
static void in_a_graph(suite *t)
{
    test_array a = { 0 }, medians = { 0 };
    yoke_graph *graph = NULL;
    NEED(test_array_create(t, YOKE_U16, 2, SHAPE(2, 5001), LAYOUT_RANDOM, 1, &a));
    NEED(test_array_create(t, YOKE_U16, 1, SHAPE(2), LAYOUT_CONTIGUOUS, 2, &medians));
    NEED_OK(yoke_graph_create(t->device, "quantiles", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_quantile(t->stream, YOKE_QUANTILE_NEAREST, &medians.array, &a.array, few, 1, YOKE_AXES(1)));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t round = 0; round < 3; round++) {
        test_fill_whole_range(&a, round + 10, false);
        NEED(test_upload(t, &a) && test_upload(t, &medians));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &medians, false));
        int64_t *order = order_of(&a, YOKE_SORT_ASCENDING);
        for (int64_t row = 0; row < 2; row++)
            CHECK(test_get(&medians, row) == test_get(&a, order[row * 5001 + 2500]));
        memory_free(order);
    }
out:
    yoke_graph_release(graph);
    test_array_release(&a);
    test_array_release(&medians);
}

/* ---- Ways ---- */

static char tried[40];

/* Nothing is compiled but the last step, which all ways have. */
static yoke_status watch(const yoke_source *source)
{
    if (strcmp(source->name, "quantile") == 0)
        return YOKE_OK;
    snprintf(tried, sizeof tried, "%s", source->name);
    return YOKE_E_UNAVAILABLE;
}

/* The text that a device of these traits would run first, for a median or for the largest ten. No other case selects int16. */
static const char *first_text(suite *t, const yops_traits *traits, bool top, int64_t n)
{
    test_array a = { 0 }, out = { 0 };
    tried[0] = 0;
    yops_traits_force = traits;
    yops_program_watch = watch;
    NEED(test_array_create(t, YOKE_I16, 2, SHAPE(2, n), LAYOUT_CONTIGUOUS, 1, &a));
    NEED(test_array_create(t, YOKE_I16, 2, SHAPE(top ? 2 : 1, top ? 10 : 2), LAYOUT_CONTIGUOUS, 2, &out));
    CHECK_STATUS(YOKE_E_UNAVAILABLE,
                 top ? yoke_top_k(t->stream, YOKE_SORT_DESCENDING, &out.array, NULL, &a.array)
                     : yoke_quantile(t->stream, YOKE_QUANTILE_LOWER, &out.array, &a.array, few, 1, YOKE_AXES(1)));
out:
    yops_program_watch = NULL;
    yops_traits_force = NULL;
    test_array_release(&a);
    test_array_release(&out);
    return tried;
}

/* A device that lacks what the kernels of a selection need sorts; none is built that it could not run. */
static void small_devices(suite *t)
{
    static const struct {
        uint32_t threads;
        uint64_t shared;
        const char *median, *top;
    } devices[] = {
        { 1024, 48 << 10, "ranks", "top" },         { 512, 32 << 10, "ranks", "top" },          { 256, 64 << 10, "ranks", "sort" },
        { 1024, (32 << 10) - 16, "ranks", "sort" }, { 256, (16 << 10) + 128, "ranks", "sort" }, { 256, 16 << 10, "sort", "sort" },
        { 128, 64 << 10, "sort", "sort" },
    };
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        yops_traits traits = { .compute_units = 8, .max_block_threads = devices[i].threads, .max_shared_bytes = devices[i].shared };
        bool ok = CHECK(strcmp(first_text(t, &traits, false, 5000), devices[i].median) == 0);
        if (!CHECK(strcmp(first_text(t, &traits, true, 5000), devices[i].top) == 0) || !ok)
            tap_diag("of device %zu: \"%s\" instead", i, tried);
    }
}

/* A selection takes no more temporary memory than the keys have: of many ranks in rows of bytes it would. */
static void memory(suite *t)
{
    yops_traits traits = { .compute_units = 8, .max_block_threads = 1024, .max_shared_bytes = 48 << 10 };
    yops_ranks wanted = { .dtype = YOKE_U8, .rows = 300, .n = 5000, .count = 4 };
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT, after = YOKE_MEMORY_INFO_INIT;
    yoke_buffer *buffers[2] = { NULL };
    CHECK(yops_ranks_suit(&wanted, &traits));
    wanted.count = 5;
    CHECK(!yops_ranks_suit(&wanted, &traits));
    wanted.dtype = YOKE_U16;
    CHECK(yops_ranks_suit(&wanted, &traits));
    NEED_OK(yoke_buffer_create(t->device, (size_t)300 * 5000, &buffers[0]));
    NEED_OK(yoke_buffer_create(t->device, 300, &buffers[1]));
    yoke_array a = yoke_array_2d(buffers[0], YOKE_U8, 300, 5000), out = yoke_array_2d(buffers[1], YOKE_U8, 1, 300);
    NEED_OK(yoke_fill(t->stream, buffers[0], 0, (size_t)300 * 5000, "\1", 1));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED_OK(yoke_device_get_memory(t->device, &before));
    NEED_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LOWER, &out, &a, few, 1, YOKE_AXES(1)));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED_OK(yoke_device_get_memory(t->device, &after));
    if (!CHECK(after.peak <= before.peak || after.peak <= before.in_use + (uint64_t)300 * 5000))
        tap_diag("%llu bytes at most, %llu before the call", (unsigned long long)after.peak, (unsigned long long)before.in_use);
out:
    yoke_buffer_release(buffers[0]);
    yoke_buffer_release(buffers[1]);
}

/* Of all quantiles of a call sixteen are found by one launch: of one row, and of more rows than quantiles, each in its place. */
static void many_at_once(suite *t)
{
    enum { QUANTILES = 100 };
    double quantiles[QUANTILES];
    test_array a = { 0 }, out = { 0 };
    yoke_graph *graphs[2] = { NULL };
    for (int i = 0; i < QUANTILES; i++)
        quantiles[i] = (double)(i * 37 % QUANTILES) / (QUANTILES - 1);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 1, 700 }, ALONG(1), LAYOUT_OFFSET, false, 0 }, quantiles, 100);
    finds(t, (problem){ YOKE_F32, YOKE_F32, YOKE_QUANTILE_LINEAR, { 301, 5 }, ALONG(1), LAYOUT_OFFSET, false, 0 }, quantiles, 33);
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(700), LAYOUT_CONTIGUOUS, 1, &a));
    NEED(test_array_create(t, YOKE_F32, 1, SHAPE(QUANTILES), LAYOUT_CONTIGUOUS, 2, &out));
    for (int i = 0; i < 2; i++) {
        yoke_array first = yoke_array_slice(out.array, 0, 0, i ? QUANTILES : 1, 1);
        NEED_OK(yoke_graph_create(t->device, "quantiles", &graphs[i]));
        NEED_OK(yoke_graph_begin(graphs[i], t->stream));
        CHECK_OK(yoke_quantile(t->stream, YOKE_QUANTILE_LINEAR, &first, &a.array, quantiles, (size_t)(i ? QUANTILES : 1),
                               YOKE_ALL_AXES));
        NEED_OK(yoke_graph_end(graphs[i]));
    }
    CHECK(yoke_graph_get_size(graphs[1]) - yoke_graph_get_size(graphs[0]) == (QUANTILES - 1) / 16);
out:
    yoke_graph_release(graphs[0]);
    yoke_graph_release(graphs[1]);
    test_array_release(&a);
    test_array_release(&out);
}

static const suite_case cases[] = {
    { "as NumPy", as_numpy, false },
    { "short rows", short_rows, false },
    { "long rows", long_rows_all_ways, false },
    { "of no elements", empty, false },
    { "what is refused", refusals, false },
    { "in a graph", in_a_graph, false },
    { "of small devices", small_devices, false },
    { "memory", memory, false },
    { "many at once", many_at_once, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
