/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad handles, sizes and ranges: each is an error that names the argument, its value and what is allowed, and leaves the library
 * usable. Programs, kernels and launches are in misuse_launch.c, selectors and environment in selection.c.
 */
#include "suite.h"

#include <yoke/library.h>
#include <yoke/native.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SET_CUDA;
static const char *const kernels_opencl = SET_OPENCL;

static yoke_status nothing_to_do(yoke_status status, void *user)
{
    (void)user;
    return status;
}

/* Objects that are fine, to stand beside the bad ones. */
typedef struct objects {
    yoke_buffer *buffer, *pinned;
    yoke_event *event;
    yoke_kernel *kernel;
    unsigned char bytes[64];
} objects;

static bool make_objects(suite *t, objects *o)
{
    memset(o, 0, sizeof *o);
    o->kernel = suite_kernel(t, "set");
    return CHECK_OK(yoke_buffer_create(t->device, 64, &o->buffer)) &&
           CHECK_OK(yoke_buffer_create_pinned(t->device, 64, &o->pinned)) && CHECK_OK(yoke_event_record(t->stream, 0, &o->event)) &&
           CHECK_OK(yoke_write_sync(t->stream, o->buffer, 0, o->bytes, 64));
}

static void release_objects(objects *o)
{
    yoke_buffer_release(o->buffer);
    yoke_buffer_release(o->pinned);
    yoke_event_release(o->event);
}

/* Two rows of four bytes. */
static const yoke_pitch rows = { 0, 8, 0 };
static const yoke_rect rect = { 4, 2, 1 };

/* Every function that takes a stream, with this one: `word` is what the message has to say of it. */
static void with_stream(objects *o, yoke_stream *s, const char *word)
{
    yoke_buffer *buffer = (yoke_buffer *)o;
    yoke_event *event = NULL;
    yoke_dim one = YOKE_DIM(1);

    CHECK_REFUSED(word, yoke_stream_wait(s));
    CHECK_REFUSED(word, yoke_stream_get_priority(s, &(int32_t){ 0 }));
    CHECK_REFUSED(word, yoke_host_call(s, nothing_to_do, NULL, NULL));
    CHECK_REFUSED(word, yoke_stream_wait_event(s, o->event));
    CHECK_REFUSED(word, yoke_stream_wait_native(s, o));
    CHECK_REFUSED(word, yoke_native_fail(s, YOKE_E_HOST_FUNCTION));
    CHECK_REFUSED(word, yoke_event_record(s, 0, &event));
    CHECK_REFUSED(word, yoke_write(s, o->buffer, 0, o->bytes, 1));
    CHECK_REFUSED(word, yoke_read(s, o->bytes, o->buffer, 0, 1));
    CHECK_REFUSED(word, yoke_copy(s, o->buffer, 0, o->buffer, 1, 1));
    CHECK_REFUSED(word, yoke_write_sync(s, o->buffer, 0, o->bytes, 1));
    CHECK_REFUSED(word, yoke_read_sync(s, o->bytes, o->buffer, 0, 1));
    CHECK_REFUSED(word, yoke_copy_sync(s, o->buffer, 0, o->buffer, 1, 1));
    CHECK_REFUSED(word, yoke_fill(s, o->buffer, 0, 1, "x", 1));
    CHECK_REFUSED(word, yoke_write_rect(s, o->buffer, rows, o->bytes, rows, rect));
    CHECK_REFUSED(word, yoke_read_rect(s, o->bytes, rows, o->buffer, rows, rect));
    CHECK_REFUSED(word, yoke_copy_rect(s, o->buffer, rows, o->pinned, rows, rect));
    CHECK_REFUSED(word, yoke_write_rect_sync(s, o->buffer, rows, o->bytes, rows, rect));
    CHECK_REFUSED(word, yoke_read_rect_sync(s, o->bytes, rows, o->buffer, rows, rect));
    CHECK_REFUSED(word, yoke_copy_rect_sync(s, o->buffer, rows, o->pinned, rows, rect));
    CHECK_REFUSED(word, yoke_fill_rect(s, o->buffer, rows, rect, "x", 1));
    CHECK_REFUSED(word, yoke_buffer_create_ordered(s, 64, &buffer));
    CHECK_REFUSED(word, yoke_buffer_create_with_data(s, o->bytes, 1, &buffer));
    CHECK_REFUSED(word, yoke_launch(s, o->kernel, one, one, 0, YOKE_ARGS(o->buffer, 1u)));
    CHECK_REFUSED(word, yoke_launch_n(s, o->kernel, 1, YOKE_ARGS(o->buffer, 1u)));
    CHECK(event == NULL && buffer == NULL);
}

