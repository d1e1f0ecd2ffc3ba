/* SPDX-License-Identifier: Apache-2.0 */
/* Scans: bit by bit what a host does that keeps the documented order, for all dtypes, layouts, axes and segments. */
#include "../arrays.h"

#include <yoke/graph.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ---- A host that scans in the order of ops/reduce/scan.yh ---- */

/* A number of the dtype that is computed with, and whether a segment begins in what it combines. */
typedef struct part {
    double real, imaginary;
    uint64_t bits; /* of integers */
    bool head;
} part;

typedef struct reference {
    int32_t operation, computed, in, out;
    int lane_items, rows; /* as in the kernels */
    bool exclusive;
} reference;

static bool is_signed(int32_t dtype)
{
    return dtype == YOKE_I8 || dtype == YOKE_I16 || dtype == YOKE_I32 || dtype == YOKE_I64;
}

static reference reference_of(int32_t operation, int32_t mode, int32_t in, int32_t out)
{
    bool wide = in == YOKE_F64 || in == YOKE_C128 || out == YOKE_F64 || out == YOKE_C128;
    reference r = { .operation = operation, .in = in, .out = out, .exclusive = mode == YOKE_SCAN_EXCLUSIVE };
    if (yk_dtype_is_complex(in))
        r.computed = wide ? YOKE_C128 : YOKE_C64;
    else if (!yk_dtype_is_integer(in))
        r.computed = wide ? YOKE_F64 : YOKE_F32;
    else
        r.computed = is_signed(in) ? YOKE_I64 : YOKE_U64;
    size_t size = yoke_dtype_get_size(r.computed);
    r.lane_items = (int)(16 / size);
    r.rows = 8;
    return r;
}

static double rounded(const reference *r, double x)
{
    volatile float single = (float)x;
    return r->computed == YOKE_F32 || r->computed == YOKE_C64 ? single : x;
}

static double times(const reference *r, double a, double b)
{
    volatile double product = a * b;
    return rounded(r, product);
}

static double least(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (a == b)
        return signbit(a) ? a : b;
    return a < b ? a : b;
}

static part combined(const reference *r, part a, part b)
{
    part c = { .head = a.head || b.head };
    if (b.head) {
        c = b;
    } else if (yk_dtype_is_integer(r->computed)) {
        bool less = r->computed == YOKE_I64 ? (int64_t)a.bits < (int64_t)b.bits : a.bits < b.bits;
        c.bits = r->operation == YOKE_REDUCE_SUM             ? a.bits + b.bits
                 : r->operation == YOKE_REDUCE_PRODUCT       ? a.bits * b.bits
                 : less == (r->operation == YOKE_REDUCE_MIN) ? a.bits
                                                             : b.bits;
    } else if (r->operation == YOKE_REDUCE_SUM) {
        c.real = rounded(r, a.real + b.real);
        c.imaginary = rounded(r, a.imaginary + b.imaginary);
    } else if (r->operation == YOKE_REDUCE_PRODUCT && !yk_dtype_is_complex(r->computed)) {
        c.real = times(r, a.real, b.real);
    } else if (r->operation == YOKE_REDUCE_PRODUCT) {
        if (a.real == 1 && a.imaginary == 0)
            return b;
        if (b.real == 1 && b.imaginary == 0)
            return a;
        c.real = rounded(r, times(r, a.real, b.real) - times(r, a.imaginary, b.imaginary));
        c.imaginary = rounded(r, times(r, a.real, b.imaginary) + times(r, a.imaginary, b.real));
    } else {
        c.real = r->operation == YOKE_REDUCE_MIN ? least(a.real, b.real) : -least(-a.real, -b.real);
    }
    return c;
}

/* An optional part: nothing, where `have` is false. */
typedef struct maybe {
    part value;
    bool have;
} maybe;

static maybe joined(const reference *r, maybe a, maybe b)
{
    if (!a.have || !b.have)
        return a.have ? a : b;
    return (maybe){ combined(r, a.value, b.value), true };
}

/* The levels that a stretch is added to, from the outermost. */
typedef struct levels {
    maybe tiles, warps, stretches;
} levels;

/* One stretch, of 32 lanes: element = tiles + (warps + (stretches + lanes)) + s. An exclusive scan leaves out
 * the element's own x. Returns the stretch's total. */
