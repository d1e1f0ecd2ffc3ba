/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms: counts and sums of weights, against a reference on the host that finds each bin by its definition, and adds weights
 * in the order that <yoke/ops.h> documents. Both families of kernels run on every device.
 */
#include "../arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "ops/reduce/histogram.h"

typedef enum mode { EVEN, EDGES, INDEX } mode;

typedef struct plan {
    mode mode;
    int32_t dtype, bins, weights; /* dtypes; weights 0: counts */
    int64_t n, count;
    layout how;
    double low, high;
    bool one_bin; /* nearly all elements are equal */
    int family;   /* of kernels: 1 or 2; 0: both */
} plan;

typedef struct arrays {
    test_array a, bins, edges, weights;
} arrays;

/* ---- The reference ---- */

__extension__ typedef __int128 wide_integer;

/* The last of `count` edges, from edge 0 on, that is not above x. */
static int64_t last_edge(int64_t count, const double *edges, double x)
{
    int64_t low = 0, high = count;
    while (high - low > 1)
        *(x >= edges[(low + high) / 2] ? &low : &high) = (low + high) / 2;
    return low;
}

static int64_t even_bin(const plan *p, long double x, const double *edges)
{
    if (yk_dtype_is_integer(p->dtype) && p->low == floor(p->low) && p->high == floor(p->high)) {
        wide_integer value = (wide_integer)x, low = (wide_integer)p->low, high = (wide_integer)p->high;
        if (value < low || value > high)
            return -1;
        int64_t bin = (int64_t)((value - low) * p->count / (high - low));
        return bin < p->count ? bin : p->count - 1;
    }
    double value = p->dtype == YOKE_F64 ? (double)x : (float)x, high = p->dtype == YOKE_F64 ? p->high : (float)p->high;
    return value >= edges[0] && value <= high ? last_edge(p->count, edges, value) : -1;
}

/* low + i * width, with two roundings. */
static void make_even_edges(const plan *p, double *edges)
{
    volatile float low = (float)p->low, width = ((float)p->high - low) / (float)p->count;
    volatile double low_wide = p->low, width_wide = (p->high - p->low) / (double)p->count;
    for (int64_t i = 0; i < p->count; i++) {
        volatile float product = (float)i * width;
        volatile double product_wide = (double)i * width_wide;
        edges[i] = p->dtype == YOKE_F64 ? low_wide + product_wide : (double)(float)(low + product);
    }
}

static int64_t get_bin(const plan *p, const arrays *s, const double *even, int64_t i)
{
    long double x = test_get(&s->a, i);
    if (p->mode == INDEX)
        return x >= 0 && x < p->count ? (int64_t)x : -1;
    if (p->mode == EVEN)
        return even_bin(p, x, even);
    if (!(x >= test_get(&s->edges, 0) && x <= test_get(&s->edges, p->count)))
        return -1;
    int64_t low = 0, high = p->count;
    while (high - low > 1)
        *(x >= test_get(&s->edges, (low + high) / 2) ? &low : &high) = (low + high) / 2;
    return low;
}

/* A sum as its dtype holds it: an integer, or a number of one or two parts. */
typedef struct sum {
    uint64_t whole;
    double real, imaginary;
} sum;

static sum add(int32_t dtype, sum x, sum y)
{
    sum r = { x.whole + y.whole, x.real + y.real, x.imaginary + y.imaginary };
    if (dtype != YOKE_F64 && dtype != YOKE_C128) {
        /* gcc 12 at -O2 has left the rounding out. */
        volatile float real = (float)r.real, imaginary = (float)r.imaginary;
        r.real = real;
        r.imaginary = imaginary;
    }
    return r;
}

static sum get_weight(const plan *p, const arrays *s, int64_t i)
{
    if (!p->weights)
        return (sum){ 1, 0, 0 };
    long double x = test_get(&s->weights, i);
    if (yk_dtype_is_integer(p->weights))
        return (sum){ x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x, 0, 0 };
    return (sum){ 0, (double)x, (double)test_get_imaginary(&s->weights, i) };
}

