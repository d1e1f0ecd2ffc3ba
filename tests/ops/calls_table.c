/* SPDX-License-Identifier: Apache-2.0 */
/* One call of each operation that is enqueued: small, of one dtype, with what makes it take several kernels where it has some. */
#include "calls.h"

#define COUNT_OF(x) (sizeof(x) / sizeof(x)[0])
#define A(i) (&x->a[i])

enum { SEED = 11 };

static const double weights[9] = { 0.25, -0.5, 1, 0.125, 2, -1, 0.75, 0.5, -0.25 };
static const yoke_weights row = { weights, 5 };

/* ---- Moves of whole arrays, and maps ---- */

#define CALL(name, call)                                                      \
    static yoke_status call_##name(yoke_stream *stream, const calls_state *x) \
    {                                                                         \
        return call;                                                          \
    }

CALL(assign, yoke_assign(stream, A(0), A(1)))
CALL(assign_value, yoke_assign_value(stream, A(0), YOKE_NUMBER(3.0f)))
CALL(add, yoke_add(stream, A(0), A(1), A(2)))
CALL(subtract, yoke_subtract(stream, A(0), A(1), A(2)))
CALL(multiply, yoke_multiply(stream, A(0), A(1), A(2)))
CALL(divide, yoke_divide(stream, A(0), A(1), A(2)))
CALL(where, yoke_where(stream, A(0), A(3), A(1), A(2)))
CALL(clamp, yoke_clamp(stream, A(0), A(1), YOKE_NUMBER(-0.5f), YOKE_NUMBER(0.25f)))

/* Arrays that are not contiguous go by way of temporary memory. */
static yoke_status call_write_array(yoke_stream *stream, const calls_state *x)
{
    yoke_array turned = yoke_array_transpose(x->a[0], NULL);
    return yoke_write_array(stream, &turned, x->host);
}

static yoke_status call_read_array(yoke_stream *stream, const calls_state *x)
{
    yoke_array turned = yoke_array_transpose(x->a[0], NULL);
    return yoke_read_array(stream, x->host, &turned);
}

static yoke_status call_map(yoke_stream *stream, const calls_state *x)
{
    yoke_array y = x->a[0], a = x->a[1];
    return yoke_map(stream, "y = 3 * a + i", YOKE_VARS(y, a));
}

/* ---- Reductions and scans ---- */

CALL(reduce, yoke_reduce(stream, YOKE_REDUCE_SUM, A(0), A(1), YOKE_ALL_AXES))
CALL(dot, yoke_dot(stream, A(0), A(1), A(2)))
CALL(reduce_segments, yoke_reduce_segments(stream, YOKE_REDUCE_SUM, A(0), A(1), A(2)))
CALL(scan, yoke_scan(stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, A(0), A(1), 0))
CALL(reduce_with, yoke_reduce_with(stream, "a + b", A(0), A(1), YOKE_NUMBER(1), YOKE_NO_VARS, YOKE_ALL_AXES))
CALL(scan_with, yoke_scan_with(stream, "a + b", YOKE_SCAN_EXCLUSIVE, A(0), A(1), YOKE_NUMBER(1), YOKE_NO_VARS, 0))
CALL(scan_segments, yoke_scan_segments(stream, YOKE_REDUCE_SUM, YOKE_SCAN_EXCLUSIVE, A(0), A(1), A(2)))

static yoke_status call_map_reduce(yoke_stream *stream, const calls_state *x)
{
    yoke_array a = x->a[1], b = x->a[2];
    return yoke_map_reduce(stream, YOKE_REDUCE_SUM, &x->a[0], "(a - b) * (a - b)", YOKE_VARS(a, b), YOKE_ALL_AXES);
}

/* Sums of products: no function of the driver's, so that the bits are the same everywhere. */
static yoke_status call_map_rows(yoke_stream *stream, const calls_state *x)
{
    yoke_array c = x->a[0], a = x->a[1];
    return yoke_map_rows(stream, "d = a - mean(a); c = d / sqrt(sum(d * d))", YOKE_VARS(c, a), YOKE_AXES(1));
}

