/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of libyoke-ops: a buffer with a data type, a shape and strides. The rules at the top of <yoke/yoke.h> apply here too.
 *
 * An array is a plain struct, passed by value and copied like a number. It owns nothing: the buffer must live until the work that
 * uses the array is enqueued. Slices, transposes, reshapes and broadcasts are arithmetic on the struct and cost no copy.
 *
 *     yoke_array a = yoke_array_2d(buffer, YOKE_F32, rows, columns);
 *     yoke_array odd = yoke_array_slice(a, 0, 1, YOKE_SLICE_END, 2);        every second row
 *     yoke_array t = yoke_array_transpose(a, NULL);                         columns become rows
 *
 * The functions that make an array return it by value. A mistake gives an array whose dtype is 0, with a record that says what is
 * wrong; each operation and each further view refuses such an array, and repeats the reason while that is the thread's last
 * failure. A short program may so leave out all checks but those of its operations, if it stops at the first that fails.
 */
#ifndef YOKE_ARRAY_H
#define YOKE_ARRAY_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data types --------------------------------------------------------------------------------------------------------- */

/* The data types of elements. `text` of the list is the type's name in messages and in expressions; the list is of
 * X(name, value, text, bytes). */
typedef int32_t yoke_dtype;
#define YOKE_DTYPE_LIST(X)                                                              \
    X(YOKE_BOOL, 1, "bool", 1) /* 0 or 1; any other byte counts as true */              \
    X(YOKE_I8, 2, "int8", 1)                                                            \
    X(YOKE_U8, 3, "uint8", 1)                                                           \
    X(YOKE_I16, 4, "int16", 2)                                                          \
    X(YOKE_U16, 5, "uint16", 2)                                                         \
    X(YOKE_I32, 6, "int32", 4)                                                          \
    X(YOKE_U32, 7, "uint32", 4)                                                         \
    X(YOKE_I64, 8, "int64", 8)                                                          \
    X(YOKE_U64, 9, "uint64", 8)                                                         \
    X(YOKE_F16, 10, "float16", 2)   /* computed as float */                             \
    X(YOKE_BF16, 11, "bfloat16", 2) /* computed as float */                             \
    X(YOKE_F32, 12, "float32", 4)                                                       \
    X(YOKE_F64, 13, "float64", 8)   /* where the device has YOKE_CAP_FP64 */            \
    X(YOKE_C64, 14, "complex64", 8) /* two floats: the real part, the imaginary part */ \
    X(YOKE_C128, 15, "complex128", 16)

enum {
#define YOKE_DTYPE_ENUM(name, value, text, bytes) name = value,
    YOKE_DTYPE_LIST(YOKE_DTYPE_ENUM)
#undef YOKE_DTYPE_ENUM
};

/* The size of an element in bytes; 0 for a number that is not a dtype. */
YOKE_API size_t yoke_dtype_get_size(yoke_dtype dtype);

/* The name of a dtype, as "float32", which is also its name in expressions and in Python; "unknown dtype" for any other number.
 * Never NULL. */
YOKE_API const char *yoke_dtype_get_name(yoke_dtype dtype);

/* ---- Numbers ------------------------------------------------------------------------------------------------------------- */

/* A number with its dtype, made by YOKE_NUMBER(2.5f) from a scalar of C, or by the functions below. Final. */
typedef struct yoke_number {
    yoke_dtype dtype; /* of any kind */
    union {
        int64_t i64;     /* of signed integers */
        uint64_t u64;    /* of unsigned integers and bool */
        double f64;      /* of floating-point numbers */
        double parts[2]; /* of complex numbers: the real part, the imaginary part */
    } value;             /* selected by the dtype */
} yoke_number;

/* Make a number of a scalar of C; YOKE_NUMBER selects the function by the scalar's type: yoke_number_char, …, yoke_number_u64. */
#define YOKE_NUMBER_FN(name, type, number, member, wide) \
    static inline yoke_number yoke_number_##name(type x) \
    {                                                    \
        yoke_number result;                              \
        result.dtype = number;                           \
        result.value.member = YOKE_CAST(wide, x);        \
        return result;                                   \
    }
