/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays whose members a program has filled: strides that interleave, whose elements the host lists here to know which meet;
 * strides and extents for which no number is large enough; outputs that are too narrow for a position or a count; bools of any
 * byte.
 */
#include "../arrays.h"

#include <string.h>

#include "ops/array/collide.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ---- Strides that interleave ---- */

enum { BYTES = 1 << 16, MIDDLE = BYTES / 2 };

/* A layout of few elements around the buffer's middle; strides near each other, some backwards. */
static yoke_array lay_out(yoke_buffer *buffer, int32_t dtype, uint32_t *state)
{
    yoke_array a = { .buffer = buffer, .dtype = dtype, .dimensions = 1 + (int32_t)test_random_below(state, 4) };
    a.offset = MIDDLE + (uint64_t)test_random_below(state, 8) * yoke_dtype_get_size(dtype);
    for (int32_t i = 0; i < a.dimensions; i++) {
        a.shape[i] = 1 + test_random_below(state, 5);
        a.strides[i] = (test_random_below(state, 2) ? 1 : -1) * (1 + test_random_below(state, 24));
    }
    return a;
}

/* Count in counts[] each byte of each element; returns whether one has been there before. */
static bool mark(const yoke_array *a, unsigned char *counts)
{
    int64_t n = yoke_array_get_size(a);
    size_t size = yoke_dtype_get_size(a->dtype);
    bool meets = false;
    for (int64_t position = 0; position < n; position++) {
        int64_t rest = position, at = (int64_t)a->offset;
        for (int32_t i = a->dimensions - 1; i >= 0; i--) {
            at += rest % a->shape[i] * a->strides[i] * (int64_t)size;
            rest /= a->shape[i];
        }
        for (size_t byte = 0; byte < size; byte++)
            meets = counts[at + (int64_t)byte]++ > 0 || meets;
    }
    return meets;
}

static void outputs_that_interleave(suite *t)
{
    static unsigned char counts[BYTES];
    yoke_buffer *buffer;
    uint32_t state = 77;
    int taken = 0;
    if (!CHECK_OK(yoke_buffer_create(t->device, BYTES, &buffer)))
        return;
    suite_expect_log();
    for (int round = 0; round < 3000; round++) {
        yoke_array a = lay_out(buffer, YOKE_F32, &state);
        memset(counts, 0, sizeof counts);
        bool meets = mark(&a, counts);
        yoke_status status = taken < 300 || meets ? yoke_assign_value(t->stream, &a, YOKE_NUMBER(1.0f)) : YOKE_OK;
        taken += !meets;
        if (!CHECK(status == (meets ? YOKE_E_INVALID_ARGUMENT : YOKE_OK)) ||
            (meets && !CHECK_TEXT(yoke_error()->text, "several of its elements lie at one place")))
            break;
    }
    /* Too many to try, and not sure: the text says no more than that. */
    yoke_array hard = { .buffer = buffer, .dtype = YOKE_U8, .dimensions = 6, .shape = { 6, 6, 6, 6, 6, 6 } };
    static const int64_t strides[] = { 3001, 2411, 1709, 1013, 911, 709 };
    memcpy(hard.strides, strides, sizeof strides);
    memset(counts, 0, sizeof counts);
    yoke_status status = mark(&hard, counts) ? YOKE_E_INVALID_ARGUMENT : YOKE_OK;
    if (yoke_assign_value(t->stream, &hard, YOKE_NUMBER(1)) != status)
        CHECK_TEXT(yoke_error()->text, "too long to see");
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(buffer);
}

/* Two arrays of one buffer, of the same size of elements and of others. */
static void pairs_that_interleave(suite *t)
{
    static unsigned char counts[BYTES], both[BYTES];
    static const int32_t dtypes[] = { YOKE_U8, YOKE_I16, YOKE_F32, YOKE_C64 };
    uint32_t state = 78;
    (void)t;
    for (int round = 0; round < 6000; round++) {
        yoke_array a = lay_out(NULL, dtypes[round % 4], &state), b = lay_out(NULL, dtypes[round / 4 % 4], &state);
        yops_place places[2] = { { .first = BYTES }, { .first = BYTES } };
        bool meets = false;
        memset(counts, 0, sizeof counts);
        memset(both, 0, sizeof both);
        mark(&a, counts);
        mark(&b, both);
        for (uint64_t i = 0; i < BYTES; i++) {
            meets = meets || (counts[i] && both[i]);
            if (counts[i]) {
                places[0].first = places[0].first < i ? places[0].first : i;
                places[0].last = i;
            }
            if (both[i]) {
                places[1].first = places[1].first < i ? places[1].first : i;
                places[1].last = i;
            }
        }
        if (!CHECK(yops_collide(&a, &places[0], &b, &places[1]) == (meets ? YOPS_COLLIDES : YOPS_APART)) ||
            !CHECK(yops_collide(&b, &places[1], &a, &places[0]) == (meets ? YOPS_COLLIDES : YOPS_APART)))
            return;
    }
}

