/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stubs of the host's headers for CUDA texts. NVRTC has no host headers, and has what kernels use of them built in: functions,
 * printf and assert. What it lacks, types of fixed width and limits, is here. The definitions are those of libcu++ for NVRTC, so
 * that both may be included. <cub/cub.cuh> is here too: NVRTC refuses the Toolkit's, which has host functions, and takes the parts
 * of it that kernels use. A header of the same name in the source's headers or folders takes precedence.
 */
#include "program/include/include_parts.h"

#include <string.h>

static const char limits_text[] = "#ifndef YOKE_HOST_LIMITS_H\n"
                                  "#define YOKE_HOST_LIMITS_H\n"
                                  "#ifndef CHAR_BIT\n"
                                  "#define CHAR_BIT 8\n"
                                  "#define SCHAR_MIN (-128)\n"
                                  "#define SCHAR_MAX 127\n"
                                  "#define UCHAR_MAX 255\n"
                                  "#if '\\xff' > 0\n"
                                  "#define CHAR_MIN 0\n"
                                  "#define CHAR_MAX UCHAR_MAX\n"
                                  "#else\n"
                                  "#define CHAR_MIN SCHAR_MIN\n"
                                  "#define CHAR_MAX SCHAR_MAX\n"
                                  "#endif\n"
                                  "#define SHRT_MIN (-SHRT_MAX - 1)\n"
                                  "#define SHRT_MAX 0x7fff\n"
                                  "#define USHRT_MAX 0xffff\n"
                                  "#define INT_MIN (-INT_MAX - 1)\n"
                                  "#define INT_MAX 0x7fffffff\n"
                                  "#define UINT_MAX 0xffffffff\n"
                                  "#define LONG_MIN (-LONG_MAX - 1)\n"
                                  "#ifdef __LP64__\n"
                                  "#define LONG_MAX LLONG_MAX\n"
                                  "#define ULONG_MAX ULLONG_MAX\n"
                                  "#else\n"
                                  "#define LONG_MAX INT_MAX\n"
                                  "#define ULONG_MAX UINT_MAX\n"
                                  "#endif\n"
                                  "#define LLONG_MIN (-LLONG_MAX - 1)\n"
                                  "#define LLONG_MAX 0x7fffffffffffffffLL\n"
                                  "#define ULLONG_MAX 0xffffffffffffffffUL\n"
                                  "#endif\n"
                                  "#endif\n";

#define INTEGER(bits, type)                          \
    "typedef signed " type " int" bits "_t;\n"       \
    "typedef unsigned " type " uint" bits "_t;\n"    \
    "typedef int" bits "_t int_least" bits "_t;\n"   \
    "typedef uint" bits "_t uint_least" bits "_t;\n" \
    "typedef int" bits "_t int_fast" bits "_t;\n"    \
    "typedef uint" bits "_t uint_fast" bits "_t;\n"

static const char stdint_text[] = "#ifndef YOKE_HOST_STDINT_H\n"
                                  "#define YOKE_HOST_STDINT_H\n"
                                  "#include <limits.h>\n" INTEGER("8", "char") INTEGER("16", "short") INTEGER("32", "int")
                                      INTEGER("64", "long long") "typedef int64_t intptr_t;\n"
                                                                 "typedef uint64_t uintptr_t;\n"
                                                                 "typedef int64_t intmax_t;\n"
                                                                 "typedef uint64_t uintmax_t;\n"
                                                                 "#ifndef INT8_MIN\n"
                                                                 "#define INT8_MIN SCHAR_MIN\n"
                                                                 "#define INT16_MIN SHRT_MIN\n"
                                                                 "#define INT32_MIN INT_MIN\n"
                                                                 "#define INT64_MIN LLONG_MIN\n"
                                                                 "#define INT8_MAX SCHAR_MAX\n"
                                                                 "#define INT16_MAX SHRT_MAX\n"
                                                                 "#define INT32_MAX INT_MAX\n"
                                                                 "#define INT64_MAX LLONG_MAX\n"
                                                                 "#define UINT8_MAX UCHAR_MAX\n"
                                                                 "#define UINT16_MAX USHRT_MAX\n"
                                                                 "#define UINT32_MAX UINT_MAX\n"
                                                                 "#define UINT64_MAX ULLONG_MAX\n"
                                                                 "#define INTPTR_MIN INT64_MIN\n"
                                                                 "#define INTPTR_MAX INT64_MAX\n"
                                                                 "#define UINTPTR_MAX UINT64_MAX\n"
                                                                 "#define INTMAX_MIN INT64_MIN\n"
                                                                 "#define INTMAX_MAX INT64_MAX\n"
                                                                 "#define UINTMAX_MAX UINT64_MAX\n"
                                                                 "#define PTRDIFF_MIN INT64_MIN\n"
                                                                 "#define PTRDIFF_MAX INT64_MAX\n"
                                                                 "#define SIZE_MAX UINT64_MAX\n"
                                                                 "#define INT8_C(X) ((::int_least8_t)(X))\n"
                                                                 "#define INT16_C(X) ((::int_least16_t)(X))\n"
                                                                 "#define INT32_C(X) ((::int_least32_t)(X))\n"
                                                                 "#define INT64_C(X) ((::int_least64_t)(X))\n"
                                                                 "#define UINT8_C(X) ((::uint_least8_t)(X))\n"
                                                                 "#define UINT16_C(X) ((::uint_least16_t)(X))\n"
                                                                 "#define UINT32_C(X) ((::uint_least32_t)(X))\n"
                                                                 "#define UINT64_C(X) ((::uint_least64_t)(X))\n"
                                                                 "#endif\n"
                                                                 "#endif\n";

