/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stand-in for cuBLAS: products of matrices by a kernel that sums in double. It is strict: a product without a stream or without
 * a workspace, and two threads in one handle, are failures; a product whose workspace another one writes to meanwhile is no number.
 */
#include "vendor.h"

#define YOPS_CUBLAS_SYMBOL(result, name, parameters) VENDOR_API result name parameters;
#include "../../../ops/library/symbols.def"

/* For tests: how often handles got a stream or a workspace, and the workspace of the last product. */
VENDOR_API void cublas_double_report(unsigned *out_told, void **out_workspace);

struct cublasContext {
    atomic_bool busy;
    yops_cudaStream_t stream;
    void *workspace;
    size_t workspace_size;
    bool host_pointers;
    yops_cublasMath_t math;
    yk_CUmodule module;
    yk_CUfunction function;
};

/* Types by their numbers in cudaDataType: 0 float, 1 double, 2 half, 4 and 5 complex, 14 bfloat16. */
static const char text[] =
    "struct number { double re, im; };\n"
    "__device__ static double half_value(unsigned short bits)\n"
    "{\n"
    "    int exponent = bits >> 10 & 31;\n"
    "    double value = exponent ? 1024 + (bits & 1023) : bits & 1023;\n"
    "    for (int e = exponent ? exponent : 1; e < 25; e++) value *= 0.5;\n"
    "    for (int e = exponent; e > 25; e--) value *= 2;\n"
    "    return bits & 0x8000 ? -value : value;\n"
    "}\n"
    "__device__ static unsigned short half_bits(double value)\n"
    "{\n"
    "    unsigned short sign = value < 0 ? 0x8000 : 0;\n"
    "    int exponent = 25;\n"
    "    value = value < 0 ? -value : value;\n"
    "    while (value >= 2048) { value *= 0.5; exponent++; }\n"
    "    while (value < 1024 && exponent > 1) { value *= 2; exponent--; }\n"
    "    int rounded = (int)rint(value);\n"
    "    return sign | (unsigned short)(rounded < 1024 ? rounded : (exponent << 10) + rounded - 1024);\n"
    "}\n"
    "__device__ static number load(const void *p, int type, long long i)\n"
    "{\n"
    "    number x = { 0, 0 };\n"
    "    if (type == 0) x.re = ((const float *)p)[i];\n"
    "    if (type == 1) x.re = ((const double *)p)[i];\n"
    "    if (type == 2) x.re = half_value(((const unsigned short *)p)[i]);\n"
    "    if (type == 4) { x.re = ((const float *)p)[2 * i]; x.im = ((const float *)p)[2 * i + 1]; }\n"
    "    if (type == 5) { x.re = ((const double *)p)[2 * i]; x.im = ((const double *)p)[2 * i + 1]; }\n"
    "    if (type == 14) x.re = __uint_as_float((unsigned)((const unsigned short *)p)[i] << 16);\n"
    "    return x;\n"
    "}\n"
    "__device__ static void store(void *p, int type, long long i, number x)\n"
    "{\n"
    "    unsigned bits = __float_as_uint((float)x.re);\n"
    "    if (type == 0) ((float *)p)[i] = (float)x.re;\n"
    "    if (type == 1) ((double *)p)[i] = x.re;\n"
    "    if (type == 2) ((unsigned short *)p)[i] = half_bits(x.re);\n"
    "    if (type == 4) { ((float *)p)[2 * i] = (float)x.re; ((float *)p)[2 * i + 1] = (float)x.im; }\n"
    "    if (type == 5) { ((double *)p)[2 * i] = x.re; ((double *)p)[2 * i + 1] = x.im; }\n"
    "    if (type == 14) ((unsigned short *)p)[i] = (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);\n"
    "}\n"
    "extern \"C\" __global__ void gemm(const void *a, const void *b, void *c, int in, int out, int m, int n, int k, int a_row,\n"
    "                                int a_column, int b_row, int b_column, int ldc, long long a_batch, long long b_batch,\n"
    "                                long long c_batch, double alpha, double beta, int batch, volatile unsigned *workspace,\n"
    "                                unsigned tag)\n"
    "{\n"
    "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= (long long)m * n * batch) return;\n"
    "    long long row = i % m, column = i / m % n, which = i / m / n, at = which * c_batch + row + column * ldc;\n"
    "    workspace[i % 1024] = tag;\n"
    "    number sum = { 0, 0 };\n"
    "    for (int j = 0; j < k; j++) {\n"
    "        number x = load(a, in, which * a_batch + row * a_row + (long long)j * a_column);\n"
    "        number y = load(b, in, which * b_batch + (long long)j * b_row + column * b_column);\n"
    "        sum.re += x.re * y.re - x.im * y.im;\n"
    "        sum.im += x.re * y.im + x.im * y.re;\n"
    "    }\n"
    "    sum.re *= alpha; sum.im *= alpha;\n"
    "    if (beta != 0) { number old = load(c, out, at); sum.re += beta * old.re; sum.im += beta * old.im; }\n"
    "    if (workspace[i % 1024] != tag) sum.re = __int_as_float(0x7fc00000);\n"
    "    store(c, out, at, sum);\n"
    "}\n";

