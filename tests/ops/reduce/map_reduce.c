/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_map_reduce: expressions of arrays of any layout, reduced along axes, against the reference of an array of the same values.
 * yoke_map_reduce_segments: against yoke_reduce_segments, which has a reference of its own. */
#include "reduce_reference.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* (x - y) * (x - y), with y broadcast along the first axis. */
static void distances(suite *t, int32_t operation, layout placed, int64_t rows, int64_t columns, uint32_t mask, int32_t out_dtype)
{
    test_array x, y, values, out;
    int32_t axes[2];
    size_t count = 0;
    int64_t shape[2];
    int32_t dimensions = 0;
    for (int32_t i = 0; i < 2; i++)
        if (mask >> i & 1u)
            axes[count++] = i;
        else
            shape[dimensions++] = i == 0 ? rows : columns;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(rows, columns), placed, 1, &x) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(columns), placed, 2, &y) ||
        !test_array_create(t, YOKE_F32, 2, SHAPE(rows, columns), LAYOUT_CONTIGUOUS, 3, &values) ||
        !test_array_create(t, out_dtype, dimensions, shape, placed, 4, &out))
        return;
    test_fill_whole_range(&x, 5, false);
    test_fill_whole_range(&y, 6, false);
    for (int64_t i = 0; i < values.count; i++) {
        float d = (float)test_get(&x, i) - (float)test_get(&y, i % columns);
        test_set(&values, i, d * d);
    }
    yoke_var vars[] = { yoke_var_array("x", x.array), yoke_var_array("y", y.array) };
    if (test_upload(t, &x) && test_upload(t, &y) && test_upload(t, &out) &&
        CHECK_OK(yoke_map_reduce(t->stream, operation, &out.array, "d = x - y; d * d", vars, 2, axes, count)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) && test_download_checked(t, &x, true))
        reference_check(operation, &values, mask, &out, "distances");
    test_array_release(&x);
    test_array_release(&y);
    test_array_release(&values);
    test_array_release(&out);
}

static void expressions(suite *t)
{
    distances(t, YOKE_REDUCE_SUM, LAYOUT_CONTIGUOUS, 3, 7001, 3, YOKE_F32);
    distances(t, YOKE_REDUCE_SUM, LAYOUT_CONTIGUOUS, 30, 701, 2, YOKE_F32);
    distances(t, YOKE_REDUCE_SUM, LAYOUT_RANDOM, 5000, 40, 1, YOKE_F32);
    distances(t, YOKE_REDUCE_ARGMAX, LAYOUT_RANDOM, 50, 1000, 3, YOKE_I32);
    distances(t, YOKE_REDUCE_MEAN, LAYOUT_OFFSET, 3, 70001, 3, YOKE_F32);
}

static void empty(suite *t)
{
    test_array x, out;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(3, 0), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(3), LAYOUT_CONTIGUOUS, 2, &out) || !test_upload(t, &out))
        return;
    yoke_var var = yoke_var_array("x", x.array);
    CHECK_OK(yoke_map_reduce(t->stream, YOKE_REDUCE_PRODUCT, &out.array, "x * 2", &var, 1, YOKE_AXES(1)));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(test_download_checked(t, &out, false) && test_get(&out, 0) == 1 && test_get(&out, 2) == 1);
    test_array_release(&x);
    test_array_release(&out);
}

/* A function under a name of the kernel's, whose macro is the kernel's, too. */
static void function(suite *t)
{
    test_array x, out;
    if (!test_array_create(t, YOKE_F32, 1, SHAPE(20000), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 2, &out))
        return;
    for (int64_t i = 0; i < 20000; i++)
        test_set(&x, i, 1);
    yoke_var vars[] = { yoke_var_array("x", x.array),
                        yoke_var_function("float combine(float x)", "#define TILE 16\nYOKE_FUNCTION float combine(float x) "
                                                                    "{ return x * TILE / 8; }") };
    if (test_upload(t, &x) && test_upload(t, &out) &&
        CHECK_OK(yoke_map_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, "combine(x)", vars, 2, YOKE_ALL_AXES)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false))
        CHECK(test_get(&out, 0) == 40000);
    test_array_release(&x);
    test_array_release(&out);
}