static maybe scan_stretch(const reference *r, const levels *before, const part *x, part *sums, int64_t count)
{
    maybe lanes[32] = { 0 };
    part own[32 * 4];
    for (int64_t i = 0; i < count; i++) {
        maybe *lane = &lanes[i / r->lane_items];
        *lane = joined(r, *lane, (maybe){ x[i], true });
        own[i] = lane->value;
    }
    for (int distance = 1; distance < 32; distance *= 2)
        for (int lane = 31; lane >= 0; lane--)
            if (lane & distance)
                lanes[lane] = joined(r, lanes[(lane & ~(2 * distance - 1)) + distance - 1], lanes[lane]);
    for (int64_t i = 0; i < count; i++) {
        int64_t lane = i / r->lane_items;
        maybe start = joined(r, before->stretches, lane > 0 ? lanes[lane - 1] : (maybe){ .have = false });
        start = joined(r, before->tiles, joined(r, before->warps, start));
        if (r->exclusive && i % r->lane_items > 0)
            start = joined(r, start, (maybe){ own[i - 1], true });
        sums[i] = r->exclusive ? start.value : joined(r, start, (maybe){ own[i], true }).value;
    }
    return lanes[(count - 1) / r->lane_items];
}

static void scan_row(const reference *r, const part *x, part *sums, int64_t n)
{
    int64_t stretch = 32 * r->lane_items, warp = stretch * r->rows, tile = 4 * warp;
    levels before = { .tiles.have = false };
    for (int64_t t = 0; t < n; t += tile) {
        before.warps.have = false;
        for (int64_t w = t; w < n && w < t + tile; w += warp) {
            before.stretches.have = false;
            for (int64_t s = w; s < n && s < w + warp; s += stretch) {
                maybe total = scan_stretch(r, &before, x + s, sums + s, n - s < stretch ? n - s : stretch);
                before.stretches = joined(r, before.stretches, total);
            }
            before.warps = joined(r, before.warps, before.stretches);
        }
        before.tiles = joined(r, before.tiles, before.warps);
    }
}

/* ---- Elements ---- */

static part get_part(const reference *r, const test_array *a, int64_t position)
{
    part x = { .real = 0 };
    long double value = test_get(a, position);
    if (yk_dtype_is_integer(r->computed)) {
        x.bits = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    } else {
        x.real = (double)value;
        x.imaginary = (double)test_get_imaginary(a, position);
    }
    return x;
}

/* Store as the kernels convert: floating point to integers truncates and saturates, NaN gives 0. */
static void put_part(const reference *r, void *element, part x)
{
    unsigned char *imaginary = (unsigned char *)element + yoke_dtype_get_size(r->out) / 2;
    long double value = r->computed == YOKE_I64   ? (long double)(int64_t)x.bits
                        : r->computed == YOKE_U64 ? (long double)x.bits
                                                  : (long double)x.real;
    if (r->out == YOKE_BOOL && !yk_dtype_is_integer(r->computed)) {
        value = x.real != 0 || x.imaginary != 0;
    } else if (yk_dtype_is_integer(r->out) && !yk_dtype_is_integer(r->computed)) {
        int bits = 8 * (int)yoke_dtype_get_size(r->out) - is_signed(r->out);
        long double high = ldexpl(1, bits) - 1, low = is_signed(r->out) ? -high - 1 : 0;
        value = isnan(value) ? 0 : value < low ? low : value > high ? high : value;
    }
    test_store(r->out, element, value);
    if (yk_dtype_is_complex(r->out))
        test_store(r->out, imaginary, x.imaginary);
}

/* The value for no elements. */
static void put_none(const reference *r, void *element)
{
    long double value = r->operation == YOKE_REDUCE_PRODUCT, high = INFINITY, low = -INFINITY;
    if (r->out == YOKE_BOOL || yk_dtype_is_integer(r->out)) {
        int bits = r->out == YOKE_BOOL ? 1 : 8 * (int)yoke_dtype_get_size(r->out) - is_signed(r->out);
        high = ldexpl(1, bits) - 1;
        low = is_signed(r->out) ? -high - 1 : 0;
    }
    if (yk_reduction_get(r->operation)->rule == YK_REDUCTION_ORDER)
        value = r->operation == YOKE_REDUCE_MIN ? high : low;
    test_store(r->out, element, value);
    if (yk_dtype_is_complex(r->out))
        test_store(r->out, (unsigned char *)element + yoke_dtype_get_size(r->out) / 2, 0);
}