/* Rows of 64 are combined until one is left. */
static void combine(const plan *p, sum *rows, int64_t count)
{
    for (; count > 1; count = (count + 63) / 64)
        for (int64_t row = 0; row < count; row++)
            for (int64_t bin = 0; bin < p->count; bin++) {
                sum *to = &rows[row / 64 * p->count + bin], from = rows[row * p->count + bin];
                *to = row % 64 ? add(p->weights, *to, from) : from;
            }
}

static void set_bin(const plan *p, arrays *s, int64_t bin, sum x)
{
    bool is_signed = p->weights == YOKE_I8 || p->weights == YOKE_I16 || p->weights == YOKE_I32 || p->weights == YOKE_I64;
    if (p->weights && !yk_dtype_is_integer(p->weights))
        test_set_complex(&s->bins, bin, x.real, yk_dtype_is_complex(p->weights) ? x.imaginary : 0);
    else
        test_set(&s->bins, bin, is_signed ? (long double)(int64_t)x.whole : (long double)x.whole);
}

/* Fill s->bins, on the host, with what the device should find. */
static void refer(const plan *p, arrays *s)
{
    int64_t tile = 1024;
    while (p->count <= 16384 && (p->n + tile - 1) / tile * p->count > (1 << 23))
        tile *= 2;
    int64_t rows = p->count <= 16384 && p->n > 0 ? (p->n + tile - 1) / tile : 1;
    sum *sums = memory_new((size_t)(rows * p->count) * sizeof *sums);
    double *even = memory_new((size_t)(p->count + 1) * sizeof *even);
    if (p->mode == EVEN)
        make_even_edges(p, even);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t bin = get_bin(p, s, even, i), row = rows > 1 ? i / tile : 0;
        if (bin >= 0)
            sums[row * p->count + bin] = add(p->weights, sums[row * p->count + bin], get_weight(p, s, i));
    }
    combine(p, sums, rows);
    for (int64_t bin = 0; bin < p->count; bin++)
        set_bin(p, s, bin, sums[bin]);
    memory_free(even);
    memory_free(sums);
}

/* ---- Running a plan ---- */

static void fill(const plan *p, arrays *s, uint32_t seed)
{
    uint32_t random = seed * 77u + 5;
    test_fill_whole_range(&s->a, seed, true);
    for (int64_t i = 0; i < s->a.count; i++) {
        if (p->one_bin ? test_random(&random) % 1000 == 0 : test_random(&random) % 4 == 0)
            continue; /* any value at all */
        int64_t steps = p->mode == INDEX ? p->count : 4 * p->count;
        long double part = p->one_bin ? 0.4L : (long double)(test_random_below(&random, steps + 9) - 4) / (long double)steps;
        test_set(&s->a, i, p->mode == INDEX ? part * (long double)steps : p->low + part * (p->high - p->low));
    }
    long double edge = p->low;
    for (int64_t i = 0; p->mode == EDGES && i <= p->count; i++) {
        test_set(&s->edges, i, edge);
        edge += (p->high - p->low) / (double)p->count * (double)(test_random(&random) % 3);
    }
    if (p->weights)
        test_fill_whole_range(&s->weights, seed + 3, false);
}

static bool create(suite *t, const plan *p, uint32_t seed, arrays *s)
{
    int64_t cubed[] = { 3, p->n / 21, 7 }, edges = p->count + 1;
    bool cube = p->n > 0 && p->n % 21 == 0;
    int32_t dimensions = cube ? 3 : 1;
    const int64_t *shape = cube ? cubed : &p->n;
    layout bins_how = p->how == LAYOUT_CONTIGUOUS ? LAYOUT_CONTIGUOUS : LAYOUT_RANDOM;
    memset(s, 0, sizeof *s);
    return test_array_create(t, p->dtype, dimensions, shape, p->how, seed, &s->a) &&
           test_array_create(t, p->bins, 1, &p->count, bins_how, seed + 1, &s->bins) &&
           (p->mode != EDGES || test_array_create(t, p->dtype, 1, &edges, bins_how, seed + 2, &s->edges)) &&
           (!p->weights || test_array_create(t, p->weights, dimensions, shape, p->how, seed + 3, &s->weights));
}

static bool upload(suite *t, const plan *p, arrays *s)
{
    return test_upload(t, &s->a) && test_upload(t, &s->bins) && (p->mode != EDGES || test_upload(t, &s->edges)) &&
           (!p->weights || test_upload(t, &s->weights));
}

