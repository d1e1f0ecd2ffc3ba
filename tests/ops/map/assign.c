/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments: every dtype to every other, every layout to every other, one value for all, and what is refused. */
#include "../arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>

#include "ops/map/elementwise.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* The ways that suit any device: its own, and that of GPUs. */
static const char ways[] = { 0, YOPS_WAY_GRID };

/* ---- The reference ---- */

static long double saturated(int32_t dtype, long double x)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    bool is_signed = dtype == YOKE_I8 || dtype == YOKE_I16 || dtype == YOKE_I32 || dtype == YOKE_I64;
    long double low = is_signed ? -ldexpl(1, bits - 1) : 0, high = ldexpl(1, is_signed ? bits - 1 : bits) - 1;
    return isnan(x) ? 0 : x < low ? low : x > high ? high : truncl(x);
}

static void convert(int32_t target, void *out, int32_t source, const void *in)
{
    size_t half = yoke_dtype_get_size(source) / 2;
    long double real = test_load(source, in),
                imaginary = !yk_dtype_is_complex(source) ? 0 : test_load(source, (const char *)in + half);
    if (target == source && target != YOKE_BOOL) {
        memcpy(out, in, yoke_dtype_get_size(target));
        return;
    }
    if (target == YOKE_BOOL)
        real = real != 0 || imaginary != 0;
    else if (yk_dtype_is_integer(target) && !yk_dtype_is_integer(source))
        real = saturated(target, real);
    test_store(target, out, real);
    if (yk_dtype_is_complex(target))
        test_store(target, (char *)out + yoke_dtype_get_size(target) / 2, imaginary);
}

/* The position in `source` that broadcasts to this position in `target`. */
static int64_t position_of(const yoke_array *source, const yoke_array *target, int64_t position)
{
    int64_t at = 0, step = 1;
    for (int32_t i = source->dimensions - 1, j = target->dimensions - 1; j >= 0; i--, j--) {
        int64_t index = position % target->shape[j];
        position /= target->shape[j];
        if (i >= 0) {
            at += source->shape[i] == 1 ? 0 : index * step;
            step *= source->shape[i];
        }
    }
    return at;
}

static bool is_assigned(const test_array *target, const test_array *source)
{
    char wanted[16];
    for (int64_t i = 0; i < target->count; i++) {
        const char *in = test_element(source, position_of(&source->array, &target->array, i)), *got = test_element(target, i);
        convert(target->array.dtype, wanted, source->array.dtype, in);
        if (!test_same(target->array.dtype, got, wanted)) {
            tap_diag("%s = %s: element %lld of %lld: got %Lg, wanted %Lg, of %Lg; way %d", yoke_dtype_get_name(target->array.dtype),
                     yoke_dtype_get_name(source->array.dtype), (long long)i, (long long)target->count,
                     test_load(target->array.dtype, got), test_load(target->array.dtype, wanted),
                     test_load(source->array.dtype, in), yops_elementwise_force.way);
            return CHECK(!"the elements are right");
        }
    }
    return true;
}

static bool assign(suite *t, test_array *target, test_array *source)
{
    return test_upload(t, target) && test_upload(t, source) && CHECK_OK(yoke_assign(t->stream, &target->array, &source->array)) &&
           CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, source, true) &&
           test_download_checked(t, target, false) && is_assigned(target, source);
}

/* ---- dtypes ---- */

static void convert_pair(suite *t, int32_t target, int32_t source, layout how)
{
    test_array a, b;
    if (!test_array_create(t, target, 1, SHAPE(1201), how, 3, &a))
        return;
    if (test_array_create(t, source, 1, SHAPE(1201), how, 4, &b)) {
        test_fill_whole_range(&b, (uint32_t)(16 * target + source), true);
        for (int64_t i = 0; i < 16; i++)
            memset(test_element(&b, i), i < 8 && source == YOKE_BOOL ? 3 : 0, yoke_dtype_get_size(source));
        assign(t, &a, &b);
        test_array_release(&b);
    }
    test_array_release(&a);
}

static void converts(suite *t)
{
    for (int32_t target = 1; target < YK_DTYPE_COUNT; target++)
        for (int32_t source = 1; source < YK_DTYPE_COUNT; source++)
            /* Each as a source once, and as a target; tests/ops/map/map has the other pairs, many to a kernel. */
            if ((target + 4 * source) % (YK_DTYPE_COUNT - 1) == 0 && test_has(t, target) && test_has(t, source)) {
                yops_elementwise_force.way = ways[target % 4 == 0];
                convert_pair(t, target, source, target % 2 ? LAYOUT_CONTIGUOUS : LAYOUT_OFFSET);
            }
    yops_elementwise_force.way = 0;
}

/* ---- Layouts ---- */

