/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_reduce and yoke_dot: every operation, dtype and layout against a reference that combines in the documented order. */
#include "reduce_reference.h"

#include <math.h>
#include <string.h>

#include <yoke/graph.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })
#define ALL_OF(a) ((1u << (a)->dimensions) - 1)

static int32_t usual_out(int32_t operation, int32_t in)
{
    switch (operation) {
    case YOKE_REDUCE_ARGMIN:
    case YOKE_REDUCE_ARGMAX:
    case YOKE_REDUCE_ARGMIN_OR_NAN:
    case YOKE_REDUCE_ARGMAX_OR_NAN:
        return YOKE_I64;
    case YOKE_REDUCE_VARIANCE:
    case YOKE_REDUCE_NORM:
    case YOKE_REDUCE_MEAN:
        if (yk_dtype_is_complex(in))
            return operation == YOKE_REDUCE_MEAN ? in : in == YOKE_C64 ? YOKE_F32 : YOKE_F64;
        return yk_dtype_is_integer(in) ? YOKE_F32 : in;
    case YOKE_REDUCE_ANY:
    case YOKE_REDUCE_ALL:
        return YOKE_BOOL;
    default:
        return in;
    }
}

/* Reduce the axes of `mask` and compare all rows. */
static bool reduces(suite *t, int32_t operation, test_array *a, uint32_t mask, int32_t out_dtype, layout how, bool keep)
{
    test_array out;
    int32_t axes[YOKE_MAX_DIMENSIONS], dimensions = 0;
    size_t count = 0;
    int64_t shape[YOKE_MAX_DIMENSIONS];
    for (int32_t i = 0; i < a->array.dimensions; i++) {
        if (mask >> i & 1u)
            axes[count++] = i;
        if (keep || !(mask >> i & 1u))
            shape[dimensions++] = mask >> i & 1u ? 1 : a->array.shape[i];
    }
    if (mask != 0 && count == 0)
        return true;
    bool good =
        test_array_create(t, out_dtype, dimensions, shape, how, 77 + mask, &out) && test_upload(t, a) && test_upload(t, &out);
    if (good && mask != 0)
        good = CHECK_OK(yoke_reduce(t->stream, operation, &out.array, &a->array, axes, count));
    else if (good)
        good = CHECK_OK(yoke_reduce(t->stream, operation, &out.array, &a->array, YOKE_ALL_AXES));
    good = good && CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) &&
           test_download_checked(t, a, true) &&
           reference_check(operation, a, mask ? mask : ALL_OF(&a->array), &out, how == LAYOUT_RANDOM ? "random" : "plain");
    test_array_release(&out);
    return good;
}

static void fill(test_array *a, uint32_t seed, bool special)
{
    test_fill_whole_range(a, seed, special);
    if (a->array.dtype == YOKE_F16)
        for (int64_t i = 0; i < a->count; i++)
            if (fabsl(test_get(a, i)) > 16)
                test_set(a, i, 1);
}

static bool one(suite *t, int32_t operation, int32_t dtype, int32_t out, int32_t dimensions, const int64_t *shape, uint32_t mask,
                layout how, uint32_t seed, bool special)
{
    test_array a;
    if (!test_has(t, dtype) || !test_has(t, out))
        return true;
    bool good = test_array_create(t, dtype, dimensions, shape, how, seed, &a);
    if (good)
        fill(&a, seed, special);
    good = good && reduces(t, operation, &a, mask, out, how, (seed & 1u) != 0);
    test_array_release(&a);
    return good;
}

static bool suits(int32_t operation, int32_t dtype)
{
    return !yk_dtype_is_complex(dtype) || yk_reduction_get(operation)->takes_complex;
}

/* ---- Cases ---- */

static void operations(suite *t)
{
    for (int32_t operation = 1; operation < YK_REDUCTION_COUNT; operation++)
        if (yk_reduction_get(operation)->rule != YK_REDUCTION_BITS)
            one(t, operation, YOKE_F32, usual_out(operation, YOKE_F32), 2, SHAPE(3, 9001), 3, LAYOUT_CONTIGUOUS,
                (uint32_t)operation, false);
}

