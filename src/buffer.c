/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers: device memory, views of it, and pinned host memory. A view keeps its root alive; every root keeps its device alive. */
#include "buffer.h"

#include "backend.h"
#include "stream.h"
#include "trash.h"

yoke_status yk_buffer_check_range(const yoke_buffer *buffer, const char *function, const char *what, size_t offset, size_t size)
{
    if (size == 0)
        return yk_fail(YOKE_E_INVALID, "%s: size is 0; a %s range has at least one byte", function, what);
    if (offset > buffer->size || size > buffer->size - offset)
        return yk_fail(YOKE_E_RANGE, "%s: %zu bytes from offset %zu reach beyond the end of %s, which has %zu bytes", function,
                       size, offset, what, buffer->size);
    return YOKE_OK;
}

yoke_status yk_buffer_check_device(const yoke_buffer *buffer, const yoke_stream *stream, const char *function, const char *what)
{
    if (buffer->device == stream->device)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID,
                   "%s: %s belongs to another device (%s) than the stream (%s); both have to come from one yoke_device_open",
                   function, what, buffer->device->info.selector, stream->device->info.selector);
}

/* Allocate; when memory is exhausted, wait for what has been released but may still be in use, and try once more. */
static yoke_status allocate(yoke_buffer *buffer)
{
    yk_trash_empty(buffer->device);
    yoke_status status = yk_device_check(buffer->device);
    if (status == YOKE_OK)
        status = buffer->device->backend->buffer_create(buffer);
    if (status == YOKE_E_OUT_OF_DEVICE_MEMORY && yk_trash_wait(buffer->device))
        status = buffer->device->backend->buffer_create(buffer);
    return status < 0 ? yk_device_failed(buffer->device, status) : status;
}

static yoke_status create(const char *function, yoke_device *device, size_t size, bool pinned, yoke_buffer **out_buffer)
{
    if (!out_buffer)
        return yk_fail(YOKE_E_INVALID, "%s: out_buffer is NULL", function);
    *out_buffer = NULL;
    YK_CHECK(device, YK_DEVICE, function, "device");
    if (size == 0)
        return yk_fail(YOKE_E_INVALID, "%s: size is 0; a buffer has at least one byte", function);
    if (!pinned && size > device->info.max_buffer) {
        char asked[32], largest[32];
        return yk_fail(YOKE_E_RANGE, "%s: size is %zu (%s); the largest single buffer of %s is %llu bytes (%s)", function, size,
                       yk_bytes_text(asked, sizeof asked, size), device->info.selector, (unsigned long long)device->info.max_buffer,
                       yk_bytes_text(largest, sizeof largest, device->info.max_buffer));
    }

    yoke_buffer *buffer = yk_object_new(YK_BUFFER, sizeof *buffer);
    if (!buffer)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    buffer->device = device;
    buffer->root = buffer;
    buffer->size = size;
    buffer->pinned = pinned;
    buffer->argument_of = pinned ? NULL : device;
    yoke_status status = allocate(buffer);
    if (status < 0) {
        yk_object_free(buffer, sizeof *buffer);
        return status;
    }
    yk_object_retain(device);
    *out_buffer = buffer;
    return YOKE_OK;
}

yoke_status yoke_buffer_create(yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    static const char function[] = "yoke_buffer_create";
    yoke_status status = create(function, device, size, false, out_buffer);
    return status < 0 ? yk_blame(function, NULL, status) : status;
}

yoke_status yoke_buffer_create_pinned(yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    static const char function[] = "yoke_buffer_create_pinned";
    yoke_status status = create(function, device, size, true, out_buffer);
    return status < 0 ? yk_blame(function, NULL, status) : status;
}

static yoke_status create_view(const char *function, yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view)
{
    if (!out_view)
        return yk_fail(YOKE_E_INVALID, "%s: out_view is NULL", function);
    *out_view = NULL;
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    if (buffer->pinned)
        return yk_fail(YOKE_E_INVALID, "%s: buffer is pinned host memory; add to its host pointer instead", function);
    yoke_status status = yk_buffer_check_range(buffer, function, "buffer", offset, size);
    if (status < 0)
        return status;

    yoke_buffer *view = yk_object_new(YK_BUFFER, sizeof *view);
    if (!view)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    view->device = buffer->device;
    view->root = buffer->root;
    view->offset = buffer->offset + offset;
    view->size = size;
    status = view->device->backend->view_create(view);
    if (status < 0) {
        yk_object_free(view, sizeof *view);
        return status;
    }
    view->argument_of = view->misaligned ? NULL : view->device;
    yk_object_retain(view->root);
    *out_view = view;
    return YOKE_OK;
}

yoke_status yoke_buffer_create_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view)
{
    static const char function[] = "yoke_buffer_create_view";
    yoke_status status = create_view(function, buffer, offset, size, out_view);
    return status < 0 ? yk_blame(function, NULL, status) : status;
}

yoke_buffer *yoke_buffer_retain(yoke_buffer *buffer)
{
    if (yk_is(buffer, YK_BUFFER))
        yk_object_retain(buffer);
    return buffer;
}

static void destroy_root(void *object)
{
    yoke_buffer *buffer = object;
    buffer->device->backend->buffer_destroy(buffer);
    yk_object_free(buffer, sizeof *buffer);
}

static void destroy_view(yoke_buffer *view)
{
    yoke_buffer *root = view->root;
    view->device->backend->view_destroy(view);
    yk_object_free(view, sizeof *view);
    yoke_buffer_release(root);
}

void yoke_buffer_release(yoke_buffer *buffer)
{
    if (!yk_is(buffer, YK_BUFFER) || !yk_object_release(buffer))
        return;
    if (buffer->root != buffer) {
        destroy_view(buffer);
        return;
    }
    yoke_device *device = buffer->device;
    atomic_store(&buffer->object.kind, YK_DEAD);
    /* Copies use the address of pinned memory, which no driver counts as a use. */
    if (device->backend->keeps_used_objects && !buffer->pinned)
        destroy_root(buffer);
    else
        yk_trash_throw(device, buffer, destroy_root);
    yoke_device_release(device);
}

size_t yoke_buffer_get_size(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->size : 0;
}

void *yoke_buffer_get_host(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->host : NULL;
}