/* A random shape of up to five axes, of up to about `most` elements. */
static int32_t choose_shape(uint32_t *random, int64_t most, int64_t *shape)
{
    int32_t dimensions = (int32_t)test_random_below(random, 6);
    int64_t left = most;
    for (int32_t i = 0; i < dimensions; i++) {
        int64_t limit = i == dimensions - 1 ? left : left < 40 ? left : 40;
        shape[i] = test_random(random) % 5 == 0 ? 1 : 1 + test_random_below(random, limit > 0 ? limit : 1);
        left /= shape[i];
    }
    return dimensions;
}

static void assign_random(suite *t, int32_t dtype, uint32_t seed)
{
    int64_t shape[5], narrow[5];
    uint32_t random = seed * 977u + 5;
    int32_t dimensions = choose_shape(&random, 4000, shape), first = 0;
    test_array a, b;
    memcpy(narrow, shape, sizeof narrow);
    for (int32_t i = 0; i < dimensions; i++)
        narrow[i] = test_random(&random) % 6 == 0 ? 1 : shape[i];
    if (dimensions > 0 && test_random(&random) % 5 == 0)
        first = 1;
    if (!test_array_create(t, dtype, dimensions, shape, (layout)(seed % LAYOUT_COUNT), seed, &a))
        return;
    if (test_array_create(t, dtype, dimensions - first, narrow + first, (layout)(seed / LAYOUT_COUNT % LAYOUT_COUNT), seed + 9,
                          &b)) {
        assign(t, &a, &b);
        test_array_release(&b);
    }
    test_array_release(&a);
}

static void layouts(suite *t)
{
    static const int32_t dtypes[] = { YOKE_F32, YOKE_F32, YOKE_U8, YOKE_F32 };
    for (uint32_t seed = 0; seed < 24; seed++) {
        yops_elementwise_force.way = ways[seed / 6 % 2];
        yops_elementwise_force.wide = seed % 5 == 0;
        assign_random(t, dtypes[seed % 4], seed);
    }
    yops_elementwise_force = (yops_elementwise_forced){ 0 };
}

/* Views of one contiguous array: a permutation of its axes. */
static void transpose(suite *t, int32_t dtype, int32_t dimensions, const int64_t *shape, const int32_t *axes)
{
    test_array a, b;
    int64_t turned[YOKE_MAX_DIMENSIONS];
    for (int32_t i = 0; i < dimensions; i++)
        turned[i] = shape[axes[i]];
    if (!test_array_create(t, dtype, dimensions, turned, LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, dtype, dimensions, shape, LAYOUT_CONTIGUOUS, 2, &b)) {
        b.array = yoke_array_transpose(b.array, axes);
        assign(t, &a, &b);
        test_array_release(&b);
    }
    test_array_release(&a);
}

static void transposes(suite *t)
{
    for (size_t way = 0; way < 2; way++) {
        yops_elementwise_force.way = ways[way];
        transpose(t, YOKE_F32, 2, SHAPE(33, 70), (const int32_t[]){ 1, 0 });
        transpose(t, YOKE_F32, 2, SHAPE(64, 32), (const int32_t[]){ 1, 0 });
        transpose(t, YOKE_F32, 2, SHAPE(5, 200), (const int32_t[]){ 1, 0 });
        transpose(t, YOKE_U8, 2, SHAPE(31, 97), (const int32_t[]){ 1, 0 });
        transpose(t, way ? YOKE_C64 : YOKE_F32, 3, SHAPE(9, 40, 11), (const int32_t[]){ 2, 0, 1 });
        transpose(t, YOKE_F32, 3, SHAPE(9, 40, 11), (const int32_t[]){ 2, 1, 0 });
        transpose(t, way ? YOKE_F32 : YOKE_F16, 3, SHAPE(9, 40, 11), (const int32_t[]){ 1, 0, 2 });
        transpose(t, YOKE_F32, 4, SHAPE(9, 4, 11, 12), (const int32_t[]){ 3, 1, 0, 2 });
        transpose(t, YOKE_F32, 5, SHAPE(9, 2, 11, 3, 10), (const int32_t[]){ 4, 2, 3, 0, 1 });
        yops_elementwise_force.wide = true;
        transpose(t, YOKE_F32, 3, SHAPE(9, 40, 11), (const int32_t[]){ 2, 1, 0 });
        yops_elementwise_force.wide = false;
    }
    yops_elementwise_force.way = 0;
}

