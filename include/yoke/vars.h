/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The variables of an expression for yoke_map and its relatives, and the language of expressions.
 *
 * An expression is one or more assignments, separated by semicolons: "c = a * x + y", "d = sqrt(x * x + y * y); near = d < r". The
 * names on the left are arrays of the list, or new names, which hold a value for the rest of the expression. yoke_map_reduce and
 * yoke_select_where assign new names only, and end with a value that is not assigned: "d = x - y; d * d". An array that is read
 * after it was assigned has the new value, as its dtype stores it.
 *
 *  - Arithmetic: + - * / % and unary + - ! ~, << >> & | ^, comparisons, && || ?:, parentheses, casts to the names of dtypes, as
 *    (float32)n or (uint8)x, where float and double are float32 and float64, assignments with += -= *= /= %= &= |= ^= <<= >>=. What
 *    && || ?: do not need is not evaluated.
 *  - Constants are C's: 1, 0x10, 1u, 1ll, 1.5f, 1e-3, true, false, INFINITY, NAN, M_PI.
 *  - Types follow C's rules: integers smaller than int32 are promoted to it, unsigned wins over signed of the same size, float over
 *    integers, double over float. float16 and bfloat16 count as float, bool as int32; a comparison is bool. A new name has the type
 *    of its first value. Two rules differ. A floating-point constant without a suffix has the type of its neighbour, so that
 *    "x * 0.5" of a float array stays float. So has what is computed from such constants and integers, as "sqrt(2.0 * n)". Where no
 *    neighbour is floating point, it is double if the list has an array or a scalar of double or complex128, else float. And a
 *    comparison is of the operands' values, whatever their types: -1 is below 1u, and an int32 of 16777217 is above 16777216.0f, on
 *    devices without double, too. To compare as C does, cast: "(uint32)n == ~0u", "(float)n > x".
 *  - Functions for float and double, without a suffix, which convert integers like such constants: acos acosh asin asinh atan atan2
 *    atanh cbrt ceil copysign cos cosh cospi erf erfc exp exp10 exp2 expm1 fabs fdim floor fma fmax fmin fmod hypot isfinite isinf
 *    isnan ldexp lgamma log log10 log1p log2 nextafter pow remainder rint round rsqrt signbit sin sinh sinpi sqrt tan tanh tgamma
 *    trunc. For every type with an order: min, max and clamp(x, low, high). abs for every type. For complex numbers: real, imag,
 *    conj, and complex(x, y), which makes one.
 *  - Index variables: i0, i1, … are the element's indices along axes 0, 1, …, and i is its position in row-major order, all int64;
 *    n0, n1, … are the extents, and n the number of elements. A variable of the list with such a name takes its place.
 *
 * The values are the same in both languages, and nothing is undefined. Integers wrap, also signed ones, abs of the lowest and its
 * quotient by -1. An integer divided by 0 gives 0, and so does the remainder. Shifting by more bits than there are, or by a
 * negative amount, gives 0, and -1 for a negative number that is shifted to the right. Floating-point operations are rounded one by
 * one; fma rounds once. min, max, fmin and fmax are IEEE 754's minimumNumber and maximumNumber: NaN only if both are NaN, and -0 is
 * below 0; clamp(x, low, high) is min(max(x, low), high), but NaN stays NaN. Conversions are those of <yoke/ops.h>; to bool, all
 * but 0 is true; from complex to real, the real part, which an assignment has to say: y = real(z), or y = (float)z. Complex
 * numbers are multiplied part by part and divided by Smith's method; a real operand is converted first, so that an infinite number
 * divided by a real one has NaN in its other part. abs of a complex number is hypot of its parts, with the same bits on every
 * device: no square overflows or is lost, and it is infinite where a part is infinite, even beside NaN.
 *
 * A variable may have any name that is an identifier of C, int and round and template too, but that of a dtype.
 *
 * An expression has at most 4096 bytes, 64 levels of parentheses, and 64 new names; a list has at most 32 variables.
 */
