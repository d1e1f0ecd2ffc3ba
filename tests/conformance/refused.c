/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a forked child of a process with an open device gets from every public function: those that return a status refuse, the
 * others do no harm. Called by fork.c; tests/static/forked.sh sees to it that every function is here.
 */
#include "refused.h"

#include <string.h>

#include <yoke/library.h>
#include <yoke/native.h>
#include <yoke/types.h>

static yoke_status never_called(yoke_status status, void *user)
{
    (void)user;
    CHECK(!"a function that was refused is called");
    return status;
}

static yoke_status never_called_native(yoke_status status, void *native_stream, void *user)
{
    (void)native_stream;
    return never_called(status, user);
}

static void never_complete(yoke_status status, void *user)
{
    never_called(status, user);
}

void refused(yoke_status status, const char *call)
{
    const yoke_error_info *error = yoke_error();
    size_t length = strlen(error->function);

    if (!suite_check_status(YOKE_E_FORKED, status, "refused", call))
        return;
    suite_check(error->status == YOKE_E_FORKED, call, "the record has the status");
    suite_check(length > 0 && strncmp(call, error->function, length) == 0, call, "the record names the function");
    suite_check(suite_has_words(error->text, error->function), call, "the text names the function");
    suite_check(suite_has_words(error->text, "fork|open devices only after fork|exec"), call, "the text says what to do");
    yoke_error_clear();
}

static void devices_are_refused(objects *o)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_memory_info memory = YOKE_MEMORY_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    void *attached;
    yoke_compiler_info compiler = YOKE_COMPILER_INFO_INIT;
    yoke_device *device = o->t->device;
    size_t count = 99;

    REFUSED(yoke_device_count(&count));
    CHECK(count == 0);
    count = 99;
    REFUSED(yoke_device_list(&info, 1, &count));
    CHECK(count == 0);
    REFUSED(yoke_device_open(NULL, &device));
    CHECK(device == NULL);
    REFUSED(yoke_device_get_info(o->t->device, &info));
    REFUSED(yoke_device_get_compiler(o->t->device, &compiler));
    REFUSED(yoke_device_set_wait(o->t->device, YOKE_WAIT_BLOCK));
    REFUSED(yoke_device_get_memory(o->t->device, &memory));
    REFUSED(yoke_device_limit_memory(o->t->device, 0, 0));
    REFUSED(yoke_device_trim(o->t->device, 0));
    REFUSED(yoke_device_get_native(o->t->device, &native));
    REFUSED(yoke_device_attach(o->t->device, &native, o, NULL, &attached));
}

static void streams_are_refused(objects *o)
{
    uintptr_t handle = 0;
    yoke_stream *stream = o->stream;

    REFUSED(yoke_stream_create(o->t->device, &stream));
    CHECK(stream == NULL);
    REFUSED(yoke_stream_create_with(o->t->device, NULL, &stream));
    REFUSED(yoke_stream_wait(o->stream));
    REFUSED(yoke_stream_get_priority(o->stream, &(int32_t){ 0 }));
    REFUSED(yoke_stream_cancel(o->stream));
    REFUSED(yoke_stream_recover(o->stream));
    REFUSED(yoke_host_call(o->stream, never_called, NULL, NULL));
    REFUSED(yoke_native_call(o->stream, never_called_native, NULL, NULL));
    REFUSED(yoke_native_enqueue(o->stream, never_called_native, NULL, NULL));
    REFUSED(yoke_native_enqueue_with(o->stream, never_called_native, NULL, NULL, &o->buffer, 1, &handle));
    REFUSED(yoke_native_fail(o->stream, YOKE_E_HOST_FUNCTION));
    REFUSED(yoke_stream_wait_event(o->stream, o->event));
    REFUSED(yoke_stream_wait_native(o->stream, o));
    REFUSED(yoke_native_wait_event(o, o->event));
}