/* An input and an output between each other's elements, each with elements in disorder. */
static void columns_beside_each_other(suite *t)
{
    static const float wanted[16] = { 1, 0, 1, 1, 1, 1, 2, 1, 2, 2, 2, 2, 0, 2, 0, 0 };
    float got[16];
    yoke_array memory;
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_F32, 1, SHAPE(16), &memory)))
        return;
    yoke_array a = { memory.buffer, 16, YOKE_F32, 2, { 2, 3 }, { 3, -2 }, 0 }, b = a;
    b.offset += 24;
    suite_expect_log();
    CHECK_OK(yoke_assign_value(t->stream, &memory, YOKE_NUMBER(0)));
    CHECK_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(1)));
    CHECK_OK(yoke_map(t->stream, "b = a + 1", YOKE_VARS(b, a)));
    if (CHECK_OK(yoke_read_array(t->stream, got, &memory)) && CHECK_OK(yoke_stream_wait(t->stream)))
        CHECK_BYTES(got, wanted, sizeof got);
    b.offset -= 4;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_map|b overlaps a", yoke_map(t->stream, "b = a + 1", YOKE_VARS(b, a)));
    yoke_buffer_release(memory.buffer);
}

static void interleaved(suite *t)
{
    outputs_that_interleave(t);
    pairs_that_interleave(t);
    columns_beside_each_other(t);
}

/* ---- Numbers that are too large ---- */

static void extents_and_strides(suite *t)
{
    static const int64_t numbers[] = { 0,        1, 2, 3, 40, -1, -3, INT64_C(1) << 31, INT64_C(1) << 62, INT64_MAX, INT64_MAX - 7,
                                       INT64_MIN };
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    yoke_buffer *buffer;
    yoke_array ok;
    uint32_t state = 79;
    if (!CHECK_OK(yoke_buffer_create(t->device, 4096, &buffer)))
        return;
    ok = yoke_array_1d(buffer, YOKE_I64, 1);
    suite_expect_log();
    yoke_array empty = yoke_array_nd(buffer, YOKE_F32, 3, SHAPE(0, INT64_MAX - 7, 40));
    CHECK(yoke_array_get_size(&empty) == 0 && yoke_array_is_contiguous(&empty));
    CHECK_OK(yoke_assign_value(t->stream, &empty, YOKE_NUMBER(1)));
    for (int round = 0; round < 20000; round++) {
        yoke_array a = { .buffer = buffer, .dtype = YOKE_F32, .dimensions = 1 + (int32_t)test_random_below(&state, 4) };
        a.offset = (uint64_t)numbers[test_random_below(&state, NUMBERS)];
        for (int32_t i = 0; i < a.dimensions; i++) {
            a.shape[i] = numbers[test_random_below(&state, NUMBERS)];
            a.strides[i] = numbers[test_random_below(&state, NUMBERS)];
        }
        int32_t axis = (int32_t)test_random_below(&state, a.dimensions);
        int64_t x = numbers[test_random_below(&state, NUMBERS)], y = numbers[test_random_below(&state, NUMBERS)];
        bool is_negative = false;
        for (int32_t i = 0; i < a.dimensions; i++)
            is_negative = is_negative || a.shape[i] < 0;
        CHECK(!is_negative || (yoke_array_get_size(&a) == 0 && !yoke_array_is_contiguous(&a)));
        yoke_array views[] = { yoke_array_slice(a, axis, x, y, numbers[round % NUMBERS]),
                               yoke_array_index(a, axis, x),
                               yoke_array_transpose(a, NULL),
                               yoke_array_reshape(a, 2, SHAPE(x, y)),
                               yoke_array_reshape(a, 1, SHAPE(-1)),
                               yoke_array_broadcast(a, a.dimensions, a.shape),
                               yoke_array_expand(a, axis),
                               a };
        for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
            CHECK(!is_negative || views[i].dtype == 0 || i + 1 == sizeof views / sizeof *views);
            if (round % 8 != 0 || yoke_array_get_size(&views[i]) > 0) /* nothing of this is to be launched */
                continue;
            yoke_scan(t->stream, YOKE_REDUCE_SUM, YOKE_SCAN_INCLUSIVE, &views[i], &views[i], 0);
            yoke_sort(t->stream, YOKE_SORT_ASCENDING, &views[i], NULL);
            yoke_gather(t->stream, &views[i], &views[i], &ok, axis);
            yoke_histogram(t->stream, &ok, &views[i], YOKE_NUMBER(0), YOKE_NUMBER(1), NULL);
            yoke_reduce(t->stream, YOKE_REDUCE_ARGMAX, &ok, &views[i], YOKE_ALL_AXES);
        }
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(buffer);
}