#ifndef YOKE_VARS_H
#define YOKE_VARS_H

#include <yoke/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of variables. */
typedef uint32_t yoke_var_kind;
enum { YOKE_VAR_ARRAY = 1, YOKE_VAR_SCALAR = 2, YOKE_VAR_FUNCTION = 3 };

/* A variable, or a function, made by YOKE_VARS or by the functions below. Names and texts are read during the call that takes it.
 * Final: what comes later is another kind, and a kind that the library does not know is refused. */
typedef struct yoke_var {
    const char *name;   /* of the variable; the declaration of a function, as "float smooth(float x, int32 n)" */
    const char *text;   /* of a function: its definition as CUDA C++ and OpenCL C alike; else NULL */
    yoke_var_kind kind; /* YOKE_VAR_ */
    yoke_number scalar; /* of a scalar */
    yoke_array array;   /* of an array */
} yoke_var;

/* An array by a name of its own. */
static inline yoke_var yoke_var_array(const char *name, yoke_array array)
{
    yoke_var var = { YOKE_NULL, YOKE_NULL, YOKE_VAR_ARRAY, { 0, { 0 } }, array };
    var.name = name;
    return var;
}

/* The same through a pointer. NULL makes an array of dtype 0, which operations refuse. */
static inline yoke_var yoke_var_array_pointer(const char *name, const yoke_array *array)
{
    yoke_var var = { YOKE_NULL, YOKE_NULL, YOKE_VAR_ARRAY, { 0, { 0 } }, { YOKE_NULL, 0, 0, 0, { 0 }, { 0 }, 0 } };
    var.name = name;
    if (array)
        var.array = *array;
    return var;
}

/* A scalar by a name of its own: yoke_var_scalar("limit", YOKE_NUMBER(2.5f)). */
static inline yoke_var yoke_var_scalar(const char *name, yoke_number scalar)
{
    yoke_var var = { YOKE_NULL, YOKE_NULL, YOKE_VAR_SCALAR, { 0, { 0 } }, { YOKE_NULL, 0, 0, 0, { 0 }, { 0 }, 0 } };
    var.name = name;
    var.scalar = scalar;
    return var;
}

/* A function of the program's own, which the expression calls. `declaration` has its name and its types, which are names of dtypes
 * but complex ones: "float smooth(float x, int32 n)"; at most 16 parameters. `text` defines it with YOKE_FUNCTION of
 * <yoke/kernel.h>, and may define more before it: "YOKE_FUNCTION float smooth(float x, int n) { … }". It is compiled before the
 * kernel that calls it, whose names and macros it does not see, nor does the kernel see those of the text; <yoke/types.h> is
 * included. There, float16 and bfloat16 are float, and bool is any integer. Arguments are converted to the declared types, and the
 * result counts as the declared type. The function may have any name, also one of a function of either language, but not that of a
 * function of expressions or of a dtype, no word of C, no operator of C++, as and, none that C keeps for compilers, as __x and _X,
 * and none that begins with yoke_ or yops_, which are Yoke's own, in the text too. */
static inline yoke_var yoke_var_function(const char *declaration, const char *text)
{
    yoke_var var = { YOKE_NULL, YOKE_NULL, YOKE_VAR_FUNCTION, { 0, { 0 } }, { YOKE_NULL, 0, 0, 0, { 0 }, { 0 }, 0 } };
    var.name = declaration;
    var.text = text;
    return var;
}

/* For the macros. */
static inline yoke_var yoke_var_itself(const char *name, yoke_var var)
{
    YOKE_CAST(void, name);
    return var;
}

#ifdef __cplusplus
}
#endif

/* ---- Lists ---------------------------------------------------------------------------------------------------------------- */