static void release(arrays *s)
{
    test_array_release(&s->a);
    test_array_release(&s->bins);
    if (s->edges.bytes)
        test_array_release(&s->edges);
    if (s->weights.bytes)
        test_array_release(&s->weights);
}

static yoke_status enqueue(suite *t, const plan *p, arrays *s)
{
    const yoke_array *weights = p->weights ? &s->weights.array : NULL;
    if (p->mode == INDEX)
        return yoke_bincount(t->stream, &s->bins.array, &s->a.array, weights);
    if (p->mode == EDGES)
        return yoke_histogram_edges(t->stream, &s->bins.array, &s->a.array, &s->edges.array, weights);
    return yoke_histogram(t->stream, &s->bins.array, &s->a.array, YOKE_NUMBER(p->low), YOKE_NUMBER(p->high), weights);
}

/* Download, and compare with what s->bins should hold. */
static bool compare(suite *t, const plan *p, arrays *s)
{
    bool same = test_download_checked(t, &s->bins, false);
    arrays wanted = *s;
    wanted.bins.bytes = memory_new(s->bins.memory.size);
    memcpy(wanted.bins.bytes, s->bins.before, s->bins.memory.size);
    refer(p, &wanted);
    for (int64_t i = 0; i < p->count && same; i++) {
        same = test_same(p->bins, test_element(&s->bins, i), test_element(&wanted.bins, i));
        if (!same)
            tap_diag("mode %d, %s to %s, weights %s, %lld elements, bin %lld of %lld, layout %d, kernels %d: %.17Lg, not %.17Lg",
                     (int)p->mode, yoke_dtype_get_name(p->dtype), yoke_dtype_get_name(p->bins), yoke_dtype_get_name(p->weights),
                     (long long)p->n, (long long)i, (long long)p->count, (int)p->how, yops_histogram_kernels, test_get(&s->bins, i),
                     test_get(&wanted.bins, i));
    }
    memory_free(wanted.bins.bytes);
    return CHECK(same) && test_download_checked(t, &s->a, true);
}

/* Mesa's rusticl on llvmpipe ends a thread's loops after 65535 rounds: it gets no long ones. */
static bool ends_loops(const suite *t)
{
    return strstr(t->info.platform, "rusticl") != NULL;
}

static bool check(suite *t, const plan *p, uint32_t seed)
{
    arrays s;
    bool ok = true;
    int first_kernels = p->family && !ends_loops(t) ? p->family : 1;
    int last_kernels = ends_loops(t) ? 1 : p->family ? p->family : 2;
    if (ends_loops(t) && (p->n > 200000 || (p->weights && (p->n > 5000 || p->count > 20000))))
        return true;
    if (!test_has(t, p->dtype) || !test_has(t, p->bins) || !test_has(t, p->weights))
        return true;
    if ((ok = create(t, p, seed, &s))) {
        fill(p, &s, seed);
        for (yops_histogram_kernels = first_kernels; yops_histogram_kernels <= last_kernels && ok; yops_histogram_kernels++)
            ok = upload(t, p, &s) && CHECK_OK(enqueue(t, p, &s)) && CHECK_OK(yoke_stream_wait(t->stream)) && compare(t, p, &s);
    }
    yops_histogram_kernels = 0;
    release(&s);
    return ok;
}

/* ---- Cases ---- */

static double top_of(int32_t dtype)
{
    return dtype == YOKE_BOOL ? 1 : dtype == YOKE_I8 ? 100 : dtype == YOKE_U8 ? 200 : 12345;
}

static void every_dtype(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        if (yk_dtype_is_complex(dtype))
            continue;
        bool is_signed = !yk_dtype_is_integer(dtype) || yk_dtype_get(dtype)->kind == YK_KIND_SIGNED;
        plan p = { EVEN, dtype, dtype % 2 ? YOKE_U32 : YOKE_I64, 0, 2100, 37, LAYOUT_OFFSET, is_signed ? -77 : 0, top_of(dtype),
                   0,    0 };
        p.family = 1 + dtype / 2 % 2; /* the rule and the load are the same in both; every_size has both */
        if (dtype % 3 == 1) {
            p.mode = EDGES;
            p.bins = YOKE_U64;
            p.how = LAYOUT_RANDOM;
        } else if (dtype % 3 == 2 && yk_dtype_is_integer(dtype)) {
            p.mode = INDEX;
            p.bins = YOKE_I32;
            p.how = dtype % 2 ? LAYOUT_RANDOM : LAYOUT_CONTIGUOUS;
        }
        if (!check(t, &p, (uint32_t)dtype))
            return;
    }
}