static const char float_text[] = "#ifndef YOKE_HOST_FLOAT_H\n"
                                 "#define YOKE_HOST_FLOAT_H\n"
                                 "#ifndef FLT_MAX\n"
                                 "#define FLT_RADIX 2\n"
                                 "#define FLT_MANT_DIG 24\n"
                                 "#define FLT_DIG 6\n"
                                 "#define FLT_MIN 1.17549435082228750796873653722224568e-38F\n"
                                 "#define FLT_MAX 3.40282346638528859811704183484516925e+38F\n"
                                 "#define FLT_EPSILON 1.19209289550781250000000000000000000e-7F\n"
                                 "#define FLT_MIN_EXP (-125)\n"
                                 "#define FLT_MIN_10_EXP (-37)\n"
                                 "#define FLT_MAX_EXP 128\n"
                                 "#define FLT_MAX_10_EXP 38\n"
                                 "#define DBL_MANT_DIG 53\n"
                                 "#define DBL_DIG 15\n"
                                 "#define DBL_MIN 2.22507385850720138309023271733240406e-308\n"
                                 "#define DBL_MAX 1.79769313486231570814527423731704357e+308\n"
                                 "#define DBL_EPSILON 2.22044604925031308084726333618164062e-16\n"
                                 "#define DBL_MIN_EXP (-1021)\n"
                                 "#define DBL_MIN_10_EXP (-307)\n"
                                 "#define DBL_MAX_EXP 1024\n"
                                 "#define DBL_MAX_10_EXP 308\n"
                                 "#endif\n"
                                 "#endif\n";

static const char math_text[] = "#ifndef YOKE_HOST_MATH_H\n"
                                "#define YOKE_HOST_MATH_H\n"
                                "#ifndef M_PI\n"
                                "#define M_E 2.7182818284590452354\n"
                                "#define M_LOG2E 1.4426950408889634074\n"
                                "#define M_LOG10E 0.43429448190325182765\n"
                                "#define M_LN2 0.69314718055994530942\n"
                                "#define M_LN10 2.30258509299404568402\n"
                                "#define M_PI 3.14159265358979323846\n"
                                "#define M_PI_2 1.57079632679489661923\n"
                                "#define M_PI_4 0.78539816339744830962\n"
                                "#define M_1_PI 0.31830988618379067154\n"
                                "#define M_2_PI 0.63661977236758134308\n"
                                "#define M_2_SQRTPI 1.12837916709551257390\n"
                                "#define M_SQRT2 1.41421356237309504880\n"
                                "#define M_SQRT1_2 0.70710678118654752440\n"
                                "#endif\n"
                                /* libcu++ defines INFINITY and NAN once more, in another way */
                                "#ifdef __CUDACC_RTC__\n"
                                "#pragma nv_diag_suppress 47\n"
                                "#endif\n"
                                "#ifndef INFINITY\n"
                                "#define INFINITY __int_as_float(0x7f800000)\n"
                                "#endif\n"
                                "#ifndef NAN\n"
                                "#define NAN __int_as_float(0x7fffffff)\n"
                                "#endif\n"
                                "#ifndef HUGE_VAL\n"
                                "#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)\n"
                                "#define HUGE_VALF INFINITY\n"
                                "#endif\n"
                                "#endif\n";

static const char stdio_text[] = "#ifndef YOKE_HOST_STDIO_H\n"
                                 "#define YOKE_HOST_STDIO_H\n"
                                 "typedef struct yoke_host_file FILE;\n"
                                 "#endif\n";