/* YOKE_VAR and YOKE_VARS are for C11 and C++, YOKE_AXES is for C99 too. What YOKE_VARS and YOKE_AXES make lives as long as the
 * block in which they stand, but in C++ only as long as the call: a list that is kept, as in yoke_matmul_options, is an array
 * there. */
#if defined(__cplusplus)

#include <initializer_list>

static inline yoke_var yoke_var_of(const char *name, const yoke_array &array)
{
    return yoke_var_array(name, array);
}
static inline yoke_var yoke_var_of(const char *name, const yoke_array *array)
{
    return yoke_var_array_pointer(name, array);
}
static inline yoke_var yoke_var_of(const char *name, yoke_array *array)
{
    return yoke_var_array_pointer(name, array);
}
static inline yoke_var yoke_var_of(const char *, const yoke_var &var)
{
    return var;
}
template <typename type> static inline yoke_var yoke_var_of(const char *name, type value)
{
    return yoke_var_scalar(name, YOKE_NUMBER(value));
}
#define YOKE_VAR(x) yoke_var_of(#x, x)
#define YOKE_VARS(...) std::initializer_list<yoke_var>{ YOKE_EACH_VAR(__VA_ARGS__) }.begin(), YOKE_LISTED(__VA_ARGS__)
#define YOKE_AXES(...) std::initializer_list<int32_t>{ __VA_ARGS__ }.begin(), std::initializer_list<int32_t>{ __VA_ARGS__ }.size()

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

