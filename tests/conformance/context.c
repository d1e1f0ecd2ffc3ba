/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA only: the calling thread's current context is the same before and after every kind of call, with none current and with a
 * foreign one. The driver is opened here by itself, beside the library.
 */
#include "suite.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef int (*fn_get_current)(void **context);
typedef int (*fn_set_current)(void *context);
typedef int (*fn_device_get)(int *device, int ordinal);
typedef int (*fn_create)(void **context, unsigned flags, int device);
typedef int (*fn_destroy)(void *context);

static fn_get_current get_current;
static fn_set_current set_current;
static fn_device_get device_get;
static fn_create create;
static fn_destroy destroy;

static const char *const kernels_cuda = SET_CUDA;
static const char *const kernels_opencl = SET_OPENCL;

/* False where there is no CUDA driver. A function pointer comes out of dlsym as POSIX has it. */
static bool open_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!driver)
        return false;
    *(void **)&get_current = dlsym(driver, "cuCtxGetCurrent");
    *(void **)&set_current = dlsym(driver, "cuCtxSetCurrent");
    *(void **)&device_get = dlsym(driver, "cuDeviceGet");
    *(void **)&create = dlsym(driver, "cuCtxCreate_v2");
    *(void **)&destroy = dlsym(driver, "cuCtxDestroy_v2");
    return get_current && set_current && device_get && create && destroy;
}

static void *expected; /* the context that has to be current on the main thread */

/* After a call: still the same. */
static bool same(const char *what)
{
    void *now = NULL;
    bool is_same = get_current(&now) == 0 && now == expected;

    if (!is_same)
        tap_diag("the current context was %p and is %p after %s", expected, now, what);
    return CHECK(is_same);
}

/* The call succeeds, or fails as it should, and the context is the same. */
#define KEEPS(call) (CHECK_OK(call), same(#call))
#define KEEPS_FAILING(status, call) (CHECK_STATUS(status, call), same(#call))
#define KEEPS_VOID(call) ((void)(call), same(#call))

static yoke_status look(yoke_status status, void *user)
{
    (void)user;
    return status;
}

static void objects(suite *t)
{
    yoke_device *device = NULL;
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL, *pinned = NULL, *view = NULL;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    size_t count = 0;

    KEEPS(yoke_device_count(&count));
    KEEPS(yoke_device_list(&info, 1, &count));
    KEEPS(yoke_device_open(t->info.selector, &device));
    KEEPS(yoke_device_get_info(device, &info));
    KEEPS(yoke_stream_create(device, NULL, &stream));
    KEEPS(yoke_buffer_create(device, 4096, &buffer));
    KEEPS(yoke_buffer_create_pinned(device, 4096, &pinned));
    KEEPS(yoke_buffer_create_view(buffer, 256, 256, &view));
    KEEPS_VOID(yoke_buffer_release(view));
    KEEPS_VOID(yoke_buffer_release(pinned));
    KEEPS_VOID(yoke_buffer_release(buffer));
    KEEPS_VOID(yoke_stream_release(stream));
    KEEPS_VOID(yoke_device_release(device));
}

static void work(suite *t)
{
    yoke_stream_desc timed = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL, *other = NULL;
    yoke_event *start = NULL, *end = NULL;
    yoke_buffer *buffer = NULL, *target = NULL, *pinned = NULL;
    uint32_t bytes[1024];
    int64_t elapsed = 0;
    yoke_kernel *set = suite_kernel(t, "set");

    timed.flags = YOKE_STREAM_TIMED;
    memset(bytes, 1, sizeof bytes);
    KEEPS(yoke_stream_create(t->device, &timed, &stream));
    KEEPS(yoke_stream_create(t->device, NULL, &other));
    KEEPS(yoke_buffer_create(t->device, sizeof bytes, &buffer));
    KEEPS(yoke_buffer_create(t->device, sizeof bytes, &target));
    KEEPS(yoke_buffer_create_pinned(t->device, sizeof bytes, &pinned));
    KEEPS(yoke_event_record(stream, YOKE_EVENT_TIMED, &start));
    KEEPS(yoke_write(stream, buffer, 0, bytes, sizeof bytes));
    KEEPS(yoke_fill(stream, buffer, 0, 16, bytes, 16));
    KEEPS(yoke_copy(stream, target, 0, buffer, 0, sizeof bytes));
    KEEPS(yoke_copy(stream, pinned, 0, buffer, 0, sizeof bytes));
    KEEPS(yoke_launch(stream, set, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(buffer, 7u)));
    KEEPS(yoke_launch_n(stream, set, 1, YOKE_ARGS(buffer, 7u)));
    KEEPS(yoke_read(stream, bytes, buffer, 0, sizeof bytes));
    KEEPS(yoke_event_record(stream, YOKE_EVENT_TIMED, &end));
    KEEPS(yoke_stream_wait_event(other, end));
    KEEPS_VOID(yoke_event_query(end));
    KEEPS(yoke_event_wait(end));
    KEEPS(yoke_event_get_elapsed(start, end, &elapsed));
    KEEPS(yoke_stream_wait_elapsed(stream, start, &elapsed));
    KEEPS(yoke_stream_wait(other));
    KEEPS(yoke_write_sync(stream, buffer, 0, bytes, sizeof bytes));
    KEEPS(yoke_read_sync(stream, bytes, buffer, 0, sizeof bytes));
    KEEPS(yoke_copy_sync(stream, target, 0, buffer, 0, sizeof bytes));
    KEEPS(yoke_host_call(stream, look, NULL, NULL));
    KEEPS(yoke_launch_n(stream, set, 1, YOKE_ARGS(buffer, 8u)));
    KEEPS(yoke_stream_wait(stream));
    KEEPS_VOID(yoke_event_release(start));
    KEEPS_VOID(yoke_event_release(end));
    KEEPS_VOID(yoke_buffer_release(pinned));
    KEEPS_VOID(yoke_buffer_release(target));
    KEEPS_VOID(yoke_buffer_release(buffer));
    KEEPS_VOID(yoke_stream_release(other));
    KEEPS_VOID(yoke_stream_release(stream));
}