static const char stdlib_text[] = "#ifndef YOKE_HOST_STDLIB_H\n"
                                  "#define YOKE_HOST_STDLIB_H\n"
                                  "#define EXIT_SUCCESS 0\n"
                                  "#define EXIT_FAILURE 1\n"
                                  "#define RAND_MAX 2147483647\n"
                                  "#endif\n";

/* What the Toolkit's header brings with it from the host's: files use these types without including more. */
static const char runtime_text[] = "#ifndef YOKE_HOST_CUDA_RUNTIME_H\n"
                                   "#define YOKE_HOST_CUDA_RUNTIME_H\n"
                                   "#include <stdint.h>\n"
                                   "typedef unsigned int uint;\n"
                                   "typedef unsigned short ushort;\n"
                                   "typedef unsigned long ulong;\n"
                                   "#endif\n";

/* Older and newer versions of CUB lack some of these. */
#define CUB(header)                             \
    "#if __has_include(<cub/" header ".cuh>)\n" \
    "#include <cub/" header ".cuh>\n"           \
    "#endif\n"
#define CUB_BLOCK(header) CUB("block/block_" header)
#define CUB_WARP(header) CUB("warp/warp_" header)
#define CUB_THREAD(header) CUB("thread/thread_" header)

/* clang-format off */
static const char cub_text[] = "#ifndef YOKE_CUB_H\n"
                               "#define YOKE_CUB_H\n"
                               "#include <cub/config.cuh>\n"
    CUB_BLOCK("adjacent_difference") CUB_BLOCK("discontinuity") CUB_BLOCK("exchange") CUB_BLOCK("histogram") CUB_BLOCK("load")
    CUB_BLOCK("merge_sort") CUB_BLOCK("radix_rank") CUB_BLOCK("radix_sort") CUB_BLOCK("reduce") CUB_BLOCK("run_length_decode")
    CUB_BLOCK("scan") CUB_BLOCK("shuffle") CUB_BLOCK("store")
    CUB_WARP("exchange") CUB_WARP("load") CUB_WARP("merge_sort") CUB_WARP("reduce") CUB_WARP("scan") CUB_WARP("store")
    CUB_THREAD("load") CUB_THREAD("operators") CUB_THREAD("reduce") CUB_THREAD("scan") CUB_THREAD("search") CUB_THREAD("sort")
    CUB_THREAD("store")
    CUB("util_macro") CUB("util_math") CUB("util_ptx") CUB("util_type")
                               "#endif\n";
/* clang-format on */

#define STD(type) "using ::" type ";\n"
#define STD_INTEGER(bits) STD("int" bits "_t") STD("uint" bits "_t")

static const char cstdint_text[] = "#ifndef YOKE_HOST_CSTDINT\n"
                                   "#define YOKE_HOST_CSTDINT\n"
                                   "#include <stdint.h>\n"
                                   "namespace std {\n" STD_INTEGER("8") STD_INTEGER("16") STD_INTEGER("32") STD_INTEGER("64")
                                       STD_INTEGER("ptr") STD_INTEGER("max") "}\n"
                                                                             "#endif\n";

static const char cstddef_text[] = "#ifndef YOKE_HOST_CSTDDEF\n"
                                   "#define YOKE_HOST_CSTDDEF\n"
                                   "namespace std {\n" STD("size_t") STD("ptrdiff_t") "}\n"
                                                                                      "#endif\n";

/* Headers with nothing that is not built in. */
static const char empty_text[] = "\n";

static const struct {
    const char *name, *text;
} stubs[] = {
    { "assert.h", empty_text },
    { "cassert", empty_text },
    { "cfloat", float_text },
    { "climits", limits_text },
    { "cmath", math_text },
    { "cstddef", cstddef_text },
    { "cstdint", cstdint_text },
    { "cstdio", stdio_text },
    { "cstdlib", stdlib_text },
    { "cstring", empty_text },
    { "cub/cub.cuh", cub_text },
    { "cuda.h", runtime_text },
    { "cuda_runtime.h", runtime_text },
    { "cuda_runtime_api.h", runtime_text },
    { "device_launch_parameters.h", empty_text },
    { "float.h", float_text },
    { "inttypes.h", stdint_text },
    { "limits.h", limits_text },
    { "math.h", math_text },
    { "stdbool.h", empty_text },
    { "stddef.h", empty_text },
    { "stdint.h", stdint_text },
    { "stdio.h", stdio_text },
    { "stdlib.h", stdlib_text },
    { "string.h", empty_text },
    { "time.h", empty_text },
};

const char *yk_host_header(const char *name)
{
    for (size_t i = 0; i < YK_COUNT_OF(stubs); i++)
        if (strcmp(stubs[i].name, name) == 0)
            return stubs[i].text;
    return NULL;
}
