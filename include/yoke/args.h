/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed kernel arguments: YOKE_ARGS(x, y, 2.0f, (int32_t)n) makes an array of yoke_arg and its length; each argument has the kind
 * and width of its expression. C11 and C++ deduce the types; C99 spells them: YOKE_ARGS(yoke_arg_buffer(x), yoke_arg_f32(2.0f)). A
 * struct by value is yoke_arg_struct(&s, sizeof s) in every language; a host array is yoke_in, yoke_out or yoke_inout.
 * <yoke/program.h> includes this header.
 */
#ifndef YOKE_ARGS_H
#define YOKE_ARGS_H

#include <yoke/half.h>
#include <yoke/program.h>

/* ---- Arguments of a launch ---------------------------------------------------------------------------------------------- */

/* Shared by the functions below. */
static inline yoke_arg yoke_arg_make(uint32_t kind, uint32_t size)
{
    yoke_arg arg;
    arg.kind = kind;
    arg.size = size;
    arg.value.u64 = 0;
    return arg;
}

/* A buffer or view. */
static inline yoke_arg yoke_arg_buffer(yoke_buffer *buffer)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_BUFFER, sizeof buffer);
    arg.value.buffer = buffer;
    return arg;
}

/* An image that the kernel reads through its sampler: a cudaTextureObject_t in CUDA, a read_only image in OpenCL. A sampler_t
 * parameter is no argument: it gets the sampler of the image before it. */
static inline yoke_arg yoke_arg_image(yoke_image *image)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_IMAGE, sizeof image);
    arg.value.image = image;
    return arg;
}

/* An image that the kernel writes, or reads texel by texel: a cudaSurfaceObject_t in CUDA, an image of any access in OpenCL. */
static inline yoke_arg yoke_arg_surface(yoke_image *image)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_SURFACE, sizeof image);
    arg.value.image = image;
    return arg;
}

/* A struct or vector by value, as yoke_arg_struct(&(yoke_vec4){ 1, 2, 3, 4 }, sizeof(yoke_vec4)) for a float4. `bytes` must stay
 * valid until the launch call returns. */
static inline yoke_arg yoke_arg_struct(const void *bytes, size_t size)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_STRUCT, YOKE_CAST(uint32_t, size));
    arg.value.bytes = bytes;
    return arg;
}

/* A null pointer for a buffer parameter, for kernels that test the pointer. */
static inline yoke_arg yoke_arg_null(void)
{
    return yoke_arg_make(YOKE_ARG_NULL, sizeof(void *));
}

/* Shared memory, at the position of the OpenCL kernel's __local parameter. In CUDA, where shared memory is not a parameter,
 * `bytes` adds to `shared_bytes`. 0 bytes are allowed: the kernel must not use them. */
static inline yoke_arg yoke_arg_local(size_t bytes)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_LOCAL, 0);
    arg.value.u64 = bytes;
    return arg;
}

/* An argument that only kernels in CUDA C++ take, as yoke_arg_cuda_only(yoke_arg_i32(3)): in OpenCL the launch has no such
 * argument. For two texts whose kernels have other parameters. Such a launch costs some tens of nanoseconds more. */
static inline yoke_arg yoke_arg_cuda_only(yoke_arg arg)
{
    arg.kind |= YOKE_ARG_CUDA_ONLY;
    return arg;
}

/* The same for kernels in OpenCL C, as yoke_arg_opencl_only(yoke_arg_local(64)) where the CUDA text declares its own __shared__
 * array. */
static inline yoke_arg yoke_arg_opencl_only(yoke_arg arg)
{
    arg.kind |= YOKE_ARG_OPENCL_ONLY;
    return arg;
}

/* Shared by yoke_in, yoke_out and yoke_inout: the upper half of a host array's size is stored beside its kind. */
static inline yoke_arg yoke_arg_host(uint32_t kind, const void *host, size_t size)
{
    uint64_t bytes = size;
    yoke_arg arg = yoke_arg_make(kind | YOKE_CAST(uint32_t, bytes >> 32 << 8), YOKE_CAST(uint32_t, bytes & 0xffffffffu));
    arg.value.bytes = host;
    return arg;
}

