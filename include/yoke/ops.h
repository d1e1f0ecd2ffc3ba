/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libyoke-ops: operations on arrays (-lyoke-ops). The rules at the top of <yoke/yoke.h> apply here too, and these:
 *
 *  - Each operation is enqueued in a stream, like a copy: it does not block, except that its first use compiles its kernels, and it
 *    can be recorded in a graph. Its temporary memory is allocated in the stream's order. Nothing else is created, and nothing has
 *    to be initialised.
 *  - Everything is checked before anything is enqueued. YOKE_E_INVALID_ARGUMENT, with a text that names both sides: an array is
 *    invalid or belongs to another device; a dtype or a shape does not fit; an output overlaps itself, or an input that is not the
 *    very same array; an output is read-only. YOKE_E_RANGE: an array begins before its buffer or reaches past its end.
 *    YOKE_E_UNSUPPORTED: the device lacks the dtype (double, without YOKE_CAP_FP64), or its driver ends the loops of a thread
 *    (Mesa's llvmpipe, after 65,535 rounds) and the work cannot be shared out so that they are shorter: the text says what is too
 *    long.
 *    YOKE_E_OUT_OF_DEVICE_MEMORY: no memory for temporaries; then nothing has been enqueued that writes an output. Or the
 *    stream's failure. Each operation lists only what comes besides.
 *  - Inputs are broadcast to the shape of the output, as by yoke_array_broadcast. Strides are arbitrary. An empty array is valid:
 *    nothing is enqueued, or the output is filled with the value for no elements.
 *  - The same call gives the same bits, always, and on every device with YOKE_CAP_EXACT_FP32; but the functions of <math.h> other
 *    than sqrt, fma, and those that are exact by nature are the driver's, and a vendor's library has bits of its own in products
 *    and transforms (YOKE_MATMUL_EXACT, YOKE_FFT_EXACT). The numbers that these bits come from, the sizes of slices and tiles, are
 *    in doc/numerics.md, which says how they may change.
 *  - float16 and bfloat16 are computed as float, and rounded to nearest even when they are stored. Conversions from floating point
 *    to integers truncate; a value out of range gives the nearest end of the range, and NaN gives 0. Integers wrap.
 *  - A bool is a byte: 0 is false, and any other is true. What computes or converts, yoke_assign too, writes 0 and 1. What only
 *    moves elements (yoke_write_array, yoke_read_array, yoke_gather, yoke_select, sorts and their relatives) moves the byte as it
 *    is.
 *  - An output may have any strides with which no two of its elements lie at one place, and may lie between the elements of another
 *    array. Strides of many axes in disorder, where that would take too long to see, are refused too.
 *  - An output of positions or counts has a dtype that holds the largest one that the shapes allow. YOKE_E_RANGE: it does not.
 *  - Data that is read as a position (indices, offsets of segments) is checked where it is used: positions out of range are
 *    treated as each operation says, and never lead outside an array.
 *  - The order of parameters is one: the stream, what to do (an enum), the outputs, the inputs, how (numbers, axes), and options.
 *    Options are a struct that begins with its size (see <yoke/yoke.h>); NULL stands for its _INIT macro.
 *
 * <yoke/array.h> declares the arrays, <yoke/vars.h> the list of an expression's variables, <yoke/matmul.h> products of matrices,
 * <yoke/filter.h> filters, <yoke/fft.h> Fourier transforms, and <yoke/random.h> random numbers.
 */
#ifndef YOKE_OPS_H
#define YOKE_OPS_H

#include <yoke/array.h>
#include <yoke/fft.h>
#include <yoke/filter.h>
#include <yoke/matmul.h>
#include <yoke/random.h>
#include <yoke/vars.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Maps ---------------------------------------------------------------------------------------------------------------- */

/* <yoke/vars.h> describes the language of expressions. */

/* Evaluate an expression for each element, as "c = fmax(a * x + y, 0)". `vars`, `count`: YOKE_VARS(c, a, x, y). The arrays that are
 * assigned are the outputs; all outputs have one shape. An output may also be an input, at the same element.
 * YOKE_E_INVALID_ARGUMENT: the expression has a mistake; the record has the expression with a caret below the mistake. */
#define yoke_map(...) yoke_map_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_map_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars,
                                 size_t count);

