/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events. Each record makes a marker, which the stream sets when it gets there. An event is whatever marker it has at the moment; a
 * wait is for the one that the event had at the call.
 */
#include "driver.h"

#include <stdlib.h>
#include <time.h>

struct CUevent_st {
    yk_CUcontext context;
    unsigned flags;
    pthread_mutex_t lock;
    double_marker *marker; /* of the last record; NULL: none yet */
};

/* ---- Markers ---- */

double_marker *double_marker_new(void)
{
    double_marker *marker = calloc(1, sizeof *marker);

    if (!marker || pthread_mutex_init(&marker->lock, NULL) || pthread_cond_init(&marker->changed, NULL)) {
        free(marker);
        return NULL;
    }
    atomic_store(&marker->references, 1);
    return marker;
}

double_marker *double_marker_retain(double_marker *marker)
{
    if (marker)
        atomic_fetch_add(&marker->references, 1);
    return marker;
}

void double_marker_release(double_marker *marker)
{
    if (!marker || atomic_fetch_sub(&marker->references, 1) > 1)
        return;
    pthread_cond_destroy(&marker->changed);
    pthread_mutex_destroy(&marker->lock);
    free(marker);
}

void double_marker_set(double_marker *marker)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    pthread_mutex_lock(&marker->lock);
    marker->done = true;
    marker->nanoseconds = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    pthread_cond_broadcast(&marker->changed);
    pthread_mutex_unlock(&marker->lock);
}

bool double_marker_is_done(double_marker *marker, int64_t *out_nanoseconds)
{
    pthread_mutex_lock(&marker->lock);
    bool done = marker->done;
    if (out_nanoseconds)
        *out_nanoseconds = marker->nanoseconds;
    pthread_mutex_unlock(&marker->lock);
    return done;
}

void double_marker_wait(double_marker *marker, const double_op *op)
{
    double_parking parking;

    if (double_marker_is_done(marker, NULL))
        return;
    if (op)
        double_park(&parking, op->number);
    pthread_mutex_lock(&marker->lock);
    while (!marker->done)
        pthread_cond_wait(&marker->changed, &marker->lock);
    pthread_mutex_unlock(&marker->lock);
    if (op)
        double_unpark(&parking);
}

typedef struct marker_op {
    double_op op;
    double_marker *marker;
} marker_op;

static void end_record(double_op *op)
{
    double_marker_set(((marker_op *)op)->marker);
    double_marker_release(((marker_op *)op)->marker);
    free(op);
}

double_marker *double_stream_mark(yk_CUstream stream)
{
    marker_op *record = double_op_new(sizeof *record, NULL, end_record);

    if (!record)
        return NULL;
    record->marker = double_marker_new();
    if (!record->marker) {
        free(record);
        return NULL;
    }
    double_marker *marker = double_marker_retain(record->marker);
    double_stream_give(stream, &record->op);
    return marker;
}

static yk_CUresult run_wait(double_op *op)
{
    double_marker_wait(((marker_op *)op)->marker, op);
    return YK_CUDA_SUCCESS;
}

static void end_wait(double_op *op)
{
    double_marker_release(((marker_op *)op)->marker);
    free(op);
}

/* ---- The calls ---- */