static yoke_status call_map_reduce_segments(yoke_stream *stream, const calls_state *x)
{
    yoke_array a = x->a[1], b = x->a[2];
    return yoke_map_reduce_segments(stream, YOKE_REDUCE_SUM, A(0), "a * b", YOKE_VARS(a, b), A(3));
}

/* ---- Order ---- */

CALL(sort, yoke_sort(stream, YOKE_SORT_ASCENDING, A(0), A(1)))
CALL(argsort, yoke_argsort(stream, YOKE_SORT_DESCENDING, A(0), A(1)))
CALL(top_k, yoke_top_k(stream, YOKE_SORT_DESCENDING, A(0), A(1), A(2)))
CALL(quantile, yoke_quantile(stream, YOKE_QUANTILE_LINEAR, A(0), A(1), (const double[]){ 0.5, 0.9 }, 2, YOKE_ALL_AXES))
CALL(searchsorted, yoke_searchsorted(stream, YOKE_SEARCH_LEFT, A(0), A(1), A(2)))
CALL(select, yoke_select(stream, A(0), A(1), A(2), A(3)))
CALL(partition, yoke_partition(stream, A(0), A(1), A(2), A(3)))
CALL(unique, yoke_unique(stream, A(0), A(1), A(2), A(3)))
CALL(histogram, yoke_histogram(stream, A(0), A(1), YOKE_NUMBER(10), YOKE_NUMBER(90), NULL))
CALL(histogram_edges, yoke_histogram_edges(stream, A(0), A(1), A(2), A(3)))
CALL(bincount, yoke_bincount(stream, A(0), A(1), A(2)))
CALL(gather, yoke_gather(stream, A(0), A(1), A(2), 0))
CALL(scatter, yoke_scatter(stream, YOKE_SCATTER_ADD, A(0), A(2), A(1), 0))

static yoke_status call_select_where(yoke_stream *stream, const calls_state *x)
{
    yoke_array a = x->a[2];
    return yoke_select_where(stream, &x->a[0], &x->a[1], &x->a[2], "a > 30", YOKE_VARS(a));
}

/* ---- Products, filters, transforms ---- */

CALL(matmul, yoke_matmul(stream, A(0), A(1), A(2), NULL))
CALL(outer, yoke_outer(stream, A(0), A(1), A(2), NULL))
CALL(gaussian_filter, yoke_gaussian_filter(stream, A(0), A(1), (const double[]){ 1.5, 1 }, YOKE_AXES(0, 1), NULL))
CALL(box_filter, yoke_box_filter(stream, A(0), A(1), (const int64_t[]){ 3, 5 }, YOKE_AXES(0, 1), NULL))
CALL(separable_filter, yoke_separable_filter(stream, A(0), A(1), (const yoke_weights[]){ row, row }, YOKE_AXES(0, 1), NULL))
CALL(rank_filter, yoke_rank_filter(stream, A(0), A(1), 4, (const int64_t[]){ 3, 3 }, NULL, YOKE_AXES(0, 1), NULL))
CALL(sobel_filter, yoke_sobel_filter(stream, A(0), A(1), 0, YOKE_AXES(0, 1), NULL))
CALL(correlate, yoke_correlate(stream, A(0), A(1), weights, (const int64_t[]){ 3, 3 }, YOKE_AXES(0, 1), NULL))
CALL(convolve, yoke_convolve(stream, A(0), A(1), weights, (const int64_t[]){ 3, 3 }, YOKE_AXES(0, 1), NULL))
CALL(fft, yoke_fft(stream, YOKE_FFT_FORWARD, A(0), A(1), YOKE_ALL_AXES, NULL))
CALL(fft_convolve, yoke_fft_convolve(stream, YOKE_CONVOLVE_SAME, A(0), A(1), A(2), YOKE_AXES(0)))