/* Copy an array to another, converting its dtype and its layout: target = source. */
#define yoke_assign(...) yoke_assign_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_assign_at(const char *where, yoke_stream *stream, const yoke_array *target, const yoke_array *source);

/* Set each element to `value`: yoke_assign_value(stream, &a, YOKE_NUMBER(1.0f)). The value is converted to the array's
 * dtype. YOKE_E_INVALID_ARGUMENT: the value is complex, and the array neither complex nor bool. */
#define yoke_assign_value(...) yoke_assign_value_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_assign_value_at(const char *where, yoke_stream *stream, const yoke_array *target, yoke_number value);

/* Copy a whole array from host memory, or to it: `source` and `target` have its elements one after the other, the last axis
 * fastest, whatever its layout on the device. Host memory is used as by yoke_write and yoke_read. An array that is not contiguous
 * goes by way of temporary memory. YOKE_E_INVALID_ARGUMENT: source or target is NULL, and the array is not empty. */
#define yoke_write_array(...) yoke_write_array_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_array_at(const char *where, yoke_stream *stream, const yoke_array *array, const void *source);
#define yoke_read_array(...) yoke_read_array_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_array_at(const char *where, yoke_stream *stream, void *target, const yoke_array *array);

/* out = a + b, a - b, a * b and a / b, by the rules of expressions. */
#define yoke_add(...) yoke_add_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_add_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                 const yoke_array *b);
#define yoke_subtract(...) yoke_subtract_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_subtract_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                      const yoke_array *b);
#define yoke_multiply(...) yoke_multiply_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_multiply_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                      const yoke_array *b);
#define yoke_divide(...) yoke_divide_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_divide_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                    const yoke_array *b);

/* out = condition ? a : b, each converted to out's dtype. YOKE_E_INVALID_ARGUMENT: one of them is complex, and out neither complex
 * nor bool. */
#define yoke_where(...) yoke_where_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_where_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *condition,
                                   const yoke_array *a, const yoke_array *b);

/* out = a, limited to low … high: below `low` it is `low`, above `high` it is `high`. NaN stays NaN. The limits
 * count with a's dtype, where integers stop at the ends of their range; but where `a` has integers and `out` fractions, limits of
 * floating point count with out's dtype. YOKE_E_INVALID_ARGUMENT: `a` or a limit is complex: complex numbers have no order. */
#define yoke_clamp(...) yoke_clamp_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_clamp_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                   yoke_number low, yoke_number high);

/* ---- Reductions ----------------------------------------------------------------------------------------------------------- */

/*
 * Arrays are reduced by YOKE_REDUCE_SUM to YOKE_REDUCE_NORM, and by YOKE_REDUCE_MIN_OR_NAN to _ARGMAX_OR_NAN (<yoke/array.h>).
 * Floats are summed pairwise, in an order that depends on the shape alone: for n elements the error is at most about log2(n)
 * roundings of the sum of the absolute values. Sums and products of integers are exact modulo 2^64, and converted to the output's
 * dtype at the end.
 *
 * What is in between has the range of the type that is computed with: float, or double where an array is double or complex128. The
 * sum of a part of the elements that has no place there is infinite, and so is the product; an infinite product is NaN with a zero,
 * and an infinite sum with one of the other sign, also where another order, as from the left to the right, would have come to a
 * number. Complex products take each part as the difference or the sum of two rounded products, so that a part that overflows
 * makes NaN sooner: use complex128 where numbers are of such size. All devices agree, and YOKE_REDUCE_NORM has no such limit.
 */

