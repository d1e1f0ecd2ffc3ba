/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays for the suite of libyoke-ops. */
#include "arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Random numbers ---- */

uint32_t test_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    uint32_t x = *state ^ *state >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

int64_t test_random_below(uint32_t *state, int64_t limit)
{
    uint64_t wide = (uint64_t)test_random(state) << 32 | test_random(state);
    return (int64_t)(wide % (uint64_t)limit);
}

/* ---- Elements ---- */

long double test_load(int32_t dtype, const void *element)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
        yoke_half f16;
        yoke_bfloat16 bf16;
    } v = { 0 };
    size_t size = yoke_dtype_get_size(dtype);
    memcpy(&v, element, size < sizeof v ? size : sizeof v);
    switch (dtype) {
    case YOKE_BOOL:
        return v.u8 != 0;
    case YOKE_I8:
        return v.i8;
    case YOKE_U8:
        return v.u8;
    case YOKE_I16:
        return v.i16;
    case YOKE_U16:
        return v.u16;
    case YOKE_I32:
        return v.i32;
    case YOKE_U32:
        return v.u32;
    case YOKE_I64:
        return v.i64;
    case YOKE_U64:
        return v.u64;
    case YOKE_F16:
        return yoke_half_to_float(v.f16);
    case YOKE_BF16:
        return yoke_bfloat16_to_float(v.bf16);
    case YOKE_F32:
    case YOKE_C64:
        return v.f32;
    default:
        return v.f64;
    }
}

/* Integers wrap, also those beyond 64 bits. */
static uint64_t wrapped(long double value)
{
    long double turn = 18446744073709551616.0L, rest = fmodl(truncl(value), turn);
    if (!isfinite(value))
        return 0;
    return rest < 0 ? (uint64_t)(rest + turn) : (uint64_t)rest;
}

void test_store(int32_t dtype, void *element, long double value)
{
    uint64_t bits = dtype < YOKE_F16 ? wrapped(value) : 0;
    float single = (float)value;
    double wide = (double)value;
    yoke_half half = yoke_half_from(single);
    yoke_bfloat16 brain = yoke_bfloat16_from(single);
    switch (dtype) {
    case YOKE_BOOL:
        *(uint8_t *)element = value != 0;
        break;
    case YOKE_F16:
        memcpy(element, &half, sizeof half);
        break;
    case YOKE_BF16:
        memcpy(element, &brain, sizeof brain);
        break;
    case YOKE_F32:
    case YOKE_C64:
        memcpy(element, &single, sizeof single);
        break;
    case YOKE_F64:
    case YOKE_C128:
        memcpy(element, &wide, sizeof wide);
        break;
    default:
        for (size_t i = 0; i < yoke_dtype_get_size(dtype); i++)
            ((unsigned char *)element)[i] = (unsigned char)(bits >> 8 * i);
    }
}

bool test_same(int32_t dtype, const void *a, const void *b)
{
    size_t size = yoke_dtype_get_size(dtype), part = dtype == YOKE_C64 || dtype == YOKE_C128 ? size / 2 : size;
    for (size_t at = 0; at < size; at += part) {
        const char *x = (const char *)a + at, *y = (const char *)b + at;
        if (memcmp(x, y, part) != 0 && !(dtype >= YOKE_F16 && isnan(test_load(dtype, x)) && isnan(test_load(dtype, y))))
            return false;
    }
    return true;
}

void *test_element(const test_array *a, int64_t position)
{
    int64_t place = 0;
    size_t size = yoke_dtype_get_size(a->array.dtype);
    for (int32_t i = a->array.dimensions - 1; i >= 0; i--) {
        place += position % a->array.shape[i] * a->array.strides[i];
        position /= a->array.shape[i];
    }
    return a->bytes + (int64_t)a->array.offset + place * (int64_t)size;
}

long double test_get(const test_array *a, int64_t position)
{
    return test_load(a->array.dtype, test_element(a, position));
}

long double test_get_imaginary(const test_array *a, int64_t position)
{
    size_t half = yoke_dtype_get_size(a->array.dtype) / 2;
    return a->array.dtype < YOKE_C64 ? 0 : test_load(a->array.dtype, (char *)test_element(a, position) + half);
}

void test_set(test_array *a, int64_t position, long double value)
{
    test_set_complex(a, position, value, 0);
}

void test_set_complex(test_array *a, int64_t position, long double real, long double imaginary)
{
    char *element = test_element(a, position);
    test_store(a->array.dtype, element, real);
    if (a->array.dtype >= YOKE_C64)
        test_store(a->array.dtype, element + yoke_dtype_get_size(a->array.dtype) / 2, imaginary);
}

/* ---- Layouts ---- */

