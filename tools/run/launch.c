/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of a case: buffers with its data, the kernel, and what the buffers have then. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

void run_free_case(run_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->args[i].before);
        free(c->args[i].expected);
    }
    free(c->args);
    free(c->kernel);
    free(c->origin);
    *c = (run_case){ 0 };
}

void run_free_result(run_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->after[i]);
    free(result->after);
    *result = (run_result){ 0 };
}

/* Make the argument; a buffer is stored for its release, and may be that of an argument before it. */
static yoke_status make_arg(yoke_stream *stream, const run_case *c, size_t index, yoke_buffer **buffers, yoke_arg *out_arg)
{
    const run_arg *from = &c->args[index];
    if (from->kind == YOKE_PARAM_LOCAL) {
        *out_arg = yoke_arg_local(from->size);
        return YOKE_OK;
    }
    if (from->kind == YOKE_PARAM_BUFFER) {
        if (from->size == 0) {
            *out_arg = yoke_arg_null();
            return YOKE_OK;
        }
        yoke_status status =
            from->same == index ? yoke_buffer_create(yoke_stream_get_device(stream), from->size, &buffers[index]) : YOKE_OK;
        *out_arg = yoke_arg_buffer(buffers[from->same]);
        return status;
    }
    *out_arg = yoke_arg_struct(from->before, from->size);
    if (from->type.bytes == from->size) { /* one number */
        out_arg->kind = from->type.kind == YK_SCALAR_FLOATING ? YOKE_ARG_FLOATING : YOKE_ARG_INTEGER;
        memset(&out_arg->value, 0, sizeof out_arg->value);
        memcpy(&out_arg->value, from->before, from->size);
    }
    return YOKE_OK;
}

static yoke_status write_all(yoke_stream *stream, const run_case *c, yoke_buffer *const *buffers)
{
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < c->count && status == YOKE_OK; i++)
        if (buffers[i])
            status = yoke_write_sync(stream, buffers[i], 0, c->args[i].before, c->args[i].size);
    return status;
}

static yoke_status read_all(yoke_stream *stream, const run_case *c, yoke_buffer *const *buffers, unsigned char **after)
{
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < c->count && status == YOKE_OK; i++)
        if (buffers[i])
            status = yoke_read_sync(stream, after[i], buffers[i], 0, c->args[i].size);
    return status;
}

/* Once more, with a clock: a driver may still compile at the first launch. */
static yoke_status launch_timed(yoke_stream *stream, yoke_kernel *kernel, const run_case *c, const yoke_arg *args, bool timed,
                                int64_t *out_nanoseconds)
{
    yoke_event *begin = NULL, *end = NULL;
    yoke_status status = timed ? yoke_event_record(stream, YOKE_EVENT_TIMED, &begin) : YOKE_OK;
    if (status == YOKE_OK)
        status = yoke_launch(stream, kernel, c->grid, c->block, c->shared, args, c->count);
    if (status == YOKE_OK && timed)
        status = yoke_event_record(stream, YOKE_EVENT_TIMED, &end);
    if (status == YOKE_OK)
        status = yoke_stream_wait(stream);
    if (status == YOKE_OK && timed)
        status = yoke_event_get_elapsed(begin, end, out_nanoseconds);
    yoke_event_release(begin);
    yoke_event_release(end);
    return status;
}

static bool is_same(const run_case *c, unsigned char *const *one, unsigned char *const *other)
{
    for (size_t i = 0; i < c->count; i++)
        if (one[i] && memcmp(one[i], other[i], c->args[i].size) != 0)
            return false;
    return true;
}

static unsigned char **make_room(const run_case *c)
{
    unsigned char **room = tool_alloc((c->count + 1) * sizeof *room);
    for (size_t i = 0; i < c->count; i++)
        if (c->args[i].kind == YOKE_PARAM_BUFFER && c->args[i].size > 0 && c->args[i].same == i)
            room[i] = tool_alloc(c->args[i].size);
    return room;
}

static yoke_status launch_twice(yoke_stream *stream, yoke_kernel *kernel, const run_case *c, const yoke_arg *args,
                                yoke_buffer *const *buffers, bool timed, run_result *result)
{
    run_result second = { .after = make_room(c), .count = c->count };
    yoke_status status = write_all(stream, c, buffers);
    if (status == YOKE_OK)
        status = yoke_launch(stream, kernel, c->grid, c->block, c->shared, args, c->count);
    if (status == YOKE_OK)
        status = read_all(stream, c, buffers, result->after);
    if (status == YOKE_OK)
        status = write_all(stream, c, buffers);
    if (status == YOKE_OK)
        status = launch_timed(stream, kernel, c, args, timed, &result->nanoseconds);
    if (status == YOKE_OK)
        status = read_all(stream, c, buffers, second.after);
    result->varies = status == YOKE_OK && !is_same(c, result->after, second.after);
    run_free_result(&second);
    return status;
}

yoke_status run_launch(yoke_kernel *kernel, const run_case *c, run_result *out_result)
{
    yoke_device *device = yoke_program_get_device(yoke_kernel_get_program(kernel));
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    yoke_buffer **buffers = tool_alloc((c->count + 1) * sizeof *buffers);
    yoke_arg *args = tool_alloc((c->count + 1) * sizeof *args);
    *out_result = (run_result){ .after = make_room(c), .count = c->count, .nanoseconds = -1 };
    yoke_status status = yoke_device_get_info(device, &info);
    bool timed = info.capabilities >> YOKE_CAP_TIMING & 1;
    desc.flags = timed ? YOKE_STREAM_TIMED : 0;
    if (status == YOKE_OK)
        status = yoke_stream_create(device, &desc, &stream);
    for (size_t i = 0; i < c->count && status == YOKE_OK; i++)
        status = make_arg(stream, c, i, buffers, &args[i]);
    if (status == YOKE_OK)
        status = launch_twice(stream, kernel, c, args, buffers, timed, out_result);
    for (size_t i = 0; i < c->count; i++)
        yoke_buffer_release(buffers[i]);
    yoke_stream_release(stream);
    free(args);
    free(buffers);
    return status;
}