/* Whether `out` is the scan of what `a` held; `kept` is a copy of its bytes where the scan was in place. */
static bool is_scan(const reference *r, const test_array *out, const test_array *a, const test_array *starts, int32_t axis)
{
    int64_t n = a->array.shape[axis], inner = 1, rows = n > 0 ? a->count / n : 0, wrong = -1;
    for (int32_t i = axis + 1; i < a->array.dimensions; i++)
        inner *= a->array.shape[i];
    part *x = memory_new((size_t)n * sizeof *x + 1), *sums = memory_new((size_t)n * sizeof *sums + 1);
    for (int64_t row = 0; row < rows && wrong < 0; row++) {
        int64_t first = row / inner * inner * n + row % inner;
        for (int64_t i = 0; i < n; i++) {
            x[i] = get_part(r, a, first + i * inner);
            x[i].head = starts && test_get(starts, i) != 0;
        }
        scan_row(r, x, sums, n);
        for (int64_t i = 0; i < n && wrong < 0; i++) {
            unsigned char wanted[16] = { 0 };
            if (r->exclusive && (i == 0 || x[i].head))
                put_none(r, wanted);
            else
                put_part(r, wanted, sums[i]);
            if (!test_same(r->out, test_element(out, first + i * inner), wanted)) {
                wrong = i;
                tap_diag("operation %d, mode %d, %s to %s, row %lld, element %lld of %lld: %La instead of %La", (int)r->operation,
                         (int)r->exclusive, yoke_dtype_get_name(r->in), yoke_dtype_get_name(r->out), (long long)row, (long long)i,
                         (long long)n, test_get(out, first + i * inner), test_load(r->out, wanted));
            }
        }
    }
    memory_free(x);
    memory_free(sums);
    return CHECK(wrong < 0);
}

/* ---- One scan, checked ---- */

typedef struct trial {
    int32_t operation, mode, in, out, axis, dimensions;
    int64_t shape[4];
    layout how;
    bool special, in_place;
    int32_t starts; /* a dtype: segments */
} trial;

/* About every twentieth element begins a segment, and sometimes none for long. */
static void fill_starts(test_array *starts, uint32_t seed)
{
    uint32_t random = seed;
    for (int64_t i = 0; i < starts->count; i++)
        test_set(starts, i,
                 i / 3000 % 3 == 1                ? 0
                 : test_random(&random) % 20 == 0 ? 1 + (long double)(test_random(&random) % 100)
                                                  : 0);
}

static bool scan(suite *t, const trial *c, const test_array *out, const test_array *a, const test_array *starts)
{
    return c->starts ? CHECK_OK(yoke_scan_segments(t->stream, c->operation, c->mode, &out->array, &a->array, &starts->array))
                     : CHECK_OK(yoke_scan(t->stream, c->operation, c->mode, &out->array, &a->array, c->axis));
}

static bool try(suite *t, const trial *c, uint32_t seed)
{
    test_array a = { 0 }, out = { 0 }, starts = { 0 };
    reference r = reference_of(c->operation, c->mode, c->in, c->out);
    bool ok = false;
    if (!test_has(t, c->in) || !test_has(t, c->out))
        return true;
    NEED(test_array_create(t, c->in, c->dimensions, c->shape, c->how, seed, &a));
    NEED(c->in_place || test_array_create(t, c->out, c->dimensions, c->shape, c->how, seed + 1, &out));
    if (c->special)
        test_fill_whole_range(&a, seed + 2, true);
    if (c->starts) {
        NEED(test_array_create(t, c->starts, c->dimensions, c->shape, c->how, seed + 3, &starts));
        fill_starts(&starts, seed + 4);
        NEED(test_upload(t, &starts));
    }
    NEED(test_upload(t, &a) && (c->in_place || test_upload(t, &out)));
    NEED(scan(t, c, c->in_place ? &a : &out, &a, &starts));
    NEED_OK(yoke_stream_wait(t->stream));
    if (c->in_place) {
        NEED(test_array_create(t, c->out, c->dimensions, c->shape, c->how, seed, &out));
        NEED(test_download_checked(t, &a, false));
        memcpy(out.bytes, a.bytes, a.memory.size);
        memcpy(a.bytes, a.before, a.memory.size);
    } else
        NEED(test_download_checked(t, &out, false) && test_download_checked(t, &a, true));
    ok = is_scan(&r, &out, &a, c->starts ? &starts : NULL, c->axis);
out:
    test_array_release(&starts);
    test_array_release(&out);
    test_array_release(&a);
    return ok;
}

