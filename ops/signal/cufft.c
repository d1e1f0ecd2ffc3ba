/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fourier transforms by cuFFT. A device keeps plans by what they compute and by the stream they are for; a plan that is in use
 * while another thread enqueues is waited for, which takes the time of a few calls. The work area comes with each call, in the
 * stream's order; a plan is only told of a stream and an area that it does not have already. When there are too many plans, the one
 * that was not used for the longest time makes room.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cufft.h"
#include "library/library.h"

enum { MOST_PLANS = 64 };

typedef struct kept_plan {
    yops_vendor_fft_plan key;
    const yoke_stream *stream; /* compared, never used: the stream may have ended */
    pthread_mutex_t lock;      /* held by who enqueues with the plan */
    yops_cufftHandle handle;
    size_t work_size;
    void *told_stream; /* the driver's, and with it the work area: compared, never used, since both may have ended */
    uintptr_t told_area;
    unsigned users; /* sections that have not ended */
    uint64_t last_use;
} kept_plan;

typedef struct plan_pool {
    yops_pool pool;
    pthread_mutex_t lock; /* protects what follows */
    kept_plan *plans[MOST_PLANS];
    size_t count;
    uint64_t uses;
    bool refused; /* this device gets no plan, for ever */
} plan_pool;

/* ---- The pool ---- */

static void destroy_plan(kept_plan *plan)
{
    (void)yops_cufft.cufftDestroy(plan->handle); /* waits for work that reads its tables */
    pthread_mutex_destroy(&plan->lock);
    free(plan);
}