static void mistakes(suite *t)
{
    test_array x, out;
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(3, 4), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(3), LAYOUT_CONTIGUOUS, 2, &out))
        return;
    yoke_var var = yoke_var_array("x", x.array);
    yoke_array inside = yoke_array_index(x.array, 1, 0);
#define TRY(operation, out, text, axis) yoke_map_reduce(t->stream, operation, out, text, &var, 1, YOKE_AXES(axis))
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map_reduce|x +", TRY(YOKE_REDUCE_SUM, &out.array, "x +", 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map_reduce|axis 3 is out of range: the array has 2 dimensions",
                TRY(YOKE_REDUCE_SUM, &out.array, "x", 3));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out|(3)|(4)", TRY(YOKE_REDUCE_SUM, &out.array, "x", 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_ARGMIN|integer", TRY(YOKE_REDUCE_ARGMIN, &out.array, "x", 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out|overlaps|x", TRY(YOKE_REDUCE_SUM, &inside, "x", 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out is NULL", TRY(YOKE_REDUCE_SUM, NULL, "x", 1));
    test_array_release(&x);
    test_array_release(&out);
}

/* The dtype of an expression, of arrays without buffers. */
static void dtypes(suite *t)
{
    static const struct {
        const char *text;
        int32_t dtype;
    } all[] = { { "n * 0.5", YOKE_F32 }, { "n > 0", YOKE_BOOL },   { "n + b", YOKE_I32 },         { "m - n", YOKE_I64 },
                { "d * n", YOKE_F64 },   { "t = x; t", YOKE_F32 }, { "i < n ? m : x", YOKE_F32 }, { "complex(x, n)", YOKE_C64 } };
    yoke_array n = { .dtype = YOKE_I32 }, m = { .dtype = YOKE_I64 }, b = { .dtype = YOKE_U8 }, x = { .dtype = YOKE_F32 };
    int32_t got = 0;
    suite_expect_log();
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        yoke_var vars[] = { YOKE_VAR(n), YOKE_VAR(m), YOKE_VAR(b), YOKE_VAR(x), yoke_var_scalar("d", YOKE_NUMBER(1.0)) };
        size_t count = all[i].dtype == YOKE_F64 ? 5 : 4; /* beside double, constants are double */
        if (!CHECK_OK(yoke_expression_get_dtype(all[i].text, vars, count, &got)) || !CHECK(got == all[i].dtype))
            tap_diag("%s: %s", all[i].text, yoke_dtype_get_name(got));
    }
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_expression_get_dtype|n +", yoke_expression_get_dtype("n +", YOKE_VARS(n), &got));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_expression_get_dtype", yoke_expression_get_dtype("n = 1", YOKE_VARS(n), &got));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_expression_get_dtype", yoke_expression_get_dtype(NULL, YOKE_VARS(n), &got));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_dtype is NULL", yoke_expression_get_dtype("n", YOKE_VARS(n), NULL));
    (void)t;
}