/* Reduce `a` along some axes: YOKE_AXES(0, 2), or YOKE_ALL_AXES, as for a count of 0. `out` has the shape of `a` without these
 * axes, or with an extent of 1 there; where one element remains, it is any array of one element. Positions of YOKE_REDUCE_ARGMIN
 * and _ARGMAX count the reduced elements in row-major order. YOKE_E_RANGE: the dtype of `out` does not hold the last position.
 * YOKE_E_INVALID_ARGUMENT: an axis is out of range or named twice; the
 * operation does not suit the dtypes (complex numbers have no order). */
#define yoke_reduce(...) yoke_reduce_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_reduce_at(const char *where, yoke_stream *stream, yoke_reduction operation, const yoke_array *out,
                                    const yoke_array *a, const int32_t *axes, size_t axis_count);

/* Reduce `a` by a combination of one's own, an expression of two values, `a` and `b`: yoke_reduce_with(stream, "a * b % 10007",
 * &out, &x, YOKE_NUMBER(1), YOKE_NO_VARS, YOKE_ALL_AXES). Axes and `out` are as in yoke_reduce. Each result is `initial` combined
 * with the elements, so that it is `initial` where there are none; a combination's neutral element changes nothing. `vars` has
 * functions that the combination calls (yoke_var_function), and nothing else.
 *
 * The values have the dtype of `out`, or float32 for float16 and bfloat16, and int32 for integers of 8 and 16 bits: each
 * element is converted to it first, as yoke_assign does, and so is what the combination gives. Elements are combined in the order
 * of doc/numerics.md, which is not that of their positions: the combination is commutative and associative, as a sum is. Then all
 * devices give the same result. Where rounding makes it associative in name only, as sums of floats, the order depends on the shape
 * alone, and the bits are the same where the combination calls no functions but those that are exact everywhere.
 * YOKE_E_INVALID_ARGUMENT: the combination has a mistake or an index variable; `a` or the combination is complex, and `out` is
 * not; the values' integer dtype does not hold `initial`. */
#define yoke_reduce_with(...) yoke_reduce_with_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_reduce_with_at(const char *where, yoke_stream *stream, const char *combination, const yoke_array *out,
                                         const yoke_array *a, yoke_number initial, const yoke_var *vars, size_t count,
                                         const int32_t *axes, size_t axis_count);

/* Reduce the values of an expression without storing them: yoke_map_reduce(stream, YOKE_REDUCE_SUM, &out, "(x - y) * (x - y)",
 * YOKE_VARS(x, y), YOKE_ALL_AXES). The expression assigns nothing; its shape is that of its arrays, broadcast to each other. */
#define yoke_map_reduce(...) yoke_map_reduce_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_map_reduce_at(const char *where, yoke_stream *stream, yoke_reduction operation, const yoke_array *out,
                                        const char *expression, const yoke_var *vars, size_t count, const int32_t *axes,
                                        size_t axis_count);

/*
 * Evaluate an expression that reduces rows and goes on with the results, in one launch. Softmax is:
 *
 *     yoke_map_rows(stream, "e = exp(x - max(x)); y = e / sum(e)", YOKE_VARS(x, y), YOKE_AXES(1));
 *
 * A row is what lies along the axes, YOKE_ALL_AXES for all; the shape is that of the arrays that are read, broadcast to each other.
 * sum, mean, prod, min, max, any and all of one argument reduce it, at any place in the expression, and have one value for each
 * row; in a branch too they are of the whole row. At least one is called, and at most 8. Outputs have the whole shape; or an extent
 * of 1 along the axes, or not these axes: such an output gets one element for each row, and a value that does not vary along it. An
 * output may also be an input, at the same element.
 *
 * Results are as by yoke_reduce with YOKE_REDUCE_SUM, _MEAN, _PRODUCT, _MIN, _MAX, _ANY and _ALL, to the last bit. Their dtype is
 * the argument's, or that which C promotes it to, except that sums and products of integers are int64 or uint64, means of integers
 * float32, or float64 where a variable is double or complex128, and any and all are bool.
 *
 * On a GPU a row is read once where its threads have room for it: up to 16,384 elements and 64 KiB of all arrays together, or 4,096
 * elements where the expression is long; else once for each reduction that depends on another, and once more. A row is the work
 * of one block of threads: for a few rows of millions of elements yoke_map_reduce and yoke_map are faster.
 * YOKE_E_INVALID_ARGUMENT: the expression has a mistake, or reduces nothing; an axis is out of range or named twice; products, or
 * the least or the largest, of complex numbers; means of 64-bit integers, whose sum may not fit.
 */