yops_cublasStatus_t cublasGetProperty(yops_libraryPropertyType type, int *out_value)
{
    VENDOR_BEGIN(cublasGetProperty);
    *out_value = vendor_version((int)type, 13);
    return YOPS_CUBLAS_STATUS_SUCCESS;
}

yops_cublasStatus_t cublasCreate_v2(yops_cublasHandle_t *out_handle)
{
    VENDOR_BEGIN(cublasCreate_v2);
    struct cublasContext *handle = calloc(1, sizeof *handle);
    if (!handle)
        return YOPS_CUBLAS_STATUS_ALLOC_FAILED;
    if (!vendor_load(text, "gemm", &handle->module, &handle->function)) {
        free(handle);
        return YOPS_CUBLAS_STATUS_NOT_INITIALIZED;
    }
    *out_handle = handle;
    return YOPS_CUBLAS_STATUS_SUCCESS;
}

yops_cublasStatus_t cublasDestroy_v2(yops_cublasHandle_t handle)
{
    yk_CUresult result = cuModuleUnload(handle->module);
    free(handle);
    return result == YK_CUDA_SUCCESS ? YOPS_CUBLAS_STATUS_SUCCESS : YOPS_CUBLAS_STATUS_NOT_INITIALIZED;
}

static atomic_uint told, launches;
static _Atomic(void *) last_workspace;

void cublas_double_report(unsigned *out_told, void **out_workspace)
{
    *out_told = atomic_load(&told);
    *out_workspace = atomic_load(&last_workspace);
}

yops_cublasStatus_t cublasSetStream_v2(yops_cublasHandle_t handle, yops_cudaStream_t stream)
{
    VENDOR_BEGIN(cublasSetStream_v2);
    atomic_fetch_add(&told, 1);
    handle->stream = stream;
    handle->workspace = NULL;
    return YOPS_CUBLAS_STATUS_SUCCESS;
}

yops_cublasStatus_t cublasSetWorkspace_v2(yops_cublasHandle_t handle, void *workspace, size_t size)
{
    VENDOR_BEGIN(cublasSetWorkspace_v2);
    atomic_fetch_add(&told, 1);
    handle->workspace = workspace;
    handle->workspace_size = size;
    return (uintptr_t)workspace % 256 == 0 ? YOPS_CUBLAS_STATUS_SUCCESS : YOPS_CUBLAS_STATUS_INVALID_VALUE;
}

yops_cublasStatus_t cublasSetPointerMode_v2(yops_cublasHandle_t handle, yops_cublasPointerMode_t mode)
{
    VENDOR_BEGIN(cublasSetPointerMode_v2);
    handle->host_pointers = mode == YOPS_CUBLAS_POINTER_MODE_HOST;
    return YOPS_CUBLAS_STATUS_SUCCESS;
}

yops_cublasStatus_t cublasSetMathMode(yops_cublasHandle_t handle, yops_cublasMath_t mode)
{
    VENDOR_BEGIN(cublasSetMathMode);
    handle->math = mode;
    return YOPS_CUBLAS_STATUS_SUCCESS;
}

static double scalar_of(const void *scalar, yops_cublasComputeType_t compute)
{
    return compute == YOPS_CUBLAS_COMPUTE_64F ? *(const double *)scalar : *(const float *)scalar;
}

