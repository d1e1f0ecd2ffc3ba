/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where elements lie changes no bit of a result: views that begin at odd elements and, on CUDA, memory of other code that begins at
 * odd addresses, where the vector loads of aligned memory would fault.
 */
#include "arrays.h"

#include <string.h>

#include <yoke/filter.h>
#include <yoke/native.h>

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

enum { SIDE = 96, COUNT = SIDE * SIDE };

typedef struct place {
    yoke_buffer *memory, *begin; /* the whole, and where the elements begin */
    yoke_array array;
} place;

/* `shift`: elements in front of the array's, inside of Yoke's memory or, with `wraps`, before an address that is wrapped. */
static bool lay(suite *t, place *p, int32_t dtype, const void *elements, size_t shift, bool wraps)
{
    size_t size = yoke_dtype_get_size(dtype), bytes = (COUNT + 16) * size;
    uintptr_t native = 0;

    *p = (place){ NULL, NULL, { .dtype = 0 } };
    if (!CHECK_OK(yoke_buffer_create(t->device, bytes, &p->memory)) ||
        !CHECK_OK(yoke_write(t->stream, p->memory, shift * size, elements, COUNT * size)))
        return false;
    if (wraps && (!CHECK_OK(yoke_buffer_get_native(p->memory, &native)) ||
                  !CHECK_OK(yoke_buffer_wrap(t->device, native + shift * size, COUNT * size, &p->begin))))
        return false;
    p->array = yoke_array_nd(wraps ? p->begin : p->memory, dtype, 2, SHAPE(SIDE, SIDE));
    p->array.offset = wraps ? 0 : shift * size;
    return true;
}

static void take_away(place *p)
{
    yoke_buffer_release(p->begin);
    yoke_buffer_release(p->memory);
}

/* The results of all operations on the array, one after the other. */
static bool results_of(suite *t, const place *p, const place *out, float *results, unsigned char *filtered)
{
    static const int32_t operations[] = { YOKE_REDUCE_SUM, YOKE_REDUCE_NORM, YOKE_REDUCE_VARIANCE, YOKE_REDUCE_MAX };
    const size_t count = sizeof operations / sizeof *operations;
    test_array one;
    bool ok = false;

    if (!test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 1, &one))
        return false;
    NEED(test_upload(t, &one));
    for (size_t i = 0; i < count + 1; i++) {
        if (i < count)
            NEED_OK(yoke_reduce(t->stream, operations[i], &one.array, &p->array, YOKE_ALL_AXES));
        else
            NEED_OK(yoke_dot(t->stream, &one.array, &p->array, &p->array));
        NEED_OK(yoke_read_array(t->stream, &results[i], &one.array));
    }
    NEED_OK(yoke_gaussian_filter(t->stream, &out->array, &p->array, (const double[]){ 1.5, 1.5 }, YOKE_ALL_AXES, NULL));
    NEED_OK(yoke_read_array(t->stream, filtered, &out->array));
    NEED_OK(yoke_stream_wait(t->stream));
    ok = true;
out:
    test_array_release(&one);
    return ok;
}

enum { RESULTS = 5 };

/* Floats that have fractions, or bytes, whose squares reach 2^24 together. */
static void fill(unsigned char *elements, int32_t dtype, uint32_t seed)
{
    uint32_t random = seed + 1;

    for (size_t i = 0; i < COUNT; i++) {
        int64_t number = test_random_below(&random, 256);
        test_store(dtype, elements + i * yoke_dtype_get_size(dtype), dtype == YOKE_F32 ? (float)number / 3 : (float)number);
    }
}

/* Of other elements for each place, since the order of a sum seldom shows. */
static void same_anywhere(suite *t, int32_t dtype, bool wraps)
{
    enum { SEEDS = 9 };
    unsigned char elements[COUNT * 4], filtered[2][COUNT * 4];
    float results[2][RESULTS];

    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        bool ok = true;

        fill(elements, dtype, seed);
        for (int moved = 0; moved < 2 && ok; moved++) {
            size_t shift = moved ? 1 + seed % 3 : 0;
            place in = { .memory = NULL }, out = in;

            ok = lay(t, &in, dtype, elements, shift, moved && wraps) && lay(t, &out, dtype, elements, shift, moved && wraps) &&
                 results_of(t, &in, &out, results[moved], filtered[moved]);
            take_away(&in);
            take_away(&out);
        }
        if (ok && !CHECK(memcmp(results[0], results[1], sizeof results[0]) == 0))
            for (int i = 0; i < RESULTS; i++)
                tap_diag("%s, seed %u: result %d is %.9g, not %.9g", yoke_dtype_get_name(dtype), (unsigned)seed, i,
                         (double)results[1][i], (double)results[0][i]);
        CHECK(ok && memcmp(filtered[0], filtered[1], COUNT * yoke_dtype_get_size(dtype)) == 0);
    }
}

