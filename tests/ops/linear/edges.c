/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products at the edges of their numbers: the signs of zeros in outer products, factors that integers have no place for, and
 * products of integers that wrap, in graphs of several streams. Libraries of vendors may take part: YOKE_OPS_EXACT is not set.
 */
#include "../arrays.h"

#include <math.h>
#include <string.h>

#include <yoke/graph.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])

/* ---- Outer products ---- */

static const double factors[] = { 0, -0.0, 1, -1, 2.5, -1e-30, INFINITY, -INFINITY, NAN, 1e30 };

static void check_outer(suite *t, int32_t dtype, bool turned, bool has_epilogue)
{
    enum { N = COUNT_OF(factors) };
    test_array a = { 0 }, b = { 0 }, c = { 0 };
    yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
    NEED(test_array_create(t, dtype, 1, SHAPE(N), LAYOUT_CONTIGUOUS, 1, &a));
    NEED(test_array_create(t, dtype, 1, SHAPE(N), LAYOUT_RANDOM, 2, &b));
    NEED(test_array_create(t, dtype, 2, SHAPE(N, N), LAYOUT_CONTIGUOUS, 3, &c) && test_upload(t, &c));
    for (int64_t i = 0; i < N; i++)
        test_set(&a, i, factors[i]), test_set(&b, i, factors[i]);
    NEED(test_upload(t, &a) && test_upload(t, &b));
    yoke_array out = turned ? yoke_array_transpose(c.array, NULL) : c.array;
    o.epilogue = has_epilogue ? "-value" : NULL;
    NEED_OK(yoke_outer(t->stream, &out, &a.array, &b.array, &o));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(test_download_checked(t, &c, false));
    for (int64_t i = 0; i < N * N; i++) {
        double x = (double)test_get(&a, i / N), y = (double)test_get(&b, i % N); /* as the dtype stores them */
        unsigned char wanted[16] = { 0 };
        test_store(dtype, wanted, has_epilogue ? -(x * y) : x * y); /* a product of equals: turned or not */
        if (!yoke_device_supports(t->device, YOKE_CAP_EXACT_FP32) && fabs(x * y) < 1e-37 &&
            x * y != 0) /* subnormal numbers may be lost */
            continue;
        if (!CHECK(test_same(dtype, wanted, test_element(&c, i))))
            tap_diag("%s: %g times %g is %Lg", yoke_dtype_get_name(dtype), x, y, test_get(&c, i));
    }
out:
    test_array_release(&c);
    test_array_release(&b);
    test_array_release(&a);
}

/* As NumPy's outer, each element is a product, with its sign: also of a zero. */
static void outer_zeros(suite *t)
{
    static const int32_t dtypes[] = { YOKE_F32, YOKE_F64, YOKE_F16 };
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        for (int way = 0; way < 4 && test_has(t, dtypes[i]); way++)
            check_outer(t, dtypes[i], way & 1, (way & 2) != 0);
}

/* ---- Products of integers ---- */

enum { M = 33, K = 17, N = 5 };

typedef struct integers {
    test_array source, a, b, c, bias;
    yoke_array view_a, view_b, view_c;
} integers;

static yoke_array backwards(yoke_array array)
{
    return yoke_array_slice(yoke_array_slice(array, 0, YOKE_SLICE_END, YOKE_SLICE_END, -1), 1, YOKE_SLICE_END, YOKE_SLICE_END, -1);
}