static bool has_types(yops_cudaDataType in, yops_cudaDataType b, yops_cudaDataType out, yops_cublasComputeType_t compute)
{
    bool wide = in == YOPS_CUDA_R_64F || in == YOPS_CUDA_C_64F, narrow = in == YOPS_CUDA_R_16F || in == YOPS_CUDA_R_16BF;
    bool tf32 = compute == YOPS_CUBLAS_COMPUTE_32F_FAST_TF32 && !narrow;
    return in == b && (out == in || (narrow && out == YOPS_CUDA_R_32F)) &&
           (wide ? compute == YOPS_CUBLAS_COMPUTE_64F : compute == YOPS_CUBLAS_COMPUTE_32F || tf32);
}

yops_cublasStatus_t cublasGemmStridedBatchedEx(yops_cublasHandle_t handle, yops_cublasOperation_t trans_a,
                                               yops_cublasOperation_t trans_b, int m, int n, int k, const void *alpha,
                                               const void *a, yops_cudaDataType a_type, int lda, long long int a_stride,
                                               const void *b, yops_cudaDataType b_type, int ldb, long long int b_stride,
                                               const void *beta, void *c, yops_cudaDataType c_type, int ldc, long long int c_stride,
                                               int batch, yops_cublasComputeType_t compute, yops_cublasGemmAlgo_t algorithm)
{
    VENDOR_BEGIN(cublasGemmStridedBatchedEx);
    if (compute == YOPS_CUBLAS_COMPUTE_32F_FAST_TF32)
        VENDOR_BEGIN(tf32);
    if (m < 0 || n < 0 || k < 0 || batch < 0 || lda < (trans_a ? k : m) || ldb < (trans_b ? n : k) || ldc < m)
        return YOPS_CUBLAS_STATUS_INVALID_VALUE;
    if (!has_types(a_type, b_type, c_type, compute) || algorithm != YOPS_CUBLAS_GEMM_DEFAULT)
        return YOPS_CUBLAS_STATUS_NOT_SUPPORTED;
    if (!handle->host_pointers || !handle->stream || handle->workspace_size < 4 << 20 || !handle->workspace ||
        handle->math != YOPS_CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION || atomic_exchange(&handle->busy, true))
        return YOPS_CUBLAS_STATUS_INTERNAL_ERROR;
    int a_row = trans_a ? lda : 1, a_column = trans_a ? 1 : lda, b_row = trans_b ? ldb : 1, b_column = trans_b ? 1 : ldb;
    double alpha_value = scalar_of(alpha, compute), beta_value = scalar_of(beta, compute);
    unsigned tag = atomic_fetch_add(&launches, 1) + 1;
    void *parameters[] = { &a,        &b,           &c,          &a_type,   &c_type,
                           &m,        &n,           &k,          &a_row,    &a_column,
                           &b_row,    &b_column,    &ldc,        &a_stride, &b_stride,
                           &c_stride, &alpha_value, &beta_value, &batch,    &handle->workspace,
                           &tag };
    atomic_store(&last_workspace, handle->workspace);
    bool launched = vendor_launch(handle->function, handle->stream, (uint64_t)m * (uint64_t)n * (uint64_t)batch, parameters);
    atomic_store(&handle->busy, false);
    return launched ? YOPS_CUBLAS_STATUS_SUCCESS : YOPS_CUBLAS_STATUS_EXECUTION_FAILED;
}

yops_cublasStatus_t cublasGemmEx(yops_cublasHandle_t handle, yops_cublasOperation_t trans_a, yops_cublasOperation_t trans_b, int m,
                                 int n, int k, const void *alpha, const void *a, yops_cudaDataType a_type, int lda, const void *b,
                                 yops_cudaDataType b_type, int ldb, const void *beta, void *c, yops_cudaDataType c_type, int ldc,
                                 yops_cublasComputeType_t compute, yops_cublasGemmAlgo_t algorithm)
{
    VENDOR_BEGIN(cublasGemmEx);
    return cublasGemmStridedBatchedEx(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb, 0, beta, c,
                                      c_type, ldc, 0, 1, compute, algorithm);
}