static void dtypes(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        int32_t operation = 1 + dtype * 5 % 11;
        if (!suits(operation, dtype))
            operation = dtype == YOKE_C64 ? YOKE_REDUCE_PRODUCT : YOKE_REDUCE_SUM;
        one(t, operation, dtype, usual_out(operation, dtype), 1, SHAPE(3001), 1, LAYOUT_CONTIGUOUS, (uint32_t)dtype, false);
    }
}

static void other_outputs(suite *t)
{
    static const int32_t pairs[][3] = {
        { YOKE_REDUCE_SUM, YOKE_U8, YOKE_I64 },      { YOKE_REDUCE_SUM, YOKE_F32, YOKE_F64 },
        { YOKE_REDUCE_SUM, YOKE_BF16, YOKE_F32 },    { YOKE_REDUCE_MEAN, YOKE_I64, YOKE_F64 },
        { YOKE_REDUCE_VARIANCE, YOKE_U8, YOKE_F64 }, { YOKE_REDUCE_NORM, YOKE_C64, YOKE_F32 },
        { YOKE_REDUCE_MIN, YOKE_U16, YOKE_C64 },     { YOKE_REDUCE_ALL, YOKE_C64, YOKE_U8 },
        { YOKE_REDUCE_MEAN, YOKE_C64, YOKE_C128 },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        one(t, pairs[i][0], pairs[i][1], pairs[i][2], 2, SHAPE(5, i % 3 ? 2099 : 4099), 2, LAYOUT_CONTIGUOUS, (uint32_t)i, false);
}

/* The sum of integers would wrap, and the mean must not. */
static void large_means(suite *t)
{
    static const int32_t pairs[][2] = { { YOKE_I64, YOKE_F64 }, { YOKE_U64, YOKE_F32 } };
    for (size_t i = 0; i < 2; i++) {
        test_array a;
        if (!test_has(t, pairs[i][1]))
            continue;
        if (!test_array_create(t, pairs[i][0], 2, SHAPE(3, 4099), LAYOUT_CONTIGUOUS, 5, &a))
            return;
        for (int64_t k = 0; k < a.count; k++)
            test_set(&a, k, (i == 0 && k / 4099 == 1 ? -0x1p62L : 0x1p62L) - (long double)(k % 7));
        reduces(t, YOKE_REDUCE_MEAN, &a, 2, pairs[i][1], LAYOUT_CONTIGUOUS, false);
        reduces(t, YOKE_REDUCE_MEAN, &a, 3, pairs[i][1], LAYOUT_CONTIGUOUS, false);
        test_array_release(&a);
    }
}

static void sizes(suite *t)
{
    static const int64_t counts[] = { 1,    2,    3,     4,     5,     15,    16,    17,    31,    127,  128,
                                      129,  1000, 1023,  1024,  1025,  2047,  3073,  4095,  4096,  4097, 8191,
                                      8192, 8193, 16384, 16385, 20000, 32768, 32769, 65537, 100003 };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        one(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_F32, 1, SHAPE(counts[i]), 1, LAYOUT_CONTIGUOUS, (uint32_t)i, false);
        one(t, YOKE_REDUCE_ARGMIN, YOKE_U8, YOKE_I64, 1, SHAPE(counts[i]), 1, i % 2 ? LAYOUT_CONTIGUOUS : LAYOUT_OFFSET,
            (uint32_t)i, false);
        one(t, YOKE_REDUCE_VARIANCE, YOKE_F32, YOKE_F32, 1, SHAPE(counts[i]), 1, LAYOUT_CONTIGUOUS, (uint32_t)i, false);
    }
    one(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_F32, 1, SHAPE(1234567), 1, LAYOUT_CONTIGUOUS, 3, false);
    one(t, YOKE_REDUCE_ARGMAX, YOKE_F32, YOKE_I64, 1, SHAPE(1234567), 1, LAYOUT_CONTIGUOUS, 4, true);
}