#define yoke_map_rows(...) yoke_map_rows_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_map_rows_at(const char *where, yoke_stream *stream, const char *expression, const yoke_var *vars,
                                      size_t count, const int32_t *axes, size_t axis_count);

/* Find the dtype of the value that an expression of yoke_map_rows ends with, and whether it varies along a row. It does with
 * *out_varies 1, and with 0 one element for each row has it. The text and the dtypes and shapes of the variables say so: nothing
 * runs, and buffers are not looked at.
 * YOKE_E_INVALID_ARGUMENT: as above, or the expression ends with no value; an out_ parameter is NULL. */
YOKE_API yoke_status yoke_rows_get_dtype(const char *expression, const yoke_var *vars, size_t count, const int32_t *axes,
                                         size_t axis_count, int32_t *out_dtype, int32_t *out_varies);

/* Find the dtype of an expression's value, as yoke_map_reduce and yoke_select_where compute it, by its text and the dtypes of its
 * variables: YOKE_F32 for "x * 0.5" of a float array or an int32 one, YOKE_BOOL for "x > 0". Nothing runs, and buffers are not
 * looked at. YOKE_E_INVALID_ARGUMENT: the expression has a mistake, or ends with no value; out_dtype is NULL. */
YOKE_API yoke_status yoke_expression_get_dtype(const char *expression, const yoke_var *vars, size_t count, yoke_dtype *out_dtype);

/* out = the sum of a * b over all elements, without conjugation. Integers are multiplied and added in 64 bits, modulo 2^64, which
 * are signed if one of the arrays is. */
#define yoke_dot(...) yoke_dot_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_dot_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                 const yoke_array *b);

/* Reduce segments of an array of one dimension: segment i has the elements offsets[i] to offsets[i + 1] - 1, so that `offsets`, of
 * int32 or int64, has one element more than `out`. An offset below 0 or beyond the array counts as the nearest end; a segment that
 * ends before it begins is empty. YOKE_REDUCE_ARGMIN and _ARGMAX count from the segment's start; the dtype
 * of `out` holds the last position of `a`, which a segment may have. */
#define yoke_reduce_segments(...) yoke_reduce_segments_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_reduce_segments_at(const char *where, yoke_stream *stream, yoke_reduction operation,
                                             const yoke_array *out, const yoke_array *a, const yoke_array *offsets);

/* The same for the values of an expression of arrays of one dimension, which are not stored: yoke_map_reduce_segments(stream,
 * YOKE_REDUCE_SUM, &out, "x * y", YOKE_VARS(x, y), &offsets). */
#define yoke_map_reduce_segments(...) yoke_map_reduce_segments_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_map_reduce_segments_at(const char *where, yoke_stream *stream, yoke_reduction operation,
                                                 const yoke_array *out, const char *expression, const yoke_var *vars, size_t count,
                                                 const yoke_array *offsets);

/* ---- Scans ---------------------------------------------------------------------------------------------------------------- */

/* Which elements a scan combines. */
typedef int32_t yoke_scan_mode;
enum {
    YOKE_SCAN_INCLUSIVE = 0, /* out[i] combines a[0] to a[i] */
    YOKE_SCAN_EXCLUSIVE = 1  /* out[i] combines a[0] to a[i - 1]; out[0] is the operation's value for no elements */
};

/* Scan `a` along an axis with YOKE_REDUCE_SUM, _PRODUCT, _MIN or _MAX. `out` has the shape of `a`; it may be `a` itself. Integers
 * are combined in 64 bits and converted when they are stored; floats are combined as double where `a` or `out` is double, else as
 * float. The order of floating-point operations depends on the extent and on that type alone: neighbours are combined in a tree, as
 * many as doc/numerics.md says, and these from the left to the right; the tree's products and sums may overflow where those from
 * the left to the right do not, as above. YOKE_E_INVALID_ARGUMENT: the shapes differ, the axis
 * is out of range, or complex numbers are to be compared. */