static yoke_status call_matmul_epilogue(yoke_stream *stream, const calls_state *x)
{
    yoke_matmul_options options = YOKE_MATMUL_OPTIONS_INIT;
    yoke_array bias = x->a[3];
    const yoke_var vars[] = { YOKE_VAR(bias) };
    options.alpha = YOKE_NUMBER(0.5f);
    options.beta = YOKE_NUMBER(2.0f);
    options.epilogue = "value + bias";
    options.vars = vars;
    options.var_count = 1;
    return yoke_matmul(stream, &x->a[0], &x->a[1], &x->a[2], &options);
}

static yoke_status call_fft_inverse(yoke_stream *stream, const calls_state *x)
{
    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    options.scaling = YOKE_FFT_SCALE_ORTHO;
    return yoke_fft(stream, YOKE_FFT_INVERSE, &x->a[0], &x->a[0], YOKE_AXES(0, 1), &options);
}

/* ---- Random numbers ---- */

CALL(random_uniform, yoke_random_uniform(stream, A(0), -1, 1, SEED, 5, NULL))
CALL(random_normal, yoke_random_normal(stream, A(0), 0, 1, SEED, 5, NULL))
CALL(random_exponential, yoke_random_exponential(stream, A(0), 2, SEED, 5, NULL))
CALL(random_integers, yoke_random_integers(stream, A(0), YOKE_NUMBER(-5), YOKE_NUMBER(1000), SEED, 5, NULL))
CALL(random_permutation, yoke_random_permutation(stream, A(0), SEED, 5, NULL))
CALL(random_shuffle, yoke_random_shuffle(stream, A(0), A(1), 0, SEED, 5, NULL))

/* ---- All of them ---- */

/* clang-format off */
#define LINE(type) { YOKE_##type, CALLS_VALUES, { CALLS_N } }
#define PLANE(type) { YOKE_##type, CALLS_VALUES, { CALLS_SIDE, CALLS_SIDE } }
#define FEW(type, count) { YOKE_##type, CALLS_VALUES, { count } }
#define SPECIAL(type, fill) { YOKE_##type, CALLS_##fill, { CALLS_N } }
#define WIDE { YOKE_F32, CALLS_VALUES, { CALLS_SIDE, CALLS_LONG } }
#define HIGH { YOKE_F32, CALLS_VALUES, { CALLS_LONG, CALLS_SIDE } }
/* clang-format on */