/* ---- Positions and counts ---- */

static void narrow_outputs(suite *t)
{
    yoke_array a, out;
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_F32, 1, SHAPE(1000), &a)) ||
        !CHECK_OK(yoke_array_create(t->device, YOKE_I64, 1, SHAPE(2), &out)))
        return;
    CHECK_OK(yoke_assign_value(t->stream, &a, YOKE_NUMBER(0)));
    CHECK_OK(yoke_assign_value(t->stream, &out, YOKE_NUMBER(0)));
    suite_expect_log();
    yoke_array one = yoke_array_slice(out, 0, 0, 1, 1), bytes = one, shorts = one, words = one,
               some = yoke_array_slice(a, 0, 0, 128, 1);
    bytes.dtype = YOKE_I8;
    shorts.dtype = YOKE_I16;
    words.dtype = YOKE_I32;
    CHECK_FAILS(YOKE_E_RANGE, "yoke_reduce|out|int8|999", yoke_reduce(t->stream, YOKE_REDUCE_ARGMAX, &bytes, &a, YOKE_ALL_AXES));
    CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_ARGMAX, &bytes, &some, YOKE_ALL_AXES));
    CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_ARGMIN, &shorts, &a, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_map_reduce|out|int8|999",
                yoke_map_reduce(t->stream, YOKE_REDUCE_ARGMIN, &bytes, "a + 1", YOKE_VARS(a), YOKE_ALL_AXES));
    yoke_array many = yoke_array_broadcast(yoke_array_slice(a, 0, 0, 1, 1), 1, SHAPE((INT64_C(1) << 31) + 1)), few = many;
    few.shape[0]--;
    yoke_array offsets = out, first = yoke_array_slice(a, 0, 1, 2, 1);
    CHECK_FAILS(YOKE_E_RANGE, "yoke_reduce|out|int32|2147483648",
                yoke_reduce(t->stream, YOKE_REDUCE_ARGMAX, &words, &many, YOKE_ALL_AXES));
    bytes.offset = 8; /* behind the offsets' first element, which is not looked at */
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "overlaps", yoke_reduce_segments(t->stream, YOKE_REDUCE_ARGMAX, &bytes, &a, &offsets));
    bytes = yoke_array_1d(a.buffer, YOKE_I8, 1);
    bytes.offset = 3999;
    yoke_array front = yoke_array_slice(a, 0, 0, 900, 1), flags = yoke_array_1d(a.buffer, YOKE_U8, 1);
    CHECK_FAILS(YOKE_E_RANGE, "yoke_reduce_segments|out|int8|899",
                yoke_reduce_segments(t->stream, YOKE_REDUCE_ARGMAX, &bytes, &front, &offsets));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_map_reduce_segments|out|int8|899",
                yoke_map_reduce_segments(t->stream, YOKE_REDUCE_ARGMAX, &bytes, "front * 2", YOKE_VARS(front), &offsets));
    flags = yoke_array_broadcast(flags, 1, many.shape);
    CHECK_FAILS(YOKE_E_RANGE, "yoke_select|count|int32|2147483649", yoke_select(t->stream, &first, &words, &many, &flags));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_select_where|count|int32|2147483649",
                yoke_select_where(t->stream, &first, &words, &many, "many > 1", YOKE_VARS(many)));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_unique|starts|int32|2147483648", yoke_unique(t->stream, &first, &words, NULL, &many));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_unique|count|int32|2147483648", yoke_unique(t->stream, &first, NULL, &words, &few));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_histogram|bins|int32|2147483648",
                yoke_histogram(t->stream, &words, &few, YOKE_NUMBER(0), YOKE_NUMBER(1), NULL));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_searchsorted|positions|int32|2147483648",
                yoke_searchsorted(t->stream, YOKE_SEARCH_LEFT, &words, &few, &first));
    CHECK_FAILS(YOKE_E_RANGE, "yoke_top_k|indices|int32|2147483648",
                yoke_top_k(t->stream, YOKE_SORT_ASCENDING, NULL, &words, &many));
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(out.buffer);
    yoke_buffer_release(a.buffer);
}

