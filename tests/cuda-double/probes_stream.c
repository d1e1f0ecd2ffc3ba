/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about streams, events, host functions and what stalls. */
#include "probes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- Streams and events ---- */

static char order[16];

static void note(void *user)
{
    size_t length = strlen(order);

    if (length + 1 < sizeof order)
        order[length] = *(const char *)user;
}

void probe_streams(void)
{
    yk_CUstream one = new_stream(), two = new_stream(), none = NULL;

    probe("a stream with flags 99", cu.cuStreamCreate(&none, 99), "INVALID_VALUE");
    probe("an idle stream", cu.cuStreamQuery(one), "SUCCESS");
    probe_gate *gate = gate_close(one);
    probe("a stream with work", cu.cuStreamQuery(one), "NOT_READY");
    probe("a host function that is none", cu.cuLaunchHostFunc(two, NULL, NULL), "INVALID_VALUE");
    memset(order, 0, sizeof order);
    for (int i = 0; i < 5; i++)
        NEED(cu.cuLaunchHostFunc(one, note, &"abcde"[i]));
    NEED(cu.cuLaunchHostFunc(two, note, "x"));
    probe_pause(20);
    probe("another stream's function, while one runs", cu.cuStreamQuery(two), "NOT_READY");
    gate_open(gate);
    NEED(cu.cuStreamSynchronize(one));
    NEED(cu.cuStreamSynchronize(two));
    char *x = strchr(order, 'x'); /* anywhere between the others */
    if (x)
        memmove(x, x + 1, strlen(x));
    probe_text("host functions run in order", order, "abcde");
    if (probe_is_double) /* which refuses what Yoke must never do */
        probe("the legacy default stream", cu.cuMemsetD8Async(1, 0, 0, NULL), "NOT_SUPPORTED");
    gate = gate_close(one);
    memset(order, 0, sizeof order);
    NEED(cu.cuLaunchHostFunc(one, note, "z"));
    probe("destroy a stream with work", cu.cuStreamDestroy_v2(one), "SUCCESS");
    gate_open(gate);
    NEED(cu.cuCtxSynchronize());
    probe_text("it does what it had to", order, "z");
    NEED(cu.cuStreamDestroy_v2(two));
}

/* A wait is for the record that the event had at the call. */
static void probe_capture(void)
{
    yk_CUstream one = new_stream(), two = new_stream(), three = new_stream();
    yk_CUevent event = new_event(2), never = new_event(2);

    probe_gate *gate = gate_close(one);
    NEED(cu.cuEventRecord(event, one));
    probe("an event behind work", cu.cuEventQuery(event), "NOT_READY");
    NEED(cu.cuStreamWaitEvent(two, event, 0));
    NEED(cu.cuEventRecord(event, three)); /* another thing from now on */
    NEED(cu.cuStreamSynchronize(three));
    probe("recorded again elsewhere, it is done", cu.cuEventQuery(event), "SUCCESS");
    probe_pause(20);
    probe("a wait is for the record before", cu.cuStreamQuery(two), "NOT_READY");
    NEED(cu.cuStreamWaitEvent(three, never, 0));
    NEED(cu.cuStreamSynchronize(three));
    probe("a wait for an event never recorded is over", cu.cuStreamQuery(three), "SUCCESS");
    gate_open(gate);
    probe("until that is done", cu.cuStreamSynchronize(two), "SUCCESS");
    NEED(cu.cuEventDestroy_v2(event));
    NEED(cu.cuEventDestroy_v2(never));
    NEED(cu.cuStreamDestroy_v2(one));
    NEED(cu.cuStreamDestroy_v2(two));
    NEED(cu.cuStreamDestroy_v2(three));
}

void probe_events(void)
{
    yk_CUstream stream = new_stream();
    yk_CUevent first = new_event(0), second = new_event(0), plain = new_event(2), none = NULL;
    float milliseconds = -1;

    probe("an event with flags 99", cu.cuEventCreate(&none, 99), "INVALID_VALUE");
    probe("an event never recorded", cu.cuEventQuery(first), "SUCCESS");
    probe("time between events never recorded", cu.cuEventElapsedTime(&milliseconds, first, second), "INVALID_HANDLE");
    NEED(cu.cuEventRecord(first, stream));
    probe_gate *gate = gate_close(stream);
    NEED(cu.cuEventRecord(second, stream));
    probe("time to an event that is not done", cu.cuEventElapsedTime(&milliseconds, first, second), "NOT_READY");
    probe_pause(20);
    gate_open(gate);
    NEED(cu.cuStreamSynchronize(stream));
    NEED(cu.cuEventElapsedTime(&milliseconds, first, second));
    probe_yes("it is what a clock says", milliseconds >= 19 && milliseconds < 5000, true);
    NEED(cu.cuEventElapsedTime(&milliseconds, second, first));
    probe_yes("backwards it is negative", milliseconds <= -19, true);
    NEED(cu.cuEventRecord(plain, stream));
    NEED(cu.cuStreamSynchronize(stream));
    probe("time of an event that keeps none", cu.cuEventElapsedTime(&milliseconds, first, plain), "INVALID_HANDLE");
    probe_capture();
    NEED(cu.cuEventDestroy_v2(first));
    NEED(cu.cuEventDestroy_v2(second));
    NEED(cu.cuEventDestroy_v2(plain));
    NEED(cu.cuStreamDestroy_v2(stream));
}