/* Every function that takes a buffer. */
static void with_buffer(suite *t, objects *o, yoke_buffer *b, const char *word)
{
    yoke_buffer *view = (yoke_buffer *)o;
    yoke_stream *s = t->stream;
    yoke_dim one = YOKE_DIM(1);
    char target[40], source[40];
    uintptr_t native = 99;

    snprintf(target, sizeof target, "target|%s", word);
    snprintf(source, sizeof source, "source|%s", word);
    CHECK_REFUSED(word, yoke_buffer_create_view(b, 0, 1, &view));
    CHECK(view == NULL);
    CHECK_REFUSED(word, yoke_write(s, b, 0, o->bytes, 1));
    CHECK_REFUSED(word, yoke_read(s, o->bytes, b, 0, 1));
    CHECK_REFUSED(target, yoke_copy(s, b, 0, o->buffer, 0, 1));
    CHECK_REFUSED(source, yoke_copy(s, o->buffer, 0, b, 0, 1));
    CHECK_REFUSED(word, yoke_write_sync(s, b, 0, o->bytes, 1));
    CHECK_REFUSED(word, yoke_read_sync(s, o->bytes, b, 0, 1));
    CHECK_REFUSED(target, yoke_copy_sync(s, b, 0, o->buffer, 0, 1));
    CHECK_REFUSED(word, yoke_fill(s, b, 0, 1, "x", 1));
    CHECK_REFUSED(word, yoke_write_rect(s, b, rows, o->bytes, rows, rect));
    CHECK_REFUSED(word, yoke_read_rect(s, o->bytes, rows, b, rows, rect));
    CHECK_REFUSED(target, yoke_copy_rect(s, b, rows, o->buffer, rows, rect));
    CHECK_REFUSED(source, yoke_copy_rect(s, o->buffer, rows, b, rows, rect));
    CHECK_REFUSED(word, yoke_write_rect_sync(s, b, rows, o->bytes, rows, rect));
    CHECK_REFUSED(word, yoke_read_rect_sync(s, o->bytes, rows, b, rows, rect));
    CHECK_REFUSED(target, yoke_copy_rect_sync(s, b, rows, o->buffer, rows, rect));
    CHECK_REFUSED(word, yoke_fill_rect(s, b, rows, rect, "x", 1));
    CHECK_REFUSED(word, yoke_buffer_get_native(b, &native));
    CHECK_REFUSED(word, yoke_launch(s, o->kernel, one, one, 0, YOKE_ARGS(b, 1u)));
    CHECK_REFUSED(word, yoke_launch_n(s, o->kernel, 1, YOKE_ARGS(b, 1u)));
    CHECK(yoke_buffer_get_size(b) == 0);
    CHECK(yoke_buffer_get_host(b) == NULL);
    CHECK(yoke_buffer_get_kind(b) == -1);
    CHECK(native == 0);
}