static bool create_integers(suite *t, int32_t in, int32_t out, uint32_t seed, integers *x)
{
    memset(x, 0, sizeof *x);
    if (!test_array_create(t, in, 2, SHAPE(M, K), LAYOUT_CONTIGUOUS, seed, &x->source) ||
        !test_array_create(t, in, 2, SHAPE(M, K), LAYOUT_OFFSET, seed + 1, &x->a) ||
        !test_array_create(t, in, 2, SHAPE(K, N), LAYOUT_CONTIGUOUS, seed + 2, &x->b) ||
        !test_array_create(t, out, 2, SHAPE(M, N), LAYOUT_CONTIGUOUS, seed + 3, &x->c) ||
        !test_array_create(t, YOKE_U32, 1, SHAPE(N), LAYOUT_CONTIGUOUS, seed + 4, &x->bias))
        return false;
    test_fill_whole_range(&x->source, seed, true);
    test_fill_whole_range(&x->b, seed + 1, true);
    test_fill_whole_range(&x->c, seed + 2, true);
    test_fill_whole_range(&x->bias, seed + 3, false);
    x->view_a = backwards(x->a.array);
    x->view_b = backwards(x->b.array);
    x->view_c = backwards(x->c.array);
    return test_upload(t, &x->source) && test_upload(t, &x->a) && test_upload(t, &x->b) && test_upload(t, &x->c) &&
           test_upload(t, &x->bias);
}

static void release_integers(integers *x)
{
    test_array_release(&x->bias);
    test_array_release(&x->c);
    test_array_release(&x->b);
    test_array_release(&x->a);
    test_array_release(&x->source);
}