static void axes(suite *t)
{
    static const struct {
        int32_t dimensions;
        int64_t shape[4];
        uint32_t mask;
    } shapes[] = {
        { 2, { 700, 3 }, 2 },     { 2, { 700, 3 }, 1 },       { 2, { 300, 17 }, 2 },    { 2, { 17, 300 }, 1 },
        { 2, { 9, 70 }, 1 },      { 2, { 70, 900 }, 2 },      { 2, { 9000, 3 }, 1 },    { 2, { 9000, 65 }, 1 },
        { 2, { 3, 70000 }, 2 },   { 2, { 70000, 3 }, 1 },     { 3, { 20, 30, 40 }, 5 }, { 3, { 20, 30, 40 }, 2 },
        { 3, { 20, 30, 40 }, 3 }, { 3, { 7, 5, 9 }, 4 },      { 3, { 7, 1, 9 }, 2 },    { 4, { 5, 6, 7, 8 }, 10 },
        { 4, { 5, 6, 7, 8 }, 5 }, { 4, { 3, 4, 50, 60 }, 9 }, { 1, { 1 }, 1 },          { 2, { 4500, 130 }, 1 },
        { 2, { 40000, 4 }, 2 },
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int second = 0; second < 2; second++) {
            /* Each shape contiguous, and in one of the others: each pair would be a kernel of its own. */
            layout how = second ? (layout)(1 + i % (LAYOUT_COUNT - 1)) : LAYOUT_CONTIGUOUS;
            one(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_F32, shapes[i].dimensions, shapes[i].shape, shapes[i].mask, how, (uint32_t)i,
                false);
        }
}

/* Where one element remains, the output may have any shape of one element. */
static void single(suite *t)
{
    static const int64_t shape[] = { 1, 1, 1 };
    test_array a, out;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(5, 70), LAYOUT_CONTIGUOUS, 1, &a) || !test_upload(t, &a))
        return;
    for (int32_t dimensions = 0; dimensions <= 3; dimensions++) {
        if (!test_array_create(t, YOKE_F32, dimensions, shape, LAYOUT_RANDOM, 2, &out) || !test_upload(t, &out))
            break;
        if (CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_ALL_AXES)) &&
            CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false))
            reference_check(YOKE_REDUCE_SUM, &a, ALL_OF(&a.array), &out, "single");
        test_array_release(&out);
    }
    test_array_release(&a);
}

static void random_shapes(suite *t)
{
    uint32_t random = 2024;
    for (int round = 0; round < 60; round++) {
        int32_t dimensions = 1 + (int32_t)test_random_below(&random, 5);
        int64_t shape[YOKE_MAX_DIMENSIONS], most = dimensions == 1 ? 30000 : dimensions == 2 ? 180 : dimensions == 3 ? 32 : 9;
        for (int32_t i = 0; i < dimensions; i++)
            shape[i] = 1 + test_random_below(&random, most);
        uint32_t mask = 1 + (uint32_t)test_random_below(&random, (1 << dimensions) - 1);
        int32_t operation = round % 2 ? YOKE_REDUCE_SUM : YOKE_REDUCE_ARGMAX;
        one(t, operation, YOKE_F32, usual_out(operation, YOKE_F32), dimensions, shape, mask, (layout)(round % LAYOUT_COUNT),
            (uint32_t)round, round % 2 == 0 && operation == YOKE_REDUCE_ARGMAX);
    }
}