yk_CUresult cuEventCreate(yk_CUevent *out_event, unsigned int flags)
{
    yk_CUevent event;

    ENTER(DOUBLE_CONTEXT);
    if (!out_event || flags > 7 || (flags & 4 && !(flags & YK_CU_EVENT_DISABLE_TIMING))) /* 4: for other processes */
        return YK_CUDA_ERROR_INVALID_VALUE;
    event = calloc(1, sizeof *event);
    if (!event || pthread_mutex_init(&event->lock, NULL)) {
        free(event);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    event->context = double_current();
    event->flags = flags;
    *out_event = event;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuEventDestroy_v2(yk_CUevent event)
{
    ENTER(DOUBLE_START);
    if (!event)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    double_marker_release(event->marker);
    pthread_mutex_destroy(&event->lock);
    free(event);
    return double_lost();
}

/* A reference of its own, or NULL. */
static double_marker *marker_of(yk_CUevent event)
{
    pthread_mutex_lock(&event->lock);
    double_marker *marker = double_marker_retain(event->marker);
    pthread_mutex_unlock(&event->lock);
    return marker;
}

yk_CUresult cuEventRecord(yk_CUevent event, yk_CUstream stream)
{
    double_marker *marker, *before;
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    if (!event)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    result = double_stream_named(&stream);
    if (result == YK_CUDA_SUCCESS)
        result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (stream->context != event->context)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&event->lock);
    marker = double_stream_mark(stream);
    before = event->marker;
    if (marker)
        event->marker = marker;
    pthread_mutex_unlock(&event->lock);
    if (!marker)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    double_marker_release(before);
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuEventQuery(yk_CUevent event)
{
    ENTER(DOUBLE_USABLE);
    if (!event)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    pthread_mutex_lock(&event->lock);
    bool done = !event->marker || double_marker_is_done(event->marker, NULL);
    pthread_mutex_unlock(&event->lock);
    if (double_lost() != YK_CUDA_SUCCESS) /* it may be done because of that */
        return double_lost();
    return done ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_NOT_READY;
}

yk_CUresult cuEventSynchronize(yk_CUevent event)
{
    ENTER(DOUBLE_USABLE);
    if (!event)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    double_marker *marker = marker_of(event);
    if (marker)
        double_marker_wait(marker, NULL);
    double_marker_release(marker);
    double_print_bring_out((unsigned)event->context->ordinal);
    return double_lost();
}

yk_CUresult cuStreamWaitEvent(yk_CUstream stream, yk_CUevent event, unsigned int flags)
{
    yk_CUresult result;
    marker_op *wait;

    ENTER(DOUBLE_USABLE);
    if (!event)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    result = double_stream_named(&stream);
    if (result == YK_CUDA_SUCCESS)
        result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (flags > 1)
        return YK_CUDA_ERROR_INVALID_VALUE;
    double_marker *marker = marker_of(event);
    if (!marker) /* never recorded: there is nothing to wait for */
        return YK_CUDA_SUCCESS;
    wait = double_op_new(sizeof *wait, run_wait, end_wait);
    if (!wait) {
        double_marker_release(marker);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    wait->marker = marker;
    double_stream_give(stream, &wait->op);
    return YK_CUDA_SUCCESS;
}

static yk_CUresult time_of(yk_CUevent event, int64_t *out_nanoseconds)
{
    double_marker *marker = event && !(event->flags & YK_CU_EVENT_DISABLE_TIMING) ? marker_of(event) : NULL;

    if (!marker)
        return YK_CUDA_ERROR_INVALID_HANDLE;
    bool done = double_marker_is_done(marker, out_nanoseconds);
    double_marker_release(marker);
    return done ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_NOT_READY;
}

yk_CUresult cuEventElapsedTime_v2(float *out_milliseconds, yk_CUevent start, yk_CUevent end)
{
    int64_t from = 0, to = 0;
    yk_CUresult first, second;

    ENTER(DOUBLE_USABLE);
    if (!out_milliseconds)
        return YK_CUDA_ERROR_INVALID_VALUE;
    first = time_of(start, &from);
    second = time_of(end, &to);
    if (first == YK_CUDA_SUCCESS || second == YK_CUDA_ERROR_INVALID_HANDLE)
        first = second;
    if (first == YK_CUDA_SUCCESS)
        *out_milliseconds = (float)((double)(to - from) * 1e-8 * double_settings_get()->clock);
    return first;
}

yk_CUresult cuEventElapsedTime(float *out_milliseconds, yk_CUevent start, yk_CUevent end)
{
    return cuEventElapsedTime_v2(out_milliseconds, start, end);
}
