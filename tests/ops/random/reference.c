/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers as a host computes them. */
#include "reference.h"

#include <math.h>
#include <string.h>

#include "../arrays.h"

/* ---- The texts, with the host's words for kernels ---- */

#define YOKE_KERNEL_H
#define YOKE_FUNCTION static inline
#define NEED_F64 1
#define yoke_fma(a, b, c) _Generic((a), float : fmaf, default : fma)(a, b, c)

typedef struct uint4 {
    uint32_t x, y, z, w;
} uint4;
typedef struct uint2 {
    uint32_t x, y;
} uint2;

static inline uint4 yoke_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    return (uint4){ x, y, z, w };
}

static inline uint2 yoke_uint2(uint32_t x, uint32_t y)
{
    return (uint2){ x, y };
}

static inline uint32_t yoke_float_as_uint(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float yoke_uint_as_float(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double f64_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#include "../../../include/yoke/philox.h"

#include "ops/random/random_transform.yh"

/* ---- Words ---- */

void reference_philox(uint32_t words[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint4 result = yoke_philox((uint4){ counter[0], counter[1], counter[2], counter[3] }, (uint2){ key[0], key[1] });
    memcpy(words, &result, sizeof result);
}

static void get_block(const random_reference *r, uint64_t block, uint32_t attempt, uint32_t words[4])
{
    uint32_t counter[] = { (uint32_t)block, (uint32_t)(block >> 32), r->sequence, (uint32_t)r->kind * 65536 + attempt };
    uint32_t key[] = { (uint32_t)r->seed, (uint32_t)(r->seed >> 32) };
    reference_philox(words, counter, key);
}

static uint64_t get_word(const random_reference *r, uint64_t position, bool wide)
{
    uint32_t words[4];
    get_block(r, wide ? position / 2 : position / 4, 0, words);
    if (!wide)
        return words[position % 4];
    return words[2 * (position % 2)] | (uint64_t)words[2 * (position % 2) + 1] << 32;
}

uint64_t reference_key(const random_reference *r, uint64_t position)
{
    return get_word(r, position, true);
}

/* ---- Integers ---- */

static uint64_t get_integer(const random_reference *r, uint64_t position)
{
    uint64_t range = r->last - r->low + 1;
    bool wide = range == 0 || range > UINT64_C(1) << 32;
    uint64_t word = get_word(r, position, wide);
    if (range == 0)
        return word + r->low;
    for (uint32_t attempt = 1;; attempt++) {
        __extension__ unsigned __int128 one = 1, size = wide ? one << 64 : one << 32, product = (unsigned __int128)word * range;
        uint32_t words[4];
        if (product % size >= size % range)
            return r->low + (uint64_t)(product / size);
        get_block(r, position, attempt, words);
        word = wide ? words[0] | (uint64_t)words[1] << 32 : words[0];
    }
}

/* ---- Floating point ---- */

typedef struct bits_of {
    int bits, low, high; /* of the fraction; the smallest number is 2^low, and numbers are below 2^high */
} bits_of;

static bits_of bits_of_dtype(int32_t dtype)
{
    const yk_dtype *row = yk_dtype_get(dtype);
    int high = 1 << (row->exponent - 1);
    return (bits_of){ row->fraction + 1, 2 - high - row->fraction, high };
}

static double rounded(int32_t dtype, double x)
{
    unsigned char bytes[8];
    test_store(yk_dtype_get(dtype)->part, bytes, x);
    return (double)test_load(yk_dtype_get(dtype)->part, bytes);
}

/* The next number of the dtype beyond x: its bits, as an integer, are one more or one less. */
static double neighbour(int32_t dtype, double x, bool above)
{
    uint64_t bits = 0;
    size_t size = yoke_dtype_get_size(yk_dtype_get(dtype)->part);
    if (x == 0)
        return ldexp(above ? 1 : -1, bits_of_dtype(dtype).low);
    test_store(yk_dtype_get(dtype)->part, &bits, x);
    bits += (x > 0) == above ? 1 : UINT64_MAX;
    if (size < 8)
        bits &= (UINT64_C(1) << 8 * size) - 1;
    return (double)test_load(yk_dtype_get(dtype)->part, &bits);
}

static long double get_uniform(const random_reference *r, uint64_t position)
{
    bool wide = r->dtype == YOKE_F64 || r->dtype == YOKE_C128, mirrored = r->interval == YOKE_INTERVAL_WITHOUT_LOW;
    int bits = bits_of_dtype(r->dtype).bits;
    double low = rounded(r->dtype, r->a), high = rounded(r->dtype, r->b);
    double k = (double)(get_word(r, position, wide) >> ((wide ? 64 : 32) - bits));
    if (wide) {
        double step = ldexp(high - low, -bits), x = mirrored ? fma(k, -step, high) : fma(k, step, low);
        return mirrored ? fmax(x, neighbour(r->dtype, low, true)) : fmin(x, neighbour(r->dtype, high, false));
    }
    float step = ldexpf((float)(high - low), -bits), x = fmaf((float)k, mirrored ? -step : step, (float)(mirrored ? high : low));
    x = (float)rounded(r->dtype, (double)x);
    return mirrored ? fmax(x, neighbour(r->dtype, low, true)) : fmin(x, neighbour(r->dtype, high, false));
}

void reference_normal(uint32_t a, uint32_t b, float out[2])
{
    normal_pair(a, b, 0, 1, out);
}

void reference_normal_f64(uint64_t a, uint64_t b, double out[2])
{
    normal_pair_f64(a, b, 0, 1, out);
}

float reference_exponential(uint32_t a)
{
    return minus_2_log((float)(int32_t)(a | 1)) * 0.5f;
}

double reference_exponential_f64(uint64_t a)
{
    return minus_2_log_f64((double)(int64_t)(a | 1)) * 0.5;
}

static long double get_real(const random_reference *r, uint64_t position)
{
    bool wide = r->dtype == YOKE_F64 || r->dtype == YOKE_C128;
    uint64_t first = position & ~(uint64_t)1;
    float pair[2];
    double wide_pair[2];
    if (r->kind == UNIFORM)
        return get_uniform(r, position);
    if (r->kind == EXPONENTIAL && wide)
        return minus_2_log_f64((double)(int64_t)(get_word(r, position, true) | 1)) * (r->a / 2);
    if (r->kind == EXPONENTIAL)
        return minus_2_log((float)(int32_t)(get_word(r, position, false) | 1)) * (float)(r->a / 2);
    if (wide) {
        normal_pair_f64(get_word(r, first, true), get_word(r, first + 1, true), r->a, r->b, wide_pair);
        return wide_pair[position % 2];
    }
    normal_pair((uint32_t)get_word(r, first, false), (uint32_t)get_word(r, first + 1, false), (float)r->a, (float)r->b, pair);
    return pair[position % 2];
}

void reference_number(const random_reference *r, uint64_t position, void *out)
{
    if (r->kind != INTEGERS) {
        test_store(yk_dtype_get(r->dtype)->part, out, get_real(r, position));
        return;
    }
    uint64_t x = get_integer(r, position);
    memcpy(out, &x, yoke_dtype_get_size(r->dtype)); /* hosts are little-endian */
}

/* ---- Without rounding ---- */

static void exact(long double x, long double largest, long double added, long double g, long double *out_radius, long double out[2])
{
    const long double half_pi = 1.57079632679489661923132169163975144L;
    long double radius = sqrtl(-2 * logl(fabsl(x) / largest) + added), sign = x < 0 ? -1 : 1;
    *out_radius = radius;
    out[0] = sign * radius * (fabsl(g) > 0.5L ? sinl(half_pi * (1 - fabsl(g))) : cosl(half_pi * g));
    out[1] = sign * radius * sinl(half_pi * g);
}

void exact_normal(uint32_t a, uint32_t b, long double *out_radius, long double out[2])
{
    exact((float)(int32_t)(a | 1), 0x1p31L, 0x1p-26L, (float)(int32_t)b * 0x1p-31L, out_radius, out);
}

void exact_normal_f64(uint64_t a, uint64_t b, long double *out_radius, long double out[2])
{
    exact((double)(int64_t)(a | 1), 0x1p63L, 0x1p-55L, (double)(int64_t)b * 0x1p-63L, out_radius, out);
}