/* The arrays of a call, and what else it takes. */
#define ARRAYS(...) .arrays = { __VA_ARGS__ }
#define CALL_assign ARRAYS(LINE(F32), LINE(I32))
#define CALL_assign_value ARRAYS(LINE(F32))
#define CALL_write_array ARRAYS(PLANE(I32)), .on_host = true, .takes_memory = true
#define CALL_read_array ARRAYS(PLANE(I32)), .on_host = true, .takes_memory = true
#define CALL_map ARRAYS(LINE(F32), LINE(F32))
#define CALL_add ARRAYS(LINE(F32), LINE(F32), LINE(F32))
#define CALL_subtract ARRAYS(LINE(F32), LINE(F32), LINE(F32))
#define CALL_multiply ARRAYS(LINE(F32), LINE(F32), LINE(F32))
#define CALL_divide ARRAYS(LINE(F32), LINE(F32), LINE(F32))
#define CALL_where ARRAYS(LINE(F32), LINE(F32), LINE(F32), SPECIAL(U8, FLAGS))
#define CALL_clamp ARRAYS(LINE(F32), LINE(F32))
#define CALL_reduce ARRAYS(FEW(F32, 1), LINE(F32))
#define CALL_map_reduce ARRAYS(FEW(F32, 1), LINE(F32), LINE(F32))
#define CALL_map_rows ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_dot ARRAYS(FEW(F32, 1), LINE(F32), LINE(F32))
#define CALL_reduce_segments ARRAYS(FEW(F32, 6), LINE(F32), { YOKE_I32, CALLS_OFFSETS, { 7 } })
#define CALL_map_reduce_segments ARRAYS(FEW(F32, 6), LINE(F32), LINE(F32), { YOKE_I32, CALLS_OFFSETS, { 7 } })
#define CALL_scan ARRAYS(LINE(F32), LINE(F32))
#define CALL_reduce_with ARRAYS(FEW(F32, 1), LINE(F32))
#define CALL_scan_with ARRAYS(LINE(F32), LINE(F32))
#define CALL_scan_segments ARRAYS(LINE(F32), LINE(F32), SPECIAL(U8, FLAGS))
#define CALL_sort ARRAYS(LINE(I32), LINE(F32)), .takes_memory = true
#define CALL_argsort ARRAYS(LINE(I32), LINE(I32)), .takes_memory = true
#define CALL_top_k ARRAYS(FEW(F32, 20), FEW(I32, 20), LINE(F32))
#define CALL_quantile ARRAYS(FEW(F32, 2), LINE(F32))
#define CALL_searchsorted ARRAYS(LINE(I32), SPECIAL(I32, ASCENDING), LINE(I32))
#define CALL_select ARRAYS(LINE(I32), FEW(I32, 1), LINE(I32), SPECIAL(U8, FLAGS))
#define CALL_select_where ARRAYS(LINE(I32), FEW(I32, 1), LINE(I32))
#define CALL_partition ARRAYS(LINE(I32), FEW(I32, 1), LINE(I32), SPECIAL(U8, FLAGS))
#define CALL_unique ARRAYS(LINE(I32), LINE(I32), FEW(I32, 1), SPECIAL(I32, ASCENDING))
#define CALL_histogram ARRAYS(FEW(I32, 16), LINE(I32))
#define CALL_histogram_edges ARRAYS(FEW(F32, 8), LINE(F32), { YOKE_F32, CALLS_ASCENDING, { 9 } }, LINE(F32))
#define CALL_bincount ARRAYS(FEW(F32, 100), LINE(I32), LINE(F32))
#define CALL_gather ARRAYS(LINE(F32), LINE(F32), SPECIAL(I32, POSITIONS))
#define CALL_scatter ARRAYS(LINE(F32), SPECIAL(I32, POSITIONS), LINE(F32)), .takes_memory = true
#define CALL_matmul ARRAYS(PLANE(F32), WIDE, HIGH)
#define CALL_matmul_epilogue ARRAYS(PLANE(F32), WIDE, HIGH, FEW(F32, CALLS_SIDE))
#define CALL_outer ARRAYS(PLANE(F32), FEW(F32, CALLS_SIDE), FEW(F32, CALLS_SIDE))
#define CALL_gaussian_filter ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_box_filter ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_separable_filter ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_rank_filter ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_sobel_filter ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_correlate ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_convolve ARRAYS(PLANE(F32), PLANE(F32))
#define CALL_fft ARRAYS(LINE(C64), LINE(C64))
#define CALL_fft_inverse ARRAYS(PLANE(C64))
#define CALL_fft_convolve ARRAYS(LINE(F32), LINE(F32), LINE(F32)), .takes_memory = true
#define CALL_random_uniform ARRAYS(LINE(F32))
#define CALL_random_normal ARRAYS(LINE(F32))
#define CALL_random_exponential ARRAYS(LINE(F32))
#define CALL_random_integers ARRAYS(LINE(I32))
#define CALL_random_permutation ARRAYS(LINE(I32)), .takes_memory = true
#define CALL_random_shuffle ARRAYS(LINE(I32), LINE(I32)), .takes_memory = true

const calls_entry calls_table[] = {
#define YK_OPERATION(name, when, python) { "yoke_" #name, call_##name, CALL_##name },
#include "api/operations.def"
    { "yoke_matmul", call_matmul_epilogue, CALL_matmul_epilogue },
    { "yoke_fft", call_fft_inverse, CALL_fft_inverse },
};
const size_t calls_count = COUNT_OF(calls_table);
