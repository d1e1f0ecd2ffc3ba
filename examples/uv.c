/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A libuv loop that never waits for the device. The loop enqueues one batch after the other in a stream; the event after each
 * batch has a file descriptor, which the loop watches like a socket, while a timer shows that the loop is free for other work.
 *
 * A common mistake: to wait for the device, or to copy from it, inside the loop, which blocks everything else.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <uv.h>

#include <yoke/yoke.h>

enum { VALUES = 1 << 15, STEPS = 1000, BATCHES = 4, TICK_MILLISECONDS = 2 };

/* Advances each value by some steps in a sequence of random numbers (xorshift32). */
#define STEP "v ^= v << 13; v ^= v >> 17; v ^= v << 5;"
#define BODY "{ if (i < n) { unsigned int v = x[i]; for (unsigned int s = 0; s < steps; s++) { " STEP " } x[i] = v; } }\n"

static const yoke_source source = {
    .name = "advance",
    .cuda = "extern \"C\" __global__ void advance(unsigned int *x, unsigned int n, unsigned int steps)\n"
            "{ unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; " BODY "}\n",
    .opencl = "__kernel void advance(__global unsigned int *x, unsigned int n, unsigned int steps)\n"
              "{ unsigned int i = get_global_id(0); " BODY "}\n",
};

typedef struct job {
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *advance;
    yoke_buffer *values;
    yoke_event *event; /* after the batch */
    uint32_t got[VALUES], expected[VALUES];

    uv_loop_t loop;
    uv_timer_t timer;
    uv_poll_t poll;
    uint64_t start; /* of the batch */
    unsigned batches, ticks, batch_ticks;
    yoke_status status;
} job;

/* For functions that return a yoke_status: return at the first failure. */
#define DO(call)                    \
    do {                            \
        yoke_status status_ = call; \
        if (status_ < 0)            \
            return status_;         \
    } while (0)

/* Maps libuv's failures to Yoke's. */
static yoke_status uv(int error, const char *what)
{
    return error < 0 ? yoke_fail(YOKE_E_UNAVAILABLE, "%s: %s", what, uv_strerror(error)) : YOKE_OK;
}

/* ---- A batch ------------------------------------------------------------------------------------------------------------ */

/* A host function, after the copy to `got`: computes the same on the host, which takes a while, but not on the loop's thread. */
static yoke_status check(yoke_status status, void *user)
{
    job *j = user;

    if (status < 0)
        return status;
    for (size_t i = 0; i < VALUES; i++) {
        uint32_t v = j->expected[i];
        for (int s = 0; s < STEPS; s++) {
            v ^= v << 13;
            v ^= v >> 17;
            v ^= v << 5;
        }
        j->expected[i] = v;
        if (j->got[i] != v)
            return yoke_fail(YOKE_E_HOST_FUNCTION, "value %zu is %lu, expected %lu", i, (unsigned long)j->got[i], (unsigned long)v);
    }
    return YOKE_OK;
}

static yoke_status enqueue(job *j)
{
    DO(yoke_launch_n(j->stream, j->advance, VALUES, YOKE_ARGS(j->values, (uint32_t)VALUES, (uint32_t)STEPS)));
    DO(yoke_read(j->stream, j->got, j->values, 0, sizeof j->got));
    DO(yoke_host_call(j->stream, check, j, NULL));
    return yoke_event_record(j->stream, 0, &j->event);
}

static void on_readable(uv_poll_t *poll, int error, int events);

/* Nothing here waits: the loop calls on_readable when the batch is complete. */
static yoke_status start_batch(job *j)
{
    int fd, error;

    j->start = uv_now(&j->loop);
    j->batch_ticks = 0;
    DO(enqueue(j));
    DO(yoke_event_get_fd(j->event, &fd));
    error = uv_poll_init(&j->loop, &j->poll, fd);
    if (error < 0)
        close(fd);
    DO(uv(error, "uv_poll_init"));
    return uv(uv_poll_start(&j->poll, UV_READABLE, on_readable), "uv_poll_start");
}