/* ---- Bools of any byte ---- */

/* Written, moved and read, the bytes stay, in any layout; what computes takes all but 0 for true, and writes 0 and 1. */
static void bools(suite *t)
{
    static const unsigned char bytes[] = { 0, 1, 7, 200, 2, 0, 255, 128 }, truth[] = { 0, 1, 1, 1, 1, 0, 1, 1 };
    enum { N = sizeof bytes };
    unsigned char got[N];
    int32_t places[N], count = 0;
    static const int32_t order[N] = { 0, 5, 1, 2, 3, 4, 6, 7 };
    yoke_array memory, copy, positions, number;
    if (!CHECK_OK(yoke_array_create(t->device, YOKE_BOOL, 1, SHAPE(3 * N), &memory)) ||
        !CHECK_OK(yoke_array_create(t->device, YOKE_BOOL, 1, SHAPE(N), &copy)) ||
        !CHECK_OK(yoke_array_create(t->device, YOKE_I32, 1, SHAPE(N), &positions)) ||
        !CHECK_OK(yoke_array_create(t->device, YOKE_I32, 1, SHAPE(1), &number)))
        return;
    for (int64_t step = 1; step <= 3; step++) {
        yoke_array a = yoke_array_slice(memory, 0, 0, N * step, step),
                   backwards = yoke_array_slice(a, 0, YOKE_SLICE_END, YOKE_SLICE_END, -1);
        CHECK_OK(yoke_write_array(t->stream, &a, bytes));
        if (CHECK_OK(yoke_read_array(t->stream, got, &a)) && CHECK_OK(yoke_stream_wait(t->stream)))
            CHECK_BYTES(got, bytes, N);
        CHECK_OK(yoke_read_array(t->stream, got, &backwards));
        CHECK_OK(yoke_stream_wait(t->stream));
        for (int i = 0; i < N; i++)
            CHECK(got[i] == bytes[N - 1 - i]);
        CHECK_OK(yoke_assign(t->stream, &copy, &a));
        if (CHECK_OK(yoke_read_array(t->stream, got, &copy)) && CHECK_OK(yoke_stream_wait(t->stream)))
            CHECK_BYTES(got, truth, N);
        CHECK_OK(yoke_map(t->stream, "copy = a", YOKE_VARS(copy, a)));
        if (CHECK_OK(yoke_read_array(t->stream, got, &copy)) && CHECK_OK(yoke_stream_wait(t->stream)))
            CHECK_BYTES(got, truth, N);
        CHECK_OK(yoke_argsort(t->stream, YOKE_SORT_ASCENDING, &positions, &a));
        if (CHECK_OK(yoke_read_array(t->stream, places, &positions)) && CHECK_OK(yoke_stream_wait(t->stream)))
            CHECK_BYTES(places, order, sizeof places);
        CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &number, &a, YOKE_ALL_AXES));
        if (CHECK_OK(yoke_read_array(t->stream, &count, &number)) && CHECK_OK(yoke_stream_wait(t->stream)))
            CHECK(count == 6);
    }
    yoke_buffer_release(number.buffer);
    yoke_buffer_release(positions.buffer);
    yoke_buffer_release(copy.buffer);
    yoke_buffer_release(memory.buffer);
}

int main(void)
{
    static const suite_case cases[] = {
        { "strides that interleave", interleaved, false },
        { "extents and strides that are too large", extents_and_strides, false },
        { "positions and counts in narrow outputs", narrow_outputs, false },
        { "bools of any byte", bools, false },
    };
    return SUITE_MAIN(cases, NULL);
}
