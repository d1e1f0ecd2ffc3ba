/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts, by each way that the library has for them: against a stable sort on the host, byte by byte. */
#include "../arrays.h"
#include "order.h"

#include <string.h>

#include "ops/order/sort.h"

#define SHAPE(...) ((const int64_t[]){ __VA_ARGS__ })

/* ---- One sort ---- */

/* Whether the elements are the expected ones, in this order. */
static bool is_ordered(const test_array *a, const int64_t *places)
{
    size_t size = yoke_dtype_get_size(a->array.dtype);
    test_array given = *a;
    given.bytes = a->before;
    for (int64_t i = 0; i < a->count; i++)
        if (memcmp(test_element(a, i), test_element(&given, places[i]), size) != 0) {
            tap_diag("element %lld of %lld (%s) is not what was at %lld", (long long)i, (long long)a->count,
                     yoke_dtype_get_name(a->array.dtype), (long long)places[i]);
            return CHECK(!"sorted");
        }
    return true;
}

typedef enum fill { FILL_FEW, FILL_WIDE, FILL_SPECIAL } fill;

static void fill_keys(test_array *keys, fill how, uint32_t seed)
{
    if (how != FILL_FEW)
        test_fill_whole_range(keys, seed, how == FILL_SPECIAL);
    for (int64_t i = 0; keys->array.dtype == YOKE_BOOL && i < keys->count; i++)
        *(uint8_t *)test_element(keys, i) = (uint8_t)(seed + (uint32_t)i * 7) & (i % 3 ? 255 : 0);
}

/* Values of `value_dtype`, or none for 0. */
static bool sorts(suite *t, int32_t dtype, int32_t value_dtype, int32_t dimensions, const int64_t *shape, layout how, fill with,
                  int32_t order)
{
    test_array keys = { 0 }, values = { 0 };
    static uint32_t seed = 1;
    bool ok = false;
    seed++;
    NEED(test_array_create(t, dtype, dimensions, shape, how, seed, &keys));
    NEED(!value_dtype || test_array_create(t, value_dtype, dimensions, shape, how, seed + 1000, &values));
    fill_keys(&keys, with, seed);
    if (value_dtype)
        test_fill_whole_range(&values, seed, false);
    int64_t *places = order_of(&keys, order);
    ok = test_upload(t, &keys) && (!value_dtype || test_upload(t, &values)) &&
         CHECK_OK(yoke_sort(t->stream, order, &keys.array, value_dtype ? &values.array : NULL)) &&
         CHECK_OK(yoke_stream_wait(t->stream)) && test_download_checked(t, &keys, false) && is_ordered(&keys, places) &&
         (!value_dtype || (test_download_checked(t, &values, false) && is_ordered(&values, places)));
    if (!ok)
        tap_diag("keys of %s, %lld in rows of %lld, layout %d, fill %d, order %d, values %s, way %d", yoke_dtype_get_name(dtype),
                 (long long)keys.count, (long long)shape[dimensions - 1], (int)how, (int)with, (int)order,
                 value_dtype ? yoke_dtype_get_name(value_dtype) : "none", (int)yops_sort_forced);
    memory_free(places);
out:
    test_array_release(&keys);
    test_array_release(&values);
    return ok;
}

static bool argsorts(suite *t, int32_t dtype, int32_t index_dtype, int32_t dimensions, const int64_t *shape, layout how, fill with,
                     int32_t order)
{
    test_array keys = { 0 }, indices = { 0 };
    static uint32_t seed = 77;
    int64_t n = shape[dimensions - 1];
    bool ok = false;
    seed++;
    NEED(test_array_create(t, dtype, dimensions, shape, how, seed, &keys));
    NEED(test_array_create(t, index_dtype, dimensions, shape, how, seed + 1, &indices));
    fill_keys(&keys, with, seed);
    int64_t *places = order_of(&keys, order);
    ok = test_upload(t, &keys) && test_upload(t, &indices) &&
         CHECK_OK(yoke_argsort(t->stream, order, &indices.array, &keys.array)) && CHECK_OK(yoke_stream_wait(t->stream)) &&
         test_download_checked(t, &keys, true) && test_download_checked(t, &indices, false);
    for (int64_t i = 0; i < keys.count && ok; i++)
        ok = CHECK(test_get(&indices, i) == (long double)(places[i] % n));
    if (!ok)
        tap_diag("argsort of %s, %lld in rows of %lld, layout %d, way %d", yoke_dtype_get_name(dtype), (long long)keys.count,
                 (long long)n, (int)how, (int)yops_sort_forced);
    memory_free(places);
out:
    test_array_release(&keys);
    test_array_release(&indices);
    return ok;
}