static void views(suite *t)
{
    same_anywhere(t, YOKE_F32, false);
    same_anywhere(t, YOKE_U8, false);
}

static void addresses(suite *t)
{
    if (strcmp(t->info.backend, "cuda") != 0) {
        suite_skip("buffers have no addresses on %s", t->info.backend);
        return;
    }
    same_anywhere(t, YOKE_F32, true);
    same_anywhere(t, YOKE_U8, true);
}

/* An address that is no multiple of the elements' size is refused, whatever the offset is. */
static void refused(suite *t)
{
    static const unsigned char zeros[COUNT];
    place p;
    test_array one;

    if (strcmp(t->info.backend, "cuda") != 0) {
        suite_skip("buffers have no addresses on %s", t->info.backend);
        return;
    }
    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 1, &one))
        return;
    if (lay(t, &p, YOKE_U8, zeros, 2, true)) {
        yoke_array wrong = yoke_array_nd(p.begin, YOKE_F32, 1, SHAPE(16));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_reduce|a|address|4 bytes of float",
                    yoke_reduce(t->stream, YOKE_REDUCE_SUM, &one.array, &wrong, YOKE_ALL_AXES));
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    take_away(&p);
    test_array_release(&one);
}

/* Arrays of another yoke_device_open, and shapes that are too large, or empty, or nothing at all. */
static void limits(suite *t)
{
    yoke_device *other = NULL;
    yoke_stream *stream = NULL;
    place p;
    test_array one, two, bins;
    unsigned char zeros[COUNT] = { 0 };
    const double weight = 3;

    suite_expect_log();
    if (!test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 1, &one) ||
        !test_array_create(t, YOKE_F32, 0, NULL, LAYOUT_CONTIGUOUS, 3, &two) ||
        !test_array_create(t, YOKE_U32, 1, SHAPE(2), LAYOUT_CONTIGUOUS, 2, &bins))
        return;
    NEED(lay(t, &p, YOKE_U8, zeros, 0, false) && test_upload(t, &one) && test_upload(t, &two) && test_upload(t, &bins));
    NEED_OK(yoke_device_open(t->info.selector, &other));
    NEED_OK(yoke_stream_create(other, NULL, &stream));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "lies on another device|yoke_device_open",
                yoke_reduce(stream, YOKE_REDUCE_SUM, &one.array, &p.array, YOKE_ALL_AXES));
    yoke_array huge = p.array, empty = p.array, none = p.array;
    huge.shape[0] = huge.shape[1] = (int64_t)1 << 32;
    huge.strides[0] = huge.strides[1] = 0;
    CHECK_FAILS(YOKE_E_RANGE, "yoke_histogram|4294967296",
                yoke_histogram(t->stream, &bins.array, &huge, YOKE_NUMBER(0), YOKE_NUMBER(2), NULL));
    empty.dimensions = 3;
    empty.shape[0] = empty.shape[1] = (int64_t)1 << 40;
    empty.shape[2] = 0;
    memset(empty.strides, 0, sizeof empty.strides);
    CHECK_OK(yoke_reduce(t->stream, YOKE_REDUCE_SUM, &one.array, &empty, YOKE_ALL_AXES));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "0 axes",
                yoke_correlate(t->stream, &two.array, &one.array, &weight, SHAPE(1), YOKE_ALL_AXES, NULL));
    none.dimensions = 100000000;
    CHECK(!yoke_array_is_contiguous(&none));
    none.dimensions = -1;
    CHECK(!yoke_array_is_contiguous(&none));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_stream_release(stream);
    yoke_device_release(other);
    take_away(&p);
    test_array_release(&bins);
    test_array_release(&two);
    test_array_release(&one);
}

static const suite_case cases[] = {
    { "views give the same bits wherever they begin", views, false },
    { "memory of other code does, at odd addresses", addresses, false },
    { "addresses that do not suit the elements are refused", refused, false },
    { "other devices, and shapes at the limits", limits, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