static void specials(suite *t)
{
    test_array a;
    static const int32_t list[] = { YOKE_REDUCE_SUM,        YOKE_REDUCE_MIN,           YOKE_REDUCE_MAX,
                                    YOKE_REDUCE_ARGMIN,     YOKE_REDUCE_ARGMAX,        YOKE_REDUCE_ANY,
                                    YOKE_REDUCE_ALL,        YOKE_REDUCE_NORM,          YOKE_REDUCE_MIN_OR_NAN,
                                    YOKE_REDUCE_MAX_OR_NAN, YOKE_REDUCE_ARGMIN_OR_NAN, YOKE_REDUCE_ARGMAX_OR_NAN };
    static const long double sets[][3] = { { NAN, NAN, NAN },     { -0.0L, -0.0L, -0.0L }, { 0, -0.0L, 0 },
                                           { -0.0L, 0, -0.0L },   { NAN, -5, NAN },        { INFINITY, NAN, INFINITY },
                                           { -INFINITY, 3, NAN }, { 1e-40L, -1e-40L, 0 },  { INFINITY, -INFINITY, 1 } };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
            if (!test_array_create(t, YOKE_F32, 1, SHAPE(50), LAYOUT_CONTIGUOUS, 5, &a))
                return;
            for (int64_t e = 0; e < a.count; e++)
                test_set(&a, e, sets[k][e == 20 ? 1 : e == 33 ? 2 : 0]);
            reduces(t, list[i], &a, 1, usual_out(list[i], YOKE_F32), LAYOUT_CONTIGUOUS, false);
            test_array_release(&a);
        }
    one(t, YOKE_REDUCE_MIN, YOKE_F64, YOKE_F64, 2, SHAPE(9, 200), 2, LAYOUT_CONTIGUOUS, 8, true);
    one(t, YOKE_REDUCE_MAX, YOKE_F16, YOKE_F16, 2, SHAPE(9, 200), 2, LAYOUT_CONTIGUOUS, 9, true);
    one(t, YOKE_REDUCE_MIN_OR_NAN, YOKE_F64, YOKE_F64, 2, SHAPE(9, 200), 2, LAYOUT_CONTIGUOUS, 8, true);
    one(t, YOKE_REDUCE_ARGMAX_OR_NAN, YOKE_F64, YOKE_I64, 2, SHAPE(9, 200), 2, LAYOUT_CONTIGUOUS, 9, true);
    one(t, YOKE_REDUCE_SUM, YOKE_C64, YOKE_C64, 2, SHAPE(9, 200), 2, LAYOUT_CONTIGUOUS, 10, true);
    one(t, YOKE_REDUCE_PRODUCT, YOKE_C64, YOKE_C64, 2, SHAPE(50, 6), 2, LAYOUT_CONTIGUOUS, 11, true);
}

static void empty(suite *t)
{
    static const struct {
        int32_t operation, dtype, out;
        long double wanted;
    } list[] = {
        { YOKE_REDUCE_SUM, YOKE_F32, YOKE_F32, 0 },        { YOKE_REDUCE_PRODUCT, YOKE_F32, YOKE_F32, 1 },
        { YOKE_REDUCE_MIN, YOKE_F32, YOKE_F32, INFINITY }, { YOKE_REDUCE_MAX, YOKE_F32, YOKE_F32, -INFINITY },
        { YOKE_REDUCE_MIN, YOKE_I8, YOKE_I32, 127 },       { YOKE_REDUCE_MAX, YOKE_I16, YOKE_I32, -32768 },
        { YOKE_REDUCE_MAX, YOKE_BOOL, YOKE_I32, 0 },       { YOKE_REDUCE_MIN, YOKE_U64, YOKE_U64, 18446744073709551615.0L },
        { YOKE_REDUCE_ANY, YOKE_F32, YOKE_BOOL, 0 },       { YOKE_REDUCE_ALL, YOKE_F32, YOKE_BOOL, 1 },
        { YOKE_REDUCE_ARGMIN, YOKE_F32, YOKE_I64, -1 },    { YOKE_REDUCE_MEAN, YOKE_F32, YOKE_F32, NAN },
        { YOKE_REDUCE_VARIANCE, YOKE_F32, YOKE_F32, NAN }, { YOKE_REDUCE_NORM, YOKE_F32, YOKE_F32, 0 },
        { YOKE_REDUCE_MEAN, YOKE_I32, YOKE_F32, NAN },     { YOKE_REDUCE_MIN_OR_NAN, YOKE_I8, YOKE_I32, 127 },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        test_array a, out;
        int64_t rows = i == 0 ? 300 : 3; /* few rows share the kernels of other cases */
        if (!test_array_create(t, list[i].dtype, 2, SHAPE(rows, 0), LAYOUT_CONTIGUOUS, 1, &a) ||
            !test_array_create(t, list[i].out, 1, &rows, LAYOUT_RANDOM, 2, &out) || !test_upload(t, &out))
            return;
        CHECK_OK(yoke_reduce(t->stream, list[i].operation, &out.array, &a.array, YOKE_AXES(1)));
        CHECK_OK(yoke_stream_wait(t->stream));
        test_download_checked(t, &out, false);
        unsigned char wanted[16];
        test_store(list[i].out, wanted, list[i].wanted);
        for (int64_t k = 0; k < rows; k++)
            if (!CHECK(test_same(list[i].out, wanted, test_element(&out, k))))
                break;
        test_array_release(&a);
        test_array_release(&out);
    }
    test_array a, out;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(0, 5), LAYOUT_CONTIGUOUS, 1, &a) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(0), LAYOUT_CONTIGUOUS, 2, &out))
        return;
    CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_AXES(1)));
    CHECK_OK(yoke_stream_wait(t->stream));
    test_array_release(&a);
    test_array_release(&out);
}