/* ---- The ways ---- */

/* The CUDA double has one thread for all: sizes are smaller there. */
static bool is_slow(const suite *t)
{
    return strstr(t->info.name, "double") != NULL || strstr(t->info.name, "Double") != NULL;
}

static void every_dtype(suite *t)
{
    for (int32_t dtype = 1; dtype < YK_DTYPE_COUNT; dtype++) {
        /* What becomes a key differs by dtype; the kernels for long rows know no more of it than those for short ones. */
        bool is_long = dtype == YOKE_I8 || dtype == YOKE_U16 || dtype == YOKE_F16 || dtype == YOKE_I64 || dtype == YOKE_F64;
        if (yk_dtype_is_complex(dtype) || !test_has(t, dtype))
            continue;
        for (int32_t order = YOKE_SORT_ASCENDING; order <= YOKE_SORT_DESCENDING; order++) {
            /* With and without values: kernels of their own, which do the same to the keys. */
            if (dtype % 2 == 0 || dtype == YOKE_F64) {
                argsorts(t, dtype, YOKE_I32, 1, SHAPE(300), LAYOUT_OFFSET, FILL_SPECIAL, order);
                if (is_long)
                    argsorts(t, dtype, YOKE_I32, 1, SHAPE(9000 + dtype), LAYOUT_OFFSET, FILL_SPECIAL, order);
            }
            if (dtype % 2 || dtype == YOKE_F16) {
                sorts(t, dtype, 0, 1, SHAPE(300), LAYOUT_CONTIGUOUS, FILL_SPECIAL, order);
                if (is_long)
                    sorts(t, dtype, 0, 1, SHAPE(9001 + dtype), LAYOUT_CONTIGUOUS, order ? FILL_SPECIAL : FILL_WIDE, order);
            }
        }
    }
}

static void every_size(suite *t)
{
    bool blocks = yops_sort_forced == YOPS_SORT_BLOCKS;
    static const int64_t sizes[] = {
        0,    1,    2,    3,    31,   32,   33,   255,  256,   257,   1023,  1024,  1025,  2047,  2048,
        2049, 4095, 4096, 4097, 7679, 7680, 7681, 8192, 15359, 15360, 15361, 16384, 16385, 32769, 65537
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (blocks ? sizes[i] > 4097 : is_slow(t) && sizes[i] > 20000)
            continue;
        sorts(t, YOKE_U32, YOKE_U32, 1, &sizes[i], LAYOUT_OFFSET, i % 2 ? FILL_WIDE : FILL_FEW, (int32_t)(i & 1));
        if (!blocks)
            sorts(t, YOKE_U8, 0, 1, &sizes[i], LAYOUT_OFFSET, FILL_WIDE, (int32_t)(i & 1));
    }
}

static void every_value_size(suite *t)
{
    static const int32_t dtypes[] = { YOKE_U8, YOKE_F16, YOKE_I32, YOKE_C64, YOKE_C128 };
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (!test_has(t, dtypes[i]))
            continue;
        sorts(t, YOKE_I16, dtypes[i], 1, SHAPE(500), LAYOUT_OFFSET, FILL_FEW, YOKE_SORT_DESCENDING);
        sorts(t, YOKE_I16, dtypes[i], 1, SHAPE(12345), LAYOUT_OFFSET, FILL_FEW, YOKE_SORT_ASCENDING);
    }
    sorts(t, YOKE_I64, YOKE_U8, 1, SHAPE(9999), LAYOUT_OFFSET, FILL_WIDE, YOKE_SORT_DESCENDING);
    sorts(t, YOKE_U8, YOKE_I64, 1, SHAPE(9999), LAYOUT_OFFSET, FILL_WIDE, YOKE_SORT_DESCENDING);
}