static void stop(job *j, yoke_status status)
{
    j->status = status;
    uv_close((uv_handle_t *)&j->timer, NULL); /* the loop ends with its last handle */
}

/* The poll handle may be reused from here on. */
static void on_closed(uv_handle_t *handle)
{
    job *j = handle->loop->data;
    yoke_status status = yoke_event_query(j->event); /* readable means complete; the status says whether it failed */

    yoke_event_release(j->event);
    j->event = NULL;
    if (status == YOKE_OK) {
        printf("batch %u     %d values, %d steps each, in %llu ms; the timer ticked %u times meanwhile\n", ++j->batches, VALUES,
               STEPS, (unsigned long long)(uv_now(&j->loop) - j->start), j->batch_ticks);
        if (j->batches < BATCHES)
            status = start_batch(j);
    }
    if (status < 0 || j->batches == BATCHES)
        stop(j, status);
}

static void on_readable(uv_poll_t *poll, int error, int events)
{
    uv_os_fd_t fd;

    (void)error; /* on_closed asks the event */
    (void)events;
    if (uv_fileno((uv_handle_t *)poll, &fd) == 0) {
        uv_close((uv_handle_t *)poll, on_closed);
        close(fd);
    }
}

static void on_tick(uv_timer_t *timer)
{
    job *j = timer->data;

    j->ticks++;
    j->batch_ticks++;
}

/* ---- The program -------------------------------------------------------------------------------------------------------- */

static yoke_status set_up(job *j)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;

    DO(yoke_device_open(NULL, &j->device));
    DO(yoke_device_get_info(j->device, &info));
    printf("device      %s, %s (%s)\n", info.selector, info.name, info.platform);
    DO(yoke_program_build(j->device, &source, &j->program));
    DO(yoke_kernel_get(j->program, "advance", &j->advance));
    DO(yoke_stream_create(j->device, NULL, &j->stream));
    DO(yoke_buffer_create(j->device, sizeof j->expected, &j->values));
    for (uint32_t i = 0; i < VALUES; i++)
        j->expected[i] = i + 1; /* xorshift of 0 stays 0 */
    return yoke_write_sync(j->stream, j->values, 0, j->expected, sizeof j->expected);
}

static yoke_status run(job *j)
{
    DO(uv(uv_timer_init(&j->loop, &j->timer), "uv_timer_init"));
    j->timer.data = j;
    yoke_status status = uv(uv_timer_start(&j->timer, on_tick, TICK_MILLISECONDS, TICK_MILLISECONDS), "uv_timer_start");
    if (status == YOKE_OK)
        status = start_batch(j);
    if (status < 0)
        stop(j, status);
    uv_run(&j->loop, UV_RUN_DEFAULT);
    return j->status;
}

static void tear_down(job *j)
{
    (void)yoke_stream_wait(j->stream); /* `check` uses *j; a failure has been reported by then */
    yoke_event_release(j->event);
    yoke_buffer_release(j->values);
    yoke_program_release(j->program);
    yoke_stream_release(j->stream);
    yoke_device_release(j->device);
}

int main(void)
{
    static job j;
    yoke_status status = uv(uv_loop_init(&j.loop), "uv_loop_init");
    int code = 0;

    j.loop.data = &j;
    if (status == YOKE_OK)
        status = set_up(&j);
    if (status == YOKE_OK)
        status = run(&j);
    if (status == YOKE_OK) {
        printf("checked     %d values after each batch, on the host, while the loop went on: all equal\n", VALUES);
        printf("timer       %u ticks in all\n", j.ticks);
    } else {
        fprintf(stderr, "uv: %s\n", yoke_error()->text);
        code = j.device ? 1 : 3;
    }
    tear_down(&j);
    uv_loop_close(&j.loop);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "uv: cannot write to standard output\n");
        code = 1;
    }
    return code;
}