static void every_size(suite *t)
{
    static const int64_t sizes[] = { 0, 1, 2, 15, 16, 17, 1023, 1024, 1025, 4096, 16383, 16384, 16385, 65537, 1000003 };
    static const int64_t counts[] = { 1, 2, 10, 255, 256, 257, 512, 1023, 1024, 4096, 8192, 8193, 32768, 32769, 100000 };
    for (size_t i = 0; i < YOPS_COUNT_OF(sizes); i++)
        for (size_t j = 0; j < 3; j++) {
            int64_t count = counts[(i * 4 + j * 5) % YOPS_COUNT_OF(counts)];
            plan p = {
                EVEN, j % 2 ? YOKE_F32 : YOKE_U8, YOKE_U32, 0, sizes[i], count, LAYOUT_OFFSET, 0, j % 2 ? 3.7 : 256, i % 2, 0
            };
            if (!check(t, &p, (uint32_t)(i * 3 + j)))
                return;
            p.mode = j % 2 ? EDGES : INDEX;
            if (!check(t, &p, (uint32_t)(i * 3 + j)))
                return;
        }
}

/* Ranges in which integer arithmetic of 32 bits, 64 bits, or more is needed, bounds outside of the dtype, and fractions. */
static void hard_bounds(suite *t)
{
    static const struct {
        int32_t dtype;
        int64_t count;
        double low, high;
    } bounds[] = {
        { YOKE_U32, 256, 0, 4294967296.0 },
        { YOKE_U32, 1000, 0, 4294967295.0 },
        { YOKE_U32, 3, -5, 4294967290.0 },
        { YOKE_I32, 77, -2147483648.0, 2147483647.0 },
        { YOKE_I32, 8192, -3000000000.0, 3000000000.0 },
        { YOKE_U64, 256, 0, 0x1p62 },
        { YOKE_I64, 1000, -0x1p62, 0x1p62 },
        { YOKE_I64, 7, -10, -3 },
        { YOKE_U8, 5, 300, 400 },
        { YOKE_I8, 2, -0x1p40, 0x1p40 },
        { YOKE_I32, 2, -0x1p32, 0x1p32 },
        { YOKE_U32, 2, -680, 4294966616.0 },
        { YOKE_I32, 2, -0x1p40, 0x1p40 },
        { YOKE_U8, 255, 0, 255 },
        { YOKE_I16, 100, -0.5, 99.5 },
        { YOKE_U64, 33, 0.25, 0x1p60 },
        { YOKE_F32, 10, 0.1, 0.7 },
        { YOKE_F32, 8192, 1, 1.0001 },
        { YOKE_F32, 100, 1e-44, 3e-43 },
        { YOKE_F32, 64, -1e38, 1e38 },
        { YOKE_F16, 19, -1.1, 2.3 },
        { YOKE_F64, 1000, 0.1, 0.7 },
        { YOKE_F64, 8192, 1, 1.0000000000001 },
        { YOKE_F64, 10, 0, 5e-323 },
    };
    for (size_t i = 0; i < YOPS_COUNT_OF(bounds); i++) {
        plan p = { EVEN,           bounds[i].dtype, YOKE_U32,      0, 5000, bounds[i].count, LAYOUT_CONTIGUOUS, bounds[i].low,
                   bounds[i].high, false,           1 + (int)i % 2 };
        if (!check(t, &p, (uint32_t)i))
            return;
    }
}