static void events_are_refused(objects *o)
{
    yoke_event *event = o->event;
    int64_t nanoseconds = 1;
    size_t index = 99;
    int fd = 99;

    REFUSED(yoke_event_record(o->stream, 0, &event));
    CHECK(event == NULL);
    REFUSED(yoke_event_query(o->event));
    REFUSED(yoke_event_wait(o->event));
    REFUSED(yoke_event_wait_for(o->event, YOKE_FOREVER));
    REFUSED(yoke_event_wait_any(&o->event, 1, YOKE_FOREVER, &index));
    CHECK(index == 1); /* none of them */
    REFUSED(yoke_event_on_complete(o->event, never_complete, NULL, NULL));
    REFUSED(yoke_event_get_fd(o->event, &fd));
    CHECK(fd == -1);
    REFUSED(yoke_event_get_elapsed(o->event, o->event, &nanoseconds));
    CHECK(nanoseconds == 0);
}

static void buffers_are_refused(objects *o)
{
    yoke_buffer *buffer = o->buffer;
    uintptr_t native = 99;
    char bytes[16];

    REFUSED(yoke_buffer_create(o->t->device, 16, &buffer));
    CHECK(buffer == NULL);
    REFUSED(yoke_buffer_create_ordered(o->stream, 16, &buffer));
    REFUSED(yoke_buffer_create_with_data(o->stream, bytes, 16, &buffer));
    REFUSED(yoke_buffer_create_in(o->t->device, YOKE_MEMORY_DEVICE, 16, &buffer));
    REFUSED(yoke_buffer_create_pinned(o->t->device, 16, &buffer));
    REFUSED(yoke_buffer_create_from_host(o->t->device, bytes, 16, &buffer));
    REFUSED(yoke_buffer_create_view(o->buffer, 0, 16, &buffer));
    REFUSED(yoke_buffer_create_const_view(o->buffer, 0, 16, &buffer));
    REFUSED(yoke_buffer_wrap(o->t->device, 1, 16, &buffer));
    REFUSED(yoke_buffer_get_native(o->buffer, &native));
    CHECK(native == 0);
}

static void images_are_refused(objects *o)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 4, .height = 1 }, found = YOKE_IMAGE_DESC_INIT;
    yoke_image *image = (yoke_image *)(void *)o->buffer, *other = NULL; /* any object serves: none is looked at */
    char bytes[16] = "";

    REFUSED(yoke_image_create(o->t->device, &desc, &other));
    REFUSED(yoke_image_create_view(image, &desc.sampler, &other));
    CHECK(other == NULL);
    REFUSED(yoke_image_get_desc(image, &found));
    REFUSED(yoke_write_image(o->stream, image, NULL, bytes, 16));
    REFUSED(yoke_read_image(o->stream, bytes, image, NULL, 16));
    REFUSED(yoke_copy_to_image(o->stream, image, NULL, o->buffer, 0));
    REFUSED(yoke_copy_from_image(o->stream, o->buffer, 0, image, NULL));
    yoke_image_release(yoke_image_retain(image));
}

static void copies_are_refused(objects *o)
{
    yoke_pitch rows = { 0, 8, 0 };
    yoke_rect rect = { 4, 2, 1 };
    char bytes[16] = { 0 };

    REFUSED(yoke_write(o->stream, o->buffer, 0, bytes, 16));
    REFUSED(yoke_read(o->stream, bytes, o->buffer, 0, 16));
    REFUSED(yoke_copy(o->stream, o->buffer, 0, o->pinned, 0, 16));
    REFUSED(yoke_write_sync(o->stream, o->buffer, 0, bytes, 16));
    REFUSED(yoke_read_sync(o->stream, bytes, o->buffer, 0, 16));
    REFUSED(yoke_copy_sync(o->stream, o->buffer, 0, o->pinned, 0, 16));
    REFUSED(yoke_fill(o->stream, o->buffer, 0, 16, bytes, 1));
    REFUSED(yoke_write_rect(o->stream, o->buffer, rows, bytes, rows, rect));
    REFUSED(yoke_read_rect(o->stream, bytes, rows, o->buffer, rows, rect));
    REFUSED(yoke_copy_rect(o->stream, o->buffer, rows, o->pinned, rows, rect));
    REFUSED(yoke_write_rect_sync(o->stream, o->buffer, rows, bytes, rows, rect));
    REFUSED(yoke_read_rect_sync(o->stream, bytes, rows, o->buffer, rows, rect));
    REFUSED(yoke_copy_rect_sync(o->stream, o->buffer, rows, o->pinned, rows, rect));
    REFUSED(yoke_fill_rect(o->stream, o->buffer, rows, rect, bytes, 1));
}

