/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: queues with a thread each, and the device's channels, of which a stream that waits has one for itself. With all of them
 * taken, what was given later stalls, as it does with the driver.
 */
#include "driver.h"

#include <stdlib.h>

enum { STACK = 4 << 20 }; /* kernels run on it */

/* ---- Channels ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    double_parking *parked;
    atomic_uint count;
} channels = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

void double_park(double_parking *parking, uint64_t number)
{
    parking->number = number;
    pthread_mutex_lock(&channels.lock);
    parking->next = channels.parked;
    channels.parked = parking;
    atomic_fetch_add(&channels.count, 1);
    pthread_mutex_unlock(&channels.lock);
}

void double_unpark(double_parking *parking)
{
    double_parking **at = &channels.parked;

    pthread_mutex_lock(&channels.lock);
    while (*at != parking)
        at = &(*at)->next;
    *at = parking->next;
    atomic_fetch_sub(&channels.count, 1);
    pthread_cond_broadcast(&channels.changed);
    pthread_mutex_unlock(&channels.lock);
}

/* Waits that were given before this one. */
static unsigned parked_before(uint64_t number)
{
    unsigned count = 0;

    for (const double_parking *p = channels.parked; p; p = p->next)
        count += p->number < number;
    return count;
}

void double_channel_wait(uint64_t number)
{
    unsigned most = double_settings_get()->channels;

    if (atomic_load_explicit(&channels.count, memory_order_relaxed) < most)
        return;
    pthread_mutex_lock(&channels.lock);
    while (parked_before(number) >= most && double_lost() == YK_CUDA_SUCCESS)
        pthread_cond_wait(&channels.changed, &channels.lock);
    pthread_mutex_unlock(&channels.lock);
}

void double_channels_wake(void)
{
    pthread_mutex_lock(&channels.lock);
    pthread_cond_broadcast(&channels.changed);
    pthread_mutex_unlock(&channels.lock);
}

/* ---- Queues ---- */

void *double_op_new(size_t size, yk_CUresult (*run)(double_op *op), void (*end)(double_op *op))
{
    double_op *op = calloc(1, size);

    if (op) {
        op->run = run;
        op->end = end;
    }
    return op;
}

yk_CUresult double_stream_check_for_work(yk_CUstream stream)
{
    if ((uintptr_t)stream <= 2) /* the legacy one, also by its name, and that of each thread */
        return YK_CUDA_ERROR_NOT_SUPPORTED;
    return double_context_alive(stream->context) ? double_capture_check(stream) : YK_CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

yk_CUresult double_stream_check(yk_CUstream stream)
{
    yk_CUresult result = double_stream_check_for_work(stream);

    return result == YK_CUDA_SUCCESS ? double_capture_refuse(stream) : result;
}

uint64_t double_stream_give(yk_CUstream stream, double_op *op)
{
    static atomic_uint_fast64_t numbers;
    uint64_t place;

    pthread_mutex_lock(&stream->lock);
    if (stream->closing)
        double_die("work is enqueued on a stream that has been destroyed");
    op->number = atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed);
    op->next = NULL;
    if (stream->first)
        stream->last->next = op;
    else
        stream->first = op;
    stream->last = op;
    place = ++stream->given;
    pthread_cond_signal(&stream->given_more);
    pthread_mutex_unlock(&stream->lock);
    return place;
}