/* ---- Cases ---- */

static const int64_t lengths[] = { 0,    1,    2,    3,    4,    5,    127,  128,  129,   511,   512,   513,
                                   1023, 1024, 1025, 4095, 4096, 4097, 8192, 8193, 12365, 40961, 300007 };
#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

static void floats_of_all_lengths(suite *t)
{
    for (size_t i = 0; i < COUNT_OF(lengths); i++)
        for (int32_t mode = YOKE_SCAN_INCLUSIVE; mode <= YOKE_SCAN_EXCLUSIVE; mode++) {
            trial c = { .operation = YOKE_REDUCE_SUM, .mode = mode, .in = YOKE_F32, .out = YOKE_F32, .dimensions = 1 };
            c.shape[0] = lengths[i];
            c.how = (layout)(i % 3);
            c.special = false;
            try(t, &c, (uint32_t)i);
        }
}

static void every_dtype(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        for (int32_t operation = 1; operation < YK_REDUCTION_COUNT; operation++) {
            trial c = { .operation = operation, .mode = dtype % 2, .in = dtype, .out = dtype, .dimensions = 1 };
            if (operation != (dtype % 2 || yk_dtype_is_complex(dtype) ? YOKE_REDUCE_SUM : YOKE_REDUCE_PRODUCT + dtype / 2 % 3))
                continue; /* the operation's part of a kernel is the same for all dtypes of a class */
            for (int special = 0; special < 2; special++) {
                if (yk_dtype_is_complex(dtype) && !yk_reduction_get(operation)->takes_complex)
                    continue;
                c.shape[0] = dtype % 4 == 0 ? 9001 : 2000; /* several tiles need two more kernels, which drivers compile */
                c.special = special;
                c.how = (layout)((dtype + operation) % 3);
                try(t, &c, (uint32_t)dtype);
            }
        }
}

static void floats_in_full(suite *t)
{
    static const int32_t dtypes[] = { YOKE_F32, YOKE_F64 };
    static const int32_t operations[] = { YOKE_REDUCE_SUM, YOKE_REDUCE_PRODUCT, YOKE_REDUCE_MIN, YOKE_REDUCE_MAX };
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        for (size_t k = 0; k < COUNT_OF(operations); k += i == 0 ? 1 : 2)
            for (int32_t mode = 0; mode < 2; mode++) {
                trial c = { .operation = operations[k], .mode = mode, .in = dtypes[i], .out = dtypes[i], .dimensions = 1 };
                c.shape[0] = 70001;
                c.special = true;
                try(t, &c, 7 + (uint32_t)mode);
            }
}

/* Infinite parts, NaN, and products that overflow before a zero. */
static void complex_products(suite *t)
{
    for (int32_t mode = YOKE_SCAN_INCLUSIVE; mode <= YOKE_SCAN_EXCLUSIVE; mode++) {
        trial c = { .operation = YOKE_REDUCE_PRODUCT, .mode = mode, .in = YOKE_C64, .out = YOKE_C64, .dimensions = 1 };
        c.shape[0] = 2000;
        c.special = true;
        try(t, &c, 11 + (uint32_t)mode);
    }
}