static void with_device(yoke_device *d, const char *word)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = (yoke_stream *)&info;
    yoke_buffer *buffer = (yoke_buffer *)&info, *pinned = (yoke_buffer *)&info;
    yoke_buffer *of_kind = (yoke_buffer *)&info, *over = (yoke_buffer *)&info, *wrapped = (yoke_buffer *)&info;
    yoke_program *program = (yoke_program *)&info;
    yoke_compiler_info compiler = YOKE_COMPILER_INFO_INIT;
    yoke_memory_info memory = YOKE_MEMORY_INFO_INIT;
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;

    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    CHECK_REFUSED(word, yoke_device_get_info(d, &info));
    CHECK(yoke_device_lacks(d, YOKE_CAP_FP64) != NULL);
    CHECK_REFUSED(word, yoke_stream_create(d, &stream));
    CHECK(stream == NULL);
    CHECK_REFUSED(word, yoke_stream_create_with(d, &desc, &stream));
    CHECK_REFUSED(word, yoke_buffer_create(d, 1, &buffer));
    CHECK_REFUSED(word, yoke_buffer_create_pinned(d, 1, &pinned));
    CHECK_REFUSED(word, yoke_buffer_create_in(d, YOKE_MEMORY_DEVICE, 1, &of_kind));
    CHECK_REFUSED(word, yoke_buffer_create_from_host(d, &info, 64, &over));
    CHECK_REFUSED(word, yoke_buffer_wrap(d, 4096, 1, &wrapped));
    CHECK_REFUSED(word, yoke_device_get_memory(d, &memory));
    CHECK_REFUSED(word, yoke_device_get_compiler(d, &compiler));
    CHECK_REFUSED(word, yoke_device_limit_memory(d, 0, 0));
    CHECK_REFUSED(word, yoke_device_trim(d, 0));
    CHECK_REFUSED(word, yoke_device_get_native(d, &native));
    CHECK_REFUSED(word, yoke_program_build(d, &source, &program));
    CHECK(buffer == NULL && pinned == NULL && program == NULL);
    CHECK(of_kind == NULL && over == NULL && wrapped == NULL);
}

static void with_event(suite *t, yoke_event *e, const char *word)
{
    int64_t elapsed = 3;

    CHECK_REFUSED(word, yoke_event_query(e));
    CHECK_REFUSED(word, yoke_event_wait(e));
    CHECK_REFUSED(word, yoke_stream_wait_event(t->stream, e));
    CHECK_REFUSED(word, yoke_native_wait_event(t, e));
    CHECK_REFUSED("start", yoke_event_get_elapsed(e, e, &elapsed));
    CHECK(elapsed == 0);
}

static void with_kernel(suite *t, objects *o, yoke_kernel *k, const char *word)
{
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    yoke_dim one = YOKE_DIM(1);

    CHECK_REFUSED(word, yoke_kernel_get_info(k, &info));
    CHECK_REFUSED(word, yoke_launch(t->stream, k, one, one, 0, YOKE_ARGS(o->buffer, 1u)));
    CHECK_REFUSED(word, yoke_launch_n(t->stream, k, 1, YOKE_ARGS(o->buffer, 1u)));
}