#define yoke_scan(...) yoke_scan_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_scan_at(const char *where, yoke_stream *stream, yoke_reduction operation, yoke_scan_mode mode,
                                  const yoke_array *out, const yoke_array *a, int32_t axis);

/* Scan `a` along an axis by a combination of one's own, as in yoke_reduce_with, which need not be commutative: `a` is what comes
 * before `b`. Each result is `initial` combined with the elements up to its own; out[0] of an exclusive scan is `initial`. `out`
 * may be `a` itself. The order is that of yoke_scan. */
#define yoke_scan_with(...) yoke_scan_with_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_scan_with_at(const char *where, yoke_stream *stream, const char *combination, yoke_scan_mode mode,
                                       const yoke_array *out, const yoke_array *a, yoke_number initial, const yoke_var *vars,
                                       size_t count, int32_t axis);

/* Scan the segments of an array of one dimension, each from its own start. `starts`, of bool or an integer dtype, has the shape of
 * `a`: an element that is not 0 begins a segment. `out` has the shape of `a`, and may be `a` itself. */
#define yoke_scan_segments(...) yoke_scan_segments_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_scan_segments_at(const char *where, yoke_stream *stream, yoke_reduction operation, yoke_scan_mode mode,
                                           const yoke_array *out, const yoke_array *a, const yoke_array *starts);

/* ---- Order: sort and search ------------------------------------------------------------------------------------------------ */

/* Which elements come first. */
typedef int32_t yoke_sort_order;
enum { YOKE_SORT_ASCENDING = 0, YOKE_SORT_DESCENDING = 1 };

/* Sort keys in place, along the last axis; the values, an array of the same shape, move with them. `values` may be NULL. The sort
 * is stable, in both directions. NaN is last in both directions, whatever its sign; -0 is before 0 when ascending. Keys are of any
 * dtype but complex, values of any dtype. YOKE_E_INVALID_ARGUMENT: the keys are complex or have no axis; the shapes differ; the
 * values share memory with the keys. */
#define yoke_sort(...) yoke_sort_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_sort_at(const char *where, yoke_stream *stream, yoke_sort_order order, const yoke_array *keys,
                                  const yoke_array *values);

/* Find the order that would sort the keys along the last axis: `indices`, of an integer dtype of 4 or 8 bytes, has their shape. The
 * keys stay. YOKE_E_RANGE: the dtype does not hold the last index. yoke_gather(stream, &sorted, &records, &indices, 0) then moves
 * what belongs to the keys. */
#define yoke_argsort(...) yoke_argsort_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_argsort_at(const char *where, yoke_stream *stream, yoke_sort_order order, const yoke_array *indices,
                                     const yoke_array *keys);

/* Find the k first elements along the last axis in the order that yoke_sort would give: YOKE_SORT_DESCENDING finds the largest. k
 * is the extent of the last axis of `values`, and of `indices`, either of which may be NULL. Of equal elements the first come
 * first. YOKE_E_INVALID_ARGUMENT: k is larger than the extent. */
#define yoke_top_k(...) yoke_top_k_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_top_k_at(const char *where, yoke_stream *stream, yoke_sort_order order, const yoke_array *values,
                                   const yoke_array *indices, const yoke_array *a);

/* Which side of equal elements. */
typedef int32_t yoke_search_side;
enum {
    YOKE_SEARCH_LEFT = 0, /* the first position whose element is not before the query */
    YOKE_SEARCH_RIGHT = 1 /* the first position whose element is after the query */
};

/* Find where queries belong in an ascending array of one dimension and of the same dtype: positions 0 to its extent, of an integer
 * dtype of 4 or 8 bytes and of the queries' shape. The order is yoke_sort's: NaN is after all numbers and equal to NaN, -0 is
 * before 0. YOKE_E_RANGE: the dtype does not hold the extent. */
