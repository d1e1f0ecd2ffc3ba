/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix products by cuBLAS. A device has a few handles, each used by one thread at a time while it enqueues. Each call has a
 * workspace in the stream's order, so that calls of several streams share nothing on the device; one after the other in a stream
 * get the same memory, and a handle is only told of a stream and a workspace that it does not have already.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas_call.h"

enum { MOST_HANDLES = 8 };

/* A handle and what it was told: compared, never used, since both may have ended. */
typedef struct kept_handle {
    yops_cublasHandle_t handle;
    void *stream; /* the driver's; NULL: unknown */
    uintptr_t workspace;
} kept_handle;

typedef struct handle_pool {
    yops_pool pool;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t given; /* a handle is free again */
    kept_handle free[MOST_HANDLES];
    int free_count, count;
    char refused[YVENDOR_REASON_SIZE]; /* why this device gets no handle, for ever; or "" */
} handle_pool;

/* ---- Handles ---- */

static void destroy_pool(yops_pool *destroyed)
{
    handle_pool *pool = (handle_pool *)destroyed;
    for (int i = 0; i < pool->free_count; i++)
        (void)yops_cublas.cublasDestroy_v2(pool->free[i].handle); /* a context that is lost has freed it already */
    pthread_cond_destroy(&pool->given);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static yops_pool *create_pool(void)
{
    handle_pool *pool = calloc(1, sizeof *pool);
    if (!pool || pthread_mutex_init(&pool->lock, NULL) != 0)
        goto no_lock;
    pool->pool.destroy = destroy_pool;
    if (pthread_cond_init(&pool->given, NULL) == 0)
        return &pool->pool;
    pthread_mutex_destroy(&pool->lock);
no_lock:
    free(pool);
    return NULL;
}

/* With the context current. Sums of halves stay in float, also between parts of a sum. */
static yops_cublasStatus_t create_handle(yops_cublasHandle_t *out_handle, const char **out_call)
{
    yops_cublasHandle_t handle = NULL;
    *out_call = "cublasCreate_v2";
    yops_cublasStatus_t result = yops_cublas.cublasCreate_v2(&handle);
    if (result != YOPS_CUBLAS_STATUS_SUCCESS)
        return result;
    *out_call = "cublasSetPointerMode_v2";
    result = yops_cublas.cublasSetPointerMode_v2(handle, YOPS_CUBLAS_POINTER_MODE_HOST);
    if (result == YOPS_CUBLAS_STATUS_SUCCESS) {
        *out_call = "cublasSetMathMode";
        result = yops_cublas.cublasSetMathMode(handle, YOPS_CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    }
    if (result == YOPS_CUBLAS_STATUS_SUCCESS)
        *out_handle = handle;
    else
        (void)yops_cublas.cublasDestroy_v2(handle);
    return result;
}

/* With the pool's lock. Memory may be there again at the next call; whatever else is refused stays so. */
static void add_handle(const yops_vendor_device *device, handle_pool *pool, yops_why *why)
{
    const char *call;
    if (!yops_context_enter(device)) {
        snprintf(why->text, sizeof why->text, "cuBLAS: the device's context cannot be made current");
        return;
    }
    kept_handle added = { NULL, NULL, 0 };
    yops_cublasStatus_t result = create_handle(&added.handle, &call);
    yops_context_leave();
    if (result == YOPS_CUBLAS_STATUS_SUCCESS) {
        pool->free[pool->free_count++] = added;
        pool->count++;
        return;
    }
    snprintf(why->text, sizeof why->text, "%s: %s (%u)", call, yops_cublas_result(result), result);
    if (result != YOPS_CUBLAS_STATUS_ALLOC_FAILED)
        memcpy(pool->refused, why->text, sizeof pool->refused);
}

/* Before a section: creating a handle takes long, and cannot be captured. */
static bool provide_handle(const yops_vendor_device *device, handle_pool *pool, yops_why *why)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->refused[0] && pool->count == 0)
        memcpy(why->text, pool->refused, sizeof why->text);
    else if (pool->free_count == 0 && pool->count < MOST_HANDLES && !pool->refused[0])
        add_handle(device, pool, why);
    bool provided = pool->count > 0;
    why->status = provided ? YOKE_OK : YOKE_E_UNAVAILABLE;
    pthread_mutex_unlock(&pool->lock);
    return provided;
}

/* The one that has the stream, or any. A handle is in use for the time of a few calls only. */
static kept_handle take_handle(handle_pool *pool, const void *stream)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->free_count == 0)
        pthread_cond_wait(&pool->given, &pool->lock);
    int i = --pool->free_count;
    while (i > 0 && pool->free[i].stream != stream)
        i--;
    kept_handle taken = pool->free[i];
    pool->free[i] = pool->free[pool->free_count];
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