#define YOKE_VAR_FN(name, type)                                          \
    static inline yoke_var yoke_var_##name(const char *text, type value) \
    {                                                                    \
        return yoke_var_scalar(text, yoke_number_##name(value));         \
    }
YOKE_VAR_FN(bool, _Bool)
YOKE_VAR_FN(char, char)
YOKE_VAR_FN(i8, signed char)
YOKE_VAR_FN(u8, unsigned char)
YOKE_VAR_FN(i16, short)
YOKE_VAR_FN(u16, unsigned short)
YOKE_VAR_FN(i32, int)
YOKE_VAR_FN(u32, unsigned int)
YOKE_VAR_FN(long, long)
YOKE_VAR_FN(ulong, unsigned long)
YOKE_VAR_FN(i64, long long)
YOKE_VAR_FN(u64, unsigned long long)
YOKE_VAR_FN(f16, yoke_half)
YOKE_VAR_FN(bf16, yoke_bfloat16)
YOKE_VAR_FN(f32, float)
YOKE_VAR_FN(f64, double)
#if !defined(__STDC_NO_COMPLEX__)
YOKE_VAR_FN(float_complex, float _Complex)
YOKE_VAR_FN(double_complex, double _Complex)
#endif
#undef YOKE_VAR_FN

/* A variable of an expression with its own name: an array, a pointer to an array, a scalar, or a yoke_var. */
/* clang-format off */
#define YOKE_VAR(x) _Generic((x), \
    yoke_array: yoke_var_array, \
    yoke_array *: yoke_var_array_pointer, \
    const yoke_array *: yoke_var_array_pointer, \
    yoke_var: yoke_var_itself, \
    _Bool: yoke_var_bool, \
    char: yoke_var_char, \
    signed char: yoke_var_i8, \
    unsigned char: yoke_var_u8, \
    short: yoke_var_i16, \
    unsigned short: yoke_var_u16, \
    int: yoke_var_i32, \
    unsigned int: yoke_var_u32, \
    long: yoke_var_long, \
    unsigned long: yoke_var_ulong, \
    long long: yoke_var_i64, \
    unsigned long long: yoke_var_u64, \
    yoke_half: yoke_var_f16, \
    yoke_bfloat16: yoke_var_bf16, \
    float: yoke_var_f32, \
    double: yoke_var_f64 \
    YOKE_COMPLEX_TYPES(YOKE_VAR_COMPLEX))(#x, x)
#define YOKE_VAR_COMPLEX(type, name) , type: yoke_var_##name
/* clang-format on */

/* A list of up to 32 variables, each with its own name: YOKE_VARS(c, x, y) expands to `array, count`. YOKE_NO_VARS is the empty
 * list, and so is YOKE_VARS(). */
#define YOKE_VARS(...) ((const yoke_var[]){ YOKE_EACH_VAR(__VA_ARGS__) }), YOKE_LISTED(__VA_ARGS__)

/* A list of axes, counted from 0: YOKE_AXES(0, 2) expands to `array, count`. YOKE_ALL_AXES stands for all axes of an array;
 * YOKE_AXES() is an error, since it could mean none. */
#define YOKE_AXES(...) ((const int32_t[]){ __VA_ARGS__ }), (sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t))

#else
#define YOKE_AXES(...) ((const int32_t[]){ __VA_ARGS__ }), (sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t))
#endif

#define YOKE_NO_VARS YOKE_NULL, 0
#define YOKE_ALL_AXES YOKE_NULL, 0

/* clang-format off */
#define YOKE_EACH_VAR(...) YOKE_JOIN(YOKE_EACH_VAR_, YOKE_LISTED(__VA_ARGS__))(__VA_ARGS__)
#define YOKE_EACH_VAR_0(x) yoke_var_array_pointer(YOKE_NULL, YOKE_NULL)
#define YOKE_EACH_VAR_1(x) YOKE_VAR(x)
#define YOKE_EACH_VAR_2(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_1(__VA_ARGS__)
#define YOKE_EACH_VAR_3(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_2(__VA_ARGS__)
#define YOKE_EACH_VAR_4(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_3(__VA_ARGS__)
#define YOKE_EACH_VAR_5(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_4(__VA_ARGS__)
#define YOKE_EACH_VAR_6(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_5(__VA_ARGS__)
#define YOKE_EACH_VAR_7(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_6(__VA_ARGS__)
#define YOKE_EACH_VAR_8(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_7(__VA_ARGS__)
#define YOKE_EACH_VAR_9(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_8(__VA_ARGS__)
#define YOKE_EACH_VAR_10(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_9(__VA_ARGS__)
#define YOKE_EACH_VAR_11(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_10(__VA_ARGS__)
#define YOKE_EACH_VAR_12(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_11(__VA_ARGS__)
#define YOKE_EACH_VAR_13(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_12(__VA_ARGS__)
#define YOKE_EACH_VAR_14(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_13(__VA_ARGS__)
#define YOKE_EACH_VAR_15(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_14(__VA_ARGS__)
#define YOKE_EACH_VAR_16(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_15(__VA_ARGS__)
#define YOKE_EACH_VAR_17(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_16(__VA_ARGS__)
#define YOKE_EACH_VAR_18(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_17(__VA_ARGS__)
#define YOKE_EACH_VAR_19(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_18(__VA_ARGS__)
#define YOKE_EACH_VAR_20(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_19(__VA_ARGS__)
#define YOKE_EACH_VAR_21(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_20(__VA_ARGS__)
#define YOKE_EACH_VAR_22(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_21(__VA_ARGS__)
#define YOKE_EACH_VAR_23(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_22(__VA_ARGS__)
#define YOKE_EACH_VAR_24(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_23(__VA_ARGS__)
#define YOKE_EACH_VAR_25(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_24(__VA_ARGS__)
#define YOKE_EACH_VAR_26(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_25(__VA_ARGS__)
#define YOKE_EACH_VAR_27(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_26(__VA_ARGS__)
#define YOKE_EACH_VAR_28(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_27(__VA_ARGS__)
#define YOKE_EACH_VAR_29(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_28(__VA_ARGS__)
#define YOKE_EACH_VAR_30(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_29(__VA_ARGS__)
#define YOKE_EACH_VAR_31(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_30(__VA_ARGS__)
#define YOKE_EACH_VAR_32(x, ...) YOKE_VAR(x), YOKE_EACH_VAR_31(__VA_ARGS__)
/* clang-format on */

#endif
