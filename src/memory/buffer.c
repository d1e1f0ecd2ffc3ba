/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of every kind, and views of them. A view keeps its root alive; every root keeps its device alive. */
#include "memory/buffer.h"

#include <yoke/library.h>
#include <yoke/native.h>

#include "memory/account.h"
#include "backend.h"
#include "stream/recording.h"
#include "memory/pinned.h"
#include "memory/pool.h"
#include "base/sizes.h"
#include "stream/observer.h"
#include "stream/validator.h"
#include "stream/stream.h"
#include "stream/retire.h"

yoke_status yk_buffer_check_range(const yoke_buffer *buffer, const char *function, const char *what, size_t offset, size_t size)
{
    if (size == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: size is 0; a %s range must have at least one byte", function, what);
    if (offset > buffer->size || size > buffer->size - offset)
        return yk_fail(YOKE_E_RANGE, "%s: %zu bytes from offset %zu end past %s, which has %zu bytes", function, size, offset, what,
                       buffer->size);
    return YOKE_OK;
}

yoke_status yk_buffer_check_device(const yoke_buffer *buffer, const yoke_stream *stream, const char *function, const char *what)
{
    if (buffer->device == stream->device)
        return YOKE_OK;
    return yk_fail(YOKE_E_INVALID_ARGUMENT,
                   "%s: %s belongs to another device (%s) than the stream (%s); both must come from one yoke_device_open", function,
                   what, buffer->device->info.selector, stream->device->info.selector);
}

static yoke_status check_out(const char *function, yoke_buffer **out_buffer)
{
    if (!out_buffer)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_buffer is NULL", function);
    *out_buffer = NULL;
    return YOKE_OK;
}

YK_COLD static yoke_status size_fault(const char *function, const yoke_device *device, size_t size)
{
    char asked[32], largest[32];
    if (size == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: size is 0; a buffer must have at least one byte", function);
    return yk_fail(YOKE_E_RANGE, "%s: size is %zu (%s); the largest single buffer of %s is %llu bytes (%s)", function, size,
                   yk_bytes_text(asked, sizeof asked, size), device->info.selector, (unsigned long long)device->info.max_buffer,
                   yk_bytes_text(largest, sizeof largest, device->info.max_buffer));
}

/* ---- Destroying ---- */

/* Nothing uses the root any more. Its memory may be freed in the order of its owner_stream, which must live until then. */
static void end_root(yoke_buffer *buffer, unsigned user)
{
    yoke_stream *owner_stream = buffer->owner_stream;
    yk_pool_give_back(buffer, user);
    yk_object_free(buffer, sizeof *buffer);
    if (owner_stream)
        yk_stream_unuse(owner_stream);
}

static void destroy_root(void *buffer)
{
    end_root(buffer, YK_NO_STREAM);
}

static void destroy_view(void *object)
{
    YK_UNCANCELLED;
    yoke_buffer *view = object;
    yoke_buffer *root = view->root;
    view->device->backend->view_destroy(view);
    yk_object_free(view, sizeof *view);
    yk_object_release(root);
}

/* Ordered memory that only its own stream has used is freed in the order of that stream. */
static bool free_in_order(yoke_buffer *buffer, unsigned user)
{
    yoke_stream *owner_stream = buffer->owner_stream;
    bool alone = owner_stream && (user == YK_NO_STREAM || user == owner_stream->id);
    if (!alone || (buffer->origin != YK_ORDERED && !yk_pool_keeps(buffer)))
        return false;
    end_root(buffer, yk_stream_is_idle(owner_stream) ? YK_NO_STREAM : owner_stream->id);
    return true;
}

static void retire_root(void *object)
{
    yoke_buffer *buffer = object;
    yoke_device *device = buffer->device;
    yoke_program *program = buffer->program;
    unsigned user = atomic_load_explicit(&buffer->used_by, memory_order_relaxed);
    atomic_store(&buffer->object.kind, YK_DEAD);
    YK_VALIDATE(device, buffer_end, buffer);
    atomic_fetch_sub_explicit(&device->pool.buffers, 1, memory_order_relaxed);
    if (buffer->kind == YOKE_MEMORY_PINNED || buffer->kind == YOKE_MEMORY_MAPPED) {
        yk_pinned_forget(buffer);
        user = YK_MANY_STREAMS; /* copies use the address, which counts as no use */
    }
    bool cached = yk_pool_keeps(buffer);
    if (device->traits.releases_wait && !cached)
        yk_retire_until_idle(device, buffer, destroy_root, true, yk_account_of(buffer));
    else if (device->traits.keeps_used_objects && buffer->kind == YOKE_MEMORY_DEVICE && !cached)
        destroy_root(buffer);
    else if (!free_in_order(buffer, user))
        yk_retire(device, buffer, destroy_root, user, yk_account_of(buffer));
    yk_object_release(program); /* a program waits for the streams itself */
    yk_device_put(device);
}

/* ---- Creating ---- */

/* A root without memory yet; NULL and an error when out of memory. */
static yoke_buffer *new_root(yoke_device *device, int32_t kind, yk_origin origin, size_t size)
{
    yoke_buffer *buffer = yk_object_new(YK_BUFFER, sizeof *buffer, retire_root);
    if (!buffer)
        return NULL;
    buffer->device = device;
    buffer->root = buffer;
    buffer->size = buffer->capacity = size;
    buffer->kind = kind;
    buffer->origin = origin;
    buffer->argument_of = kind == YOKE_MEMORY_DEVICE ? device : NULL;
    return buffer;
}

/* The root has its memory and becomes the caller's. */
static void hand_out(yoke_buffer *buffer, yoke_buffer **out_buffer)
{
    yk_object_retain(buffer->device);
    atomic_fetch_add_explicit(&buffer->device->pool.buffers, 1, memory_order_relaxed);
    if (buffer->owner_stream)
        yk_stream_use(buffer->owner_stream);
    YK_VALIDATE(buffer->device, buffer_begin, buffer);
    *out_buffer = buffer;
}

/* Small memory in the order of a stream is memory of the pool's own, as where the driver has no pool: CUDA's takes 10 ms for its
 * first allocation, and a microsecond for each. */
static yk_origin origin_of(const yoke_device *device, const yoke_stream *stream, size_t size)
{
    enum { LARGE = 64 << 10 };
    return stream && device->traits.driver_pool && size >= LARGE ? YK_ORDERED : YK_CREATED;
}

static yoke_status create(const char *function, yoke_device *device, yoke_stream *stream, int32_t kind, size_t size,
                          yoke_buffer **out_buffer)
{
    if (YK_UNLIKELY(size == 0 || (size > device->info.max_buffer && kind != YOKE_MEMORY_PINNED)))
        return size_fault(function, device, size);
    yoke_buffer *buffer = new_root(device, kind, origin_of(device, stream, size), size);
    if (!buffer)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    buffer->owner_stream = stream;
    if (stream) /* which may still use the memory for what had it before */
        atomic_store_explicit(&buffer->used_by, stream->id, memory_order_relaxed);
    uint64_t since = yk_observe_device_now(device);
    yoke_status status = yk_pool_take(buffer, stream);
    if (status < 0)
        goto no_memory;
    yk_observe_worked(device, YK_HOST_ALLOCATE, NULL, NULL, size, since);
    if (kind == YOKE_MEMORY_PINNED || kind == YOKE_MEMORY_MAPPED) {
        status = yk_pinned_add(buffer);
        if (status < 0)
            goto not_known;
    }
    hand_out(buffer, out_buffer);
    return YOKE_OK;

not_known:
    yk_pool_give_back(buffer, YK_NO_STREAM);
no_memory:
    yk_object_free(buffer, sizeof *buffer);
    return status;
}

yoke_status yoke_buffer_create(yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    YK_FUNCTION(yoke_buffer_create);
    yoke_status status = check_out(function, out_buffer);
    if (status == YOKE_OK) {
        YK_CHECK(device, YK_DEVICE, function, "device");
        status = create(function, device, NULL, YOKE_MEMORY_DEVICE, size, out_buffer);
    }
    return yk_attribute_site(function, NULL, status);
}

yoke_status yk_buffer_create_ordered(const char *function, yoke_stream *stream, size_t size, yoke_buffer **out_buffer)
{
    yoke_device *device = stream->device;
    if (atomic_load_explicit(&stream->failed, memory_order_acquire)) {
        yoke_status status = yk_stream_report(stream);
        if (status < 0)
            return status;
    } else if (yk_is_recording(stream)) {
        stream = NULL; /* the graph, which may be launched at any time, keeps memory of its own */
    }
    return create(function, device, stream, YOKE_MEMORY_DEVICE, size, out_buffer);
}

yoke_status yoke_buffer_create_ordered(yoke_stream *stream, size_t size, yoke_buffer **out_buffer)
{
    YK_FUNCTION(yoke_buffer_create_ordered);
    yoke_status status = check_out(function, out_buffer);
    if (status == YOKE_OK) {
        YK_CHECK(stream, YK_STREAM, function, "stream");
        status = yk_buffer_create_ordered(function, stream, size, out_buffer);
    }
    return yk_attribute_site(function, NULL, status);
}

/* `word` is what messages call it. */
static yoke_status check_capability(const char *function, const yoke_device *device, int capability, const char *word)
{
    const char *reason = yoke_device_lacks(device, capability);
    if (!reason)
        return YOKE_OK;
    return yk_fail(YOKE_E_UNSUPPORTED, "%s: there is no %s memory on %s: %s", function, word, device->info.selector, reason);
}

static yoke_status check_kind(const char *function, const yoke_device *device, int32_t kind)
{
    switch (kind) {
    case YOKE_MEMORY_DEVICE:
    case YOKE_MEMORY_PINNED:
        return YOKE_OK;
    case YOKE_MEMORY_MAPPED:
        return check_capability(function, device, YOKE_CAP_MAPPED, "mapped");
    case YOKE_MEMORY_MANAGED:
        return check_capability(function, device, YOKE_CAP_MANAGED, "managed");
    }
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: memory is %d, which is not a YOKE_MEMORY_ kind", function, (int)kind);
}

yoke_status yoke_buffer_create_in(yoke_device *device, int32_t memory, size_t size, yoke_buffer **out_buffer)
{
    YK_FUNCTION(yoke_buffer_create_in);
    yoke_status status = check_out(function, out_buffer);
    if (status == YOKE_OK) {
        YK_CHECK(device, YK_DEVICE, function, "device");
        status = check_kind(function, device, memory);
    }
    if (status == YOKE_OK)
        status = create(function, device, NULL, memory, size, out_buffer);
    return yk_attribute_site(function, NULL, status);
}

yoke_status yk_buffer_create_pinned(const char *function, yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    return create(function, device, NULL, YOKE_MEMORY_PINNED, size, out_buffer);
}

yoke_status yoke_buffer_create_pinned(yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    YK_FUNCTION(yoke_buffer_create_pinned);
    yoke_status status = check_out(function, out_buffer);
    if (status == YOKE_OK) {
        YK_CHECK(device, YK_DEVICE, function, "device");
        status = yk_buffer_create_pinned(function, device, size, out_buffer);
    }
    return yk_attribute_site(function, NULL, status);
}

static yoke_status create_over(const char *function, yoke_device *device, void *host, size_t size, yoke_buffer **out_buffer)
{
    if (!host)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: host is NULL", function);
    if (size == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: size is 0; a buffer must have at least one byte", function);
    if (!yk_is_range(host, size))
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: size is %zu, which exceeds the address space from %p", function, size, host);
    yoke_status status = yk_device_check(device);
    if (status == YOKE_OK && !yk_is_writable(host, size))
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the %zu bytes at %p cannot be written", function, size, host);
    if (status < 0)
        return status;
    yoke_buffer *buffer = new_root(device, YOKE_MEMORY_PINNED, YK_REGISTERED, size);
    if (!buffer)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    buffer->host = host;
    status = yk_pinned_add(buffer);
    if (status < 0)
        goto not_known;
    uint64_t since = yk_observe_device_now(device);
    status = device->backend->buffer_register(buffer);
    if (status < 0)
        goto not_pinned;
    yk_observe_worked(device, YK_HOST_ALLOCATE, NULL, NULL, size, since);
    hand_out(buffer, out_buffer);
    return YOKE_OK;

not_pinned:
    yk_pinned_forget(buffer);
    yk_device_failed(device, status);
not_known:
    yk_object_free(buffer, sizeof *buffer);
    return status;
}

yoke_status yoke_buffer_create_from_host(yoke_device *device, void *host, size_t size, yoke_buffer **out_buffer)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_buffer_create_from_host);
    yoke_status status = check_out(function, out_buffer);
    if (status == YOKE_OK) {
        YK_CHECK(device, YK_DEVICE, function, "device");
        status = create_over(function, device, host, size, out_buffer);
    }
    return yk_attribute_site(function, NULL, status);
}

static yoke_status wrap(const char *function, yoke_device *device, uintptr_t native, size_t size, yoke_buffer **out_buffer)
{
    if (!native || size == 0)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is 0", function, native ? "size" : "native");
    yoke_status status = yk_device_check(device);
    if (status < 0)
        return status;
    yoke_buffer *buffer = new_root(device, YOKE_MEMORY_DEVICE, YK_WRAPPED, size);
    if (!buffer)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    status = device->backend->buffer_wrap(buffer, native);
    if (status < 0) {
        yk_object_free(buffer, sizeof *buffer);
        return yk_device_failed(device, status);
    }
    hand_out(buffer, out_buffer);
    return YOKE_OK;
}

yoke_status yoke_buffer_wrap(yoke_device *device, uintptr_t native, size_t size, yoke_buffer **out_buffer)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_buffer_wrap);
    yoke_status status = check_out(function, out_buffer);
    if (status == YOKE_OK) {
        YK_CHECK(device, YK_DEVICE, function, "device");
        status = wrap(function, device, native, size, out_buffer);
    }
    return yk_attribute_site(function, NULL, status);
}