/* Sizes round the ends of vectors, chunks, blocks and tiles, and every misalignment of either side. */
static void sizes(suite *t)
{
    static const int64_t counts[] = { 0, 1, 2, 3, 15, 16, 17, 255, 1023, 1025, 4095, 4096, 4097, 8193, 16383, 16385, 1000001 };
    for (size_t i = 0; i < YOPS_COUNT_OF(counts); i++) {
        test_array a, b;
        int64_t n = counts[i];
        if (!test_array_create(t, YOKE_U8, 1, &n, LAYOUT_CONTIGUOUS, 1, &a))
            return;
        if (test_array_create(t, YOKE_U8, 1, &n, LAYOUT_CONTIGUOUS, 2, &b)) {
            fill_random(b.bytes, b.memory.size, 7);
            for (size_t way = 0; way < 2; way++) {
                yops_elementwise_force.way = ways[way];
                assign(t, &a, &b);
            }
            test_array_release(&b);
        }
        test_array_release(&a);
    }
    for (int64_t skip = 0; skip < 64; skip++) {
        test_array a, b;
        if (!test_array_create(t, YOKE_I16, 1, SHAPE(70), LAYOUT_CONTIGUOUS, 1, &a))
            return;
        if (test_array_create(t, YOKE_I16, 1, SHAPE(70), LAYOUT_CONTIGUOUS, 2, &b)) {
            a.array = yoke_array_slice(a.array, 0, skip % 8, 40 + skip % 8, 1);
            b.array = yoke_array_slice(b.array, 0, skip / 8, 40 + skip / 8, 1);
            a.count = b.count = 40;
            assign(t, &a, &b);
            test_array_release(&b);
        }
        test_array_release(&a);
    }
    yops_elementwise_force.way = 0;
}

/* ---- Values ---- */

static void set_value(suite *t, int32_t dtype, yoke_number value, int32_t source, const void *bytes)
{
    test_array a;
    char wanted[16];
    if (!test_has(t, dtype) || !test_array_create(t, dtype, 2, SHAPE(7, 61), LAYOUT_RANDOM, (uint32_t)dtype, &a))
        return;
    convert(dtype, wanted, source, bytes);
    if (test_upload(t, &a) && CHECK_OK(yoke_assign_value(t->stream, &a.array, value)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
        test_download_checked(t, &a, false))
        for (int64_t i = 0; i < a.count; i++)
            if (!test_same(dtype, test_element(&a, i), wanted)) {
                tap_diag("%s: got %Lg, wanted %Lg", yoke_dtype_get_name(dtype), test_get(&a, i), test_load(dtype, wanted));
                CHECK(!"the value is right");
                break;
            }
    test_array_release(&a);
}

static void values(suite *t)
{
    static const double numbers[] = { 3.75, -2.5, 1e30, -1e30, 300.5 };
    static const int64_t integers[] = { -1, 255, INT64_C(-1234567890123), INT64_C(1) << 40 };
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        for (size_t i = 0; i < YOPS_COUNT_OF(numbers); i++)
            set_value(t, dtype, YOKE_NUMBER(numbers[i]), YOKE_F64, &numbers[i]);
        for (size_t i = 0; i < YOPS_COUNT_OF(integers); i++)
            set_value(t, dtype, YOKE_NUMBER(integers[i]), YOKE_I64, &integers[i]);
        double nan = NAN;
        uint64_t most = UINT64_MAX;
        set_value(t, dtype, YOKE_NUMBER(nan), YOKE_F64, &nan);
        set_value(t, dtype, YOKE_NUMBER(most), YOKE_U64, &most);
    }
}

/* Complex values become complex, and true or false; no real dtype takes them. */
static void set_complex(suite *t, int32_t dtype, yoke_number value, const double parts[2])
{
    test_array a;
    const bool takes = yk_dtype_is_complex(dtype) || dtype == YOKE_BOOL;
    if (takes) {
        set_value(t, dtype, value, YOKE_C128, parts);
        return;
    }
    if (!test_has(t, dtype) || !test_array_create(t, dtype, 1, SHAPE(5), LAYOUT_CONTIGUOUS, 1, &a))
        return;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "value has the dtype complex|no imaginary parts",
                yoke_assign_value(t->stream, &a.array, value));
    CHECK_OK(yoke_stream_wait(t->stream));
    test_array_release(&a);
}

static void complex_values(suite *t)
{
    static const double parts[][2] = { { 1.5, -2.25 }, { 0, 0.5 }, { -0.0, 0 }, { INFINITY, -1e30 }, { 0.1, 1.0 / 3 } };
    suite_expect_log();
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++)
        for (size_t i = 0; i < YOPS_COUNT_OF(parts); i++) {
            const float narrow[2] = { (float)parts[i][0], (float)parts[i][1] };
            const double rounded[2] = { narrow[0], narrow[1] };
            double _Complex wide;
            memcpy(&wide, parts[i], sizeof wide);
            set_complex(t, dtype, yoke_number_c64(narrow[0], narrow[1]), rounded);
            set_complex(t, dtype, YOKE_NUMBER(wide), parts[i]);
        }
    float _Complex z = 2.5f;
    yoke_number number = YOKE_NUMBER(z);
    CHECK(number.dtype == YOKE_C64 && number.value.parts[0] == 2.5 && number.value.parts[1] == 0);
}