/* A host array of `size` bytes that the kernel reads; see yoke_launch. Each host array gets device memory of its own, even where
 * several arguments name one array or overlap: all inputs are copied before the kernel runs, and all outputs afterwards, in the
 * order of the arguments. If the launch fails, the stream may still read the inputs until it reaches that point. Not allowed in
 * graphs. */
static inline yoke_arg yoke_in(const void *host, size_t size)
{
    return yoke_arg_host(YOKE_ARG_IN, host, size);
}

/* As yoke_in, for an array that the kernel writes completely. */
static inline yoke_arg yoke_out(void *host, size_t size)
{
    return yoke_arg_host(YOKE_ARG_OUT, host, size);
}

/* As yoke_in, for an array that the kernel reads and writes. */
static inline yoke_arg yoke_inout(void *host, size_t size)
{
    return yoke_arg_host(YOKE_ARG_INOUT, host, size);
}

/* clang-format off */
#if defined(__cplusplus)
#define YOKE_C_BOOL bool
#else
#define YOKE_C_BOOL _Bool
#endif
#define YOKE_SCALAR_TYPES(X) \
    /* The scalar types of C, and the names of the functions for them, as yoke_arg_i8 and yoke_number_i8. */ \
    X(char, char) X(YOKE_C_BOOL, bool) X(signed char, i8) X(unsigned char, u8) X(short, i16) X(unsigned short, u16) \
    X(int, i32) X(unsigned int, u32) X(long, long) X(unsigned long, ulong) X(long long, i64) X(unsigned long long, u64) \
    X(yoke_half, f16) X(yoke_bfloat16, bf16) X(float, f32) X(double, f64)
/* clang-format on */

/* A scalar by value, of the named type. */
#define YOKE_ARG_VALUE_FN(name, type, kind)               \
    static inline yoke_arg yoke_arg_##name(type value)    \
    {                                                     \
        yoke_arg arg = yoke_arg_make(kind, sizeof value); \
        arg.value.name = value;                           \
        return arg;                                       \
    }
