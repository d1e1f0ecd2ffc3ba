/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream that stands in its driver, not in Yoke, until a case lets it go: in a kernel or a host function of CUDA's, or behind a
 * user event of OpenCL's. What is enqueued behind it is given to the driver at once. While CUDA's host function stands no other
 * runs, and no module is loaded: so who waits then must not sleep, which asks the driver for a wake-up. While a kernel runs, a
 * GPU's driver may wait for it when it allocates memory.
 */
#ifndef PARKED_H
#define PARKED_H

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include "driver.h"
#include "stand.h"

#define STAND_CUDA "extern \"C\" __global__ void stand(unsigned long long flag) { while (!*(volatile unsigned *)flag) { } }\n"
#define STAND_OPENCL "__kernel void stand(ulong flag) { }\n"

typedef struct parked {
    gate native, leave; /* the section has run; the stream may go on */
    bool cuda, stands;
    yoke_buffer *flag;     /* of CUDA: the kernel reads it */
    void *context, *event; /* of OpenCL */
    int (*cuLaunchHostFunc)(void *stream, void (*fn)(void *user), void *user);
    void *(*clCreateUserEvent)(void *context, int *code);
    int (*clSetUserEventStatus)(void *event, int status);
    int (*clEnqueueBarrierWithWaitList)(void *queue, uint32_t count, void *const *events, void *event);
    int (*clReleaseEvent)(void *event);
    int (*clFlush)(void *queue);
} parked;

#define PARKED_INIT                             \
    {                                           \
        .native = GATE_INIT, .leave = GATE_INIT \
    }

static inline void parked_stand(void *user)
{
    parked *p = user;

    gate_wait(&p->leave, 1);
}

static inline yoke_status parked_section(yoke_status status, void *stream, void *user)
{
    parked *p = user;
    int code = 0;

    CHECK_STATUS(YOKE_OK, status);
    if (p->cuda) {
        p->stands = CHECK(p->cuLaunchHostFunc(stream, parked_stand, p) == 0);
    } else {
        p->event = p->clCreateUserEvent(p->context, &code);
        p->stands = CHECK(p->event && code == 0) && CHECK(p->clEnqueueBarrierWithWaitList(stream, 1, &p->event, NULL) == 0) &&
                    CHECK(p->clFlush(stream) == 0);
    }
    gate_open(&p->native);
    return YOKE_OK;
}

/* From its turn on the stream stands; that turn has come on return. `kernel`: of a program on `device` with STAND_CUDA and
 * STAND_OPENCL; NULL for a host function. */
static inline bool park(suite *t, yoke_device *device, yoke_stream *stream, yoke_kernel *kernel, parked *p)
{
    yoke_native_device own = YOKE_NATIVE_DEVICE_INIT;

    p->cuda = strcmp(t->info.backend, "cuda") == 0;
    if (p->cuda && kernel) {
        if (!CHECK_OK(yoke_buffer_create_pinned(t->device, 4096, &p->flag))) /* which outlives `device` */
            return false;
        memset(yoke_buffer_get_host(p->flag), 0, 4096);
        return CHECK_OK(yoke_launch_n(stream, kernel, 1, YOKE_ARGS((uint64_t)(uintptr_t)yoke_buffer_get_host(p->flag))));
    }
    if (!CHECK_OK(yoke_device_get_native(device, &own)))
        return false;
    p->context = own.context;
    void *library = dlopen(p->cuda ? "libcuda.so.1" : "libOpenCL.so.1", RTLD_NOW);
#define PARKED_FIND(name) find(library, #name, &p->name, sizeof p->name)
    bool found = p->cuda ? PARKED_FIND(cuLaunchHostFunc)
                         : PARKED_FIND(clCreateUserEvent) && PARKED_FIND(clSetUserEventStatus) &&
                               PARKED_FIND(clEnqueueBarrierWithWaitList) && PARKED_FIND(clReleaseEvent) && PARKED_FIND(clFlush);
#undef PARKED_FIND
    if (!found || !CHECK_OK(yoke_native_call(stream, parked_section, p, NULL)))
        return false;
    gate_wait(&p->native, 1);
    return p->stands;
}

/* A stream that can be waited for while another stands in a host function. */
static inline bool spinning_stream(yoke_device *device, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.wait = YOKE_WAIT_SPIN;
    return CHECK_OK(yoke_stream_create(device, &desc, out_stream));
}

/* Once. */
static inline void parked_let_go(parked *p)
{
    gate_open(&p->leave);
    if (p->flag)
        *(volatile unsigned *)yoke_buffer_get_host(p->flag) = 1;
    if (p->event) {
        CHECK(p->clSetUserEventStatus(p->event, 0) == 0);
        CHECK(p->clReleaseEvent(p->event) == 0);
    }
    p->event = NULL;
}

/* Once what was behind it has ended. */
static inline void parked_end(parked *p)
{
    yoke_buffer_release(p->flag);
}

/* Lets it go when a case does not come so far by itself, for it would stand for ever; and the case has failed. The log then says
 * where the case stood. */
typedef struct rescue {
    parked *p;
    pthread_t stuck; /* the case's thread */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool over, came;
    pthread_t thread;
} rescue;

static inline void rescue_show_stack(int number)
{
    void *stack[40];

    (void)number;
    backtrace_symbols_fd(stack, backtrace(stack, 40), STDOUT_FILENO);
}

static inline void *rescue_later(void *user)
{
    rescue *r = user;
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 60;
    pthread_mutex_lock(&r->lock);
    while (!r->over && pthread_cond_timedwait(&r->changed, &r->lock, &limit) == 0)
        continue;
    r->came = !r->over;
    if (r->came) {
        signal(SIGUSR2, rescue_show_stack);
        pthread_kill(r->stuck, SIGUSR2);
        parked_let_go(r->p);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static inline bool rescue_begin(rescue *r, parked *p)
{
    *r = (rescue){ .p = p, .stuck = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    return CHECK(pthread_create(&r->thread, NULL, rescue_later, r) == 0);
}

/* All that was to be done while the stream stands is done. False, and the case has failed, when it no longer stands. */
static inline bool rescue_end(rescue *r)
{
    pthread_mutex_lock(&r->lock);
    r->over = true;
    pthread_cond_signal(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    return CHECK(!r->came);
}

#endif