#define yoke_searchsorted(...) yoke_searchsorted_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_searchsorted_at(const char *where, yoke_stream *stream, yoke_search_side side,
                                          const yoke_array *positions, const yoke_array *sorted, const yoke_array *queries);

/* ---- Order: quantiles ---------------------------------------------------------------------------------------------------- */

/*
 * Where quantile q of n sorted elements lies, counted from 0: NumPy's methods, by NumPy's names. A place below 0 counts as 0, and
 * one beyond the last element as that. Some places are those of an element; between two, a and b, a part t of the way from a to b,
 * the result is a + (b - a) * t, or b - (b - a) * (1 - t) for t of 0.5 or more.
 */
typedef int32_t yoke_quantile_method;
enum {
    YOKE_QUANTILE_LINEAR = 0,                    /* (n - 1) q */
    YOKE_QUANTILE_LOWER = 1,                     /* an element: floor((n - 1) q) */
    YOKE_QUANTILE_HIGHER = 2,                    /* an element: ceil((n - 1) q) */
    YOKE_QUANTILE_NEAREST = 3,                   /* an element: (n - 1) q, rounded, halves to the even one */
    YOKE_QUANTILE_MIDPOINT = 4,                  /* halfway between the lower and the higher */
    YOKE_QUANTILE_INVERTED_CDF = 5,              /* an element: ceil(n q) - 1 */
    YOKE_QUANTILE_AVERAGED_INVERTED_CDF = 6,     /* halfway between ceil(n q) - 1 and floor(n q) */
    YOKE_QUANTILE_CLOSEST_OBSERVATION = 7,       /* an element: n q - 1, where n q is rounded, halves to the even one */
    YOKE_QUANTILE_INTERPOLATED_INVERTED_CDF = 8, /* n q - 1 */
    YOKE_QUANTILE_HAZEN = 9,                     /* n q - 1/2 */
    YOKE_QUANTILE_WEIBULL = 10,                  /* (n + 1) q - 1 */
    YOKE_QUANTILE_MEDIAN_UNBIASED = 11,          /* (n + 1/3) q - 2/3 */
    YOKE_QUANTILE_NORMAL_UNBIASED = 12           /* (n + 1/4) q - 5/8 */
};

/* Find quantiles of `a` along some axes: YOKE_AXES(0, 2), or YOKE_ALL_AXES. yoke_quantile(stream, YOKE_QUANTILE_LINEAR, &out, &a,
 * (const double[]){ 0.5 }, 1, YOKE_ALL_AXES) is the median. `out` has an axis of `count` elements, one for each quantile, and then
 * the shape of `a` without these axes, or with an extent of 1 there; of one quantile, it may lack the first axis. The quantiles are
 * from 0 to 1, in any order, and read during the call.
 *
 * Methods that give an element take every dtype of `out` but the complex ones; the others give fractions, so that its dtype is a
 * floating-point one, and count as float, or as double where an array is double; places count as double. A whole number is the
 * place of an element, which is the result, also beside an infinite one. Where an element is NaN, the result is NaN, which an
 * integer `out` gets as 0; of no elements it is NaN, for a floating-point `out` alone. -0 is below 0.
 *
 * Elements of long rows are found by counting their bytes from the highest on, not by sorting: rows of more than 4,096 elements are
 * read three times as a rule, for all quantiles together. Short rows are sorted, and so are all for more than 7 quantiles between
 * elements (8 of integers), or 15 that are elements (16 of integers). YOKE_E_INVALID_ARGUMENT: the method is unknown; a quantile is
 * below 0, above 1, or NaN; quantiles is NULL, and count is not 0; `a` or `out` is complex; there are no elements along the axes,
 * and `out`, which has some, is of integers or bools; an axis is out of range or named twice. */
#define yoke_quantile(...) yoke_quantile_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_quantile_at(const char *where, yoke_stream *stream, yoke_quantile_method method, const yoke_array *out,
                                      const yoke_array *a, const double *quantiles, size_t count, const int32_t *axes,
                                      size_t axis_count);