static void give_handle(handle_pool *pool, const kept_handle *handle)
{
    pthread_mutex_lock(&pool->lock);
    pool->free[pool->free_count++] = *handle;
    pthread_cond_signal(&pool->given);
    pthread_mutex_unlock(&pool->lock);
}

/* ---- Types ---- */

typedef struct types {
    int32_t in, out; /* dtypes of A and B, and of C */
    yops_cudaDataType a, c;
    yops_cublasComputeType_t compute, tf32;
} types;

static const types all_types[] = {
    { YOKE_F32, YOKE_F32, YOPS_CUDA_R_32F, YOPS_CUDA_R_32F, YOPS_CUBLAS_COMPUTE_32F, YOPS_CUBLAS_COMPUTE_32F_FAST_TF32 },
    { YOKE_F64, YOKE_F64, YOPS_CUDA_R_64F, YOPS_CUDA_R_64F, YOPS_CUBLAS_COMPUTE_64F, YOPS_CUBLAS_COMPUTE_64F },
    { YOKE_C64, YOKE_C64, YOPS_CUDA_C_32F, YOPS_CUDA_C_32F, YOPS_CUBLAS_COMPUTE_32F, YOPS_CUBLAS_COMPUTE_32F_FAST_TF32 },
    { YOKE_C128, YOKE_C128, YOPS_CUDA_C_64F, YOPS_CUDA_C_64F, YOPS_CUBLAS_COMPUTE_64F, YOPS_CUBLAS_COMPUTE_64F },
    { YOKE_F16, YOKE_F16, YOPS_CUDA_R_16F, YOPS_CUDA_R_16F, YOPS_CUBLAS_COMPUTE_32F, YOPS_CUBLAS_COMPUTE_32F },
    { YOKE_F16, YOKE_F32, YOPS_CUDA_R_16F, YOPS_CUDA_R_32F, YOPS_CUBLAS_COMPUTE_32F, YOPS_CUBLAS_COMPUTE_32F },
    { YOKE_BF16, YOKE_BF16, YOPS_CUDA_R_16BF, YOPS_CUDA_R_16BF, YOPS_CUBLAS_COMPUTE_32F, YOPS_CUBLAS_COMPUTE_32F },
    { YOKE_BF16, YOKE_F32, YOPS_CUDA_R_16BF, YOPS_CUDA_R_32F, YOPS_CUBLAS_COMPUTE_32F, YOPS_CUBLAS_COMPUTE_32F },
};

static const types *find_types(const yops_blas_call *gemm)
{
    for (size_t i = 0; i < YOPS_COUNT_OF(all_types); i++)
        if (gemm->a.dtype == all_types[i].in && gemm->b.dtype == all_types[i].in && gemm->c.dtype == all_types[i].out)
            return &all_types[i];
    return NULL;
}

/* ---- The product ---- */

typedef struct gemm_section {
    yops_section section;
    handle_pool *pool;
    yops_blas_call gemm;
    const types *types;
    size_t workspace;
} gemm_section;

/* alpha or beta as cuBLAS reads it: real or complex, of the type that is summed in. */
typedef union scalar {
    float f32[2];
    double f64[2];
} scalar;

static scalar scalar_of(const types *t, const double value[2])
{
    scalar result;
    for (int part = 0; part < 2; part++)
        if (t->compute == YOPS_CUBLAS_COMPUTE_64F)
            result.f64[part] = value[part];
        else
            result.f32[part] = (float)value[part];
    return result;
}

static void *address_of(const gemm_section *s, int index, const yops_blas_matrix *matrix)
{
    return (void *)(s->section.handles[index] + (uintptr_t)matrix->origin * yoke_dtype_get_size(matrix->dtype));
}