static void weights(suite *t)
{
    static const int64_t sizes[] = { 0, 1, 1024, 1025, 5000, 70000, 150003 }, counts[] = { 1, 7, 100, 1000, 16384, 16385, 70000 };
    for (int32_t weight = YOKE_BOOL; weight < YK_DTYPE_COUNT; weight++) {
        int32_t bins = weight == YOKE_BOOL  ? YOKE_F32
                       : weight == YOKE_I8  ? YOKE_I16
                       : weight == YOKE_U16 ? YOKE_F16
                       : weight == YOKE_C64 ? YOKE_F32
                                            : weight;
        plan p = { INDEX, YOKE_U32,          bins, weight, sizes[weight % 7], counts[weight / 2 % 7], LAYOUT_CONTIGUOUS, 0, 1,
                   false, 1 + weight / 2 % 2 };
        if (!check(t, &p, (uint32_t)weight))
            return;
        if (weight % 2 && weight != YOKE_F32)
            continue;
        p.n = sizes[(weight + 4) % 7];
        p.count = counts[(weight + 2) % 7];
        p.how = LAYOUT_RANDOM; /* the same program */
        if (!check(t, &p, (uint32_t)weight + 20))
            return;
    }
    for (size_t i = 0; i < YOPS_COUNT_OF(sizes); i++) {
        plan p = { i % 2 ? EVEN : EDGES, YOKE_F32, YOKE_F32, YOKE_F32, sizes[i], counts[(i * 3 + 2) % 7],
                   LAYOUT_OFFSET,        -1,       7,        i == 6,   0 };
        if (!check(t, &p, (uint32_t)i))
            return;
    }
}

static void not_ascending(suite *t)
{
    plan p = { EDGES, YOKE_F32, YOKE_U32, 0, 3000, 50, LAYOUT_CONTIGUOUS, -1, 1, false, 0 };
    arrays s;
    if (create(t, &p, 1, &s)) {
        fill(&p, &s, 1);
        test_fill_whole_range(&s.edges, 9, true); /* which bins count is open; no other memory is touched */
        for (yops_histogram_kernels = 1; yops_histogram_kernels <= 2; yops_histogram_kernels++) {
            CHECK(upload(t, &p, &s) && CHECK_OK(enqueue(t, &p, &s)) && CHECK_OK(yoke_stream_wait(t->stream)));
            long double total = 0;
            CHECK(test_download_checked(t, &s.bins, false));
            for (int64_t i = 0; i < p.count; i++)
                total += test_get(&s.bins, i);
            CHECK(total >= 0 && total <= p.n);
        }
    }
    yops_histogram_kernels = 0;
    release(&s);
}

static void replays(suite *t)
{
    plan plans[] = { { EVEN, YOKE_F32, YOKE_U64, 0, 50000, 100, LAYOUT_CONTIGUOUS, 0, 1, false, 0 },
                     { INDEX, YOKE_I32, YOKE_F32, YOKE_F32, 50000, 20000, LAYOUT_CONTIGUOUS, 0, 1, false, 0 } };
    for (size_t i = 0; i < YOPS_COUNT_OF(plans); i++) {
        arrays s;
        yoke_graph *graph = NULL;
        plan *p = &plans[i];
        if (create(t, p, 5, &s) && CHECK_OK(yoke_graph_create(t->device, "histogram", &graph)) &&
            CHECK_OK(yoke_graph_begin(graph, t->stream)) && CHECK_OK(enqueue(t, p, &s)) && CHECK_OK(yoke_graph_end(graph)))
            for (uint32_t seed = 0; seed < 3; seed++) {
                fill(p, &s, seed);
                if (upload(t, p, &s) && CHECK_OK(yoke_graph_launch(t->stream, graph)) && CHECK_OK(yoke_stream_wait(t->stream)))
                    compare(t, p, &s);
            }
        yoke_graph_release(graph);
        release(&s);
    }
}

static void repeats(suite *t)
{
    plan p = { EVEN, YOKE_F32, YOKE_F32, YOKE_F32, 30000, 50, LAYOUT_CONTIGUOUS, 0, 1, false, 0 };
    arrays s;
    unsigned char *first = memory_new(50 * sizeof(float));
    if (create(t, &p, 7, &s)) {
        fill(&p, &s, 7);
        for (int round = 0; round < 20; round++) {
            yops_histogram_kernels = ends_loops(t) ? 1 : 1 + round % 2;
            if (!upload(t, &p, &s) || !CHECK_OK(enqueue(t, &p, &s)) || !CHECK_OK(yoke_stream_wait(t->stream)) ||
                !test_download(t, &s.bins))
                break;
            if (round == 0)
                memcpy(first, test_element(&s.bins, 0), 50 * sizeof(float));
            CHECK_BYTES(test_element(&s.bins, 0), first, 50 * sizeof(float));
        }
    }
    yops_histogram_kernels = 0;
    memory_free(first);
    release(&s);
}