/* ---- Order: select ------------------------------------------------------------------------------------------------------- */

/* Keep the elements whose flag is not 0, in their order, at the front of `out`; the rest of `out` is unchanged. `a`, `flags` (of
 * bool or an integer dtype, as many as `a`) and `out` (of the dtype of `a`) have one dimension; `out` may be shorter than `a`: what
 * does not fit is left out. `count`, one integer of 4 or 8 bytes, is how many were kept, those left out included; NULL where it is
 * not wanted. YOKE_E_RANGE: its dtype does not hold the number of elements of `a`. */
#define yoke_select(...) yoke_select_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_select_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                    const yoke_array *a, const yoke_array *flags);

/* The same where an expression is true, as "x > limit": its arrays have the shape of `a` or are broadcast to it. */
#define yoke_select_where(...) yoke_select_where_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_select_where_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                          const yoke_array *a, const char *expression, const yoke_var *vars, size_t var_count);

/* All elements: first those whose flag is not 0, then the others, both in their order. `out` has the shape of `a`. */
#define yoke_partition(...) yoke_partition_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_partition_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                       const yoke_array *a, const yoke_array *flags);

/* The first of each run of equal elements: sort first to get each value once. `out` and `count` as in yoke_select. `starts`, of an
 * integer dtype of 4 or 8 bytes and as long as `out`, gets the position of each run's first element; it may be NULL. NaN equals
 * NaN, -0 equals 0. */
#define yoke_unique(...) yoke_unique_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_unique_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *starts,
                                    const yoke_array *count, const yoke_array *a);

/* ---- Histograms ---------------------------------------------------------------------------------------------------------- */

/*
 * Counts are exact: the dtype of `bins` holds the number of elements (YOKE_E_RANGE: it does not). Integer weights are added modulo
 * 2^64, floating-point weights in an order that depends on the numbers of elements and bins alone, the halves as float:
 * doc/numerics.md has it. With more than 16384 bins, all weights of a bin are added in their order: this costs a stable sort of the
 * elements by bin, and a bin that has most of the elements is slow. The sum is converted to the dtype of `bins`.
 */

/* Count the elements in bins of equal width from `low` to `high`; the last bin includes `high`. Elements outside, and NaN, are not
 * counted. `bins`, of one dimension, has an integer dtype of 4 or 8 bytes; or, with weights, any dtype for sums. It is overwritten.
 * `weights`, of the shape of `a` or broadcast to it, are added instead of 1; NULL: counts.
 * Where the elements, low and high are whole numbers, the bin of x is floor((x - low) * count / (high - low)), exactly. Else all
 * three are converted to float, or for elements of double to double, and the bin is the last i with low + i * width <= x or i = 0,
 * where width is (high - low) / count, and each operation is rounded.
 * YOKE_E_INVALID_ARGUMENT: low is not below high, or one is complex or not finite, or high - low is not, or not below 2^64 for
 * integers; there are no bins. YOKE_E_RANGE: more than 2^31 - 1 bins. */
#define yoke_histogram(...) yoke_histogram_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_histogram_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                       yoke_number low, yoke_number high, const yoke_array *weights);

/* The same for bins between ascending edges, one edge more than bins, of the dtype of `a`: the bin of x is the last whose lower
 * edge is not above x. Which bins count what is undefined where the edges do not ascend. */
#define yoke_histogram_edges(...) yoke_histogram_edges_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_histogram_edges_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                             const yoke_array *edges, const yoke_array *weights);

/* The same for integers that are themselves the indices of the bins. Others are not counted. */
#define yoke_bincount(...) yoke_bincount_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_bincount_at(const char *where, yoke_stream *stream, const yoke_array *bins, const yoke_array *a,
                                      const yoke_array *weights);

/* ---- Moves --------------------------------------------------------------------------------------------------------------- */

