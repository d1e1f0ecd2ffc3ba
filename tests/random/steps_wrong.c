/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that ask: programs, kernels and devices; and those that give the library what it has to
 * refuse, objects that were released or are of another kind above all.
 */
#include <yoke/native.h>
#include <yoke/types.h>

#include "steps.h"

static void ask_kernel(const site *at, const uint8_t *b)
{
    static const char *const names[] = { "advance", "", "ad", "no such kernel", NULL };
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_param_info param = YOKE_PARAM_INFO_INIT;
    yoke_kernel *kernel = NULL;
    const char *name = names[b[3] % 5];
    yoke_status status = yoke_kernel_get(at->program, name, &kernel);
    judge(status, b[3] % 5 == 0 ? HAS_TO : MUST_NOT, FINE);
    info.size = b[4] & 1 ? sizeof info : b[4] % sizeof info;
    judge(yoke_kernel_get_info(kernel, &info), !kernel ? MUST_NOT : MAY, FINE);
    judge(yoke_kernel_get_param(kernel, b[5] % 8, &param), !kernel || b[5] % 8 > 3 ? MUST_NOT : MAY, FINE);
}

static void load_garbage(const site *at, const uint8_t *b)
{
    yoke_program *program = (yoke_program *)(uintptr_t)1;
    yoke_status status = yoke_program_load(at->device, "bytes", b + 3, b[2] % 5, &program);
    judge(status, MUST_NOT, FINE);
    HOLDS(!program);
}

/* Sources that are refused before a compiler sees them. */
static void build_wrong(const site *at, const uint8_t *b)
{
    static const char *const defines[][2] = { { "A B=1", NULL }, { "", NULL }, { "A=\n", NULL }, { "1=2", NULL } };
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_event *event = NULL;
    source.cuda = source.opencl = b[3] & 1 ? "" : "x";
    source.defines = b[3] & 2 ? defines[b[4] % 4] : NULL;
    source.math = b[3] & 4 ? 9 : 0;
    source.flags = b[3] & 8 ? 0x800 : 0;
    source.size = b[3] & 16 ? 3 : sizeof source;
    if (b[3] % 16 == 0 || (b[3] % 16 == 2 && b[4] % 4 > 2))
        return; /* a compiler would have to say it */
    judge(yoke_program_build(at->device, &source, &program), MUST_NOT, FINE);
    judge(yoke_program_build_async(at->device, &source, &program, &event), MUST_NOT, FINE);
    HOLDS(!program && !event && yoke_program_get_build_log());
}

void step_program(world *w, const uint8_t *b)
{
    const site *at = &w->sites[b[1] % w->site_count];
    yoke_buffer *global = NULL;
    size_t size = 1;
    switch (b[2] % 4) {
    case 0:
        ask_kernel(at, b);
        break;
    case 1:
        load_garbage(at, b);
        break;
    case 2:
        build_wrong(at, b);
        break;
    default:
        judge(yoke_program_save(at->program, NULL, 0, &size),
              yoke_device_lacks(at->device, YOKE_CAP_PROGRAM_BINARIES) ? MUST_NOT : HAS_TO, FINE);
        judge(yoke_program_save(at->program, NULL, 7, &size), MUST_NOT, FINE);
        judge(yoke_program_get_global(at->program, "none", &global), MUST_NOT, FINE);
        HOLDS(yoke_program_get_log(at->program) && !*yoke_program_get_log(NULL));
    }
}

void step_device(world *w, const uint8_t *b)
{
    site *at = &w->sites[b[1] % w->site_count];
    yoke_memory_info memory = YOKE_MEMORY_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_device *device = NULL;
    uint64_t cached = b[3] & 1 ? 0 : b[3] & 2 ? 4096 : YOKE_NO_LIMIT;
    switch (b[2] % 7) {
    case 0:
        judge(yoke_device_trim_memory(at->device, cached), HAS_TO, FINE);
        break;
    case 1:
        judge(yoke_device_set_memory_limits(at->device, YOKE_NO_LIMIT, cached), HAS_TO, FINE);
        break;
    case 2:
        judge(yoke_device_set_wait(at->device, b[3] % 5), b[3] % 5 < 3 ? HAS_TO : MUST_NOT, FINE);
        break;
    case 3:
        memory.size = b[3] & 1 ? sizeof memory : b[3] % sizeof memory;
        judge(yoke_device_get_memory(at->device, &memory), HAS_TO, FINE);
        break;
    case 4:
        info.size = b[3] & 1 ? sizeof info : b[3] % sizeof info;
        judge(yoke_device_get_info(at->device, &info), b[3] & 1 ? HAS_TO : MAY, FINE);
        HOLDS((yoke_device_lacks(at->device, b[4]) == NULL) == (b[4] < (YOKE_CAP_IMAGES + 1) && at->info.capabilities >> b[4] & 1));
        break;
    case 5:
        judge(yoke_device_get_native(at->device, b[3] & 1 ? &native : NULL), b[3] & 1 ? HAS_TO : MUST_NOT, FINE);
        break;
    default:
        judge(yoke_device_open(b[3] & 1 ? "no such thing:" : "cuda:x", &device), MUST_NOT, FINE);
        HOLDS(!device && yoke_device_get_report());
    }
}