yoke_status yk_buffer_of_global(yoke_program *program, const char *name, yoke_buffer **out_buffer)
{
    yoke_device *device = program->device;
    yoke_status status = yk_device_check(device);
    if (status < 0)
        return status;
    yoke_buffer *buffer = new_root(device, YOKE_MEMORY_DEVICE, YK_WRAPPED, 0);
    if (!buffer)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    status = device->backend->program_global(program, name, buffer);
    if (status == YOKE_OK && buffer->size == 0)
        status = yk_fail(YOKE_E_INVALID_ARGUMENT, "variable '%.60s' of program '%s' has no bytes", name, program->name);
    if (status < 0) {
        yk_object_free(buffer, sizeof *buffer);
        return yk_device_failed(device, status);
    }
    buffer->program = program;
    yk_object_retain(program);
    hand_out(buffer, out_buffer);
    return YOKE_OK;
}

yoke_status yoke_buffer_get_native(yoke_buffer *buffer, uintptr_t *out_native)
{
    YK_FUNCTION(yoke_buffer_get_native);
    YK_OUT(out_native);
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    yoke_status status = buffer->device->backend->buffer_native(buffer, out_native);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    /* Code outside Yoke may use the memory in any stream. */
    atomic_store(&buffer->root->used_by, YK_MANY_STREAMS);
    YK_VALIDATE(buffer->device, buffer_exposed, buffer->root);
    return YOKE_OK;
}