static void mistakes(suite *t)
{
    plan p = { EDGES, YOKE_F32, YOKE_U32, YOKE_F32, 100, 10, LAYOUT_CONTIGUOUS, 0, 1, false, 0 };
    arrays s;
    yoke_number zero = YOKE_NUMBER(0.0f), one = YOKE_NUMBER(1.0f);
    if (!create(t, &p, 1, &s))
        return;
    yoke_array *a = &s.a.array, *bins = &s.bins.array, *edges = &s.edges.array, bad = *bins, complex = *a;
    complex.dtype = YOKE_C64;
    complex.shape[0] = 50;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_histogram|stream is NULL", yoke_histogram(NULL, bins, a, zero, one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_histogram|bins is NULL", yoke_histogram(t->stream, NULL, a, zero, one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_histogram|a is NULL", yoke_histogram(t->stream, bins, NULL, zero, one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_histogram|low is 1|high is 0", yoke_histogram(t->stream, bins, a, one, zero, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "low is 1|high is 1", yoke_histogram(t->stream, bins, a, one, one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "finite", yoke_histogram(t->stream, bins, a, zero, YOKE_NUMBER(INFINITY), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "finite", yoke_histogram(t->stream, bins, a, YOKE_NUMBER(NAN), one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "as float",
                yoke_histogram(t->stream, bins, a, YOKE_NUMBER(1.0), YOKE_NUMBER(1.0 + 1e-12), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "as float",
                yoke_histogram(t->stream, bins, a, YOKE_NUMBER(-3e38), YOKE_NUMBER(3e38), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "low|complex64|no order",
                yoke_histogram(t->stream, bins, a, yoke_number_c64(0, 1), one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "high|complex128|no order",
                yoke_histogram(t->stream, bins, a, zero, yoke_number_c128(1, 0), NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "low|dtype", yoke_histogram(t->stream, bins, a, (yoke_number){ .dtype = 99 }, one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "complex64|order", yoke_histogram(t->stream, bins, &complex, zero, one, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "bins|overlaps|a", yoke_histogram(t->stream, bins, bins, zero, one, NULL));
    yoke_array few = *edges;
    few.shape[0] = 10;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "weights|(10)|(100)", yoke_histogram(t->stream, bins, a, zero, one, &few));
    bad.dtype = YOKE_F32;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "bins|float|integer", yoke_histogram(t->stream, &bad, a, zero, one, NULL));
    bad.dtype = YOKE_U32;
    bad.shape[0] = 0;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "bins|(0)", yoke_histogram(t->stream, &bad, a, zero, one, NULL));
    bad.shape[0] = 99;
    CHECK_FAILS(YOKE_E_RANGE, "bins|(99)", yoke_histogram(t->stream, &bad, a, zero, one, NULL));
    bad.shape[0] = 9;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_histogram_edges|(11)|9 bins", yoke_histogram_edges(t->stream, &bad, a, edges, NULL));
    bad = *edges;
    bad.dtype = YOKE_I32;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "edges|int32|float", yoke_histogram_edges(t->stream, bins, a, &bad, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_bincount|float|integers", yoke_bincount(t->stream, bins, a, NULL));
    CHECK_OK(yoke_histogram(t->stream, bins, a, zero, one, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
    release(&s);
}

static const suite_case cases[] = {
    { "counts elements of every dtype, in every layout, by each rule", every_dtype, false },
    { "counts any number of elements in any number of bins", every_size, false },
    { "finds the bin that the definition gives, for hard bounds", hard_bounds, false },
    { "adds weights of every dtype in the documented order", weights, false },
    { "stays within its memory where the edges do not ascend", not_ascending, false },
    { "is recorded, and replayed with other data", replays, false },
    { "gives the same bits each time", repeats, false },
    { "says what is wrong", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
