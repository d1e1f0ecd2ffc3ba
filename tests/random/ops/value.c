/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of the model of random operations: drawn, loaded, stored and converted by the rules of <yoke/ops.h>. */
#include "model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- Random numbers ---- */

/* splitmix64. */
static uint64_t next(model *m)
{
    uint64_t x = m->random += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t draw(model *m, uint32_t below)
{
    return (uint32_t)((next(m) >> 32) * below >> 32);
}

int64_t draw_between(model *m, int64_t low, int64_t high)
{
    uint64_t count = (uint64_t)high - (uint64_t)low + 1; /* 0: all there are */
    return (int64_t)((uint64_t)low + (count > 0 ? next(m) % count : next(m)));
}

bool chance(model *m, uint32_t percent)
{
    return draw(m, 100) < percent;
}

int32_t pick(model *m, const int32_t *list, size_t count)
{
    int32_t dtype = list[draw(m, (uint32_t)count)];
    return m->has_double || !is_wide(dtype) ? dtype : dtype == YOKE_F64 ? YOKE_F32 : YOKE_C64;
}

int32_t pick_integer(model *m)
{
    return PICK(m, YOKE_I8, YOKE_U8, YOKE_I16, YOKE_U16, YOKE_I32, YOKE_U32, YOKE_I64, YOKE_U64);
}

int32_t pick_index(model *m)
{
    return PICK(m, YOKE_I32, YOKE_U32, YOKE_I64, YOKE_U64);
}

int32_t pick_float(model *m)
{
    return PICK(m, YOKE_F16, YOKE_BF16, YOKE_F32, YOKE_F32, YOKE_F64, YOKE_F64);
}

int32_t pick_real(model *m)
{
    return chance(m, 8) ? YOKE_BOOL : chance(m, 50) ? pick_integer(m) : pick_float(m);
}

int32_t pick_complex(model *m)
{
    return PICK(m, YOKE_C64, YOKE_C64, YOKE_C128);
}

int32_t pick_any(model *m)
{
    return chance(m, 15) ? pick_complex(m) : pick_real(m);
}

/* ---- Dtypes ---- */

bool is_integer(int32_t dtype)
{
    return yk_dtype_is_integer(dtype);
}

bool is_signed(int32_t dtype)
{
    return yk_dtype_get(dtype)->kind == YK_KIND_SIGNED;
}

bool is_complex(int32_t dtype)
{
    return yk_dtype_is_complex(dtype);
}

bool is_wide(int32_t dtype)
{
    return yk_dtype_get(dtype)->part == YOKE_F64;
}

long double unit_of(int32_t dtype)
{
    return ldexpl(1, -(is_integer(dtype) ? 24 : yk_dtype_get(dtype)->fraction + 1));
}

long double smallest_of(bool is_double)
{
    return is_double ? 0x1p-1074L : 0x1p-149L;
}

long double largest_of(int32_t dtype)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    if (dtype == YOKE_BOOL)
        return 1;
    if (!is_integer(dtype))
        return INFINITY;
    return (is_signed(dtype) ? ldexpl(1, bits - 1) : ldexpl(1, bits)) - 1;
}

long double lowest_of(int32_t dtype)
{
    if (!is_integer(dtype))
        return -INFINITY;
    return is_signed(dtype) ? -largest_of(dtype) - 1 : 0;
}

/* ---- Elements ---- */

/* A number of so many bits of exponent and of fraction. */
static long double decode(uint64_t bits, int exponent_bits, int fraction_bits)
{
    int exponent = (int)(bits >> fraction_bits & ((1u << exponent_bits) - 1)), bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t one = UINT64_C(1) << fraction_bits, fraction = bits & (one - 1);
    long double x;
    if (exponent == (1 << exponent_bits) - 1)
        x = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        x = ldexpl(fraction, 1 - bias - fraction_bits);
    else
        x = ldexpl(fraction | one, exponent - bias - fraction_bits);
    return bits >> (exponent_bits + fraction_bits) & 1 ? -x : x;
}