static yoke_status create_view(const char *function, yoke_buffer *buffer, size_t offset, size_t size, bool read_only,
                               yoke_buffer **out_view)
{
    YK_UNCANCELLED;
    if (!out_view)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_view is NULL", function);
    *out_view = NULL;
    YK_CHECK(buffer, YK_BUFFER, function, "buffer");
    if (buffer->kind == YOKE_MEMORY_PINNED)
        return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: the buffer is pinned host memory; add the offset to its host pointer instead",
                       function);
    yoke_status status = yk_buffer_check_range(buffer, function, "buffer", offset, size);
    if (status < 0)
        return status;

    yoke_buffer *view = yk_object_new(YK_BUFFER, sizeof *view, destroy_view);
    if (!view)
        return YOKE_E_OUT_OF_HOST_MEMORY;
    view->device = buffer->device;
    view->root = buffer->root;
    view->offset = buffer->offset + offset;
    view->size = size;
    view->kind = buffer->kind;
    view->host = buffer->host ? (char *)buffer->host + offset : NULL;
    status = view->device->backend->view_create(view);
    if (status < 0) {
        yk_object_free(view, sizeof *view);
        return status;
    }
    view->read_only = read_only || buffer->read_only;
    view->argument_of = view->misaligned || view->read_only ? NULL : view->root->argument_of;
    yk_object_retain(view->root);
    *out_view = view;
    return YOKE_OK;
}