/* Give the array strides and an offset; returns the bytes that it takes. */
static size_t lay_out(yoke_array *a, layout how, uint32_t *random)
{
    size_t size = yoke_dtype_get_size(a->dtype);
    int32_t order[YOKE_MAX_DIMENSIONS];
    int64_t stride = 1, origin = 0;
    for (int32_t i = 0; i < a->dimensions; i++)
        order[i] = a->dimensions - 1 - i;
    for (int32_t i = a->dimensions - 1; how == LAYOUT_RANDOM && i > 0; i--) {
        int32_t j = (int32_t)test_random_below(random, i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int32_t i = 0; i < a->dimensions; i++) {
        int32_t axis = order[i];
        int64_t extent = a->shape[axis] > 0 ? a->shape[axis] : 1;
        stride += how == LAYOUT_RANDOM ? test_random_below(random, 3) : 0;
        a->strides[axis] = stride;
        if (how == LAYOUT_RANDOM && test_random(random) % 4 == 0) {
            origin += stride * (extent - 1);
            a->strides[axis] = -stride;
        }
        stride *= extent;
    }
    int64_t front = how == LAYOUT_CONTIGUOUS ? 0 : 1 + test_random_below(random, 7);
    a->offset = (uint64_t)(origin + front) * size;
    return (size_t)(front + stride + 1) * size;
}

/* Whole numbers from -4 to 4 or 0 to 8: exact in every dtype. */
static void fill_small(test_array *a, uint32_t *random)
{
    bool is_unsigned = a->array.dtype == YOKE_BOOL || a->array.dtype == YOKE_U8 || a->array.dtype == YOKE_U16 ||
                       a->array.dtype == YOKE_U32 || a->array.dtype == YOKE_U64;
    for (int64_t i = 0; i < a->count; i++) {
        int64_t real = test_random_below(random, 9), imaginary = test_random_below(random, 9);
        test_set_complex(a, i, is_unsigned ? real : real - 4, imaginary - 4);
    }
}

bool test_array_create(suite *t, int32_t dtype, int32_t dimensions, const int64_t *shape, layout how, uint32_t seed,
                       test_array *out)
{
    yoke_array a = { .dtype = dtype, .dimensions = dimensions };
    uint32_t random = seed * 2654435761u + 12345u;
    for (int32_t i = 0; i < dimensions; i++)
        a.shape[i] = shape[i];
    memset(out, 0, sizeof *out);
    size_t size = lay_out(&a, how, &random);
    if (!guarded_create(t, size, &out->memory))
        return false;
    a.buffer = out->memory.buffer;
    out->array = a;
    out->count = yoke_array_get_size(&a);
    out->bytes = memory_new(size);
    out->before = memory_new(size);
    fill_random(out->bytes, size, seed + 1);
    fill_small(out, &random);
    return true;
}

void test_array_release(test_array *a)
{
    guarded_release(&a->memory);
    if (a->bytes)
        memory_free(a->bytes);
    if (a->before)
        memory_free(a->before);
    memset(a, 0, sizeof *a);
}

bool test_upload(suite *t, test_array *a)
{
    memcpy(a->before, a->bytes, a->memory.size);
    return guarded_write(t, &a->memory, a->bytes);
}

bool test_download(suite *t, test_array *a)
{
    return guarded_read(t, &a->memory, a->bytes);
}

bool test_download_checked(suite *t, test_array *a, bool unchanged)
{
    size_t size = yoke_dtype_get_size(a->array.dtype);
    if (!test_download(t, a) || !guarded_check(t, &a->memory, a->bytes))
        return false;
    if (unchanged)
        return CHECK_BYTES(a->bytes, a->before, a->memory.size);
    /* With the elements taken out, nothing may differ. */
    test_array gaps = *a;
    unsigned char *got = memory_new(a->memory.size), *given = memory_new(a->memory.size);
    memcpy(got, a->bytes, a->memory.size);
    memcpy(given, a->before, a->memory.size);
    for (int64_t i = 0; i < a->count; i++) {
        gaps.bytes = got;
        memset(test_element(&gaps, i), 0, size);
        gaps.bytes = given;
        memset(test_element(&gaps, i), 0, size);
    }
    bool same = CHECK_BYTES(got, given, a->memory.size);
    memory_free(given);
    memory_free(got);
    return same;
}

/* ---- Values ---- */

static long double special_value(int32_t dtype, uint32_t *random)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    if (dtype < YOKE_F16) {
        long double top = ldexpl(1, bits);
        return test_random(random) % 2 ? top / 2 - 1 : test_random(random) % 2 ? top / 2 : top - 1;
    }
    switch (test_random(random) % 6) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -INFINITY;
    case 3:
        return -0.0L;
    case 4:
        return 0;
    default:
        return dtype == YOKE_F64 || dtype == YOKE_C128 ? 5e-320L : dtype == YOKE_F16 ? 3e-7L : 1e-40L;
    }
}

void test_fill_whole_range(test_array *a, uint32_t seed, bool special)
{
    uint32_t random = seed * 747796405u + 1;
    int32_t dtype = a->array.dtype;
    for (int64_t i = 0; i < a->count; i++) {
        uint64_t bits = (uint64_t)test_random(&random) << 32 | test_random(&random);
        long double part = ldexpl((long double)(int64_t)bits, -63), wide = dtype == YOKE_F16 ? 12 : 60;
        long double value =
            dtype < YOKE_F16 ? (long double)bits : ldexpl(part, (int)(test_random(&random) % (uint32_t)wide) - (int)wide / 2);
        if (special && test_random(&random) % 8 == 0)
            value = special_value(dtype, &random);
        test_set_complex(a, i, value, special && test_random(&random) % 8 == 0 ? special_value(dtype, &random) : part);
    }
}

bool test_has(const suite *t, int32_t dtype)
{
    return (dtype != YOKE_F64 && dtype != YOKE_C128) || yoke_device_supports(t->device, YOKE_CAP_FP64);
}