YOKE_NUMBER_FN(char, char, YOKE_I8, i64, int64_t)
YOKE_NUMBER_FN(i8, signed char, YOKE_I8, i64, int64_t)
YOKE_NUMBER_FN(u8, unsigned char, YOKE_U8, u64, uint64_t)
YOKE_NUMBER_FN(i16, short, YOKE_I16, i64, int64_t)
YOKE_NUMBER_FN(u16, unsigned short, YOKE_U16, u64, uint64_t)
YOKE_NUMBER_FN(i32, int, YOKE_I32, i64, int64_t)
YOKE_NUMBER_FN(u32, unsigned int, YOKE_U32, u64, uint64_t)
YOKE_NUMBER_FN(long, long, sizeof(long) == 8 ? YOKE_I64 : YOKE_I32, i64, int64_t)
YOKE_NUMBER_FN(ulong, unsigned long, sizeof(long) == 8 ? YOKE_U64 : YOKE_U32, u64, uint64_t)
YOKE_NUMBER_FN(i64, long long, YOKE_I64, i64, int64_t)
YOKE_NUMBER_FN(u64, unsigned long long, YOKE_U64, u64, uint64_t)
YOKE_NUMBER_FN(f32, float, YOKE_F32, f64, double)
YOKE_NUMBER_FN(f64, double, YOKE_F64, f64, double)
YOKE_NUMBER_FN(bool, YOKE_C_BOOL, YOKE_BOOL, u64, uint64_t)
#undef YOKE_NUMBER_FN

/* The same of half precision, which is written yoke_half_from(1.5f). */
static inline yoke_number yoke_number_f16(yoke_half x)
{
    yoke_number result = yoke_number_f32(yoke_half_to_float(x));
    result.dtype = YOKE_F16;
    return result;
}

/* The same of yoke_bfloat16. */
static inline yoke_number yoke_number_bf16(yoke_bfloat16 x)
{
    yoke_number result = yoke_number_f32(yoke_bfloat16_to_float(x));
    result.dtype = YOKE_BF16;
    return result;
}

/* A complex64 of its parts, which C99, C++ and compilers without complex numbers have, too. */
static inline yoke_number yoke_number_c64(float real, float imaginary)
{
    yoke_number result;
    result.dtype = YOKE_C64;
    result.value.parts[0] = YOKE_CAST(double, real);
    result.value.parts[1] = YOKE_CAST(double, imaginary);
    return result;
}

/* The same of complex128. */
static inline yoke_number yoke_number_c128(double real, double imaginary)
{
    yoke_number result;
    result.dtype = YOKE_C128;
    result.value.parts[0] = real;
    result.value.parts[1] = imaginary;
    return result;
}

/* For the macros. */
static inline yoke_number yoke_number_itself(yoke_number x)
{
    return x;
}

/* ---- Reductions --------------------------------------------------------------------------------------------------------- */

/* How elements are combined: those of an array by the reductions and scans of <yoke/ops.h>, which take YOKE_REDUCE_SUM to
 * YOKE_REDUCE_NORM, and reductions YOKE_REDUCE_MIN_OR_NAN to _ARGMAX_OR_NAN, too; and those of the ranks by <yoke/comm.h>, which
 * takes sums, products, the least, the largest, and bits. A function that is given one that it lacks is
 * YOKE_E_INVALID_ARGUMENT. */
typedef int32_t yoke_reduction;
enum {
    YOKE_REDUCE_SUM = 1,     /* 0 for no elements */
    YOKE_REDUCE_PRODUCT = 2, /* 1 for no elements */
    YOKE_REDUCE_MIN = 3,     /* IEEE 754's minimumNumber: NaN only if all are NaN; -0 is below 0. No elements: the dtype's largest
                                value, infinity of floating-point types */
    YOKE_REDUCE_MAX = 4,     /* maximumNumber; the same, the other way */
    YOKE_REDUCE_ANY = 5,     /* 1 if an element is not 0; 0 for no elements */
    YOKE_REDUCE_ALL = 6,     /* 1 if no element is 0, also for no elements */
    YOKE_REDUCE_ARGMIN = 7,  /* the position of YOKE_REDUCE_MIN's value, the first of equal ones; the output is an integer. NaN and
                                -0 as there; 0 if all are NaN, -1 for no elements (of an unsigned dtype, its largest number) */
    YOKE_REDUCE_ARGMAX = 8,  /* the same for YOKE_REDUCE_MAX */
    YOKE_REDUCE_MEAN = 9, /* the sum, which does not wrap, divided by the number; the output is floating point; NaN for no elements.
                             Of complex numbers both parts are divided by the real number: an infinite part leaves the other as it
                             is, where a complex division makes it NaN */
    YOKE_REDUCE_VARIANCE = 10, /* the mean of the squared distances from the mean (divided by n); the output is floating point; NaN
                                  where an element is infinite, and for no elements. Integers become double where the output is
                                  double, else float first: an output of float is for integers below 2^24 */
    YOKE_REDUCE_NORM = 11, /* the square root of the sum of squares, also where a square has no place in the type that is computed
                              with; the output is floating point; 0 for no elements. NaN where an element or a part of one is NaN,
                              else infinite where one is infinite */
    YOKE_REDUCE_AND = 12,  /* of bits; of bool, their logic */
    YOKE_REDUCE_OR = 13,
    YOKE_REDUCE_XOR = 14,
    YOKE_REDUCE_MIN_OR_NAN = 15, /* IEEE 754's minimum: as YOKE_REDUCE_MIN, but NaN where an element is. Not for scans and ranks */
    YOKE_REDUCE_MAX_OR_NAN = 16,
    YOKE_REDUCE_ARGMIN_OR_NAN = 17, /* the position of the first NaN; where none is, of the first least element, and -0 is 0 */
    YOKE_REDUCE_ARGMAX_OR_NAN = 18
};