static uint64_t encode(long double x, int exponent_bits, int fraction_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, exponent;
    uint64_t sign = signbit(x) ? UINT64_C(1) << (exponent_bits + fraction_bits) : 0;
    uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    if (isnan(x))
        return sign | infinity | UINT64_C(1) << (fraction_bits - 1);
    if (isinf(x))
        return sign | infinity;
    if (x == 0)
        return sign;
    frexpl(x, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    /* The leading 1 of a normal number adds 1 to the exponent's bits, which are 0 for a subnormal. */
    uint64_t whole = (uint64_t)ldexpl(fabsl(x), fraction_bits - exponent);
    return sign | (whole + ((uint64_t)(exponent + bias - 1) << fraction_bits));
}

/* Rounded to nearest even. */
static long double rounded(long double x, int exponent_bits, int fraction_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1, exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexpl(x, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    long double result = ldexpl(rintl(ldexpl(x, fraction_bits - exponent)), exponent - fraction_bits);
    return fabsl(result) >= ldexpl(1, bias + 1) ? copysignl(INFINITY, x) : result;
}

static long double load_part(int32_t dtype, const void *part)
{
    uint64_t bits = 0;
    size_t size = yoke_dtype_get_size(dtype) / (is_complex(dtype) ? 2 : 1);
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)((const unsigned char *)part)[i] << 8 * i;
    if (dtype == YOKE_BOOL)
        return bits != 0;
    if (!is_integer(dtype))
        return decode(bits, yk_dtype_get(dtype)->exponent, yk_dtype_get(dtype)->fraction);
    return is_signed(dtype) && bits >> (8 * size - 1) ? (long double)bits - ldexpl(1, (int)(8 * size)) : (long double)bits;
}

static void store_part(int32_t dtype, void *part, long double x)
{
    const yk_dtype *row = yk_dtype_get(dtype);
    uint64_t bits = is_integer(dtype) ? to_bits(x) : encode(x, row->exponent, row->fraction);
    size_t size = yoke_dtype_get_size(dtype) / (is_complex(dtype) ? 2 : 1);
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)part)[i] = (unsigned char)(bits >> 8 * i);
}

number load(int32_t dtype, const void *element)
{
    number x = { load_part(dtype, element), 0 };
    if (is_complex(dtype))
        x.im = load_part(dtype, (const char *)element + yoke_dtype_get_size(dtype) / 2);
    return x;
}

void store(int32_t dtype, void *element, number x)
{
    store_part(dtype, element, x.re);
    if (is_complex(dtype))
        store_part(dtype, (char *)element + yoke_dtype_get_size(dtype) / 2, x.im);
}

/* ---- Conversions ---- */

uint64_t to_bits(long double x)
{
    return (uint64_t)(wide_int)x;
}

long double wrap(int32_t dtype, wide_int x)
{
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    uint64_t low = (uint64_t)x;
    if (dtype == YOKE_BOOL)
        return x != 0;
    low = bits < 64 ? low & ((UINT64_C(1) << bits) - 1) : low;
    return is_signed(dtype) && low >> (bits - 1) ? (long double)low - ldexpl(1, bits) : (long double)low;
}

/* Reduced precision is stored from a float. */
static long double to_float(int32_t dtype, long double x)
{
    const yk_dtype *row = yk_dtype_get(dtype);
    if (row->kind == YK_KIND_REDUCED)
        x = rounded(x, 8, 23);
    return rounded(x, row->exponent, row->fraction);
}

number convert(number x, int32_t from, int32_t to)
{
    number result = { 0, 0 };
    if (from == to)
        return x;
    if (to == YOKE_BOOL) {
        result.re = x.re != 0 || (is_complex(from) && x.im != 0);
    } else if (!is_integer(to)) {
        result.re = to_float(to, x.re);
        result.im = is_complex(to) && is_complex(from) ? to_float(to, x.im) : 0;
    } else if (is_integer(from)) {
        result.re = wrap(to, (wide_int)x.re);
    } else if (!isnan(x.re)) {
        result.re = x.re <= lowest_of(to) ? lowest_of(to) : x.re >= largest_of(to) ? largest_of(to) : truncl(x.re);
        result.re = result.re == 0 ? 0 : result.re;
    }
    return result;
}

/* ---- Values ---- */

static long double draw_real(model *m, int32_t dtype, unsigned style)
{
    static const long double specials[] = { NAN, INFINITY, -INFINITY, -0.0L, 0, 1, -1, 65504, 1e30L, 1e-40L };
    if (dtype == YOKE_BOOL)
        return draw(m, 2);
    if (is_integer(dtype)) {
        if (style == SMALL_VALUES)
            return is_signed(dtype) ? (long double)draw(m, 9) - 4 : draw(m, 9);
        if (style == SPECIAL_VALUES && chance(m, 12))
            return chance(m, 50) ? largest_of(dtype) : lowest_of(dtype);
        return wrap(dtype, (wide_int)next(m));
    }
    if (style == SPECIAL_VALUES && chance(m, 10)) {
        /* A device without exact floats may take a subnormal number for 0. */
        long double x = specials[draw(m, m->exact ? COUNT(specials) : COUNT(specials) - 1)];
        return to_float(dtype, x);
    }
    if (style == SMALL_VALUES)
        return to_float(dtype, ((long double)draw(m, 33) - 16) / 4);
    return to_float(dtype, ldexpl((long double)(int64_t)next(m), -63 + (int)draw(m, 8)));
}

number draw_value(model *m, int32_t dtype, unsigned style)
{
    number x = { draw_real(m, dtype, style), 0 };
    if (is_complex(dtype))
        x.im = draw_real(m, dtype, style);
    return x;
}

yoke_number number_of(int32_t dtype, long double x)
{
    yoke_number result = { .dtype = dtype };
    if (!is_integer(dtype))
        result.value.f64 = (double)x;
    else if (is_signed(dtype))
        result.value.i64 = (int64_t)x;
    else
        result.value.u64 = (uint64_t)x;
    return result;
}