static uint64_t bits_of(const test_array *a, int64_t i)
{
    long double value = test_get(a, i);
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

/* What c has to be, of a c that was given `before`: modulo 2^64, of which 2^32 is a part. */
static bool check_integers(const integers *x, const test_array *a, uint64_t alpha, uint64_t beta, const unsigned char *before)
{
    size_t size = yoke_dtype_get_size(x->c.array.dtype);
    bool right = true;
    for (int64_t i = 0; i < M * N && right; i++) {
        int64_t row = M - 1 - i / N, column = N - 1 - i % N; /* of the views, which are backwards */
        uint64_t sum = 0, given = 0, got = 0;
        for (int64_t k = 0; k < K; k++)
            sum += bits_of(a, (M - 1 - row) * K + (K - 1 - k)) * bits_of(&x->b, (K - 1 - k) * N + (N - 1 - column));
        memcpy(&given, before + (size_t)i * size, size);
        memcpy(&got, test_element(&x->c, i), size);
        uint64_t wanted = alpha * sum + beta * given + bits_of(&x->bias, column);
        right = memcmp(&wanted, &got, size) == 0;
        if (!CHECK(right))
            tap_diag("element %lld is %llx, not %llx", (long long)i, (unsigned long long)got, (unsigned long long)wanted);
    }
    return right;
}

typedef struct scales {
    yoke_number alpha, beta;
    uint64_t as_u32[2], as_i32[2], as_u64[2], as_i64[2]; /* of c's dtype */
} scales;

/* alpha and beta become numbers of the sums' type: fractions are cut off, what has no place is the nearest end, NaN is 0. */
static void factors_of_integers(suite *t)
{
    const scales list[] = {
        { yoke_number_f32(2.75f), yoke_number_f32(-0.5f), { 2, 0 }, { 2, 0 }, { 2, 0 }, { 2, 0 } },
        { yoke_number_f32(-1.5f), yoke_number_f64(3), { 0, 3 }, { UINT64_MAX, 3 }, { 0, 3 }, { UINT64_MAX, 3 } },
        { yoke_number_f32(1e10f),
          yoke_number_f32(NAN),
          { UINT32_MAX, 0 },
          { INT32_MAX, 0 },
          { 10000000000u, 0 },
          { 10000000000u, 0 } },
        { yoke_number_f32(INFINITY),
          yoke_number_f32(-INFINITY),
          { UINT32_MAX, 0 },
          { INT32_MAX, (uint64_t)INT32_MIN },
          { UINT64_MAX, 0 },
          { INT64_MAX, (uint64_t)INT64_MIN } },
        { yoke_number_i32(-1),
          yoke_number_i64(INT64_C(1) << 40),
          { UINT64_MAX, (uint64_t)1 << 40 },
          { UINT64_MAX, (uint64_t)1 << 40 },
          { UINT64_MAX, (uint64_t)1 << 40 },
          { UINT64_MAX, (uint64_t)1 << 40 } },
    };
    static const int32_t outs[] = { YOKE_U32, YOKE_I32, YOKE_U64, YOKE_I64 };
    for (size_t k = 0; k < COUNT_OF(outs); k++)
        for (size_t i = 0; i < COUNT_OF(list); i++) {
            const uint64_t *as[] = { list[i].as_u32, list[i].as_i32, list[i].as_u64, list[i].as_i64 };
            yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
            unsigned char before[M * N * 8];
            integers x;
            NEED(create_integers(t, YOKE_I64, outs[k], (uint32_t)(7 * i + k), &x));
            for (int64_t e = 0; e < M * N; e++)
                memcpy(before + (size_t)e * yoke_dtype_get_size(outs[k]), test_element(&x.c, e), yoke_dtype_get_size(outs[k]));
            yoke_var bias = yoke_var_array("bias", x.bias.array);
            o.alpha = list[i].alpha;
            o.beta = list[i].beta;
            o.epilogue = "value + bias";
            o.vars = &bias;
            o.var_count = 1;
            NEED_OK(yoke_assign(t->stream, &x.a.array, &x.source.array));
            NEED_OK(yoke_matmul(t->stream, &x.view_c, &x.view_a, &x.view_b, &o));
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(test_download_checked(t, &x.c, false));
            if (!check_integers(&x, &x.source, as[k][0], as[k][1], before))
                tap_diag("... into %s, factors %zu", yoke_dtype_get_name(outs[k]), i);
        out:
            release_integers(&x);
        }
}

enum { STREAMS = 4, ROUNDS = 25 };

/* In graphs of several streams at once. What a launch reads is cleared and written by the same graph. */
static void integers_in_graphs(suite *t)
{
    static integers all[STREAMS];
    static const unsigned char none[M * N * 8];
    yoke_stream *streams[STREAMS] = { NULL };
    yoke_graph *graphs[STREAMS] = { NULL };
    memset(all, 0, sizeof all);
    for (int i = 0; i < STREAMS; i++) {
        integers *x = &all[i];
        yoke_matmul_options o = YOKE_MATMUL_OPTIONS_INIT;
        NEED(create_integers(t, YOKE_I64, YOKE_U32, 100u * (uint32_t)i, x));
        yoke_var bias = yoke_var_array("bias", x->bias.array);
        o.alpha = yoke_number_f32(3);
        o.epilogue = "value + bias";
        o.vars = &bias;
        o.var_count = 1;
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
        NEED_OK(yoke_graph_create(t->device, "integers", &graphs[i]));
        NEED_OK(yoke_graph_begin(graphs[i], streams[i]));
        NEED_OK(yoke_assign_value(streams[i], &x->a.array, yoke_number_i32(0)));
        NEED_OK(yoke_assign_value(streams[i], &x->c.array, yoke_number_i32(-1)));
        NEED_OK(yoke_assign(streams[i], &x->a.array, &x->source.array));
        NEED_OK(yoke_matmul(streams[i], &x->view_c, &x->view_a, &x->view_b, &o));
        NEED_OK(yoke_graph_end(graphs[i]));
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STREAMS; i++)
            NEED_OK(yoke_graph_launch(streams[i], graphs[i]));
        if (round % 5 != 4)
            continue;
        for (int i = 0; i < STREAMS; i++) {
            NEED_OK(yoke_stream_wait(streams[i]));
            NEED(test_download_checked(t, &all[i].c, false) && check_integers(&all[i], &all[i].source, 3, 0, none));
        }
    }
out:
    for (int i = 0; i < STREAMS; i++) {
        yoke_graph_release(graphs[i]);
        yoke_stream_release(streams[i]);
        release_integers(&all[i]);
    }
}

static const suite_case cases[] = {
    { "an outer product keeps the sign of zeros", outer_zeros, false },
    { "factors of products of integers are converted", factors_of_integers, false },
    { "products of integers in graphs of several streams", integers_in_graphs, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