static void pairs_of_dtypes(suite *t)
{
    static const int32_t pairs[][3] = {
        { YOKE_REDUCE_SUM, YOKE_BOOL, YOKE_I64 },    { YOKE_REDUCE_SUM, YOKE_U8, YOKE_F32 },
        { YOKE_REDUCE_SUM, YOKE_I16, YOKE_BOOL },    { YOKE_REDUCE_SUM, YOKE_F32, YOKE_F64 },
        { YOKE_REDUCE_SUM, YOKE_F64, YOKE_F32 },     { YOKE_REDUCE_SUM, YOKE_F32, YOKE_I8 },
        { YOKE_REDUCE_SUM, YOKE_F32, YOKE_C64 },     { YOKE_REDUCE_SUM, YOKE_C64, YOKE_C128 },
        { YOKE_REDUCE_PRODUCT, YOKE_C64, YOKE_F32 }, { YOKE_REDUCE_MIN, YOKE_I8, YOKE_F64 },
        { YOKE_REDUCE_MAX, YOKE_F64, YOKE_U64 },     { YOKE_REDUCE_PRODUCT, YOKE_I32, YOKE_U64 },
        { YOKE_REDUCE_MAX, YOKE_BF16, YOKE_C128 },
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        trial c = { .operation = pairs[i][0], .in = pairs[i][1], .out = pairs[i][2], .dimensions = 1 };
        c.shape[0] = i % 4 == 0 ? 5000 : 2000;
        c.mode = (int32_t)i % 2;
        c.special = i % 3 == 0;
        c.how = i % 2 ? LAYOUT_CONTIGUOUS : LAYOUT_OFFSET;
        try(t, &c, (uint32_t)i);
    }
}

static void axes_and_layouts(suite *t)
{
    static const int64_t shapes[][4] = { { 3, 700, 5, 2 }, { 9, 1, 300, 4 }, { 2, 3, 1, 4500 }, { 5000, 2, 3, 1 }, { 2, 0, 3, 1 } };
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int32_t axis = 0; axis < 4; axis++)
            for (int how = 0; how < LAYOUT_COUNT; how++) {
                trial c = { .operation = YOKE_REDUCE_SUM, .in = YOKE_F32, .out = YOKE_F32, .dimensions = 4, .axis = axis };
                memcpy(c.shape, shapes[i], sizeof c.shape);
                c.mode = (int32_t)(i + (size_t)how) % 2;
                c.how = (layout)how;
                c.in_place = (i + (size_t)how + (size_t)axis) % 3 == 0;
                c.special = (i + (size_t)axis) % 2;
                try(t, &c, (uint32_t)(10 * i + (uint32_t)axis));
            }
}

static void segments(suite *t)
{
    static const int32_t dtypes[][2] = {
        { YOKE_F32, YOKE_BOOL }, { YOKE_F64, YOKE_I32 }, { YOKE_I32, YOKE_U64 }, { YOKE_C64, YOKE_I16 }
    };
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        for (size_t k = 0; k < COUNT_OF(lengths) - 1; k += i == 0 ? 1 : 5) {
            trial c = {
                .operation = YOKE_REDUCE_SUM, .in = dtypes[i][0], .out = dtypes[i][0], .starts = dtypes[i][1], .dimensions = 1
            };
            c.shape[0] = lengths[k];
            c.mode = (int32_t)k % 2;
            c.how = (layout)(k % 3);
            c.special = k % 2 == 0;
            c.in_place = k % 4 == 0;
            try(t, &c, (uint32_t)k);
        }
    trial least_of_floats = { .operation = YOKE_REDUCE_MIN, .in = YOKE_F32, .out = YOKE_F32, .starts = YOKE_U8, .dimensions = 1 };
    least_of_floats.shape[0] = 20011;
    least_of_floats.special = true;
    try(t, &least_of_floats, 5);
}

/* Many tiles, again and again: what a tile finds on its left depends on the timing, and the bits may not. */
static void repeats(suite *t)
{
    int64_t n = 1000003;
    test_array a = { 0 }, out = { 0 };
    reference r = reference_of(YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, YOKE_F32, YOKE_F32);
    unsigned char *first = NULL;
    NEED(test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 2, &out));
    test_fill_whole_range(&a, 3, false);
    NEED(test_upload(t, &a) && test_upload(t, &out));
    first = memory_new(out.memory.size);
    for (int run = 0; run < 20; run++) {
        NEED_OK(yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &out.array, &a.array, 0));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download(t, &out));
        if (run == 0)
            memcpy(first, out.bytes, out.memory.size);
        NEED(CHECK_BYTES(out.bytes, first, out.memory.size));
    }
    is_scan(&r, &out, &a, NULL, 0);