static yops_cublasStatus_t multiply(const gemm_section *s, yops_cublasHandle_t handle, const char **out_call)
{
    const yops_blas_call *g = &s->gemm;
    const types *t = s->types;
    const scalar alpha = scalar_of(t, g->alpha), beta = scalar_of(t, g->beta);
    const yops_cublasOperation_t ops[2] = { g->a.transposed ? YOPS_CUBLAS_OP_T : YOPS_CUBLAS_OP_N,
                                            g->b.transposed ? YOPS_CUBLAS_OP_T : YOPS_CUBLAS_OP_N };
    const yops_cublasComputeType_t compute = g->tf32 ? t->tf32 : t->compute;
    const void *a = address_of(s, 0, &g->a), *b = address_of(s, 1, &g->b);
    void *c = address_of(s, 2, &g->c);
    int lda = (int)g->a.ld, ldb = (int)g->b.ld, ldc = (int)g->c.ld;
    *out_call = g->batch > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx";
    if (g->batch > 1)
        return yops_cublas.cublasGemmStridedBatchedEx(handle, ops[0], ops[1], g->m, g->n, g->k, &alpha, a, t->a, lda, g->a.batch, b,
                                                      t->a, ldb, g->b.batch, &beta, c, t->c, ldc, g->c.batch, g->batch, compute,
                                                      YOPS_CUBLAS_GEMM_DEFAULT);
    return yops_cublas.cublasGemmEx(handle, ops[0], ops[1], g->m, g->n, g->k, &alpha, a, t->a, lda, b, t->a, ldb, &beta, c, t->c,
                                    ldc, compute, YOPS_CUBLAS_GEMM_DEFAULT);
}

/* Setting the stream takes the workspace away, so that comes first. */
static yops_cublasStatus_t tell(kept_handle *h, void *stream, uintptr_t workspace, size_t size, const char **out_call)
{
    yops_cublasStatus_t result = YOPS_CUBLAS_STATUS_SUCCESS;
    if (h->stream == stream && h->workspace == workspace)
        return result;
    if (h->stream != stream) {
        *out_call = "cublasSetStream_v2";
        result = yops_cublas.cublasSetStream_v2(h->handle, stream);
    }
    if (result == YOPS_CUBLAS_STATUS_SUCCESS) {
        *out_call = "cublasSetWorkspace_v2";
        result = yops_cublas.cublasSetWorkspace_v2(h->handle, (void *)workspace, size);
    }
    h->stream = result == YOPS_CUBLAS_STATUS_SUCCESS ? stream : NULL;
    h->workspace = workspace;
    return result;
}

static yoke_status run(yops_section *section, void *native_stream)
{
    const gemm_section *s = (const gemm_section *)section;
    kept_handle handle = take_handle(s->pool, native_stream);
    const char *call = NULL;
    yops_cublasStatus_t result = tell(&handle, native_stream, section->handles[3], s->workspace, &call);
    if (result == YOPS_CUBLAS_STATUS_SUCCESS)
        result = multiply(s, handle.handle, &call);
    give_handle(s->pool, &handle);
    if (result == YOPS_CUBLAS_STATUS_SUCCESS)
        return YOKE_OK;
    return yoke_fail(YOKE_E_DRIVER, "%s: %s: %s (%u)", section->function, call, yops_cublas_result(result), result);
}

static yoke_status enqueue(const yops_call *call, const yops_vendor_device *device, handle_pool *pool, const yops_blas_call *gemm,
                           const types *t)
{
    yoke_buffer *buffers[] = { gemm->a.buffer, gemm->b.buffer, gemm->c.buffer, NULL };
    yops_section *section = NULL;
    yoke_status status = yops_temporary(call, device->workspace, &buffers[3]);
    if (status == YOKE_OK)
        status = yops_section_create(call, sizeof(gemm_section), run, &section);
    if (!section) {
        yoke_buffer_release(buffers[3]);
        return status;
    }
    gemm_section *s = (gemm_section *)section;
    s->pool = pool;
    s->gemm = *gemm;
    s->types = t;
    s->workspace = device->workspace;
    status = yops_section_enqueue(call, section, buffers, YOPS_COUNT_OF(buffers));
    yoke_buffer_release(buffers[3]);
    return status;
}

bool yops_cublas_gemm(const yops_call *call, yops_vendor_device *device, const yops_blas_call *gemm, yops_why *why,
                      yoke_status *out_status)
{
    const types *t = find_types(gemm);
    const yvendor_found *library = yops_library_open(YOPS_CUBLAS);
    if (!library->usable)
        yops_library_blame(library, why);
    else if (!t)
        snprintf(why->text, sizeof why->text, "cuBLAS has no product of %s and %s to %s", yoke_dtype_get_name(gemm->a.dtype),
                 yoke_dtype_get_name(gemm->b.dtype), yoke_dtype_get_name(gemm->c.dtype));
    if (!library->usable || !t)
        return false;
    handle_pool *pool = (handle_pool *)yops_vendor_device_get_pool(call, device, YOPS_CUBLAS, create_pool);
    if (pool && !provide_handle(device, pool, why))
        return false;
    *out_status = pool ? enqueue(call, device, pool, gemm, t) : YOKE_E_OUT_OF_HOST_MEMORY;
    return true;
}