/* ---- Objects that are none ---- */

enum { KINDS = 5 };

/* A handle of this kind that the library has to refuse: released just now, when nothing else is being freed, or of another kind. */
static void *wrong_object(site *at, unsigned kind, bool of_other_kind)
{
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    yoke_stream *stream = NULL;
    yoke_graph *graph = NULL;
    if (of_other_kind)
        return kind == 0 ? (void *)at->side : (void *)at->device;
    switch (kind) {
    case 0: /* a device is too much to make for this */
        return NULL;
    case 1:
        judge(yoke_stream_create(at->device, NULL, &stream), HAS_TO, FINE);
        yoke_stream_release(stream);
        return stream;
    case 2:
        judge(yoke_event_record(at->side, 0, &event), HAS_TO, FINE);
        judge(yoke_stream_wait(at->side), HAS_TO, FINE);
        yoke_event_release(event);
        return event;
    case 3:
        judge(yoke_buffer_create(at->device, 16, &buffer), HAS_TO, FINE);
        yoke_buffer_release(buffer);
        return buffer;
    default:
        judge(yoke_graph_create(at->device, NULL, &graph), HAS_TO, FINE);
        yoke_graph_release(graph);
        return graph;
    }
}

static yoke_status call_on_event(yoke_event *event, site *at, unsigned which)
{
    int64_t nanoseconds;
    size_t index;
    int fd;
    switch (which % 8) {
    case 0:
        return yoke_event_query(event);
    case 1:
        return yoke_event_wait(event);
    case 2:
        return yoke_event_wait_for(event, 1);
    case 3:
        return yoke_event_wait_any(&event, 1, 1, &index);
    case 4:
        return yoke_event_on_complete(event, call_complete, NULL, NULL);
    case 5:
        return yoke_event_get_fd(event, &fd);
    case 6:
        return yoke_event_get_elapsed(event, event, &nanoseconds);
    default:
        return yoke_stream_wait_event(at->side, event);
    }
}

static yoke_status call_on_stream(yoke_stream *stream, unsigned which)
{
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    switch (which % 6) {
    case 0:
        return yoke_stream_wait(stream);
    case 1:
        return yoke_stream_cancel(stream);
    case 2:
        return yoke_stream_recover(stream);
    case 3:
        return yoke_host_call(stream, call_run, NULL, NULL);
    case 4:
        return yoke_buffer_create_ordered(stream, 16, &buffer);
    default:
        return yoke_event_record(stream, 0, &event);
    }
}

static yoke_status call_on_buffer(yoke_buffer *buffer, site *at, unsigned which)
{
    static char bytes[16];
    yoke_buffer *view = NULL;
    uintptr_t native;
    switch (which % 8) {
    case 0:
        return yoke_write(at->side, buffer, 0, bytes, 4);
    case 1:
        return yoke_read_sync(at->side, bytes, buffer, 0, 4);
    case 2:
        return yoke_fill(at->side, buffer, 0, 4, bytes, 4);
    case 3:
        return yoke_copy(at->side, buffer, 0, buffer, 8, 4);
    case 4:
        return yoke_buffer_create_view(buffer, 0, 4, &view);
    case 5:
        return yoke_buffer_create_const_view(buffer, 0, 4, &view);
    case 6:
        return yoke_launch_n(at->side, at->advance, 1, YOKE_ARGS(buffer, (uint32_t)0, (uint32_t)1, (uint32_t)1));
    default:
        return yoke_buffer_get_native(buffer, &native);
    }
}

static yoke_status call_on_graph(yoke_graph *graph, site *at, unsigned which)
{
    switch (which % 4) {
    case 0:
        return yoke_graph_begin(graph, at->side);
    case 1:
        return yoke_graph_end(graph);
    case 2:
        return yoke_graph_launch(at->side, graph);
    default:
        return yoke_graph_set_host_call(graph, 0, call_run, NULL, NULL);
    }
}

void step_wrong(world *w, const uint8_t *b)
{
    site *at = &w->sites[b[1] % w->site_count];
    yoke_stream *stream = NULL;
    unsigned kind = b[2] % KINDS;
    yoke_status status;
    quiesce(w); /* so that nothing frees objects meanwhile, and memory is not used again */
    void *object = wrong_object(at, kind, b[3] & 1);
    switch (kind) {
    case 0:
        status = yoke_stream_create(object, NULL, &stream);
        break;
    case 1:
        status = call_on_stream(object, b[4]);
        break;
    case 2:
        status = call_on_event(object, at, b[4]);
        break;
    case 3:
        status = call_on_buffer(object, at, b[4]);
        break;
    default:
        status = call_on_graph(object, at, b[4]);
    }
    HOLDS(status == YOKE_E_INVALID_ARGUMENT || (status == YOKE_E_KERNEL_ARGUMENT && kind == 3 && b[4] % 8 == 6));
    judge(status, MUST_NOT, FINE);
}