static void programs(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *set = NULL;
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;

    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    KEEPS(yoke_program_build(t->device, &source, &program));
    KEEPS(yoke_kernel_get(program, "set", &set));
    KEEPS(yoke_kernel_get_info(set, &info));
    KEEPS_FAILING(YOKE_E_NOT_FOUND, yoke_kernel_get(program, "no such kernel", &set));
    KEEPS_VOID(yoke_program_release(program));
    source.cuda = source.opencl = "nonsense";
    KEEPS_FAILING(YOKE_E_BUILD, yoke_program_build(t->device, &source, &program));
}

static void failures(suite *t)
{
    yoke_buffer *buffers[64] = { NULL };
    yoke_device *device = NULL;
    yoke_status status = YOKE_OK;
    int count = 0;

    KEEPS_FAILING(YOKE_E_RANGE, yoke_buffer_create(t->device, SIZE_MAX, &buffers[0]));
    KEEPS_FAILING(YOKE_E_INVALID_ARGUMENT, yoke_stream_wait(NULL));
    KEEPS_FAILING(YOKE_E_INVALID_ARGUMENT, yoke_device_open("cdua", &device));
    while (count < 64 && status == YOKE_OK) { /* until the driver itself refuses */
        status = yoke_buffer_create(t->device, t->info.max_buffer / 8, &buffers[count]);
        same("yoke_buffer_create, as long as there is memory");
        count += status == YOKE_OK;
    }
    CHECK_STATUS(YOKE_E_OUT_OF_DEVICE_MEMORY, status);
    while (count > 0)
        yoke_buffer_release(buffers[--count]);
    same("yoke_buffer_release");
}

static void everything(suite *t)
{
    objects(t);
    work(t);
    programs(t);
    failures(t);
}

static bool is_cuda(suite *t)
{
    if (strcmp(t->info.backend, "cuda") == 0 && CHECK(open_driver()))
        return true;
    suite_skip("not CUDA");
    return false;
}

static void none_current(suite *t)
{
    void *before = NULL;

    if (!is_cuda(t))
        return;
    CHECK(get_current(&before) == 0);
    CHECK(before == NULL); /* what the suite has done so far has left none */
    expected = NULL;
    everything(t);
}

static void foreign_current(suite *t)
{
    void *foreign = NULL;
    int device = 0;

    if (!is_cuda(t))
        return;
    NEED(device_get(&device, 0) == 0);
    NEED(create(&foreign, 0, device) == 0); /* is current from here on */
    expected = foreign;
    NEED(same("cuCtxCreate"));
    everything(t);
out:
    set_current(NULL);
    if (foreign)
        destroy(foreign);
}

static void *work_in_thread(void *user)
{
    suite *t = user;
    void *now = t;

    suite_works(t);
    CHECK(get_current(&now) == 0 && now == NULL);
    return NULL;
}

static void none_current_in_a_new_thread(suite *t)
{
    pthread_t thread;

    if (!is_cuda(t))
        return;
    CHECK(pthread_create(&thread, NULL, work_in_thread, t) == 0);
    pthread_join(thread, NULL);
}

int main(void)
{
    static const suite_case cases[] = {
        { "none is current, before and after every call", none_current, false },
        { "a foreign one is current, before and after every call", foreign_current, false },
        { "none is current in a new thread", none_current_in_a_new_thread, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "context test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    suite_alone();
    return SUITE_MAIN(cases, &source);
}