/* ---- Mistakes ---- */

static void mistakes(suite *t)
{
    test_array a, b;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(4, 6), LAYOUT_CONTIGUOUS, 1, &a))
        return;
    if (test_array_create(t, YOKE_F32, 2, SHAPE(4, 5), LAYOUT_CONTIGUOUS, 1, &b)) {
        yoke_array far = yoke_array_1d(a.array.buffer, YOKE_F32, 26), none = { 0 },
                   odd = yoke_array_1d(a.array.buffer, YOKE_F32, 3);
        yoke_array part = yoke_array_slice(a.array, 1, 1, 6, 1), left = yoke_array_slice(a.array, 1, 0, 5, 1),
                   wide = yoke_array_broadcast(odd, 2, SHAPE(2, 3));
        odd.offset += 2;
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_assign|stream|NULL", yoke_assign(NULL, &a.array, &b.array));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_assign|source|(4, 5)|(4, 6)", yoke_assign(t->stream, &a.array, &b.array));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target is NULL", yoke_assign(t->stream, NULL, &b.array));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source is NULL", yoke_assign(t->stream, &a.array, NULL));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source|not an array", yoke_assign(t->stream, &a.array, &none));
        CHECK_FAILS(YOKE_E_RANGE, "source|100 bytes", yoke_assign(t->stream, &b.array, &far));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source|multiple", yoke_assign(t->stream, &a.array, &odd));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target overlaps source|same elements", yoke_assign(t->stream, &left, &part));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target|one place", yoke_assign(t->stream, &wide, &b.array));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "yoke_assign_value|value|dtype 0",
                    yoke_assign_value(t->stream, &a.array, (yoke_number){ 0, { 0 } }));
        CHECK_OK(yoke_stream_wait(t->stream));
        test_array_release(&b);
    }
    test_array_release(&a);
}

/* In place: the very same elements, of another dtype. */
static void in_place(suite *t)
{
    test_array a;
    for (size_t way = 0; way < 2 && test_array_create(t, YOKE_F32, 1, SHAPE(5001), LAYOUT_OFFSET, 1, &a); way++) {
        yops_elementwise_force.way = ways[way];
        yoke_array as_integers = a.array;
        as_integers.dtype = YOKE_I32;
        if (test_upload(t, &a) && CHECK_OK(yoke_assign(t->stream, &as_integers, &a.array)) &&
            CHECK_OK(yoke_stream_wait(t->stream)) && test_download(t, &a)) {
            test_array before = a;
            before.bytes = a.before;
            a.array.dtype = YOKE_I32;
            is_assigned(&a, &before);
        }
        test_array_release(&a);
    }
    yops_elementwise_force.way = 0;
}

/* A recorded assignment reads what is there when the graph runs. */
static void records(suite *t)
{
    test_array a, b;
    yoke_graph *graph = NULL;
    if (!test_array_create(t, YOKE_F32, 2, SHAPE(50, 60), LAYOUT_RANDOM, 1, &a))
        return;
    if (test_array_create(t, YOKE_I16, 2, SHAPE(50, 60), LAYOUT_RANDOM, 2, &b)) {
        NEED_OK(yoke_graph_create(t->device, "assign", &graph));
        NEED_OK(yoke_graph_begin(graph, t->stream));
        CHECK_OK(yoke_assign(t->stream, &a.array, &b.array));
        NEED_OK(yoke_graph_end(graph));
        for (uint32_t round = 0; round < 3; round++) {
            test_fill_whole_range(&b, round, false);
            NEED(test_upload(t, &a) && test_upload(t, &b));
            NEED_OK(yoke_graph_launch(t->stream, graph));
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(test_download_checked(t, &a, false));
            NEED(is_assigned(&a, &b));
        }
    out:
        yoke_graph_release(graph);
        test_array_release(&b);
    }
    test_array_release(&a);
}

static const suite_case cases[] = {
    { "dtypes are converted to each other", converts, false },
    { "layouts are copied to each other, and sources are broadcast", layouts, false },
    { "axes are permuted", transposes, false },
    { "sizes and alignments of any number are right to the last element", sizes, false },
    { "a value is converted, and set everywhere", values, false },
    { "a complex value, where it does not lose a part", complex_values, false },
    { "mistakes are refused, and name both sides", mistakes, false },
    { "a source may be the target itself", in_place, false },
    { "an assignment is recorded, and replayed with other data", records, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