/* Segments of the values are segments of an array that has them, bit by bit. */
static void segments_of(suite *t, int32_t operation, layout placed, int64_t n, int32_t out_dtype)
{
    const int64_t offsets[] = { 0, 3, 3, n / 3, n / 2 + 1, n / 2, n + 9, n };
    const int64_t count = (int64_t)(sizeof offsets / sizeof offsets[0]);
    test_array x, y, values, bounds, wanted, out;
    if (!test_array_create(t, YOKE_F32, 1, SHAPE(n), placed, 1, &x) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(1), placed, 2, &y) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(n), LAYOUT_CONTIGUOUS, 3, &values) ||
        !test_array_create(t, YOKE_I64, 1, SHAPE(count), placed, 4, &bounds) ||
        !test_array_create(t, out_dtype, 1, SHAPE(count - 1), placed, 5, &wanted) ||
        !test_array_create(t, out_dtype, 1, SHAPE(count - 1), placed, 6, &out))
        return;
    test_fill_whole_range(&x, 7, false);
    test_fill_whole_range(&y, 8, false);
    for (int64_t i = 0; i < n; i++) {
        float d = (float)test_get(&x, i) - (float)test_get(&y, 0);
        test_set(&values, i, d * d);
    }
    for (int64_t i = 0; i < count; i++)
        test_set(&bounds, i, offsets[i]);
    yoke_var vars[] = { yoke_var_array("x", x.array), yoke_var_array("y", y.array) };
    if (test_upload(t, &x) && test_upload(t, &y) && test_upload(t, &values) && test_upload(t, &bounds) && test_upload(t, &wanted) &&
        test_upload(t, &out) &&
        CHECK_OK(yoke_map_reduce_segments(t->stream, operation, &out.array, "d = x - y; d * d", vars, 2, &bounds.array)) &&
        CHECK_OK(yoke_reduce_segments(t->stream, operation, &wanted.array, &values.array, &bounds.array)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) &&
        test_download_checked(t, &wanted, false) && test_download_checked(t, &x, true))
        for (int64_t i = 0; i < count - 1; i++)
            if (!CHECK(test_same(out_dtype, test_element(&out, i), test_element(&wanted, i))))
                tap_diag("operation %d, %lld elements: segment %lld is %.9Lg, not %.9Lg", (int)operation, (long long)n,
                         (long long)i, test_get(&out, i), test_get(&wanted, i));
    test_array_release(&x);
    test_array_release(&y);
    test_array_release(&values);
    test_array_release(&bounds);
    test_array_release(&wanted);
    test_array_release(&out);
}

static void segments(suite *t)
{
    segments_of(t, YOKE_REDUCE_SUM, LAYOUT_CONTIGUOUS, 100, YOKE_F32);
    segments_of(t, YOKE_REDUCE_SUM, LAYOUT_RANDOM, 100000, YOKE_F32);
    segments_of(t, YOKE_REDUCE_ARGMAX, LAYOUT_OFFSET, 30000, YOKE_I64);
    segments_of(t, YOKE_REDUCE_SUM, LAYOUT_CONTIGUOUS, 0, YOKE_F32);
}

static void segment_mistakes(suite *t)
{
    test_array x, matrix, offsets, out;
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 1, SHAPE(12), LAYOUT_CONTIGUOUS, 1, &x) ||
        !test_array_create(t, YOKE_F32, 2, SHAPE(3, 4), LAYOUT_CONTIGUOUS, 2, &matrix) ||
        !test_array_create(t, YOKE_I32, 1, SHAPE(4), LAYOUT_CONTIGUOUS, 3, &offsets) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(3), LAYOUT_CONTIGUOUS, 4, &out))
        return;
    yoke_var vars[] = { yoke_var_array("x", x.array), yoke_var_array("m", matrix.array) };
    yoke_array part = yoke_array_slice(x.array, 0, 0, 3, 1), many = x.array;
    many.dtype = YOKE_I32;
#define TRY_SEGMENTS(operation, out, text, offsets) yoke_map_reduce_segments(t->stream, operation, out, text, vars, 2, offsets)
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map_reduce_segments|x +",
                TRY_SEGMENTS(YOKE_REDUCE_SUM, &out.array, "x +", &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "the expression has the shape (3, 4)|one dimension",
                TRY_SEGMENTS(YOKE_REDUCE_SUM, &out.array, "m", &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out has 3 elements, and offsets has 12",
                TRY_SEGMENTS(YOKE_REDUCE_SUM, &out.array, "x", &many));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "offsets has the dtype float", TRY_SEGMENTS(YOKE_REDUCE_SUM, &out.array, "x", &x.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_ARGMIN|integer",
                TRY_SEGMENTS(YOKE_REDUCE_ARGMIN, &out.array, "x", &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out|overlaps|x", TRY_SEGMENTS(YOKE_REDUCE_SUM, &part, "x", &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "offsets is NULL", TRY_SEGMENTS(YOKE_REDUCE_SUM, &out.array, "x", NULL));
    test_array_release(&x);
    test_array_release(&matrix);
    test_array_release(&offsets);
    test_array_release(&out);
}

static const suite_case cases[] = {
    { "expressions along any axes", expressions, false },
    { "no elements", empty, false },
    { "a function and its macros", function, false },
    { "mistakes are refused", mistakes, false },
    { "the dtype of an expression", dtypes, false },
    { "segments of an expression's values", segments, false },
    { "mistakes of segments are refused", segment_mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