static void null_handles(suite *t)
{
    yoke_kernel *kernel = (yoke_kernel *)t;
    objects o;

    NEED(make_objects(t, &o));
    with_stream(&o, NULL, "stream is NULL");
    with_buffer(t, &o, NULL, "NULL");
    with_device(NULL, "device is NULL");
    with_event(t, NULL, "NULL");
    with_kernel(t, &o, NULL, "kernel is NULL");
    CHECK_REFUSED("program is NULL", yoke_kernel_get(NULL, "set", &kernel));
    CHECK(kernel == NULL);
    yoke_device_release(NULL);
    yoke_stream_release(NULL);
    yoke_event_release(NULL);
    yoke_buffer_release(NULL);
    yoke_program_release(NULL);
    CHECK(!yoke_device_retain(NULL) && !yoke_stream_retain(NULL) && !yoke_event_retain(NULL) && !yoke_buffer_retain(NULL) &&
          !yoke_program_retain(NULL));
    CHECK(yoke_stream_get_device(NULL) == NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    release_objects(&o);
}

static void null_out_pointers(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    int64_t elapsed;
    objects o;

    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    NEED(make_objects(t, &o));
    CHECK_REFUSED("out_count", yoke_device_count(NULL));
    CHECK_REFUSED("out_count", yoke_device_list(NULL, 0, NULL));
    CHECK_REFUSED("infos", yoke_device_list(NULL, 3, &(size_t){ 0 }));
    CHECK_REFUSED("out_device", yoke_device_open(t->info.selector, NULL));
    CHECK_REFUSED("out_info", yoke_device_get_info(t->device, NULL));
    CHECK_REFUSED("out_stream", yoke_stream_create(t->device, NULL));
    CHECK_REFUSED("out_stream", yoke_stream_create_with(t->device, &desc, NULL));
    CHECK_REFUSED("out_priority", yoke_stream_get_priority(t->stream, NULL));
    CHECK_REFUSED("out_event", yoke_event_record(t->stream, 0, NULL));
    CHECK_REFUSED("out_nanoseconds", yoke_event_get_elapsed(o.event, o.event, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_create(t->device, 1, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_create_pinned(t->device, 1, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_create_ordered(t->stream, 1, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_create_with_data(t->stream, o.bytes, 1, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_create_in(t->device, YOKE_MEMORY_DEVICE, 1, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_create_from_host(t->device, o.bytes, 64, NULL));
    CHECK_REFUSED("out_buffer", yoke_buffer_wrap(t->device, 4096, 1, NULL));
    CHECK_REFUSED("out_native", yoke_buffer_get_native(o.buffer, NULL));
    CHECK_REFUSED("out_native", yoke_device_get_native(t->device, NULL));
    CHECK_REFUSED("out_info", yoke_device_get_memory(t->device, NULL));
    CHECK_REFUSED("out_info", yoke_device_get_compiler(t->device, NULL));
    CHECK_REFUSED("out_view", yoke_buffer_create_view(o.buffer, 0, 1, NULL));
    CHECK_REFUSED("out_program", yoke_program_build(t->device, &source, NULL));
    CHECK_REFUSED("out_kernel", yoke_kernel_get(t->program, "set", NULL));
    CHECK_REFUSED("out_info", yoke_kernel_get_info(o.kernel, NULL));
    CHECK_REFUSED("out_source", yoke_source_builtin("saxpy", NULL));
    CHECK_REFUSED("end", yoke_event_get_elapsed(o.event, NULL, &elapsed));
    suite_works(t);
out:
    release_objects(&o);
}

static void null_data(suite *t)
{
    yoke_buffer *made = NULL;
    yoke_program *program = NULL;
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_dim one = YOKE_DIM(1);
    yoke_buffer *over = (yoke_buffer *)t;
    objects o;

    NEED(make_objects(t, &o));
    CHECK_REFUSED("source", yoke_write(t->stream, o.buffer, 0, NULL, 1));
    CHECK_REFUSED("target", yoke_read(t->stream, NULL, o.buffer, 0, 1));
    CHECK_REFUSED("source", yoke_write_sync(t->stream, o.buffer, 0, NULL, 1));
    CHECK_REFUSED("target", yoke_read_sync(t->stream, NULL, o.buffer, 0, 1));
    CHECK_REFUSED("data", yoke_buffer_create_with_data(t->stream, NULL, 1, &made));
    CHECK_REFUSED("pattern", yoke_fill(t->stream, o.buffer, 0, 1, NULL, 1));
    CHECK_REFUSED("source", yoke_write_rect(t->stream, o.buffer, rows, NULL, rows, rect));
    CHECK_REFUSED("target", yoke_read_rect(t->stream, NULL, rows, o.buffer, rows, rect));
    CHECK_REFUSED("source", yoke_write_rect_sync(t->stream, o.buffer, rows, NULL, rows, rect));
    CHECK_REFUSED("target", yoke_read_rect_sync(t->stream, NULL, rows, o.buffer, rows, rect));
    CHECK_REFUSED("pattern", yoke_fill_rect(t->stream, o.buffer, rows, rect, NULL, 1));
    CHECK_REFUSED("host", yoke_buffer_create_from_host(t->device, NULL, 64, &over));
    CHECK(over == NULL);
    CHECK_REFUSED("fn", yoke_host_call(t->stream, NULL, NULL, NULL));
    CHECK_REFUSED("source", yoke_program_build(t->device, NULL, &program));
    CHECK_REFUSED("name", yoke_kernel_get(t->program, NULL, &o.kernel));
    CHECK_REFUSED("name", yoke_source_builtin(NULL, &source));
    CHECK_REFUSED("source", yoke_source_expand(NULL, "cuda", NULL, 0, &(size_t){ 0 }));
    CHECK_REFUSED("source", yoke_source_compile(NULL, "sm_90", 0, NULL, 0, &(size_t){ 0 }));
    o.kernel = suite_kernel(t, "set");
    CHECK_REFUSED("args", yoke_launch(t->stream, o.kernel, one, one, 0, NULL, 2));
    CHECK_REFUSED("args", yoke_launch_n(t->stream, o.kernel, 1, NULL, 2));
    suite_works(t);
out:
    release_objects(&o);
}

/* A handle whose object is gone, as far as that can still be seen; then one of another kind. */
static void released_handles(suite *t)
{
    yoke_stream *stream = NULL;
    yoke_device *device = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_source source = YOKE_SOURCE_INIT;
    objects o;

    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    NEED(make_objects(t, &o));
    NEED_OK(yoke_stream_create(t->device, &stream));
    yoke_stream_release(stream);
    with_stream(&o, stream, "stream|released");
    yoke_stream_release(stream); /* a second time does nothing */

    NEED_OK(yoke_buffer_create(t->device, 64, &buffer));
    yoke_buffer_release(buffer);
    with_buffer(t, &o, buffer, "released");
    yoke_buffer_release(buffer);

    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED_OK(yoke_event_wait(event));
    yoke_event_release(event);
    with_event(t, event, "released");
    yoke_event_release(event);

    NEED_OK(yoke_device_open(t->info.selector, &device));
    yoke_device_release(device);
    with_device(device, "device|released");
    yoke_device_release(device);

    NEED_OK(yoke_program_build(t->device, &source, &program));
    NEED_OK(yoke_kernel_get(program, "set", &kernel));
    yoke_program_release(program);
    with_kernel(t, &o, kernel, "kernel|released");
    CHECK_REFUSED("program|released", yoke_kernel_get(program, "set", &kernel));
    yoke_program_release(program);
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    release_objects(&o);
}

static void handles_of_another_kind(suite *t)
{
    objects o;

    NEED(make_objects(t, &o));
    with_stream(&o, (yoke_stream *)o.buffer, "stream");
    with_buffer(t, &o, (yoke_buffer *)t->stream, "");
    with_device((yoke_device *)t->stream, "device");
    with_event(t, (yoke_event *)t->device, "");
    with_kernel(t, &o, (yoke_kernel *)t->program, "kernel");
    suite_works(t);
out:
    release_objects(&o);
}

#define OUT_OF_RANGE(words, call) CHECK_FAILS(YOKE_E_RANGE, words, call)

static void buffer_sizes(suite *t)
{
    yoke_buffer *buffer = (yoke_buffer *)t;
    char words[64];

    CHECK_REFUSED("size|0", yoke_buffer_create(t->device, 0, &buffer));
    CHECK(buffer == NULL);
    CHECK_REFUSED("size|0", yoke_buffer_create_pinned(t->device, 0, &buffer));
    OUT_OF_RANGE("size|largest", yoke_buffer_create(t->device, SIZE_MAX, &buffer));
    OUT_OF_RANGE("size|largest", yoke_buffer_create(t->device, SIZE_MAX - 4095, &buffer));
    OUT_OF_RANGE("size|largest", yoke_buffer_create(t->device, (size_t)t->info.max_buffer + 1, &buffer));
    snprintf(words, sizeof words, "%llu", (unsigned long long)t->info.max_buffer + 1);
    CHECK_TEXT(yoke_error()->text, t->info.selector);
    CHECK(buffer == NULL);
    yoke_status status = yoke_buffer_create_pinned(t->device, SIZE_MAX, &buffer);
    CHECK(status == YOKE_E_RANGE || status == YOKE_E_OUT_OF_HOST_MEMORY);
    CHECK(buffer == NULL);
    status = yoke_buffer_create_pinned(t->device, SIZE_MAX / 2 + 1, &buffer);
    CHECK(status == YOKE_E_RANGE || status == YOKE_E_OUT_OF_HOST_MEMORY);
    CHECK(buffer == NULL);
    suite_works(t);
}

static void views(suite *t)
{
    yoke_buffer *view = (yoke_buffer *)t, *inner = NULL;
    objects o;

    NEED(make_objects(t, &o));
    CHECK_REFUSED("size|0", yoke_buffer_create_view(o.buffer, 0, 0, &view));
    CHECK(view == NULL);
    CHECK_REFUSED("pinned", yoke_buffer_create_view(o.pinned, 0, 1, &view));
    OUT_OF_RANGE("65|64", yoke_buffer_create_view(o.buffer, 0, 65, &view));
    OUT_OF_RANGE("64", yoke_buffer_create_view(o.buffer, 64, 1, &view));
    OUT_OF_RANGE("1|64", yoke_buffer_create_view(o.buffer, 1, 64, &view));
    OUT_OF_RANGE("64", yoke_buffer_create_view(o.buffer, SIZE_MAX, 1, &view));
    OUT_OF_RANGE("64", yoke_buffer_create_view(o.buffer, 1, SIZE_MAX, &view));
    OUT_OF_RANGE("64", yoke_buffer_create_view(o.buffer, SIZE_MAX - 7, 16, &view));
    NEED_OK(yoke_buffer_create_view(o.buffer, 32, 16, &view));
    OUT_OF_RANGE("17|16", yoke_buffer_create_view(view, 0, 17, &inner)); /* its parent would have the room */
    OUT_OF_RANGE("16", yoke_write(t->stream, view, 0, o.bytes, 17));
    OUT_OF_RANGE("16", yoke_fill(t->stream, view, 16, 1, "x", 1));
    CHECK(inner == NULL);
    yoke_buffer_release(view);
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    release_objects(&o);
}

/* Offset and size of each transfer, beyond the end and beyond what size_t can add. */
static void ranges(suite *t)
{
    static const struct {
        size_t offset, size;
    } bad[] = {
        { 0, 65 },
        { 64, 1 },
        { 1, 64 },
        { 63, 2 },
        { 65, 1 },
        { SIZE_MAX, 1 },
        { 1, SIZE_MAX },
        { SIZE_MAX, SIZE_MAX },
        { SIZE_MAX - 15, 32 },
        { SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1 },
    };
    yoke_stream *s = t->stream;
    unsigned char zero[64] = { 0 };
    guarded x = { 0 };
    objects o;

    NEED(make_objects(t, &o));
    memset(o.bytes, 1, sizeof o.bytes);
    NEED(guarded_create(t, 64, &x) && guarded_write(t, &x, zero));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        size_t offset = bad[i].offset, size = bad[i].size;
        char words[64];

        snprintf(words, sizeof words, "%zu|%zu|64", offset, size);
        OUT_OF_RANGE(words, yoke_write(s, x.buffer, offset, o.bytes, size));
        OUT_OF_RANGE(words, yoke_read(s, o.bytes, x.buffer, offset, size));
        OUT_OF_RANGE(words, yoke_copy(s, x.buffer, offset, o.buffer, 0, size));
        OUT_OF_RANGE(words, yoke_copy(s, o.buffer, 0, x.buffer, offset, size));
        OUT_OF_RANGE(words, yoke_copy(s, o.pinned, 0, x.buffer, offset, size));
        OUT_OF_RANGE(words, yoke_write_sync(s, x.buffer, offset, o.bytes, size));
        OUT_OF_RANGE(words, yoke_read_sync(s, o.bytes, x.buffer, offset, size));
        OUT_OF_RANGE(words, yoke_copy_sync(s, x.buffer, offset, o.buffer, 0, size));
        OUT_OF_RANGE(words, yoke_fill(s, x.buffer, offset, size, "x", 1));
    }
    CHECK_REFUSED("size|0", yoke_write(s, x.buffer, 0, o.bytes, 0));
    CHECK_REFUSED("size|0", yoke_read(s, o.bytes, x.buffer, 0, 0));
    CHECK_REFUSED("size|0", yoke_copy(s, x.buffer, 0, o.buffer, 0, 0));
    CHECK_REFUSED("size|0", yoke_fill(s, x.buffer, 0, 0, "x", 1));
    CHECK_OK(yoke_stream_wait(s));
    guarded_check(t, &x, zero);
    suite_works(t);
out:
    guarded_release(&x);
    release_objects(&o);
}

static void fill_patterns(suite *t)
{
    static const size_t bad_sizes[] = { 0, 3, 5, 6, 7, 9, 12, 15, 17, 32, 128, SIZE_MAX };
    unsigned char pattern[256] = { 0 };
    objects o;

    NEED(make_objects(t, &o));
    for (size_t i = 0; i < sizeof bad_sizes / sizeof bad_sizes[0]; i++) {
        char words[64];

        snprintf(words, sizeof words, "pattern_size|%zu|16", bad_sizes[i]);
        CHECK_REFUSED(words, yoke_fill(t->stream, o.buffer, 0, 32, pattern, bad_sizes[i]));
    }
    CHECK_REFUSED("offset|2|4", yoke_fill(t->stream, o.buffer, 2, 4, pattern, 4));
    CHECK_REFUSED("size|6|4", yoke_fill(t->stream, o.buffer, 0, 6, pattern, 4));
    CHECK_REFUSED("pinned", yoke_fill(t->stream, o.pinned, 0, 4, pattern, 4));
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    release_objects(&o);
}

static void copies_that_cannot_be(suite *t)
{
    yoke_buffer *pinned = NULL, *left = NULL, *right = NULL;
    objects o;

    NEED(make_objects(t, &o));
    NEED_OK(yoke_buffer_create_pinned(t->device, 64, &pinned));
    CHECK_REFUSED("overlap", yoke_copy(t->stream, o.buffer, 0, o.buffer, 0, 1));
    CHECK_REFUSED("overlap", yoke_copy(t->stream, o.buffer, 1, o.buffer, 0, 32));
    CHECK_REFUSED("overlap", yoke_copy(t->stream, o.buffer, 0, o.buffer, 31, 32));
    CHECK_REFUSED("pinned", yoke_copy(t->stream, o.pinned, 0, pinned, 0, 8));
    CHECK_REFUSED("pinned", yoke_copy(t->stream, o.pinned, 0, o.pinned, 32, 8));
    NEED_OK(yoke_buffer_create_view(o.buffer, 0, 40, &left)); /* bytes 24 to 39 belong to both */
    NEED_OK(yoke_buffer_create_view(o.buffer, 24, 40, &right));
    CHECK_REFUSED("overlap", yoke_copy(t->stream, left, 0, right, 0, 32));
    CHECK_REFUSED("overlap", yoke_copy(t->stream, right, 0, left, 24, 1));
    CHECK_OK(yoke_copy(t->stream, right, 16, left, 16, 16));
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    yoke_buffer_release(left);
    yoke_buffer_release(right);
    yoke_buffer_release(pinned);
    release_objects(&o);
}

/* A copy has to have one side on the stream's device; everything else has to be of it. */
static void objects_of_another_device(suite *t)
{
    yoke_device *other = NULL;
    yoke_buffer *buffer = NULL, *pinned = NULL;
    objects o;

    NEED(make_objects(t, &o));
    NEED_OK(yoke_device_open(t->info.selector, &other)); /* opened twice counts as two */
    NEED_OK(yoke_buffer_create(other, 64, &buffer));
    NEED_OK(yoke_buffer_create_pinned(other, 64, &pinned));
    CHECK_REFUSED("device", yoke_write(t->stream, buffer, 0, o.bytes, 1));
    CHECK_REFUSED("device", yoke_read(t->stream, o.bytes, buffer, 0, 1));
    CHECK_REFUSED("device", yoke_write_rect(t->stream, buffer, rows, o.bytes, rows, rect));
    CHECK_REFUSED("device", yoke_read_rect(t->stream, o.bytes, rows, buffer, rows, rect));
    CHECK_REFUSED("device", yoke_copy(t->stream, buffer, 0, buffer, 32, 1));
    CHECK_REFUSED("device", yoke_copy(t->stream, buffer, 0, pinned, 0, 1));
    CHECK_REFUSED("device", yoke_copy_sync(t->stream, pinned, 0, buffer, 0, 1));
    CHECK_REFUSED("device", yoke_copy_rect(t->stream, buffer, rows, pinned, rows, rect));
    CHECK_REFUSED("pinned", yoke_copy(t->stream, o.pinned, 0, pinned, 0, 1));
    CHECK_REFUSED("device", yoke_fill(t->stream, buffer, 0, 1, "x", 1));
    CHECK_REFUSED("device", yoke_fill_rect(t->stream, buffer, rows, rect, "x", 1));
    CHECK_OK(yoke_copy(t->stream, buffer, 0, o.buffer, 0, 64));
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
out:
    yoke_buffer_release(buffer);
    yoke_buffer_release(pinned);
    yoke_device_release(other);
    release_objects(&o);
}

static void stream_and_event_flags(suite *t)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = (yoke_stream *)t;
    yoke_event *event = NULL;

    desc.flags = 0x40;
    CHECK_REFUSED("flags|0x40", yoke_stream_create_with(t->device, &desc, &stream));
    CHECK(stream == NULL);
    desc.flags = 0xFFFFFFFF;
    CHECK_REFUSED("flags|0xffffffff", yoke_stream_create_with(t->device, &desc, &stream));
    CHECK(stream == NULL);
    desc.flags = 0;
    desc.priority = YOKE_MAX_PRIORITY + 1;
    CHECK_REFUSED("priority|101|from -100 to 100", yoke_stream_create_with(t->device, &desc, &stream));
    desc.priority = INT32_MIN;
    CHECK_REFUSED("priority|-2147483648", yoke_stream_create_with(t->device, &desc, &stream));
    CHECK(stream == NULL);
    CHECK_REFUSED("flags|0x8", yoke_event_record(t->stream, 8, &event));
    CHECK_REFUSED("YOKE_EVENT_TIMED|YOKE_STREAM_TIMED", yoke_event_record(t->stream, YOKE_EVENT_TIMED, &event));
    CHECK(event == NULL);
    suite_works(t);
}

int main(void)
{
    static const suite_case cases[] = {
        { "NULL handles, to every function", null_handles, false },
        { "NULL out-parameters", null_out_pointers, false },
        { "NULL where data should be", null_data, false },
        { "released handles", released_handles, false },
        { "handles of another kind", handles_of_another_kind, false },
        { "sizes of buffers", buffer_sizes, false },
        { "views beyond their buffer", views, false },
        { "ranges beyond a buffer, and beyond size_t", ranges, false },
        { "patterns of fills", fill_patterns, false },
        { "copies that overlap, or between pinned buffers", copies_that_cannot_be, false },
        { "buffers of another device", objects_of_another_device, false },
        { "flags of streams and events", stream_and_event_flags, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "misuse test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