YOKE_ARG_VALUE_FN(i8, int8_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(u8, uint8_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(i16, int16_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(u16, uint16_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(i32, int32_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(u32, uint32_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(i64, int64_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(u64, uint64_t, YOKE_ARG_INTEGER)
YOKE_ARG_VALUE_FN(f32, float, YOKE_ARG_FLOATING)
YOKE_ARG_VALUE_FN(f64, double, YOKE_ARG_FLOATING)
#undef YOKE_ARG_VALUE_FN

/* A half by value. */
static inline yoke_arg yoke_arg_f16(yoke_half value)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_FLOATING, sizeof value);
    arg.value.u16 = value.bits;
    return arg;
}

/* A bfloat16 by value. */
static inline yoke_arg yoke_arg_bf16(yoke_bfloat16 value)
{
    yoke_arg arg = yoke_arg_make(YOKE_ARG_FLOATING, sizeof value);
    arg.value.u16 = value.bits;
    return arg;
}

/* For YOKE_ARGS, where an argument already is a yoke_arg. */
static inline yoke_arg yoke_arg_itself(yoke_arg arg)
{
    return arg;
}

/* A bool is a byte, 0 or 1, as in CUDA; OpenCL C has no bool parameters, and its kernels take a uchar. */
static inline yoke_arg yoke_arg_bool(YOKE_C_BOOL value)
{
    return yoke_arg_u8(value ? 1 : 0);
}

/* A char is a byte, signed or not. */
static inline yoke_arg yoke_arg_char(char value)
{
    return yoke_arg_i8(YOKE_CAST(int8_t, value));
}

/* A long, of 32 or 64 bits as on the platform. */
static inline yoke_arg yoke_arg_long(long value)
{
    return sizeof value == 8 ? yoke_arg_i64(YOKE_CAST(int64_t, value)) : yoke_arg_i32(YOKE_CAST(int32_t, value));
}

/* The same, unsigned. */
static inline yoke_arg yoke_arg_ulong(unsigned long value)
{
    return sizeof value == 8 ? yoke_arg_u64(YOKE_CAST(uint64_t, value)) : yoke_arg_u32(YOKE_CAST(uint32_t, value));
}

/* The value of YOKE_DIM. */
static inline yoke_dim yoke_dim_make(uint32_t x, uint32_t y, uint32_t z)
{
    yoke_dim dim;
    dim.x = x;
    dim.y = y;
    dim.z = z;
    return dim;
}

#define YOKE_DIM(...) YOKE_DIM_(__VA_ARGS__, 1, 1, 0)
#define YOKE_DIM_(x, y, z, ...) yoke_dim_make(YOKE_CAST(uint32_t, x), YOKE_CAST(uint32_t, y), YOKE_CAST(uint32_t, z))

/* Any other type is a compile error that says what to write. */
#define YOKE_POINTER_TEXT                                                                                               \
    "YOKE_ARGS takes no pointers but buffers and images: pass a host array as yoke_in(x, sizeof x), a null pointer as " \
    "yoke_arg_null()"

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
static inline yoke_arg yoke_arg_of(yoke_image *value)
{
    return yoke_arg_image(value);
}
/* Other pointers are not arguments, and do not convert to bool. */
template <typename type> struct yoke_args_refused {
    enum { none = 0 };
};
template <typename type> static inline yoke_arg yoke_arg_of(type *)
{
    static_assert(yoke_args_refused<type>::none != 0, YOKE_POINTER_TEXT);
    return yoke_arg_null();
}
#define YOKE_ARG_OF(type, name)                    \
    static inline yoke_arg yoke_arg_of(type value) \
    {                                              \
        return yoke_arg_##name(value);             \
    }
YOKE_SCALAR_TYPES(YOKE_ARG_OF)
#undef YOKE_ARG_OF
#define YOKE_ARG(x) yoke_arg_of(x)

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

/* For YOKE_ARGS: whatever is passed does not convert to this parameter, and the compiler names its type in the error. */
struct yoke_in_for_host_arrays_or_yoke_arg_null {
    int none;
};
yoke_arg yoke_args_takes_no_such_type(struct yoke_in_for_host_arrays_or_yoke_arg_null other);

/* clang-format off */
#define YOKE_ARG(x) _Generic((x), \
    yoke_arg: yoke_arg_itself, \
    yoke_buffer *: yoke_arg_buffer, \
    yoke_image *: yoke_arg_image, \
    YOKE_SCALAR_TYPES(YOKE_ARG_OF) \
    default: yoke_args_takes_no_such_type)(x)
#define YOKE_ARG_OF(type, name) type: yoke_arg_##name,
/* clang-format on */

#else
#define YOKE_ARG(x) yoke_arg_itself(x)
#endif

/* YOKE_ARGS(a, b, …) expands to `array, count`, for up to 64 arguments; a kernel with more takes an array of yoke_arg.
 * YOKE_NO_ARGS is the empty list, and so is YOKE_ARGS(). In C, 'a', true and a comparison are ints, as always: only a variable
 * declared char or bool is a char or bool. */
/* clang-format off */
#define YOKE_COUNT(...) YOKE_COUNT_(__VA_ARGS__, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, \
    YOKE_MANY, YOKE_MANY, YOKE_MANY, YOKE_MANY, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, \
    46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, \
    17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define YOKE_COUNT_( \
    a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24, a25, \
    a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, \
    a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, a65, a66, a67, a68, a69, a70, a71, \
    a72, a73, a74, a75, a76, a77, a78, a79, a80, a81, a82, a83, a84, a85, a86, a87, a88, a89, a90, a91, a92, a93, a94, \
    a95, a96, a97, a98, a99, a100, a101, a102, a103, a104, a105, a106, a107, a108, a109, a110, a111, a112, a113, a114, \
    a115, a116, a117, a118, a119, a120, a121, a122, a123, a124, a125, a126, a127, a128, n, ...) n
#define YOKE_JOIN(a, b) YOKE_JOIN_(a, b)
#define YOKE_JOIN_(a, b) a##b

/* YOKE_LISTED is YOKE_COUNT, but 0 for an empty list, which is one empty argument to the preprocessor: only that makes
 * YOKE_TO_COMMA a call of the macro when parentheses follow it. */

#define YOKE_LISTED(...) YOKE_LISTED_(YOKE_COUNT(__VA_ARGS__), __VA_ARGS__)
#define YOKE_LISTED_(n, ...) YOKE_PICK(YOKE_JOIN(YOKE_IF_, n), YOKE_SEVERAL)(n, __VA_ARGS__)
#define YOKE_IF_1 0, YOKE_ONE_OR_NONE
#define YOKE_PICK(...) YOKE_PICK_(__VA_ARGS__, 0)
#define YOKE_PICK_(a, b, ...) b
#define YOKE_SEVERAL(n, ...) n
#define YOKE_ONE_OR_NONE(n, x) \
    YOKE_JOIN(YOKE_ONE_, YOKE_JOIN(YOKE_COMMA(YOKE_TO_COMMA x), YOKE_COMMA(YOKE_TO_COMMA x ())))
#define YOKE_ONE_00 1
#define YOKE_ONE_01 0
#define YOKE_ONE_11 1
#define YOKE_TO_COMMA(...) ,
#define YOKE_COMMA(...) YOKE_COMMA_(__VA_ARGS__, 1, 0, 0)
#define YOKE_COMMA_(a, b, n, ...) n
#define YOKE_EACH(...) YOKE_JOIN(YOKE_EACH_, YOKE_LISTED(__VA_ARGS__))(__VA_ARGS__)
#define YOKE_EACH_0(x) yoke_arg_null()
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
#define YOKE_EACH_17(x, ...) YOKE_ARG(x), YOKE_EACH_16(__VA_ARGS__)
#define YOKE_EACH_18(x, ...) YOKE_ARG(x), YOKE_EACH_17(__VA_ARGS__)
#define YOKE_EACH_19(x, ...) YOKE_ARG(x), YOKE_EACH_18(__VA_ARGS__)
#define YOKE_EACH_20(x, ...) YOKE_ARG(x), YOKE_EACH_19(__VA_ARGS__)
#define YOKE_EACH_21(x, ...) YOKE_ARG(x), YOKE_EACH_20(__VA_ARGS__)
#define YOKE_EACH_22(x, ...) YOKE_ARG(x), YOKE_EACH_21(__VA_ARGS__)
#define YOKE_EACH_23(x, ...) YOKE_ARG(x), YOKE_EACH_22(__VA_ARGS__)
#define YOKE_EACH_24(x, ...) YOKE_ARG(x), YOKE_EACH_23(__VA_ARGS__)
#define YOKE_EACH_25(x, ...) YOKE_ARG(x), YOKE_EACH_24(__VA_ARGS__)
#define YOKE_EACH_26(x, ...) YOKE_ARG(x), YOKE_EACH_25(__VA_ARGS__)
#define YOKE_EACH_27(x, ...) YOKE_ARG(x), YOKE_EACH_26(__VA_ARGS__)
#define YOKE_EACH_28(x, ...) YOKE_ARG(x), YOKE_EACH_27(__VA_ARGS__)
#define YOKE_EACH_29(x, ...) YOKE_ARG(x), YOKE_EACH_28(__VA_ARGS__)
#define YOKE_EACH_30(x, ...) YOKE_ARG(x), YOKE_EACH_29(__VA_ARGS__)
#define YOKE_EACH_31(x, ...) YOKE_ARG(x), YOKE_EACH_30(__VA_ARGS__)
#define YOKE_EACH_32(x, ...) YOKE_ARG(x), YOKE_EACH_31(__VA_ARGS__)
#define YOKE_EACH_33(x, ...) YOKE_ARG(x), YOKE_EACH_32(__VA_ARGS__)
#define YOKE_EACH_34(x, ...) YOKE_ARG(x), YOKE_EACH_33(__VA_ARGS__)
#define YOKE_EACH_35(x, ...) YOKE_ARG(x), YOKE_EACH_34(__VA_ARGS__)
#define YOKE_EACH_36(x, ...) YOKE_ARG(x), YOKE_EACH_35(__VA_ARGS__)
#define YOKE_EACH_37(x, ...) YOKE_ARG(x), YOKE_EACH_36(__VA_ARGS__)
#define YOKE_EACH_38(x, ...) YOKE_ARG(x), YOKE_EACH_37(__VA_ARGS__)
#define YOKE_EACH_39(x, ...) YOKE_ARG(x), YOKE_EACH_38(__VA_ARGS__)
#define YOKE_EACH_40(x, ...) YOKE_ARG(x), YOKE_EACH_39(__VA_ARGS__)
#define YOKE_EACH_41(x, ...) YOKE_ARG(x), YOKE_EACH_40(__VA_ARGS__)
#define YOKE_EACH_42(x, ...) YOKE_ARG(x), YOKE_EACH_41(__VA_ARGS__)
#define YOKE_EACH_43(x, ...) YOKE_ARG(x), YOKE_EACH_42(__VA_ARGS__)
#define YOKE_EACH_44(x, ...) YOKE_ARG(x), YOKE_EACH_43(__VA_ARGS__)
#define YOKE_EACH_45(x, ...) YOKE_ARG(x), YOKE_EACH_44(__VA_ARGS__)
#define YOKE_EACH_46(x, ...) YOKE_ARG(x), YOKE_EACH_45(__VA_ARGS__)
#define YOKE_EACH_47(x, ...) YOKE_ARG(x), YOKE_EACH_46(__VA_ARGS__)
#define YOKE_EACH_48(x, ...) YOKE_ARG(x), YOKE_EACH_47(__VA_ARGS__)
#define YOKE_EACH_49(x, ...) YOKE_ARG(x), YOKE_EACH_48(__VA_ARGS__)
#define YOKE_EACH_50(x, ...) YOKE_ARG(x), YOKE_EACH_49(__VA_ARGS__)
#define YOKE_EACH_51(x, ...) YOKE_ARG(x), YOKE_EACH_50(__VA_ARGS__)
#define YOKE_EACH_52(x, ...) YOKE_ARG(x), YOKE_EACH_51(__VA_ARGS__)
#define YOKE_EACH_53(x, ...) YOKE_ARG(x), YOKE_EACH_52(__VA_ARGS__)
#define YOKE_EACH_54(x, ...) YOKE_ARG(x), YOKE_EACH_53(__VA_ARGS__)
#define YOKE_EACH_55(x, ...) YOKE_ARG(x), YOKE_EACH_54(__VA_ARGS__)
#define YOKE_EACH_56(x, ...) YOKE_ARG(x), YOKE_EACH_55(__VA_ARGS__)
#define YOKE_EACH_57(x, ...) YOKE_ARG(x), YOKE_EACH_56(__VA_ARGS__)
#define YOKE_EACH_58(x, ...) YOKE_ARG(x), YOKE_EACH_57(__VA_ARGS__)
#define YOKE_EACH_59(x, ...) YOKE_ARG(x), YOKE_EACH_58(__VA_ARGS__)
#define YOKE_EACH_60(x, ...) YOKE_ARG(x), YOKE_EACH_59(__VA_ARGS__)
#define YOKE_EACH_61(x, ...) YOKE_ARG(x), YOKE_EACH_60(__VA_ARGS__)
#define YOKE_EACH_62(x, ...) YOKE_ARG(x), YOKE_EACH_61(__VA_ARGS__)
#define YOKE_EACH_63(x, ...) YOKE_ARG(x), YOKE_EACH_62(__VA_ARGS__)
#define YOKE_EACH_64(x, ...) YOKE_ARG(x), YOKE_EACH_63(__VA_ARGS__)
/* clang-format on */

/* More than 64 arguments are a compile error that says so. */
#define YOKE_MANY_TEXT "YOKE_ARGS takes 64 arguments at most: for a kernel with more, pass an array of yoke_arg and its length"
enum { YOKE_MANY = 65 };
#if defined(__cplusplus)
template <int count> struct yoke_args_count {
    static_assert(count <= 64, YOKE_MANY_TEXT);
    static yoke_arg none()
    {
        return yoke_arg_null();
    }
};
#define YOKE_EACH_YOKE_MANY(...) yoke_args_count<YOKE_MANY>::none()
#define YOKE_ARGS(...) std::initializer_list<yoke_arg>{ YOKE_EACH(__VA_ARGS__) }.begin(), YOKE_LISTED(__VA_ARGS__)
#else
#define YOKE_EACH_YOKE_MANY(...)                        \
    yoke_arg_local(sizeof(struct {                      \
        _Static_assert(YOKE_MANY < 65, YOKE_MANY_TEXT); \
        int none;                                       \
    }))
#define YOKE_ARGS(...) ((const yoke_arg[]){ YOKE_EACH(__VA_ARGS__) }), YOKE_LISTED(__VA_ARGS__)
#endif
#define YOKE_NO_ARGS YOKE_NULL, 0

#endif