yk_CUresult double_stream_wait(yk_CUstream stream, uint64_t place)
{
    pthread_mutex_lock(&stream->lock);
    while (stream->finished < place)
        pthread_cond_wait(&stream->finished_more, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
    return double_lost();
}

static void carry_out(double_op *op)
{
    if (op->run && double_lost() == YK_CUDA_SUCCESS)
        double_channel_wait(op->number);
    if (op->run && double_lost() == YK_CUDA_SUCCESS) {
        yk_CUresult result = op->run(op);
        if (result != YK_CUDA_SUCCESS)
            double_lose(result);
    }
    op->end(op);
}

static void free_stream(yk_CUstream stream)
{
    pthread_cond_destroy(&stream->given_more);
    pthread_cond_destroy(&stream->finished_more);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

/* Out of the context's list, and away. */
static void end_stream(yk_CUstream stream)
{
    yk_CUcontext context = stream->context;
    yk_CUstream *at;

    pthread_mutex_lock(&context->lock);
    for (at = &context->streams; *at != stream; at = &(*at)->next)
        ;
    *at = stream->next;
    free_stream(stream);
    context->stream_count--;
    pthread_cond_broadcast(&context->changed);
    pthread_mutex_unlock(&context->lock);
}

static void *work(void *user)
{
    yk_CUstream stream = user;

    pthread_mutex_lock(&stream->lock);
    for (;;) {
        double_op *op = stream->first;
        if (op) {
            stream->first = op->next;
            pthread_mutex_unlock(&stream->lock);
            carry_out(op);
            pthread_mutex_lock(&stream->lock);
            stream->finished++;
            pthread_cond_broadcast(&stream->finished_more);
        } else if (stream->closing) {
            break;
        } else {
            pthread_cond_wait(&stream->given_more, &stream->lock);
        }
    }
    pthread_mutex_unlock(&stream->lock);
    end_stream(stream);
    return NULL;
}

static bool start(yk_CUstream stream)
{
    pthread_attr_t attributes;
    pthread_t thread;

    if (pthread_attr_init(&attributes) != 0)
        return false;
    bool ok = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
              pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
              pthread_create(&thread, &attributes, work, stream) == 0;
    pthread_attr_destroy(&attributes);
    return ok;
}

/* ---- The calls ---- */

enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 }; /* the H200's */

yk_CUresult cuCtxGetStreamPriorityRange(int *out_least, int *out_greatest)
{
    ENTER(DOUBLE_CONTEXT);
    if (out_least)
        *out_least = LEAST_PRIORITY;
    if (out_greatest)
        *out_greatest = GREATEST_PRIORITY;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuStreamGetPriority(yk_CUstream stream, int *out_priority)
{
    *out_priority = stream->priority;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuStreamCreate(yk_CUstream *out_stream, unsigned int flags)
{
    return cuStreamCreateWithPriority(out_stream, flags, LEAST_PRIORITY);
}

/* The priority is remembered, and means nothing: every stream has a thread. The driver, too, takes any number. */
yk_CUresult cuStreamCreateWithPriority(yk_CUstream *out_stream, unsigned int flags, int priority)
{
    static atomic_uint_fast64_t ids;
    yk_CUstream stream;

    ENTER(DOUBLE_CONTEXT);
    if (!out_stream || flags > YK_CU_STREAM_NON_BLOCKING)
        return YK_CUDA_ERROR_INVALID_VALUE;
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    stream->context = double_current();
    stream->priority = priority > LEAST_PRIORITY ? LEAST_PRIORITY : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
    stream->id = atomic_fetch_add(&ids, 1) + 1;
    if (pthread_mutex_init(&stream->lock, NULL) || pthread_cond_init(&stream->given_more, NULL) ||
        pthread_cond_init(&stream->finished_more, NULL)) {
        free(stream);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&stream->context->lock);
    bool started = start(stream);
    if (started) {
        stream->next = stream->context->streams;
        stream->context->streams = stream;
        stream->context->stream_count++;
    }
    pthread_mutex_unlock(&stream->context->lock);
    if (!started) {
        free_stream(stream);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out_stream = stream;
    return YK_CUDA_SUCCESS;
}

static yk_CUstream find_stream(yk_CUcontext context, uint64_t id)
{
    yk_CUstream stream;

    pthread_mutex_lock(&context->lock);
    for (stream = context->streams; stream && stream->id != id; stream = stream->next)
        continue;
    pthread_mutex_unlock(&context->lock);
    return stream;
}

yk_CUresult double_stream_named(yk_CUstream *stream)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Thread_local uint64_t own; /* of the context that the thread used last; the others' are left to their contexts */
    uintptr_t name = (uintptr_t)*stream;
    yk_CUcontext context = double_current();
    yk_CUresult result = YK_CUDA_SUCCESS;

    if (name != 1 && name != 2)
        return YK_CUDA_SUCCESS;
    if (!context)
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    pthread_mutex_lock(&lock);
    uint64_t *id = name == 1 ? &context->legacy : &own;
    *stream = find_stream(context, *id);
    if (!*stream)
        result = cuStreamCreate(stream, 0);
    if (result == YK_CUDA_SUCCESS)
        *id = (*stream)->id;
    pthread_mutex_unlock(&lock);
    return result;
}

static void close_stream(yk_CUstream stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->closing = true;
    pthread_cond_signal(&stream->given_more);
    pthread_mutex_unlock(&stream->lock);
}

/* What it still has to do is done. */
yk_CUresult cuStreamDestroy_v2(yk_CUstream stream)
{
    yk_CUresult result;

    ENTER(DOUBLE_START);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    close_stream(stream);
    return double_lost();
}

void double_context_end_streams(yk_CUcontext context)
{
    pthread_mutex_lock(&context->lock);
    for (yk_CUstream stream = context->streams; stream; stream = stream->next)
        close_stream(stream);
    while (context->stream_count > 0)
        pthread_cond_wait(&context->changed, &context->lock);
    pthread_mutex_unlock(&context->lock);
}

/* Those that were destroyed, and were no younger than this one, go when they have done all. */
static void wait_for_destroyed(yk_CUcontext context, uint64_t newest)
{
    bool all_gone;

    pthread_mutex_lock(&context->lock);
    do {
        all_gone = true;
        for (yk_CUstream stream = context->streams; stream && all_gone; stream = stream->next) {
            pthread_mutex_lock(&stream->lock);
            all_gone = !stream->closing || stream->id > newest;
            pthread_mutex_unlock(&stream->lock);
        }
        if (!all_gone)
            pthread_cond_wait(&context->changed, &context->lock);
    } while (!all_gone);
    pthread_mutex_unlock(&context->lock);
}

/* Not below the context's lock: what is waited for may need a stream that is yet to be created. */
void double_context_wait(yk_CUcontext context)
{
    double_marker **markers;
    unsigned count = 0;
    uint64_t newest = 0;

    pthread_mutex_lock(&context->lock);
    markers = calloc(context->stream_count + 1, sizeof *markers);
    for (yk_CUstream stream = context->streams; stream && markers; stream = stream->next) {
        pthread_mutex_lock(&stream->lock);
        bool open = !stream->closing;
        pthread_mutex_unlock(&stream->lock);
        newest = stream->id > newest ? stream->id : newest;
        if (open)
            markers[count++] = double_stream_mark(stream);
    }
    pthread_mutex_unlock(&context->lock);
    for (unsigned i = 0; i < count; i++) {
        if (markers[i])
            double_marker_wait(markers[i], NULL);
        double_marker_release(markers[i]);
    }
    free(markers);
    wait_for_destroyed(context, newest);
}

yk_CUresult cuStreamSynchronize(yk_CUstream stream)
{
    yk_CUresult result;
    uint64_t place;

    ENTER(DOUBLE_USABLE);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    pthread_mutex_lock(&stream->lock);
    place = stream->given;
    pthread_mutex_unlock(&stream->lock);
    result = double_stream_wait(stream, place);
    double_pools_settle(stream->context->ordinal, stream->id);
    double_print_bring_out((unsigned)stream->context->ordinal);
    return result;
}

yk_CUresult cuStreamQuery(yk_CUstream stream)
{
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    pthread_mutex_lock(&stream->lock);
    if (stream->finished < stream->given)
        result = YK_CUDA_ERROR_NOT_READY;
    pthread_mutex_unlock(&stream->lock);
    return result;
}
