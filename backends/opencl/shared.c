/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that host and device both access: mapped and managed buffers. OpenCL requires the memory to be mapped while the host uses
 * it, and unmapped while the device does, so each operation unmaps it before and maps it again afterwards. Between operations the
 * host owns the memory, as Yoke promises. Streams that use the same memory are ordered one after another, because one stream's map
 * would take the memory away from another stream's kernel. Fine-grained SVM needs none of this.
 */
#include "driver.h"

static yk_opencl_memory *memory_of(const yoke_buffer *root)
{
    return root->extra;
}

/* Map, in queue order; `out_event` may be NULL. */
static cl_int map_in(cl_command_queue queue, const yoke_buffer *root, cl_bool blocking, void **out_host, cl_event *out_event)
{
    const yk_opencl_memory *memory = root->extra;
    cl_int code;

    if (memory && memory->svm) {
        *out_host = memory->svm;
        return yk_cl.clEnqueueSVMMap(queue, blocking, CL_MAP_READ | CL_MAP_WRITE, memory->svm, root->capacity, 0, NULL, out_event);
    }
    *out_host = yk_cl.clEnqueueMapBuffer(queue, root->native.pointer, blocking, CL_MAP_READ | CL_MAP_WRITE, 0, root->capacity, 0,
                                         NULL, out_event, &code);
    return code;
}

static cl_int unmap_in(cl_command_queue queue, const yoke_buffer *root)
{
    const yk_opencl_memory *memory = root->extra;

    if (memory && memory->svm)
        return yk_cl.clEnqueueSVMUnmap(queue, memory->svm, 0, NULL, NULL);
    return yk_cl.clEnqueueUnmapMemObject(queue, root->native.pointer, root->host, 0, NULL, NULL);
}

yoke_status yk_opencl_map(yoke_buffer *buffer)
{
    char asked[32];
    yk_opencl_device *device = yk_opencl_device_of(buffer->device);
    cl_int code;

    pthread_mutex_lock(&device->mapping_lock);
    code = map_in(device->mapping, buffer, CL_TRUE, &buffer->host, NULL);
    pthread_mutex_unlock(&device->mapping_lock);
    if (code == CL_SUCCESS && buffer->host)
        return YOKE_OK;
    buffer->host = NULL;
    yk_bytes_text(asked, sizeof asked, buffer->capacity);
    if (code == CL_MAP_FAILURE)
        return yk_opencl_fail_as(YOKE_E_OUT_OF_HOST_MEMORY, "clEnqueueMapBuffer", code, "%s asked", asked);
    return yk_opencl_fail("clEnqueueMapBuffer", code, "%s asked", asked);
}

/* The driver must have finished with the memory before it may be freed. */
void yk_opencl_unmap(yoke_buffer *buffer)
{
    yk_opencl_device *device = yk_opencl_device_of(buffer->device);

    pthread_mutex_lock(&device->mapping_lock);
    if (!memory_of(buffer) || !memory_of(buffer)->away)
        yk_opencl_note("clEnqueueUnmapMemObject", unmap_in(device->mapping, buffer));
    if (memory_of(buffer) && memory_of(buffer)->svm)
        yk_opencl_note("clFinish", yk_cl.clFinish(device->mapping));
    else
        yk_opencl_note("clFlush", yk_cl.clFlush(device->mapping));
    pthread_mutex_unlock(&device->mapping_lock);
}

/* ---- Handing over ---- */

/* The handed-over roots of an operation, without duplicates. */
typedef struct hand {
    yoke_buffer *roots[YOKE_MAX_ARGS];
    size_t count;
} hand;

static void add(void *object, void *context)
{
    hand *all = context;
    yoke_buffer *root;

    if (!yk_is_same_process(object, YK_BUFFER))
        return;
    root = ((yoke_buffer *)object)->root;
    if (!yk_opencl_is_handed_over(root))
        return;
    for (size_t i = 0; i < all->count; i++)
        if (all->roots[i] == root)
            return;
    all->roots[all->count++] = root;
}

/* Unmap the root for the device, behind the last map. */
static yoke_status unmap_root(yoke_stream *stream, const yoke_buffer *root)
{
    yk_opencl_memory *memory = memory_of(root);
    cl_command_queue queue = yk_opencl_enter(stream);
    cl_int code = memory->last ? yk_cl.clEnqueueBarrierWithWaitList(queue, 1, &memory->last, NULL) : CL_SUCCESS;
    const char *call = "clEnqueueBarrierWithWaitList";

    if (code == CL_SUCCESS && !memory->away) {
        call = memory->svm ? "clEnqueueSVMUnmap" : "clEnqueueUnmapMemObject";
        code = unmap_in(queue, root);
    }
    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : yk_opencl_fail(call, code, NULL);
}

static yoke_status map_root(yoke_stream *stream, const yoke_buffer *root)
{
    yk_opencl_memory *memory = memory_of(root);
    cl_event event = NULL;
    void *host = NULL;
    cl_int code = map_in(yk_opencl_enter(stream), root, CL_FALSE, &host, &event);

    yk_opencl_leave(stream);
    memory->away = code != CL_SUCCESS;
    if (memory->away)
        return yk_opencl_fail(memory->svm ? "clEnqueueSVMMap" : "clEnqueueMapBuffer", code,
                              "the operation was submitted, but the memory was not mapped back for the host");
    yk_opencl_release_event(memory->last);
    memory->last = event;
    if (host != root->host)
        return yk_fail(YOKE_E_DRIVER, "opencl: the driver mapped memory at %p, which was at %p before", host, root->host);
    return YOKE_OK;
}

static yoke_status mark_end(yoke_stream *stream, const yk_op *op)
{
    cl_int code;

    if (!op->end)
        return YOKE_OK;
    code = yk_cl.clEnqueueMarkerWithWaitList(yk_opencl_enter(stream), 0, NULL, yk_opencl_end_of(stream, op));
    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : yk_opencl_fail("clEnqueueMarkerWithWaitList", code, NULL);
}

/* Flushed at the end, because other streams may wait for the map. */
yoke_status yk_opencl_hand_over(yoke_stream *stream, const yk_op *op, yoke_status (*submit)(yoke_stream *stream, const yk_op *op))
{
    yk_opencl_device *device = yk_opencl_device_of(stream->device);
    yoke_status status = YOKE_OK, one;
    yk_op inner = *op;
    size_t unmapped = 0;
    hand all;

    inner.end = NULL;
    all.count = 0;
    yk_op_visit(op, add, &all);
    if (all.count == 0) /* the core did not know */
        return submit(stream, op);
    pthread_mutex_lock(&device->memory_lock);
    while (unmapped < all.count && (status = unmap_root(stream, all.roots[unmapped])) == YOKE_OK)
        unmapped++;
    if (status == YOKE_OK)
        status = submit(stream, &inner);
    for (size_t i = 0; i < unmapped; i++) {
        one = map_root(stream, all.roots[i]);
        status = status < 0 ? status : one;
    }
    if (status == YOKE_OK)
        status = mark_end(stream, op);
    yk_opencl_note("clFlush", yk_cl.clFlush(yk_opencl_enter_quietly(stream)));
    yk_opencl_leave_quietly(stream);
    pthread_mutex_unlock(&device->memory_lock);
    return status;
}