static void programs_are_refused(objects *o)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_param_info param = YOKE_PARAM_INFO_INIT;
    yoke_cache_info cache = YOKE_CACHE_INFO_INIT;
    yoke_program *program = o->t->saxpy;
    yoke_kernel *kernel = o->kernel;
    yoke_buffer *global = o->buffer;
    yoke_event *event = o->event;
    yoke_field field = { "x", 0, 4 };
    size_t bytes = 99;

    CHECK_OK(yoke_source_builtin("saxpy", &source));                /* static text */
    CHECK_OK(yoke_source_expand(&source, "cuda", NULL, 0, &bytes)); /* text as well */
    REFUSED(yoke_source_compile(&source, "sm_90", 0, NULL, 0, &bytes));
    CHECK(bytes == 0);
    REFUSED(yoke_program_build(o->t->device, &source, &program));
    CHECK(program == NULL);
    REFUSED(yoke_program_build_async(o->t->device, &source, &program, &event));
    CHECK(event == NULL);
    program = o->t->saxpy;
    REFUSED(yoke_device_get_program(o->t->device, "refused", &source, &program));
    CHECK(program == NULL);
    REFUSED(yoke_program_load(o->t->device, "image", "\177ELF", 4, &program));
    REFUSED(yoke_program_save(o->t->saxpy, NULL, 0, &bytes));
    CHECK(bytes == 0);
    REFUSED(yoke_program_get_global(o->t->saxpy, "factor", &global));
    CHECK(global == NULL);
    CHECK_OK(yoke_cache_get_info(&cache)); /* no driver's, nor are notes, which YOKE_CACHE may forbid */
    yoke_status noted = yoke_cache_note("refused", "note", 4);
    CHECK(noted == YOKE_OK || noted == YOKE_E_UNAVAILABLE);
    CHECK_OK(yoke_cache_recall("refused", NULL, 0, &bytes));
    CHECK(bytes == (noted == YOKE_OK ? 4u : 0u));
    REFUSED(yoke_struct_check(o->t->device, &source, "struct pair", 4, &field, 1));
    REFUSED(yoke_kernel_get(o->t->saxpy, "saxpy", &kernel));
    CHECK(kernel == NULL);
    REFUSED(yoke_kernel_get_info(o->kernel, &info));
    REFUSED(yoke_kernel_get_param(o->kernel, 0, &param));
    REFUSED(yoke_launch(o->stream, o->kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
    REFUSED(yoke_launch_n(o->stream, o->kernel, 1, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
    REFUSED(yoke_launch_cooperative(o->stream, o->kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
}

static void graphs_are_refused(objects *o)
{
    yoke_graph *graph = o->graph;
    yoke_dim one = YOKE_DIM(1);
    char bytes[4] = { 0 };

    REFUSED(yoke_graph_create(o->t->device, "graph", &graph));
    CHECK(graph == NULL);
    REFUSED(yoke_graph_begin(o->graph, o->stream));
    REFUSED(yoke_graph_end(o->graph));
    REFUSED(yoke_graph_launch(o->stream, o->graph));
    REFUSED(yoke_graph_set_launch(o->graph, 0, o->kernel, one, one, 0, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
    REFUSED(yoke_graph_set_args(o->graph, 0, YOKE_ARGS(o->buffer, o->buffer, 1.0f, 1)));
    REFUSED(yoke_graph_set_write(o->graph, 0, o->buffer, 0, bytes, 4));
    REFUSED(yoke_graph_set_read(o->graph, 0, bytes, o->buffer, 0, 4));
    REFUSED(yoke_graph_set_copy(o->graph, 0, o->buffer, 0, o->buffer, 8, 4));
    REFUSED(yoke_graph_set_fill(o->graph, 0, o->buffer, 0, 4, bytes, 4));
    REFUSED(yoke_graph_set_call(o->graph, 0, never_called, NULL, NULL));
    CHECK(memcmp(bytes, "\0\0\0", 4) == 0);
}

/* What returns no status: it does nothing, and what it says makes sense. */
static void others_are_harmless(objects *o)
{
    size_t offset = 99;

    yoke_device_retain(o->t->device);
    yoke_device_release(o->t->device);
    yoke_stream_retain(o->stream);
    yoke_event_retain(o->event);
    yoke_buffer_retain(o->buffer);
    yoke_program_retain(o->t->saxpy);
    yoke_graph_retain(o->graph);
    for (int i = 0; i < 3; i++) { /* more often than there are references */
        yoke_event_release(o->event);
        yoke_stream_release(o->stream);
        yoke_buffer_release(o->buffer);
        yoke_buffer_release(o->pinned);
        yoke_program_release(o->t->saxpy);
        yoke_graph_release(o->graph);
        yoke_device_release(o->t->device);
    }
    CHECK(yoke_stream_get_device(o->stream) == NULL);
    CHECK(yoke_buffer_get_size(o->buffer) == 0);
    CHECK(yoke_buffer_get_host(o->pinned) == NULL);
    CHECK(yoke_buffer_get_kind(o->buffer) == -1);
    CHECK(yoke_buffer_get_root(o->buffer, &offset) == NULL && offset == 0);
    CHECK(yoke_buffer_get_device(o->buffer) == NULL);
    CHECK(yoke_buffer_is_read_only(o->buffer) == 0);
    CHECK(yoke_buffer_get_misalignment(o->buffer) == 0);
    CHECK(yoke_device_lacks(o->t->device, YOKE_CAP_TIMING) != NULL);
    CHECK(yoke_device_get_language(o->t->device) == 0);
    CHECK(!yoke_device_supports(o->t->device, YOKE_CAP_TIMING));
    CHECK(yoke_get_build_log() != NULL);
    CHECK(yoke_program_get_log(o->t->saxpy) != NULL);
    CHECK(yoke_program_get_kernel_count(o->t->saxpy) == 0);
    CHECK(!yoke_program_get_kernel_name(o->t->saxpy, 0));
    CHECK(yoke_device_get_report() != NULL);
    CHECK(yoke_graph_get_size(o->graph) == 0);
    CHECK(strcmp(yoke_graph_describe(o->graph, YOKE_GRAPH_TEXT), "") == 0);
    CHECK(strcmp(yoke_status_name(YOKE_E_FORKED), "YOKE_E_FORKED") == 0);
    CHECK_TEXT(yoke_status_meaning(YOKE_E_FORKED), "fork");
    CHECK(yoke_status_group(YOKE_E_FORKED) == YOKE_GROUP_OPERATION);
    CHECK(yoke_version()[0] != '\0');
    yoke_log_set(YOKE_LOG_OFF, NULL, NULL);
    yoke_log_write(YOKE_LOG_INFO, "%s", "nobody listens");
    suite_log_here();
    CHECK(yoke_fail(YOKE_E_CANCELLED, "the child's %s", "own") == YOKE_E_CANCELLED);
    CHECK_TEXT(yoke_error()->text, "the child's own");
    yoke_error_clear();
    CHECK(yoke_error()->status == YOKE_OK);
}

void everything_is_refused(void *o)
{
    for (int i = 0; i < 2; i++) { /* also after everything was released */
        devices_are_refused(o);
        streams_are_refused(o);
        events_are_refused(o);
        images_are_refused(o);
        buffers_are_refused(o);
        copies_are_refused(o);
        programs_are_refused(o);
        graphs_are_refused(o);
        others_are_harmless(o);
    }
}