/* ---- Arrays ------------------------------------------------------------------------------------------------------------- */

enum { YOKE_MAX_DIMENSIONS = 8 };

/* A program may fill the members itself, from a struct that is zeroed: operations check all of them. Axes are counted from 0; the
 * last axis is the one whose elements are neighbours in a contiguous array. Reserved: `flags`; 8 dimensions are final. */
typedef struct yoke_array {
    yoke_buffer *buffer;                  /* device, mapped or managed memory, or a view of it */
    uint64_t offset;                      /* bytes from the buffer's start to the element whose indices are all 0 */
    yoke_dtype dtype;                     /* 0: not an array, because the function that returned it failed */
    int32_t dimensions;                   /* 0 (one element) to YOKE_MAX_DIMENSIONS */
    int64_t shape[YOKE_MAX_DIMENSIONS];   /* elements along each axis; 0 makes an empty array, which is valid */
    int64_t strides[YOKE_MAX_DIMENSIONS]; /* elements from one index to the next; may be negative, and 0 repeats the element */
    uint64_t flags;                       /* reserved: 0 */
} yoke_array;

/* Contiguous arrays of 1, 2, 3 or `dimensions` dimensions at the buffer's start. The buffer may be larger than the array; whether
 * it is large enough is checked by each operation. A negative extent, an unknown dtype, or dimensions outside 0 to
 * YOKE_MAX_DIMENSIONS is a mistake. `shape` is read during the call. */
YOKE_API yoke_array yoke_array_1d(yoke_buffer *buffer, yoke_dtype dtype, int64_t n);
YOKE_API yoke_array yoke_array_2d(yoke_buffer *buffer, yoke_dtype dtype, int64_t rows, int64_t columns);
YOKE_API yoke_array yoke_array_3d(yoke_buffer *buffer, yoke_dtype dtype, int64_t slices, int64_t rows, int64_t columns);
YOKE_API yoke_array yoke_array_nd(yoke_buffer *buffer, yoke_dtype dtype, int32_t dimensions, const int64_t *shape);

/* Allocate a buffer for a contiguous array, which the caller releases: yoke_buffer_release(array.buffer). An empty array gets a
 * buffer too. YOKE_E_INVALID_ARGUMENT: shape, dtype or dimensions as in yoke_array_nd. Else as yoke_buffer_create. */
YOKE_API yoke_status yoke_array_create(yoke_device *device, yoke_dtype dtype, int32_t dimensions, const int64_t *shape,
                                       yoke_array *out_array);

/* The number of elements; 0 for an empty array, for NULL and for an array of dtype 0. */
YOKE_API int64_t yoke_array_get_size(const yoke_array *array);

/* 1: the elements lie one after the other, the last axis fastest, without gaps. Else 0. */
YOKE_API int32_t yoke_array_is_contiguous(const yoke_array *array);

/* ---- Views -------------------------------------------------------------------------------------------------------------- */

/* The end of an axis, for yoke_array_slice. With a negative step, as `stop`: the element before the first. */
#define YOKE_SLICE_END INT64_MAX

/* Take the elements start, start + step, … of an axis, up to and without `stop`, as Python's a[start:stop:step] does: negative
 * indices count from the end, indices beyond an end are moved to it. A step of 0, or an axis that the array lacks, is a mistake. */
YOKE_API yoke_array yoke_array_slice(yoke_array array, int32_t axis, int64_t start, int64_t stop, int64_t step);

/* Take one index of an axis; the axis disappears. A negative index counts from the end; an index out of range is a mistake. */
YOKE_API yoke_array yoke_array_index(yoke_array array, int32_t axis, int64_t index);

/* Permute the axes: axis i of the result is axis axes[i] of `array`. NULL reverses the axes. A list that does not name each axis
 * once is a mistake. */
YOKE_API yoke_array yoke_array_transpose(yoke_array array, const int32_t *axes);

/* The same elements in the same order, in another shape. One extent may be -1: it follows from the others. It is a mistake when the
 * number of elements differs, or when the strides do not allow the shape without a copy (use yoke_assign into a contiguous array).
 */
YOKE_API yoke_array yoke_array_reshape(yoke_array array, int32_t dimensions, const int64_t *shape);

