/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of numbers, for prelude.h. The fast ones, as __sinf, are as exact as the others here. What rounds in a direction sets
 * the host's mode for as long as it computes.
 */

#define DOUBLE_SAME(type, name, function, parameters, arguments) \
    static inline type name parameters                           \
    {                                                            \
        return __builtin_##function arguments;                   \
    }
/* Each by its name in C, and by the one that C++ has for both widths. */
#define DOUBLE_MATH1(name)                               \
    DOUBLE_SAME(float, name##f, name##f, (float x), (x)) \
    DOUBLE_SAME(float, name, name##f, (float x), (x))    \
    DOUBLE_SAME(double, name, name, (double x), (x))
#define DOUBLE_MATH2(name)                                           \
    DOUBLE_SAME(float, name##f, name##f, (float x, float y), (x, y)) \
    DOUBLE_SAME(float, name, name##f, (float x, float y), (x, y))    \
    DOUBLE_SAME(double, name, name, (double x, double y), (x, y))
#define DOUBLE_MATH3(name)                                                       \
    DOUBLE_SAME(float, name##f, name##f, (float x, float y, float z), (x, y, z)) \
    DOUBLE_SAME(float, name, name##f, (float x, float y, float z), (x, y, z))    \
    DOUBLE_SAME(double, name, name, (double x, double y, double z), (x, y, z))
/* With another type in it: the result's, or the second parameter's. */
#define DOUBLE_MATH_TO(type, name)                      \
    DOUBLE_SAME(type, name##f, name##f, (float x), (x)) \
    DOUBLE_SAME(type, name, name##f, (float x), (x))    \
    DOUBLE_SAME(type, name, name, (double x), (x))
#define DOUBLE_MATH_BY(name, by)                                  \
    DOUBLE_SAME(float, name##f, name##f, (float x, by y), (x, y)) \
    DOUBLE_SAME(float, name, name##f, (float x, by y), (x, y))    \
    DOUBLE_SAME(double, name, name, (double x, by y), (x, y))
DOUBLE_MATH1(acos)
DOUBLE_MATH1(acosh)
DOUBLE_MATH1(asin)
DOUBLE_MATH1(asinh)
DOUBLE_MATH1(atan)
DOUBLE_MATH1(atanh)
DOUBLE_MATH1(cbrt)
DOUBLE_MATH1(ceil)
DOUBLE_MATH1(cos)
DOUBLE_MATH1(cosh)
DOUBLE_MATH1(erf)
DOUBLE_MATH1(erfc)
DOUBLE_MATH1(exp)
DOUBLE_MATH1(exp2)
DOUBLE_MATH1(expm1)
DOUBLE_MATH1(fabs)
DOUBLE_MATH1(floor)
DOUBLE_MATH1(lgamma)
DOUBLE_MATH1(log)
DOUBLE_MATH1(log10)
DOUBLE_MATH1(log1p)
DOUBLE_MATH1(log2)
DOUBLE_MATH1(logb)
DOUBLE_MATH1(nearbyint)
DOUBLE_MATH1(rint)
DOUBLE_MATH1(round)
DOUBLE_MATH1(sin)
DOUBLE_MATH1(sinh)
DOUBLE_MATH1(sqrt)
DOUBLE_MATH1(tan)
DOUBLE_MATH1(tanh)
DOUBLE_MATH1(tgamma)
DOUBLE_MATH1(trunc)
DOUBLE_MATH2(atan2)
DOUBLE_MATH2(copysign)
DOUBLE_MATH2(fdim)
DOUBLE_MATH2(fmax)
DOUBLE_MATH2(fmin)
DOUBLE_MATH2(fmod)
DOUBLE_MATH2(hypot)
DOUBLE_MATH2(nextafter)
DOUBLE_MATH2(pow)
DOUBLE_MATH2(remainder)
DOUBLE_MATH3(fma)
DOUBLE_MATH_TO(int, ilogb)
DOUBLE_MATH_TO(long, lrint)
DOUBLE_MATH_TO(long, lround)
DOUBLE_MATH_TO(long long, llrint)
DOUBLE_MATH_TO(long long, llround)
DOUBLE_MATH_BY(frexp, int *)
DOUBLE_MATH_BY(ldexp, int)
DOUBLE_MATH_BY(scalbln, long)
DOUBLE_MATH_BY(scalbn, int)
DOUBLE_SAME(float, modff, modff, (float x, float *whole), (x, whole))
DOUBLE_SAME(float, modf, modff, (float x, float *whole), (x, whole))
DOUBLE_SAME(double, modf, modf, (double x, double *whole), (x, whole))
DOUBLE_SAME(float, remquof, remquof, (float x, float y, int *q), (x, y, q))
DOUBLE_SAME(double, remquo, remquo, (double x, double y, int *q), (x, y, q))
DOUBLE_SAME(bool, isfinite, isfinite, (float x), (x))
DOUBLE_SAME(bool, isfinite, isfinite, (double x), (x))
DOUBLE_SAME(bool, isinf, isinf, (float x), (x))
DOUBLE_SAME(bool, isinf, isinf, (double x), (x))
DOUBLE_SAME(bool, isnan, isnan, (float x), (x))
DOUBLE_SAME(bool, isnan, isnan, (double x), (x))
DOUBLE_SAME(bool, signbit, signbitf, (float x), (x))
DOUBLE_SAME(bool, signbit, signbit, (double x), (x))

extern "C" {
double nan(const char *), exp10(double), j0(double), j1(double), jn(int, double), y0(double), y1(double), yn(int, double);
float nanf(const char *), exp10f(float), j0f(float), j1f(float), jnf(int, float), y0f(float), y1f(float), ynf(int, float);
int fesetround(int);
}

/* Both widths of a function that C has not. */
#define DOUBLE_BOTH(name, parameters, expression) \
    static inline double name parameters(double, expression) static inline float name##f parameters(float, expression)
#define DOUBLE_OF1(type, expression) \
    (type x)                         \
    {                                \
        return expression;           \
    }
#define DOUBLE_OF2(type, expression) \
    (type x, type y)                 \
    {                                \
        return expression;           \
    }
#define DOUBLE_OF3(type, expression) \
    (type x, type y, type z)         \
    {                                \
        return expression;           \
    }
#define DOUBLE_OF4(type, expression) \
    (type x, type y, type z, type w) \
    {                                \
        return expression;           \
    }
DOUBLE_BOTH(rsqrt, DOUBLE_OF1, 1 / sqrt(x))
DOUBLE_BOTH(rcbrt, DOUBLE_OF1, 1 / cbrt(x))
DOUBLE_BOTH(normcdf, DOUBLE_OF1, erfc(x * -0.70710678118654752440) / 2)
DOUBLE_BOTH(rhypot, DOUBLE_OF2, 1 / hypot(x, y))
DOUBLE_BOTH(norm3d, DOUBLE_OF3, hypot(hypot(x, y), z))
DOUBLE_BOTH(rnorm3d, DOUBLE_OF3, 1 / hypot(hypot(x, y), z))
DOUBLE_BOTH(norm4d, DOUBLE_OF4, hypot(hypot(x, y), hypot(z, w)))
DOUBLE_BOTH(rnorm4d, DOUBLE_OF4, 1 / hypot(hypot(x, y), hypot(z, w)))
static inline float rsqrt(float x)
{
    return rsqrtf(x);
}
static inline float exp10(float x)
{
    return exp10f(x);
}

/* Of a multiple of pi: quarters of the circle are left out exactly. */
static inline void sincospi(double x, double *sine, double *cosine)
{
    const double quarters = rint(2 * x), rest = (x - quarters / 2) * 3.14159265358979323846;
    const int quarter = (int)(quarters - 4 * floor(quarters / 4));
    const double s = sin(rest), c = cos(rest);
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
}
static inline void sincospif(float x, float *sine, float *cosine)
{
    double s, c;
    sincospi((double)x, &s, &c);
    *sine = (float)s;
    *cosine = (float)c;
}
static inline double sinpi(double x)
{
    double s, c;
    sincospi(x, &s, &c);
    return s;
}
static inline double cospi(double x)
{
    double s, c;
    sincospi(x, &s, &c);
    return c;
}
static inline float sinpif(float x)
{
    return (float)sinpi((double)x);
}
static inline float cospif(float x)
{
    return (float)cospi((double)x);
}
static inline float sinpi(float x)
{
    return sinpif(x);
}
static inline float cospi(float x)
{
    return cospif(x);
}
static inline void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}
static inline void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}
static inline void sincos(float x, float *sine, float *cosine)
{
    sincosf(x, sine, cosine);
}

/* ---- Fast ones ---- */

#define DOUBLE_FAST(name)                 \
    static inline float __##name(float x) \
    {                                     \
        return name(x);                   \
    }
DOUBLE_FAST(cosf)
DOUBLE_FAST(exp10f)
DOUBLE_FAST(expf)
DOUBLE_FAST(log10f)
DOUBLE_FAST(log2f)
DOUBLE_FAST(logf)
DOUBLE_FAST(sinf)
DOUBLE_FAST(tanf)
DOUBLE_FAST(tanhf)
static inline float __powf(float x, float y)
{
    return powf(x, y);
}
static inline void __sincosf(float x, float *sine, float *cosine)
{
    sincosf(x, sine, cosine);
}
static inline float __fdividef(float x, float y)
{
    return x / y;
}
static inline float fdividef(float x, float y)
{
    return x / y;
}
static inline double fdivide(double x, double y)
{
    return x / y;
}
static inline float __frsqrt_rn(float x)
{
    return (float)(1 / sqrt((double)x));
}
static inline float __saturatef(float x)
{
    return fminf(fmaxf(x, 0.0f), 1.0f);
}

/* ---- Rounding ---- */

namespace double_own {
#if defined(__x86_64__)
enum { NEAREST = 0, DOWN = 0x400, UP = 0x800, ZERO = 0xc00 };
#else
enum { NEAREST = 0, UP = 0x400000, DOWN = 0x800000, ZERO = 0xc00000 };
#endif

/* The compiler does not know of modes: what it computes from this is computed behind it. */
template <class T> static inline void pin(T &x)
{
    asm volatile("" : "+m"(x));
}

/* As the hardware does it: what is too large is the largest, what is no number 0, or the least of 64 bits. */
template <class To, class From> static inline To to_integer(From x)
{
    const bool is_signed = To(-1) < To(0);
    const To least = is_signed ? To(To(1) << (8 * sizeof(To) - 1)) : To(0), most = To(~least);
    if (isnan(x))
        return sizeof(To) == 8 ? To(1ull << 63) : To(0);
    return x <= (From)least ? least : x >= (From)most ? most : (To)x;
}
} // namespace double_own

#define DOUBLE_IN_MODE(type, name, mode, parameters, pins, expression) \
    static inline type name parameters                                 \
    {                                                                  \
        fesetround(double_own::mode);                                  \
        pins;                                                          \
        type result = expression;                                      \
        double_own::pin(result);                                       \
        fesetround(double_own::NEAREST);                               \
        return result;                                                 \
    }
#define DOUBLE_MODES(type, name, parameters, pins, expression)          \
    static inline type name##_rn parameters                             \
    {                                                                   \
        return expression;                                              \
    }                                                                   \
    DOUBLE_IN_MODE(type, name##_rd, DOWN, parameters, pins, expression) \
    DOUBLE_IN_MODE(type, name##_ru, UP, parameters, pins, expression)   \
    DOUBLE_IN_MODE(type, name##_rz, ZERO, parameters, pins, expression)
#define DOUBLE_MODES1(type, from, name, expression) DOUBLE_MODES(type, name, (from x), double_own::pin(x), expression)
#define DOUBLE_MODES2(type, name, expression) \
    DOUBLE_MODES(type, name, (type x, type y), (double_own::pin(x), double_own::pin(y)), expression)
#define DOUBLE_MODES3(type, name, expression) \
    DOUBLE_MODES(type, name, (type x, type y, type z), (double_own::pin(x), double_own::pin(y), double_own::pin(z)), expression)
DOUBLE_MODES2(float, __fadd, x + y)
DOUBLE_MODES2(float, __fsub, x - y)
DOUBLE_MODES2(float, __fmul, x *y)
DOUBLE_MODES2(float, __fdiv, x / y)
DOUBLE_MODES1(float, float, __frcp, 1 / x)
DOUBLE_MODES1(float, float, __fsqrt, sqrtf(x))
DOUBLE_MODES3(float, __fmaf, fmaf(x, y, z))
DOUBLE_MODES2(double, __dadd, x + y)
DOUBLE_MODES2(double, __dsub, x - y)
DOUBLE_MODES2(double, __dmul, x *y)
DOUBLE_MODES2(double, __ddiv, x / y)
DOUBLE_MODES1(double, double, __drcp, 1 / x)
DOUBLE_MODES1(double, double, __dsqrt, sqrt(x))
DOUBLE_MODES3(double, __fma, fma(x, y, z))
DOUBLE_MODES1(float, double, __double2float, (float)x)
DOUBLE_MODES1(float, int, __int2float, (float)x)
DOUBLE_MODES1(float, unsigned, __uint2float, (float)x)
DOUBLE_MODES1(float, long long, __ll2float, (float)x)
DOUBLE_MODES1(float, unsigned long long, __ull2float, (float)x)
DOUBLE_MODES1(double, long long, __ll2double, (double)x)
DOUBLE_MODES1(double, unsigned long long, __ull2double, (double)x)
static inline double __int2double_rn(int x)
{
    return x;
}
static inline double __uint2double_rn(unsigned x)
{
    return x;
}

#define DOUBLE_INTEGER(to, from, name)               \
    static inline to name##_rn(from x)               \
    {                                                \
        return double_own::to_integer<to>(rint(x));  \
    }                                                \
    static inline to name##_rz(from x)               \
    {                                                \
        return double_own::to_integer<to>(trunc(x)); \
    }                                                \
    static inline to name##_ru(from x)               \
    {                                                \
        return double_own::to_integer<to>(ceil(x));  \
    }                                                \
    static inline to name##_rd(from x)               \
    {                                                \
        return double_own::to_integer<to>(floor(x)); \
    }
DOUBLE_INTEGER(int, float, __float2int)
DOUBLE_INTEGER(unsigned, float, __float2uint)
DOUBLE_INTEGER(long long, float, __float2ll)
DOUBLE_INTEGER(unsigned long long, float, __float2ull)
DOUBLE_INTEGER(int, double, __double2int)
DOUBLE_INTEGER(unsigned, double, __double2uint)
DOUBLE_INTEGER(long long, double, __double2ll)
DOUBLE_INTEGER(unsigned long long, double, __double2ull)

#include "prelude_bits.h"