out:
    if (first)
        memory_free(first);
    test_array_release(&out);
    test_array_release(&a);
}

static void in_graphs(suite *t)
{
    int64_t n = 10000;
    test_array a = { 0 }, out = { 0 };
    reference r = reference_of(YOKE_REDUCE_SUM, YOKE_SCAN_EXCLUSIVE, YOKE_F32, YOKE_F32);
    yoke_graph *graph = NULL;
    NEED(test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_F32, 1, &n, LAYOUT_CONTIGUOUS, 2, &out) && test_upload(t, &out));
    NEED_OK(yoke_graph_create(t->device, "scan", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    NEED_OK(yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_EXCLUSIVE, &out.array, &a.array, 0));
    NEED_OK(yoke_graph_end(graph));
    for (uint32_t run = 0; run < 3; run++) {
        test_fill_whole_range(&a, run, false);
        NEED(test_upload(t, &a));
        NEED_OK(yoke_graph_launch(t->stream, graph));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(test_download_checked(t, &out, false));
        NEED(is_scan(&r, &out, &a, NULL, 0));
    }
out:
    yoke_graph_release(graph);
    test_array_release(&out);
    test_array_release(&a);
}

static void mistakes(suite *t)
{
    test_array a = { 0 }, c = { 0 }, other = { 0 }, starts = { 0 };
    yoke_array view;
    suite_expect_log();
    NEED(test_array_create(t, YOKE_F32, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &a) &&
         test_array_create(t, YOKE_C64, 2, SHAPE(6, 8), LAYOUT_CONTIGUOUS, 1, &c) &&
         test_array_create(t, YOKE_F32, 2, SHAPE(6, 7), LAYOUT_CONTIGUOUS, 1, &other) &&
         test_array_create(t, YOKE_F32, 1, SHAPE(8), LAYOUT_CONTIGUOUS, 1, &starts));
    const yoke_array *x = &a.array;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|stream", yoke_scan(NULL, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, x, x, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|operation is 7",
                yoke_scan(t->stream, YOKE_REDUCE_ARGMIN, YOKE_SCAN_INCLUSIVE, x, x, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|mode is 2", yoke_scan(t->stream, YOKE_REDUCE_SUM, 2, x, x, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|out is NULL",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, NULL, x, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|a is NULL",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, x, NULL, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|axis 2 is out of range: the array has 2 dimensions",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, x, x, 2));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|axis -1 is out of range: the array has 2 dimensions",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, x, x, -1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|(6, 7)|(6, 8)",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &other.array, x, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|complex64|YOKE_REDUCE_MAX",
                yoke_scan(t->stream, YOKE_REDUCE_MAX, YOKE_SCAN_INCLUSIVE, x, &c.array, 0));
    view = yoke_array_slice(a.array, 0, YOKE_SLICE_END, YOKE_SLICE_END, -1);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|out|overlaps|a",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &view, x, 0));
    view = yoke_array_broadcast(starts.array, 2, SHAPE(6, 8));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan|out|one place",
                yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &view, x, 0));
    view = yoke_array_index(a.array, 0, 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan_segments|starts is NULL",
                yoke_scan_segments(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &view, &view, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan_segments|starts|float",
                yoke_scan_segments(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &view, &view, &starts.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_scan_segments|2 dimensions",
                yoke_scan_segments(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, x, x, x));
    CHECK(suite_works(t));
out:
    test_array_release(&starts);
    test_array_release(&other);
    test_array_release(&c);
    test_array_release(&a);
}

static const suite_case cases[] = {
    { "sums of floats have the documented bits, for every length", floats_of_all_lengths, false },
    { "every dtype is scanned", every_dtype, false },
    { "every operation on floats, with NaN, infinities, -0 and subnormals", floats_in_full, false },
    { "products of complex numbers, with NaN and infinities", complex_products, false },
    { "the output may have another dtype", pairs_of_dtypes, false },
    { "along any axis, in any layout, in place or not", axes_and_layouts, false },
    { "segments are scanned each from its own start", segments, false },
    { "a million elements give the same bits twenty times", repeats, false },
    { "a scan is recorded in a graph, and replayed with other data", in_graphs, false },
    { "mistakes are refused, and say what is wrong", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