/* Repeat the array to a larger shape without a copy, by NumPy's rules: shapes are aligned at their last axes; an axis of 1 is
 * repeated, and missing axes in front too. Anything else is a mistake. Operations broadcast their inputs themselves. */
YOKE_API yoke_array yoke_array_broadcast(yoke_array array, int32_t dimensions, const int64_t *shape);

/* Insert an axis of extent 1 in front of `axis`, 0 to array.dimensions. */
YOKE_API yoke_array yoke_array_expand(yoke_array array, int32_t axis);

/* ---- DLPack ------------------------------------------------------------------------------------------------------------- */

/* <dlpack/dlpack.h> declares it. The layout of version 0.8, which later libraries still read. */
struct DLManagedTensor;

/* Describe an array as a DLPack tensor, for another library in this process. The tensor retains the buffer until its `deleter` is
 * called. The data must be ready: wait for the stream first. The device is kDLCUDA or kDLCUDAManaged, whose id is the driver's
 * ordinal, or kDLOpenCL, whose id is yoke_device_info.index; on CUDA `data` is the address of the first element, on OpenCL it is
 * the cl_mem, and byte_offset leads to the element. That memory is only to be read, this version of DLPack cannot say.
 * YOKE_E_INVALID_ARGUMENT: the array is invalid. YOKE_E_RANGE: it begins before its buffer or reaches past its end.
 * YOKE_E_UNSUPPORTED: its memory has no handle (see yoke_buffer_get_native). YOKE_E_OUT_OF_HOST_MEMORY: host memory is
 * exhausted. */
YOKE_API yoke_status yoke_array_to_dlpack(const yoke_array *array, struct DLManagedTensor **out_tensor);

/* Describe the memory of a DLPack tensor of the device as an array, without a copy. The tensor stays the caller's: its deleter may
 * be called once array.buffer, which the caller releases, has been released and the work that uses it is complete. An empty
 * tensor's array gets a small buffer of its own. YOKE_E_INVALID_ARGUMENT: the tensor is of another device, has a type that Yoke
 * lacks, lanes, more than YOKE_MAX_DIMENSIONS dimensions, or a first element whose place is no multiple of its size. Else as
 * yoke_buffer_wrap. */
YOKE_API yoke_status yoke_array_from_dlpack(yoke_device *device, const struct DLManagedTensor *tensor, yoke_array *out_array);

#ifdef __cplusplus
}
#endif

/* ---- Scalars as numbers --------------------------------------------------------------------------------------------------- */

#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && !defined(__STDC_NO_COMPLEX__)
/* A number of a complex number of C, whose parts lie side by side. For C11, where the compiler has complex numbers. */
static inline yoke_number yoke_number_float_complex(float _Complex x)
{
    float parts[2];
    memcpy(parts, &x, sizeof parts);
    return yoke_number_c64(parts[0], parts[1]);
}
static inline yoke_number yoke_number_double_complex(double _Complex x)
{
    double parts[2];
    memcpy(parts, &x, sizeof parts);
    return yoke_number_c128(parts[0], parts[1]);
}
#define YOKE_COMPLEX_TYPES(X) X(float _Complex, float_complex) X(double _Complex, double_complex)
#else
#define YOKE_COMPLEX_TYPES(X)
#endif

/* A yoke_number of a scalar of C, with the dtype of the scalar's type. For C11 and C++; complex numbers are those of C, where the
 * compiler has them, and std::complex. */
#if defined(__cplusplus)
#define YOKE_NUMBER(x) yoke_number_of(x)
static inline yoke_number yoke_number_of(yoke_number x)
{
    return x;
}
#define YOKE_NUMBER_OF(type, name)                   \
    static inline yoke_number yoke_number_of(type x) \
    {                                                \
        return yoke_number_##name(x);                \
    }
YOKE_SCALAR_TYPES(YOKE_NUMBER_OF)
#undef YOKE_NUMBER_OF
/* std::complex<float> and std::complex<double>, without its header, and other types like it. */
static inline yoke_number yoke_number_of_parts(float real, float imaginary)
{
    return yoke_number_c64(real, imaginary);
}
static inline yoke_number yoke_number_of_parts(double real, double imaginary)
{
    return yoke_number_c128(real, imaginary);
}
template <template <typename> class type, typename part> static inline yoke_number yoke_number_of(const type<part> &x)
{
    return yoke_number_of_parts(x.real(), x.imag());
}
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
/* clang-format off */
#define YOKE_NUMBER(x) \
    _Generic((x), yoke_number: yoke_number_itself YOKE_SCALAR_TYPES(YOKE_NUMBER_OF) YOKE_COMPLEX_TYPES(YOKE_NUMBER_OF))(x)
#define YOKE_NUMBER_OF(type, name) , type: yoke_number_##name
/* clang-format on */
#endif

#endif