static void destroy_pool(yops_pool *destroyed)
{
    plan_pool *pool = (plan_pool *)destroyed;
    for (size_t i = 0; i < pool->count; i++)
        destroy_plan(pool->plans[i]);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static yops_pool *create_pool(void)
{
    plan_pool *pool = calloc(1, sizeof *pool);
    if (!pool || pthread_mutex_init(&pool->lock, NULL) != 0) {
        free(pool);
        return NULL;
    }
    pool->pool.destroy = destroy_pool;
    return &pool->pool;
}

/* cuFFT's strides: one between neighbours of the last axis, and the padded lengths of the axes but the first. */
typedef struct embedding {
    long long lengths[3], stride;
} embedding;

static bool embed(const yops_vendor_fft_plan *plan, const yops_fft_side *side, bool half, embedding *out)
{
    int last = plan->rank - 1;
    out->stride = side->strides[last];
    if (side->strides[last] < 1 || (plan->batch > 1 && side->distance < 1))
        return false;
    for (int i = 0; i <= last; i++)
        out->lengths[i] = i == last && half ? plan->lengths[i] / 2 + 1 : plan->lengths[i];
    for (int i = last; i > 0; i--) {
        if (side->strides[i - 1] % side->strides[i] != 0 || side->strides[i - 1] / side->strides[i] < out->lengths[i])
            return false;
        out->lengths[i] = side->strides[i - 1] / side->strides[i];
    }
    return true;
}

static bool embeddings(const yops_vendor_fft_plan *plan, embedding *in, embedding *out)
{
    return embed(plan, &plan->in, plan->kind == YOPS_FFT_C2R, in) && embed(plan, &plan->out, plan->kind == YOPS_FFT_R2C, out);
}

static yops_cufftType type_of(const yops_vendor_fft_plan *plan)
{
    static const yops_cufftType types[][2] = { [YOPS_FFT_C2C] = { YOPS_CUFFT_C2C, YOPS_CUFFT_Z2Z },
                                               [YOPS_FFT_R2C] = { YOPS_CUFFT_R2C, YOPS_CUFFT_D2Z },
                                               [YOPS_FFT_C2R] = { YOPS_CUFFT_C2R, YOPS_CUFFT_Z2D } };
    _Static_assert(YOPS_COUNT_OF(types) == YOPS_FFT_C2R + 1, "a type of cuFFT for each kind");
    return types[plan->kind][plan->wide != 0];
}

/* With the context current. */
static yops_cufftResult make(const yops_vendor_fft_plan *key, kept_plan *plan)
{
    long long lengths[3] = { key->lengths[0], key->lengths[1], key->lengths[2] };
    embedding in, out;
    if (!embeddings(key, &in, &out))
        return YOPS_CUFFT_INVALID_VALUE;
    yops_cufftResult result = yops_cufft.cufftCreate(&plan->handle);
    if (result != YOPS_CUFFT_SUCCESS)
        return result;
    result = yops_cufft.cufftSetAutoAllocation(plan->handle, 0);
    if (result == YOPS_CUFFT_SUCCESS)
        result =
            yops_cufft.cufftMakePlanMany64(plan->handle, key->rank, lengths, in.lengths, in.stride, key->in.distance, out.lengths,
                                           out.stride, key->out.distance, type_of(key), key->batch, &plan->work_size);
    if (result != YOPS_CUFFT_SUCCESS)
        (void)yops_cufft.cufftDestroy(plan->handle);
    return result;
}

/* With the pool's lock: room for one more. False: all plans are in use. */
static bool make_room(plan_pool *pool)
{
    size_t oldest = MOST_PLANS;
    if (pool->count < MOST_PLANS)
        return true;
    for (size_t i = 0; i < pool->count; i++)
        if (pool->plans[i]->users == 0 && (oldest == MOST_PLANS || pool->plans[i]->last_use < pool->plans[oldest]->last_use))
            oldest = i;
    if (oldest == MOST_PLANS)
        return false;
    destroy_plan(pool->plans[oldest]);
    pool->plans[oldest] = pool->plans[--pool->count];
    return true;
}

/* With the pool's lock and the context current. NULL: cuFFT does not do this, or not on this device. */
static kept_plan *add_plan(plan_pool *pool, const yops_vendor_fft_plan *key, const yoke_stream *stream)
{
    kept_plan *plan = make_room(pool) ? calloc(1, sizeof *plan) : NULL;
    if (!plan || pthread_mutex_init(&plan->lock, NULL) != 0)
        goto no_lock;
    plan->key = *key;
    plan->stream = stream;
    yops_cufftResult result = make(key, plan);
    if (result == YOPS_CUFFT_SUCCESS)
        return pool->plans[pool->count++] = plan;
    pool->refused = pool->count == 0 && (result == YOPS_CUFFT_SETUP_FAILED || result == YOPS_CUFFT_INVALID_DEVICE);
    pthread_mutex_destroy(&plan->lock);
no_lock:
    free(plan);
    return NULL;
}

static kept_plan *find_plan(const plan_pool *pool, const yops_vendor_fft_plan *key, const yoke_stream *stream)
{
    for (size_t i = 0; i < pool->count; i++)
        if (pool->plans[i]->stream == stream && memcmp(&pool->plans[i]->key, key, sizeof *key) == 0)
            return pool->plans[i];
    return NULL;
}

/* The plan counts as used until yield_plan. */
static kept_plan *take_plan(const yops_call *call, const yops_vendor_device *device, plan_pool *pool,
                            const yops_vendor_fft_plan *key)
{
    pthread_mutex_lock(&pool->lock);
    kept_plan *plan = find_plan(pool, key, call->stream);
    if (!plan && !pool->refused && yops_context_enter(device)) {
        plan = add_plan(pool, key, call->stream);
        yops_context_leave();
    }
    if (plan) {
        plan->users++;
        plan->last_use = ++pool->uses;
    }
    pthread_mutex_unlock(&pool->lock);
    return plan;
}

static void yield_plan(plan_pool *pool, kept_plan *plan)
{
    pthread_mutex_lock(&pool->lock);
    plan->users--;
    pthread_mutex_unlock(&pool->lock);
}

/* ---- The transform ---- */

typedef struct fft_section {
    yops_section section;
    kept_plan *plan;
    plan_pool *pool;
    uintptr_t in, out; /* bytes from the roots */
} fft_section;

static yops_cufftResult execute(const fft_section *s, const char **out_call)
{
    const yops_vendor_fft_plan *key = &s->plan->key;
    yops_cufftHandle handle = s->plan->handle;
    void *in = (void *)(s->section.handles[0] + s->in), *out = (void *)(s->section.handles[1] + s->out);
    int direction = key->inverse ? YOPS_CUFFT_INVERSE : YOPS_CUFFT_FORWARD;
    switch (type_of(key)) {
    case YOPS_CUFFT_C2C:
        *out_call = "cufftExecC2C";
        return yops_cufft.cufftExecC2C(handle, in, out, direction);
    case YOPS_CUFFT_R2C:
        *out_call = "cufftExecR2C";
        return yops_cufft.cufftExecR2C(handle, in, out);
    case YOPS_CUFFT_C2R:
        *out_call = "cufftExecC2R";
        return yops_cufft.cufftExecC2R(handle, in, out);
    case YOPS_CUFFT_Z2Z:
        *out_call = "cufftExecZ2Z";
        return yops_cufft.cufftExecZ2Z(handle, in, out, direction);
    case YOPS_CUFFT_D2Z:
        *out_call = "cufftExecD2Z";
        return yops_cufft.cufftExecD2Z(handle, in, out);
    default:
        *out_call = "cufftExecZ2D";
        return yops_cufft.cufftExecZ2D(handle, in, out);
    }
}

/* With the plan's lock. */
static yops_cufftResult tell(kept_plan *plan, void *stream, uintptr_t area, const char **out_call)
{
    yops_cufftResult result = YOPS_CUFFT_SUCCESS;
    if (plan->told_stream == stream && plan->told_area == area)
        return result;
    if (plan->told_stream != stream) {
        *out_call = "cufftSetStream";
        result = yops_cufft.cufftSetStream(plan->handle, stream);
    }
    if (result == YOPS_CUFFT_SUCCESS && plan->work_size > 0) {
        *out_call = "cufftSetWorkArea";
        result = yops_cufft.cufftSetWorkArea(plan->handle, (void *)area);
    }
    plan->told_stream = result == YOPS_CUFFT_SUCCESS ? stream : NULL;
    plan->told_area = area;
    return result;
}

static yoke_status run(yops_section *section, void *native_stream)
{
    const fft_section *s = (const fft_section *)section;
    const char *call = NULL;
    pthread_mutex_lock(&s->plan->lock);
    yops_cufftResult result = tell(s->plan, native_stream, section->handles[2], &call);
    if (result == YOPS_CUFFT_SUCCESS)
        result = execute(s, &call);
    pthread_mutex_unlock(&s->plan->lock);
    if (result == YOPS_CUFFT_SUCCESS)
        return YOKE_OK;
    return yoke_fail(YOKE_E_DRIVER, "%s: %s: %s (%u)", section->function, call, yops_cufft_result(result), result);
}

static void end(yops_section *section)
{
    const fft_section *s = (const fft_section *)section;
    if (s->plan)
        yield_plan(s->pool, s->plan);
}

static yoke_status enqueue(const yops_call *call, plan_pool *pool, kept_plan *plan, const yops_place *in, const yops_place *out)
{
    yoke_buffer *buffers[] = { in->root, out->root, NULL };
    size_t real = plan->key.wide ? sizeof(double) : sizeof(float);
    yops_section *section;
    yoke_status status = yops_section_create(call, sizeof(fft_section), run, &section);
    if (status == YOKE_OK && plan->work_size > 0)
        status = yops_temporary(call, plan->work_size, &buffers[2]);
    if (status < 0) {
        free(section);
        yield_plan(pool, plan);
        return status;
    }
    fft_section *s = (fft_section *)section;
    section->end = end;
    s->plan = plan;
    s->pool = pool;
    s->in = (uintptr_t)in->origin * real * (plan->key.kind == YOPS_FFT_R2C ? 1 : 2);
    s->out = (uintptr_t)out->origin * real * (plan->key.kind == YOPS_FFT_C2R ? 1 : 2);
    status = yops_section_enqueue(call, section, buffers, buffers[2] ? 3 : 2);
    yoke_buffer_release(buffers[2]);
    return status;
}

bool yops_vendor_fft_knows(const yops_vendor_fft_plan *plan)
{
    embedding in, out;
    return plan->batch >= 1 && embeddings(plan, &in, &out);
}

bool yops_vendor_fft_is_there(const yops_call *call)
{
    yops_vendor_device *device;
    return !yops_vendor_is_exact() && yops_vendor_device_get(call, &device) == YOKE_OK && device->is_cuda &&
           yops_library_open(YOPS_CUFFT)->usable;
}

bool yops_vendor_fft(const yops_call *call, const yops_vendor_fft_plan *plan, const yops_place *in, const yops_place *out,
                     yoke_status *out_status)
{
    yops_vendor_device *device;
    *out_status = YOKE_OK;
    if (yops_vendor_is_exact() || !yops_vendor_fft_knows(plan))
        return false;
    *out_status = yops_vendor_device_get(call, &device);
    if (*out_status < 0)
        return true;
    if (!device->is_cuda || !yops_library_open(YOPS_CUFFT)->usable)
        return false;
    plan_pool *pool = (plan_pool *)yops_vendor_device_get_pool(call, device, YOPS_CUFFT, create_pool);
    kept_plan *kept = pool ? take_plan(call, device, pool, plan) : NULL;
    if (pool && !kept)
        return false;
    *out_status = kept ? enqueue(call, pool, kept, in, out) : YOKE_E_OUT_OF_HOST_MEMORY;
    return true;
}