yoke_status yoke_buffer_create_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view)
{
    YK_FUNCTION(yoke_buffer_create_view);
    yoke_status status = create_view(function, buffer, offset, size, false, out_view);
    return yk_attribute_site(function, NULL, status);
}

yoke_status yoke_buffer_create_const_view(yoke_buffer *buffer, size_t offset, size_t size, yoke_buffer **out_view)
{
    YK_FUNCTION(yoke_buffer_create_const_view);
    yoke_status status = create_view(function, buffer, offset, size, true, out_view);
    return yk_attribute_site(function, NULL, status);
}

yoke_buffer *yoke_buffer_retain(yoke_buffer *buffer)
{
    if (yk_is(buffer, YK_BUFFER))
        yk_object_retain(buffer);
    return buffer;
}

void yoke_buffer_release(yoke_buffer *buffer)
{
    if (yk_is(buffer, YK_BUFFER))
        yk_object_release(buffer);
}

int32_t yoke_buffer_get_kind(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->kind : -1;
}

size_t yoke_buffer_get_size(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->size : 0;
}

void *yoke_buffer_get_host(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->host : NULL;
}

yoke_buffer *yoke_buffer_get_root(const yoke_buffer *buffer, size_t *out_offset)
{
    bool is_live = yk_is(buffer, YK_BUFFER);
    if (out_offset)
        *out_offset = is_live ? buffer->offset : 0;
    return is_live ? buffer->root : NULL;
}

yoke_device *yoke_buffer_get_device(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->device : NULL;
}

int32_t yoke_buffer_is_read_only(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? buffer->read_only : 0;
}

size_t yoke_buffer_get_misalignment(const yoke_buffer *buffer)
{
    return yk_is(buffer, YK_BUFFER) ? (buffer->root->misalignment + buffer->offset) % 16 : 0;
}