/* Take elements along an axis by their indices: out[…, i, …] = a[…, indices[i], …]. `indices`, of an integer dtype of 4 or 8 bytes
 * and one dimension, has as many elements as the axis of `out`; else `out` has the shape of `a`, and its dtype. An index out of
 * range gives 0. */
#define yoke_gather(...) yoke_gather_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_gather_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                    const yoke_array *indices, int32_t axis);

/* What becomes of what is there. */
typedef int32_t yoke_scatter_mode;
enum {
    YOKE_SCATTER_SET = 0, /* of several elements for one place the last is kept */
    YOKE_SCATTER_ADD = 1  /* elements are added to what is there, in their order */
};

/* The reverse: put element i along an axis of `a` at indices[i] of that axis of `out`, which has its dtype. An element whose index
 * is out of range is left out; places without an index are unchanged. YOKE_SCATTER_ADD adds integers modulo 2^64 and the halves as
 * float, rounded at the end (with more than 2^30 indices, after each 2^30). Sums of other dtypes than int32 and uint32 cost a
 * stable sort of the indices, and a place that most of the indices lead to is slow. YOKE_E_INVALID_ARGUMENT: the mode is unknown.
 * YOKE_E_RANGE: YOKE_SCATTER_ADD, and the axis of `out` has more than 2^32 - 2 elements. */
#define yoke_scatter(...) yoke_scatter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_scatter_at(const char *where, yoke_stream *stream, yoke_scatter_mode mode, const yoke_array *out,
                                     const yoke_array *a, const yoke_array *indices, int32_t axis);

/* ---- Vendors' libraries --------------------------------------------------------------------------------------------------- */

/* The libraries, by index. */
enum { YOKE_OPS_LIBRARY_CUBLAS = 0, YOKE_OPS_LIBRARY_CUFFT = 1, YOKE_OPS_LIBRARY_CLBLAST = 2 };

/* A vendor's library that operations use where it is there. The caller sets `size` (YOKE_OPS_LIBRARY_INIT). Strings are never NULL,
 * and live as long as the process. */
typedef struct yoke_ops_library {
    size_t size;         /* sizeof(yoke_ops_library) */
    const char *name;    /* "cuBLAS" */
    const char *version; /* "13.1.0"; "" when unknown */
    const char *path;    /* the file; "" when there is none that can be used */
    const char *reason;  /* why it cannot be used; "" when it can */
} yoke_ops_library;

#define YOKE_OPS_LIBRARY_INIT                            \
    {                                                    \
        sizeof(yoke_ops_library), NULL, NULL, NULL, NULL \
    }

/* Describe a vendor's library by its index, YOKE_OPS_LIBRARY_. The library is searched for and opened, if no operation has
 * done so; it is never closed. An absent library is no failure: operations then use Yoke's own kernels.
 * YOKE_E_INVALID_ARGUMENT: out_library is NULL. YOKE_E_RANGE: there is no library of this index. */
YOKE_API yoke_status yoke_ops_get_library(size_t index, yoke_ops_library *out_library);

/* ---- Preparation ----------------------------------------------------------------------------------------------------------- */

/* Compile what operations need for these dtypes on the device, so that their first calls do not; blocks. This is about contiguous
 * arrays, and about the operations of this header and of those that it includes. What depends on more than a dtype is compiled by
 * enqueueing it once, or by recording it in a graph that is never launched: expressions; combinations of several dtypes;
 * transforms, whose kernels are those of a length (64 and 65,536 elements are prepared); and on a GPU products, whose kernels
 * depend on the sizes (squares of 16 and 304 are prepared, and their vectors), and filters along two axes, whose kernels are those
 * of their numbers of taps (9 are prepared), and of large arrays correlations; filters by rank; the largest elements, sorts with
 * values, permutations and shuffles, and integers of ranges beyond 2^32. YOKE_E_INVALID_ARGUMENT: a number is not a dtype.
 * YOKE_E_UNSUPPORTED: the device lacks the dtype. Else as yoke_program_build. */
YOKE_API yoke_status yoke_ops_prepare(yoke_device *device, const yoke_dtype *dtypes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
