/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed kernel arguments: YOKE_ARGS(x, y, 2.0f, (int32_t)n) makes an array of yoke_arg and its length, each with the kind and width
 * of the expression. In C11 and C++ the type is found by itself; in C99 spell it: YOKE_ARGS(yoke_arg_buffer(x),
 * yoke_arg_f32(2.0f)). A struct by value is yoke_arg_struct(&s, sizeof s) in every language, an array of the host's yoke_in,
 * yoke_out or yoke_inout. Included by <yoke/program.h>.
 */
#ifndef YOKE_ARGS_H
#define YOKE_ARGS_H

#include <yoke/program.h>

/* A buffer or view. */
static inline yoke_arg yoke_arg_buffer(yoke_buffer *buffer)
{
    yoke_arg arg = { YOKE_ARG_BUFFER, sizeof buffer, { 0 } };
    arg.value.buffer = buffer;
    return arg;
}

/* A struct by value. `bytes` has to live until the launch call returns. */
static inline yoke_arg yoke_arg_struct(const void *bytes, size_t size)
{
    yoke_arg arg = { YOKE_ARG_STRUCT, (uint32_t)size, { 0 } };
    arg.value.bytes = bytes;
    return arg;
}

/* A null pointer in place of a buffer, for kernels that ask whether they were given one. */
static inline yoke_arg yoke_arg_null(void)
{
    yoke_arg arg = { YOKE_ARG_NULL, sizeof(void *), { 0 } };
    return arg;
}

/* Shared memory, in the place where OpenCL has the __local parameter. In CUDA, where it is no parameter, it adds to `shared`. */
static inline yoke_arg yoke_arg_local(size_t bytes)
{
    yoke_arg arg = { YOKE_ARG_LOCAL, 0, { 0 } };
    arg.value.u64 = bytes;
    return arg;
}

/* What yoke_in, yoke_out and yoke_inout share: the upper half of a host array's size is beside its kind. */
static inline yoke_arg yoke_arg_host(uint32_t kind, const void *host, size_t size)
{
    yoke_arg arg = { kind | (uint32_t)((uint64_t)size >> 32 << 8), (uint32_t)size, { 0 } };
    arg.value.bytes = host;
    return arg;
}

/* An array of the host's, `size` bytes: the kernel reads it, writes all of it, or both. See yoke_launch. Each is device memory of
 * its own, also where several are one array or overlap: all are read before the kernel runs, and written behind it in the order of
 * the arguments. When the launch fails, the stream may still read those that come in until it has come so far. Graphs take none. */
static inline yoke_arg yoke_in(const void *host, size_t size)
{
    return yoke_arg_host(YOKE_ARG_IN, host, size);
}

/* As yoke_in, for an array that the kernel writes all of. */
static inline yoke_arg yoke_out(void *host, size_t size)
{
    return yoke_arg_host(YOKE_ARG_OUT, host, size);
}

/* As yoke_in, for an array that the kernel reads and writes. */
static inline yoke_arg yoke_inout(void *host, size_t size)
{
    return yoke_arg_host(YOKE_ARG_INOUT, host, size);
}

/* A scalar by value, by its type. */
#define YOKE_ARG_SCALAR_FN(name, type)                           \
    static inline yoke_arg yoke_arg_##name(type value)           \
    {                                                            \
        yoke_arg arg = { YOKE_ARG_SCALAR, sizeof value, { 0 } }; \
        arg.value.name = value;                                  \
        return arg;                                              \
    }
YOKE_ARG_SCALAR_FN(i8, int8_t)
YOKE_ARG_SCALAR_FN(u8, uint8_t)
YOKE_ARG_SCALAR_FN(i16, int16_t)
YOKE_ARG_SCALAR_FN(u16, uint16_t)
YOKE_ARG_SCALAR_FN(i32, int32_t)
YOKE_ARG_SCALAR_FN(u32, uint32_t)
YOKE_ARG_SCALAR_FN(i64, int64_t)
YOKE_ARG_SCALAR_FN(u64, uint64_t)
YOKE_ARG_SCALAR_FN(f32, float)
YOKE_ARG_SCALAR_FN(f64, double)
#undef YOKE_ARG_SCALAR_FN

/* For YOKE_ARGS, where an argument is one already. */
static inline yoke_arg yoke_arg_itself(yoke_arg arg)
{
    return arg;
}

/* A scalar whose type is 32 or 64 bits wide, as the platform has it. */
static inline yoke_arg yoke_arg_long(long value)
{
    return sizeof value == 8 ? yoke_arg_i64((int64_t)value) : yoke_arg_i32((int32_t)value);
}

/* The same without a sign. */
static inline yoke_arg yoke_arg_ulong(unsigned long value)
{
    return sizeof value == 8 ? yoke_arg_u64((uint64_t)value) : yoke_arg_u32((uint32_t)value);
}

/* What YOKE_DIM makes. */
static inline yoke_dim yoke_dim_make(uint32_t x, uint32_t y, uint32_t z)
{
    yoke_dim dim;
    dim.x = x;
    dim.y = y;
    dim.z = z;
    return dim;
}

#define YOKE_DIM(...) YOKE_DIM_(__VA_ARGS__, 1, 1, 0)
#define YOKE_DIM_(x, y, z, ...) yoke_dim_make((uint32_t)(x), (uint32_t)(y), (uint32_t)(z))

#if defined(__cplusplus)

#include <initializer_list>