static void rows_and_layouts(suite *t)
{
    for (int how = 0; how < LAYOUT_COUNT; how++) {
        sorts(t, YOKE_U32, YOKE_U32, 2, SHAPE(700, 3), (layout)how, FILL_FEW, YOKE_SORT_ASCENDING);
        sorts(t, YOKE_U32, YOKE_U32, 3, SHAPE(5, 3, 257), (layout)how, FILL_WIDE, YOKE_SORT_DESCENDING);
        sorts(t, YOKE_U32, YOKE_U32, 2, SHAPE(3, 5000), (layout)how, FILL_FEW, YOKE_SORT_DESCENDING);
        sorts(t, YOKE_U8, 0, 2, SHAPE(3, 9000), (layout)how, FILL_WIDE, YOKE_SORT_ASCENDING);
        argsorts(t, YOKE_F32, YOKE_U64, 2, SHAPE(2, 10000), (layout)how, FILL_SPECIAL, YOKE_SORT_DESCENDING);
        argsorts(t, YOKE_F32, YOKE_U64, 4, SHAPE(2, 3, 2, 70), (layout)how, FILL_SPECIAL, YOKE_SORT_ASCENDING);
    }
    sorts(t, YOKE_U32, YOKE_U32, 2, SHAPE(5000, 1), LAYOUT_RANDOM, FILL_WIDE, YOKE_SORT_ASCENDING);
    argsorts(t, YOKE_F32, YOKE_U64, 2, SHAPE(300, 1), LAYOUT_RANDOM, FILL_WIDE, YOKE_SORT_ASCENDING);
    sorts(t, YOKE_U32, YOKE_U32, 2, SHAPE(0, 5), LAYOUT_OFFSET, FILL_WIDE, YOKE_SORT_ASCENDING);
    sorts(t, YOKE_U32, 0, 8, SHAPE(2, 1, 3, 2, 1, 2, 2, 17), LAYOUT_RANDOM, FILL_WIDE, YOKE_SORT_ASCENDING);
}

/* All by the way that suits the device; then by the others. */
static void by_device(suite *t)
{
    every_dtype(t);
    every_size(t);
    every_value_size(t);
    rows_and_layouts(t);
}

static void by_blocks(suite *t)
{
    yops_sort_forced = YOPS_SORT_BLOCKS;
    argsorts(t, YOKE_F32, YOKE_I32, 1, SHAPE(5000), LAYOUT_OFFSET, FILL_SPECIAL, YOKE_SORT_DESCENDING);
    sorts(t, YOKE_I64, 0, 1, SHAPE(2048), LAYOUT_OFFSET, FILL_WIDE, YOKE_SORT_ASCENDING);
    sorts(t, YOKE_U16, YOKE_C64, 1, SHAPE(6143), LAYOUT_OFFSET, FILL_FEW, YOKE_SORT_ASCENDING);
    every_size(t);
    rows_and_layouts(t);
    yops_sort_forced = YOPS_SORT_BY_DEVICE;
}

static void by_threads(suite *t)
{
    yops_sort_forced = YOPS_SORT_THREADS;
    sorts(t, YOKE_U16, YOKE_C64, 1, SHAPE(40000), LAYOUT_OFFSET, FILL_FEW, YOKE_SORT_ASCENDING);
    rows_and_layouts(t);
    yops_sort_forced = YOPS_SORT_BY_DEVICE;
}

static void many(suite *t)
{
    sorts(t, YOKE_U32, 0, 1, SHAPE(is_slow(t) ? 100001 : 1000003), LAYOUT_OFFSET, FILL_WIDE, YOKE_SORT_ASCENDING);
    sorts(t, YOKE_U32, YOKE_U32, 1, SHAPE(is_slow(t) ? 50001 : 500003), LAYOUT_OFFSET, FILL_FEW, YOKE_SORT_DESCENDING);
}

static const suite_case cases[] = {
    { "every dtype, size, value and layout, by the device's own way", by_device, false },
    { "by blocks that do not wait for each other", by_blocks, false },
    { "by threads, each with a tile", by_threads, false },
    { "many elements", many, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