/* ---- Inside host functions, and beside them ---- */

typedef struct inside {
    yk_CUstream stream;
    yk_CUevent event;
    yk_CUresult alloc, query, record, current, version, count;
} inside;

static void call_inside(void *user)
{
    inside *i = user;
    yk_CUdeviceptr x = 0;
    yk_CUcontext context = NULL;
    int number;

    i->alloc = cu.cuMemAlloc_v2(&x, 16);
    i->query = cu.cuEventQuery(i->event);
    i->record = cu.cuEventRecord(i->event, i->stream);
    i->current = cu.cuCtxGetCurrent(&context);
    i->version = cu.cuDriverGetVersion(&number);
    i->count = cu.cuDeviceGetCount(&number);
}

typedef struct beside {
    yk_CUcontext context;
    yk_CUdeviceptr memory;
    void *pinned;
    atomic_bool freed, freed_host;
} beside;

static void *free_beside(void *user)
{
    beside *b = user;

    NEED(cu.cuCtxPushCurrent_v2(b->context));
    NEED(cu.cuMemFree_v2(b->memory));
    atomic_store(&b->freed, true);
    return NULL;
}

static void *free_host_beside(void *user)
{
    beside *b = user;

    NEED(cu.cuCtxPushCurrent_v2(b->context));
    NEED(cu.cuMemFreeHost(b->pinned));
    atomic_store(&b->freed_host, true);
    return NULL;
}

static void probe_stalls(void)
{
    yk_CUstream stream = new_stream();
    yk_CUdeviceptr x = 0;
    beside b = { .memory = 0 };
    pthread_t one, two;

    NEED(cu.cuCtxGetCurrent(&b.context));
    NEED(cu.cuMemAlloc_v2(&b.memory, 64));
    NEED(cu.cuMemHostAlloc(&b.pinned, 64, 1));
    probe_gate *gate = gate_close(stream);
    probe("allocate while a host function runs", cu.cuMemAlloc_v2(&x, 64), "SUCCESS");
    if (pthread_create(&one, NULL, free_beside, &b) != 0 || pthread_create(&two, NULL, free_host_beside, &b) != 0)
        tap_bail("no threads");
    probe_pause(50);
    probe_yes("cuMemFree returns while a host function runs", atomic_load(&b.freed), false);
    probe_yes("cuMemFreeHost returns while a host function runs", atomic_load(&b.freed_host), false);
    gate_open(gate);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    NEED(cu.cuMemFree_v2(x));
    NEED(cu.cuStreamDestroy_v2(stream));
}

void probe_functions(void)
{
    inside i = { .stream = new_stream(), .event = new_event(2) };

    NEED(cu.cuLaunchHostFunc(i.stream, call_inside, &i));
    NEED(cu.cuStreamSynchronize(i.stream));
    probe("cuMemAlloc inside a host function", i.alloc, "NOT_PERMITTED");
    probe_differs("cuEventQuery inside a host function", i.query, "SUCCESS", "NOT_PERMITTED");
    probe_differs("cuEventRecord inside a host function", i.record, "SUCCESS", "NOT_PERMITTED");
    probe("cuCtxGetCurrent inside a host function", i.current, "NOT_PERMITTED");
    probe("cuDriverGetVersion inside a host function", i.version, "SUCCESS");
    probe("cuDeviceGetCount inside a host function", i.count, "NOT_PERMITTED");
    NEED(cu.cuEventDestroy_v2(i.event));
    NEED(cu.cuStreamDestroy_v2(i.stream));
    probe_stalls();
}

/* ---- Channels ---- */

enum { MOST = 8 };

/* So many streams wait for an event behind a host function; does another one get on? */
static bool another_gets_on(int parked)
{
    yk_CUstream first = new_stream(), waiting[MOST] = { NULL }, other = new_stream();
    yk_CUevent event = new_event(2);
    yk_CUdeviceptr x = 0;
    bool done = false;

    NEED(cu.cuMemAlloc_v2(&x, 64));
    probe_gate *gate = gate_close(first);
    NEED(cu.cuEventRecord(event, first));
    for (int i = 0; i < parked - 1; i++) {
        waiting[i] = new_stream();
        NEED(cu.cuStreamWaitEvent(waiting[i], event, 0));
    }
    probe_pause(20);
    NEED(cu.cuMemsetD8Async(x, 1, 64, other));
    for (int i = 0; i < 100 && !done; i++) {
        done = cu.cuStreamQuery(other) == YK_CUDA_SUCCESS;
        probe_pause(done ? 0 : 1);
    }
    gate_open(gate);
    NEED(cu.cuCtxSynchronize());
    for (int i = 0; i < parked - 1; i++)
        NEED(cu.cuStreamDestroy_v2(waiting[i]));
    NEED(cu.cuStreamDestroy_v2(first));
    NEED(cu.cuStreamDestroy_v2(other));
    NEED(cu.cuEventDestroy_v2(event));
    NEED(cu.cuMemFree_v2(x));
    return done;
}

void probe_channels(void)
{
    probe_yes("a stream gets on beside 4 that are parked", another_gets_on(4), true);
    probe_yes("a stream gets on beside 7 that are parked", another_gets_on(7), true);
    probe_yes("a stream gets on beside 8 that are parked", another_gets_on(8), !probe_is_double);
}