static inline yoke_arg yoke_arg_of(yoke_arg value)
{
    return yoke_arg_itself(value);
}
static inline yoke_arg yoke_arg_of(yoke_buffer *value)
{
    return yoke_arg_buffer(value);
}
static inline yoke_arg yoke_arg_of(signed char value)
{
    return yoke_arg_i8(value);
}
static inline yoke_arg yoke_arg_of(unsigned char value)
{
    return yoke_arg_u8(value);
}
static inline yoke_arg yoke_arg_of(short value)
{
    return yoke_arg_i16(value);
}
static inline yoke_arg yoke_arg_of(unsigned short value)
{
    return yoke_arg_u16(value);
}
static inline yoke_arg yoke_arg_of(int value)
{
    return yoke_arg_i32(value);
}
static inline yoke_arg yoke_arg_of(unsigned int value)
{
    return yoke_arg_u32(value);
}
static inline yoke_arg yoke_arg_of(long value)
{
    return yoke_arg_long(value);
}
static inline yoke_arg yoke_arg_of(unsigned long value)
{
    return yoke_arg_ulong(value);
}
static inline yoke_arg yoke_arg_of(long long value)
{
    return yoke_arg_i64(value);
}
static inline yoke_arg yoke_arg_of(unsigned long long value)
{
    return yoke_arg_u64(value);
}
static inline yoke_arg yoke_arg_of(float value)
{
    return yoke_arg_f32(value);
}
static inline yoke_arg yoke_arg_of(double value)
{
    return yoke_arg_f64(value);
}
#define YOKE_ARG(x) yoke_arg_of(x)

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

/* clang-format off */
#define YOKE_ARG(x) _Generic((x), \
    yoke_arg: yoke_arg_itself, \
    yoke_buffer *: yoke_arg_buffer, \
    signed char: yoke_arg_i8, \
    unsigned char: yoke_arg_u8, \
    short: yoke_arg_i16, \
    unsigned short: yoke_arg_u16, \
    int: yoke_arg_i32, \
    unsigned int: yoke_arg_u32, \
    long: yoke_arg_long, \
    unsigned long: yoke_arg_ulong, \
    long long: yoke_arg_i64, \
    unsigned long long: yoke_arg_u64, \
    float: yoke_arg_f32, \
    double: yoke_arg_f64)(x)
/* clang-format on */

#else
#define YOKE_ARG(x) yoke_arg_itself(x)
#endif

/* YOKE_ARGS(a, b, …) is `array, count`: up to 16 arguments; a kernel with more takes an array of yoke_arg. YOKE_NO_ARGS is none. */
#define YOKE_COUNT(...) YOKE_COUNT_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define YOKE_COUNT_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, n, ...) n
#define YOKE_JOIN(a, b) YOKE_JOIN_(a, b)
#define YOKE_JOIN_(a, b) a##b
#define YOKE_EACH(...) YOKE_JOIN(YOKE_EACH_, YOKE_COUNT(__VA_ARGS__))(__VA_ARGS__)
#define YOKE_EACH_1(x) YOKE_ARG(x)
#define YOKE_EACH_2(x, ...) YOKE_ARG(x), YOKE_EACH_1(__VA_ARGS__)
#define YOKE_EACH_3(x, ...) YOKE_ARG(x), YOKE_EACH_2(__VA_ARGS__)
#define YOKE_EACH_4(x, ...) YOKE_ARG(x), YOKE_EACH_3(__VA_ARGS__)
#define YOKE_EACH_5(x, ...) YOKE_ARG(x), YOKE_EACH_4(__VA_ARGS__)
#define YOKE_EACH_6(x, ...) YOKE_ARG(x), YOKE_EACH_5(__VA_ARGS__)
#define YOKE_EACH_7(x, ...) YOKE_ARG(x), YOKE_EACH_6(__VA_ARGS__)
#define YOKE_EACH_8(x, ...) YOKE_ARG(x), YOKE_EACH_7(__VA_ARGS__)
#define YOKE_EACH_9(x, ...) YOKE_ARG(x), YOKE_EACH_8(__VA_ARGS__)
#define YOKE_EACH_10(x, ...) YOKE_ARG(x), YOKE_EACH_9(__VA_ARGS__)
#define YOKE_EACH_11(x, ...) YOKE_ARG(x), YOKE_EACH_10(__VA_ARGS__)
#define YOKE_EACH_12(x, ...) YOKE_ARG(x), YOKE_EACH_11(__VA_ARGS__)
#define YOKE_EACH_13(x, ...) YOKE_ARG(x), YOKE_EACH_12(__VA_ARGS__)
#define YOKE_EACH_14(x, ...) YOKE_ARG(x), YOKE_EACH_13(__VA_ARGS__)
#define YOKE_EACH_15(x, ...) YOKE_ARG(x), YOKE_EACH_14(__VA_ARGS__)
#define YOKE_EACH_16(x, ...) YOKE_ARG(x), YOKE_EACH_15(__VA_ARGS__)

#if defined(__cplusplus)
#define YOKE_ARGS(...) std::initializer_list<yoke_arg>{ YOKE_EACH(__VA_ARGS__) }.begin(), YOKE_COUNT(__VA_ARGS__)
#else
#define YOKE_ARGS(...) ((const yoke_arg[]){ YOKE_EACH(__VA_ARGS__) }), YOKE_COUNT(__VA_ARGS__)
#endif
#define YOKE_NO_ARGS NULL, 0

#endif
