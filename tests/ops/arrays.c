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

/* By the kind of a dtype; of a complex number, its first part. */
#define LOAD_BOOL(x, type) ((x) != 0)
#define LOAD_SIGNED(x, type) (x)
#define LOAD_UNSIGNED LOAD_SIGNED
#define LOAD_REDUCED(x, type) type##_to_float(x)
#define LOAD_FLOATING LOAD_SIGNED
#define LOAD_COMPLEX LOAD_SIGNED

long double test_load(int32_t dtype, const void *element)
{
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name: {                                                                        \
        type x;                                                                                \
        memcpy(&x, element, sizeof x);                                                         \
        return LOAD_##kind(x, type);                                                           \
    }
#include "api/dtypes.def"
    }
    return NAN;
}

/* Integers wrap, also those beyond 64 bits. */
static uint64_t wrapped(long double value)
{
    long double turn = 18446744073709551616.0L, rest = fmodl(truncl(value), turn);
    if (!isfinite(value))
        return 0;
    return rest < 0 ? (uint64_t)(rest + turn) : (uint64_t)rest;
}

#define STORE_BOOL(x, type) ((x) != 0)
#define STORE_SIGNED(x, type) (type) wrapped(x)
#define STORE_UNSIGNED STORE_SIGNED
#define STORE_REDUCED(x, type) type##_from((float)(x))
#define STORE_FLOATING(x, type) (type)(x)
#define STORE_COMPLEX STORE_FLOATING

void test_store(int32_t dtype, void *element, long double value)
{
    switch (dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name: {                                                                        \
        type x = STORE_##kind(value, type);                                                    \
        memcpy(element, &x, sizeof x);                                                         \
        break;                                                                                 \
    }
#include "api/dtypes.def"
    }
}

bool test_same(int32_t dtype, const void *a, const void *b)
{
    size_t size = yoke_dtype_get_size(dtype), part = yk_dtype_is_complex(dtype) ? size / 2 : size;
    for (size_t at = 0; at < size; at += part) {
        const char *x = (const char *)a + at, *y = (const char *)b + at;
        if (memcmp(x, y, part) != 0 && !(!yk_dtype_is_integer(dtype) && isnan(test_load(dtype, x)) && isnan(test_load(dtype, y))))
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
    return !yk_dtype_is_complex(a->array.dtype) ? 0 : test_load(a->array.dtype, (char *)test_element(a, position) + half);
}

void test_set(test_array *a, int64_t position, long double value)
{
    test_set_complex(a, position, value, 0);
}

void test_set_complex(test_array *a, int64_t position, long double real, long double imaginary)
{
    char *element = test_element(a, position);
    test_store(a->array.dtype, element, real);
    if (yk_dtype_is_complex(a->array.dtype))
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
    bool is_unsigned = yk_dtype_is_integer(a->array.dtype) && yk_dtype_get(a->array.dtype)->kind != YK_KIND_SIGNED;
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

/* Between the least number of a dtype and the least normal one. */
static long double subnormal(int32_t dtype)
{
    const yk_dtype *row = yk_dtype_get(dtype);
    if (row->exponent < 8)
        return ldexpl(5, 2 - (1 << (row->exponent - 1)) - row->fraction);
    return row->part == YOKE_F64 ? 5e-320L : 1e-40L;
}

static long double special_value(int32_t dtype, uint32_t *random)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    if (yk_dtype_is_integer(dtype)) {
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
        return subnormal(dtype);
    }
}

void test_fill_whole_range(test_array *a, uint32_t seed, bool special)
{
    uint32_t random = seed * 747796405u + 1;
    int32_t dtype = a->array.dtype;
    for (int64_t i = 0; i < a->count; i++) {
        uint64_t bits = (uint64_t)test_random(&random) << 32 | test_random(&random);
        long double part = ldexpl((long double)(int64_t)bits, -63), wide = yk_dtype_get(dtype)->exponent < 8 ? 12 : 60;
        long double value = yk_dtype_is_integer(dtype) ? (long double)bits
                                                       : ldexpl(part, (int)(test_random(&random) % (uint32_t)wide) - (int)wide / 2);
        if (special && test_random(&random) % 8 == 0)
            value = special_value(dtype, &random);
        test_set_complex(a, i, value, special && test_random(&random) % 8 == 0 ? special_value(dtype, &random) : part);
    }
}

bool test_has(const suite *t, int32_t dtype)
{
    return yk_dtype_get(dtype)->part != YOKE_F64 || yoke_device_supports(t->device, YOKE_CAP_FP64);
}
