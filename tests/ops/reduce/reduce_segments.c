/* SPDX-License-Identifier: Apache-2.0 */
/* yoke_reduce_segments: short and long segments, offsets out of order and out of range, against the reference. */
#include "reduce_reference.h"

#include <math.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

typedef enum kind { SHORT_ONES, MIXED, LONG_ONES, DISORDERED, KINDS } kind;

static int64_t next_offset(kind how, int64_t at, int64_t n, uint32_t *random)
{
    switch (how) {
    case SHORT_ONES:
        return at + test_random_below(random, 20);
    case MIXED:
        return at + test_random_below(random, test_random(random) % 8 ? 30 : 20000);
    case LONG_ONES:
        return at + test_random_below(random, 60000);
    default:
        return test_random_below(random, n + 2000) - 1000;
    }
}

static int64_t clamped(long double offset, int64_t n)
{
    return offset < 0 ? 0 : offset > (long double)n ? n : (int64_t)offset;
}

static long double value_for_none(int32_t operation)
{
    return operation == YOKE_REDUCE_ARGMAX ? -1 : operation == YOKE_REDUCE_VARIANCE ? (long double)NAN : 0;
}

static bool matches(int32_t operation, const test_array *a, const test_array *offsets, const test_array *out)
{
    for (int64_t i = 0; i < out->count; i++) {
        int64_t first = clamped(test_get(offsets, i), a->count), end = clamped(test_get(offsets, i + 1), a->count);
        unsigned char wanted[16] = { 0 };
        reference_row row = { .a = a, .first = first, .n = end - first };
        if (row.n > 0)
            reference_reduce(operation, out->array.dtype, &row, wanted);
        else
            test_store(out->array.dtype, wanted, value_for_none(operation));
        if (!CHECK(test_same(out->array.dtype, wanted, test_element(out, i)))) {
            tap_diag("operation %d, segment %lld: %lld to %lld: %.9Lg, not %.9Lg", (int)operation, (long long)i, (long long)first,
                     (long long)end, test_get(out, i), test_load(out->array.dtype, wanted));
            return false;
        }
    }
    return true;
}

static void reduces(suite *t, int32_t operation, int32_t dtype, int32_t offset_dtype, int64_t n, int64_t segments, kind how,
                    layout placed)
{
    test_array a, offsets, out;
    uint32_t random = (uint32_t)(n + segments);
    int32_t out_dtype = operation == YOKE_REDUCE_ARGMAX ? YOKE_I32 : dtype;
    if (!test_array_create(t, dtype, 1, SHAPE(n), placed, 1, &a) ||
        !test_array_create(t, offset_dtype, 1, SHAPE(segments + 1), placed, 2, &offsets) ||
        !test_array_create(t, out_dtype, 1, SHAPE(segments), placed, 3, &out))
        return;
    test_fill_whole_range(&a, 4, false);
    int64_t at = how == DISORDERED ? 0 : test_random_below(&random, 5) - 2;
    for (int64_t i = 0; i <= segments; i++) {
        test_set(&offsets, i, at);
        at = next_offset(how, at, n, &random);
    }
    if (test_upload(t, &a) && test_upload(t, &offsets) && test_upload(t, &out) &&
        CHECK_OK(yoke_reduce_segments(t->stream, operation, &out.array, &a.array, &offsets.array)) &&
        CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &out, false) && test_download_checked(t, &a, true))
        matches(operation, &a, &offsets, &out);
    test_array_release(&a);
    test_array_release(&offsets);
    test_array_release(&out);
}

static void short_ones(suite *t)
{
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 50000, 5000, SHORT_ONES, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 30, 5, SHORT_ONES, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 0, 5, SHORT_ONES, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 100, 0, SHORT_ONES, LAYOUT_CONTIGUOUS);
}

static void mixed_ones(suite *t)
{
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 100000, 400, MIXED, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 400000, 300, MIXED, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_ARGMAX, YOKE_F32, YOKE_I64, 100000, 200, MIXED, LAYOUT_RANDOM);
}

static void long_ones(suite *t)
{
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 600000, 20, LONG_ONES, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_VARIANCE, YOKE_F32, YOKE_I32, 200000, 9, LONG_ONES, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_ARGMAX, YOKE_F32, YOKE_I64, 300000, 12, LONG_ONES, LAYOUT_RANDOM);
}

static void disordered(suite *t)
{
    reduces(t, YOKE_REDUCE_SUM, YOKE_F32, YOKE_I32, 40000, 60, DISORDERED, LAYOUT_CONTIGUOUS);
    reduces(t, YOKE_REDUCE_ARGMAX, YOKE_F32, YOKE_I64, 40000, 60, DISORDERED, LAYOUT_RANDOM);
}

static void mistakes(suite *t)
{
    test_array a, offsets, out, wide;
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 1, SHAPE(100), LAYOUT_CONTIGUOUS, 1, &a) ||
        !test_array_create(t, YOKE_I32, 1, SHAPE(4), LAYOUT_CONTIGUOUS, 2, &offsets) ||
        !test_array_create(t, YOKE_F32, 1, SHAPE(3), LAYOUT_CONTIGUOUS, 3, &out) ||
        !test_array_create(t, YOKE_F32, 2, SHAPE(3, 3), LAYOUT_CONTIGUOUS, 4, &wide))
        return;
#define TRY(operation, out, a, offsets) yoke_reduce_segments(t->stream, operation, out, a, offsets)
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce_segments|stream",
                yoke_reduce_segments(NULL, YOKE_REDUCE_SUM, &out.array, &a.array, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "offsets is NULL", TRY(YOKE_REDUCE_SUM, &out.array, &a.array, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "a is NULL", TRY(YOKE_REDUCE_SUM, &out.array, NULL, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out is NULL", TRY(YOKE_REDUCE_SUM, NULL, &a.array, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "a has the shape (3, 3)|one dimension",
                TRY(YOKE_REDUCE_SUM, &out.array, &wide.array, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "offsets has the dtype float|int32", TRY(YOKE_REDUCE_SUM, &out.array, &a.array, &a.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out has 100|offsets has 4", TRY(YOKE_REDUCE_SUM, &a.array, &out.array, &offsets.array));
    yoke_array part = yoke_array_slice(a.array, 0, 50, 53, 1), first = yoke_array_slice(offsets.array, 0, 0, 3, 1);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out overlaps a", TRY(YOKE_REDUCE_SUM, &part, &a.array, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out overlaps offsets", TRY(YOKE_REDUCE_SUM, &first, &a.array, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "99", TRY(99, &out.array, &a.array, &offsets.array));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "YOKE_REDUCE_ARGMIN|integer",
                TRY(YOKE_REDUCE_ARGMIN, &out.array, &a.array, &offsets.array));
    test_array_release(&a);
    test_array_release(&offsets);
    test_array_release(&out);
    test_array_release(&wide);
}

static const suite_case cases[] = {
    { "many short segments", short_ones, false }, { "short and long segments", mixed_ones, false },
    { "long segments", long_ones, false },        { "offsets in any order, and outside of the array", disordered, false },
    { "mistakes are refused", mistakes, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