static void dot_of(suite *t, int32_t dtype_a, int32_t dtype_b, int32_t dtype_out, int64_t n, layout how)
{
    test_array a, b, out;
    unsigned char wanted[16] = { 0 };
    if (!test_has(t, dtype_a) || !test_has(t, dtype_b) || !test_has(t, dtype_out))
        return;
    if (!test_array_create(t, dtype_a, 2, SHAPE(3, n), how, 1, &a) || !test_array_create(t, dtype_b, 2, SHAPE(3, n), how, 2, &b) ||
        !test_array_create(t, dtype_out, 0, NULL, how, 3, &out))
        return;
    fill(&a, 11, false);
    fill(&b, 12, false);
    if (test_upload(t, &a) && test_upload(t, &b) && test_upload(t, &out) &&
        CHECK_OK(yoke_dot(t->stream, &out.array, &a.array, &b.array)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
        test_download_checked(t, &out, false) && test_download_checked(t, &a, true)) {
        reference_row row = { .a = &a, .b = &b, .n = 3 * n };
        reference_reduce(YOKE_REDUCE_SUM, dtype_out, &row, wanted);
        if (!CHECK(test_same(dtype_out, wanted, test_element(&out, 0))))
            tap_diag("%s . %s, %lld: %.9Lg, not %.9Lg", yoke_dtype_get_name(dtype_a), yoke_dtype_get_name(dtype_b), (long long)n,
                     test_get(&out, 0), test_load(dtype_out, wanted));
    }
    test_array_release(&a);
    test_array_release(&b);
    test_array_release(&out);
}

static void dots(suite *t)
{
    static const int32_t list[][3] = { { YOKE_F32, YOKE_F32, YOKE_F32 }, { YOKE_F64, YOKE_F64, YOKE_F64 },
                                       { YOKE_F16, YOKE_F16, YOKE_F32 }, { YOKE_I8, YOKE_I8, YOKE_I32 },
                                       { YOKE_C64, YOKE_C64, YOKE_C64 }, { YOKE_U16, YOKE_I32, YOKE_I64 } };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        for (layout how = LAYOUT_CONTIGUOUS; how < LAYOUT_COUNT; how++)
            if (i == 0 || how == (layout)(i % LAYOUT_COUNT))
                dot_of(t, list[i][0], list[i][1], list[i][2], i == 0 ? 33333 : 1277, how);
}

static void mistakes(suite *t)
{
    test_array a, out, row, whole, complex;
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(3, 4), LAYOUT_CONTIGUOUS, 1, &a) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(3), LAYOUT_CONTIGUOUS, 2, &out) ||
        !test_array_create(t, YOKE_I32, 1, SHAPE(4), LAYOUT_CONTIGUOUS, 3, &row) ||
        !test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 4, &whole) ||
        !test_array_create(t, YOKE_C64, 2, SHAPE(3, 4), LAYOUT_CONTIGUOUS, 5, &complex))
        return;
    yoke_array inside = yoke_array_index(a.array, 1, 0);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|stream|NULL",
                yoke_reduce(NULL, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|out|NULL",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, NULL, &a.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|a is NULL",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, NULL, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|19 is not", yoke_reduce(t->stream, 19, &out.array, &a.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|YOKE_REDUCE_AND|bits of ranks|YOKE_REDUCE_NORM",
                yoke_reduce(t->stream, YOKE_REDUCE_AND, &out.array, &a.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map_reduce|YOKE_REDUCE_XOR|bits of ranks",
                yoke_map_reduce(t->stream, YOKE_REDUCE_XOR, &out.array, "x", (yoke_var[]){ yoke_var_array("x", a.array) }, 1,
                                YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|axis 2 is out of range: the array has 2 dimensions",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_AXES(2)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|axis -1 is out of range: the array has 2 dimensions",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_AXES(-1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|axis 1 is named twice: the array has 2 dimensions",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_AXES(1, 1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "axes is NULL, and axis_count is 1",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, NULL, 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "(3)|(3, 4)|(4)",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_AXES(0)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_ARGMAX|integer|float",
                yoke_reduce(t->stream, YOKE_REDUCE_ARGMAX, &out.array, &a.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_MEAN|int32",
                yoke_reduce(t->stream, YOKE_REDUCE_MEAN, &row.array, &a.array, YOKE_AXES(0)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_MIN|complex64|order",
                yoke_reduce(t->stream, YOKE_REDUCE_MIN, &out.array, &complex.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_MEAN|complex",
                yoke_reduce(t->stream, YOKE_REDUCE_MEAN, &out.array, &complex.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out|overlaps|a",
                yoke_reduce(t->stream, YOKE_REDUCE_SUM, &inside, &a.array, YOKE_AXES(1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_dot|(3)|one element", yoke_dot(t->stream, &out.array, &a.array, &a.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_dot|(3, 4)|(3)|broadcast", yoke_dot(t->stream, &whole.array, &a.array, &out.array));
    test_array_release(&a);
    test_array_release(&out);
    test_array_release(&row);
    test_array_release(&whole);
    test_array_release(&complex);
}

/* Recorded once, launched with other data; and 20 runs that give the same bits. */
static void graphs(suite *t)
{
    test_array a, out;
    yoke_graph *graph = NULL;
    if (!test_array_create(t, YOKE_F32, 1, SHAPE(300000), LAYOUT_CONTIGUOUS, 1, &a) ||
        !test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 2, &out))
        return;
    if (CHECK_OK(yoke_graph_create(t->device, "reduce", &graph)) && CHECK_OK(yoke_graph_begin(graph, t->stream)) &&
        CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &out.array, &a.array, YOKE_ALL_AXES)) && CHECK_OK(yoke_graph_end(graph)))
        for (uint32_t round = 0; round < 20; round++) {
            fill(&a, round / 10, false);
            if (!test_upload(t, &a) || !test_upload(t, &out) || !CHECK_OK(yoke_graph_launch(t->stream, graph)) ||
                !CHECK_OK(yoke_stream_wait(t->stream)) || !test_download_checked(t, &out, false) ||
                !reference_check(YOKE_REDUCE_SUM, &a, 1, &out, "graph"))
                break;
        }
    yoke_graph_release(graph);
    test_array_release(&a);
    test_array_release(&out);
}

static const suite_case cases[] = {
    { "every operation", operations, false },
    { "every dtype", dtypes, false },
    { "outputs of other dtypes", other_outputs, false },
    { "means of integers whose sum would wrap", large_means, false },
    { "sizes at the edges of tiles, spans and launches", sizes, false },
    { "axes: rows, columns, both, neither", axes, false },
    { "one element, of any shape", single, false },
    { "random shapes, axes and layouts", random_shapes, false },
    { "NaN, infinities, -0 and subnormals", specials, false },
    { "no elements give the operation's value for none", empty, false },
    { "dot products", dots, false },
    { "mistakes are refused, with both sides named", mistakes, false },
    { "in a graph, with other data each time", graphs, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
