/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches with arguments that no driver accepts directly. Images become the driver's objects. Host arrays become memory in the
 * stream's order, which is written before the launch, read after it, and released; all of this is enqueued here as separate
 * operations, so deferral, order and errors are as if the caller had enqueued them.
 */
#include "launch/arguments.h"
#include "copy/copy.h"
#include "memory/image.h"
#include "stream/depth.h"

/* The array of an argument, while the launch is enqueued. */
typedef struct array {
    const yoke_arg *arg;
    yoke_buffer *buffer;
} array;

typedef struct arrays {
    size_t count;
    array list[YOKE_MAX_ARGS];
} arrays;

static yoke_status copy(const char *function, const char *where, yoke_stream *stream, yk_op_kind kind, const array *of)
{
    yk_op op;
    op.kind = kind;
    op.where = where;
    op.end = NULL;
    op.u.transfer.buffer = of->buffer;
    op.u.transfer.offset = 0;
    op.u.transfer.size = (size_t)yk_arg_host_size(of->arg);
    op.u.transfer.host = of->arg->value.host;
    op.u.transfer.host_buffer = NULL;
    op.u.transfer.sync = false;
    return yk_enqueue_transfer(function, stream, kind, &op);
}

/* Copy the arrays that `kind` is for: writes skip output arrays, reads skip input arrays. */
static yoke_status copy_all(const char *function, const char *where, yoke_stream *stream, yk_op_kind kind, const arrays *all)
{
    uint32_t other = kind == YK_OP_WRITE ? YOKE_ARG_OUT : YOKE_ARG_IN;
    yoke_status status = YOKE_OK;
    for (size_t i = 0; i < all->count && status == YOKE_OK; i++)
        if (yk_arg_kind(all->list[i].arg) != other)
            status = copy(function, where, stream, kind, &all->list[i]);
    return status;
}

/* What a launch passes for an image: as objects/image.h says, objects that begin like a buffer. */
static yoke_arg passed_for(yoke_image *image, bool sampler)
{
    return yoke_arg_buffer(sampler ? &image->base : image->base.root);
}

/* Append the samplers whose parameters come next, for a driver that takes them apart: each is that of the last image, or of the
 * first where no image came before it. `passed`: how many arguments have been replaced. */
static void add_samplers(const yk_op *op, yoke_arg *target, yk_op *inner, size_t passed)
{
    const yoke_arg *args = op->u.launch.args;
    const yoke_kernel *kernel = op->u.launch.kernel;
    yoke_image *image = NULL;
    for (size_t i = 0; i < op->u.launch.count && (i < passed || !image); i++)
        if (yk_arg_is_image(&args[i]))
            image = args[i].value.image;
    size_t all = (size_t)kernel->param_count + (size_t)kernel->sampler_count;
    while (inner->u.launch.count < all && kernel->params[inner->u.launch.count].kind == YK_PARAM_SAMPLER && image)
        target[inner->u.launch.count++] = passed_for(image, true);
}

/* Append the argument as drivers take it: an array becomes a buffer, and CUDA has no parameter for shared memory. */
static yoke_status replace(const char *function, yoke_stream *stream, yk_op *op, const yoke_arg *arg, yoke_arg *target, arrays *all)
{
    bool local_parameters = stream->device->traits.local_parameters;
    yoke_buffer *buffer = NULL;
    yoke_status status = YOKE_OK;
    if (yk_arg_is_array(arg)) {
        status = yk_buffer_create_ordered(function, stream, (size_t)yk_arg_host_size(arg), &buffer);
        if (status < 0)
            return status;
        yk_buffer_used(buffer, stream);
        all->list[all->count++] = (array){ arg, buffer };
        target[op->u.launch.count++] = yoke_arg_buffer(buffer);
    } else if (yk_arg_is_image(arg)) {
        bool sampler = arg->kind == YOKE_ARG_IMAGE && !stream->device->traits.sampler_parameters;
        yk_image_used(arg->value.image, stream);
        target[op->u.launch.count++] = passed_for(arg->value.image, sampler);
    } else if (arg->kind == YOKE_ARG_NULL) {
        target[op->u.launch.count++] = yoke_arg_u64(0);
    } else if (arg->kind == YOKE_ARG_LOCAL && !local_parameters) {
        op->u.launch.shared += (size_t)arg->value.u64;
        op->u.launch.shared_arg_bytes += (size_t)arg->value.u64;
    } else {
        target[op->u.launch.count++] = *arg;
    }
    return status;
}

yoke_status yk_launch_special(const char *function, yoke_stream *stream, const yk_op *op)
{
    yoke_arg args[YOKE_MAX_ARGS + 1];
    arrays all;
    bool samplers = op->u.launch.kernel->sampler_count > 0;
    yk_op inner = *op;
    yoke_status status = YOKE_OK;
    inner.u.launch.args = args;
    inner.u.launch.count = 0;
    all.count = 0;
    status = yk_depth_admit(stream, false);
    if (status != YOKE_OK)
        return status;
    for (size_t i = 0; i < op->u.launch.count && status == YOKE_OK; i++) {
        if (samplers)
            add_samplers(op, args, &inner, i);
        status = replace(function, stream, &inner, &op->u.launch.args[i], args, &all);
    }
    if (samplers)
        add_samplers(op, args, &inner, op->u.launch.count);
    if (status == YOKE_OK)
        status = copy_all(function, op->where, stream, YK_OP_WRITE, &all);
    if (status == YOKE_OK)
        status = yk_stream_enqueue(stream, inner.kind, &inner);
    if (status == YOKE_OK)
        status = copy_all(function, op->where, stream, YK_OP_READ, &all);
    for (size_t i = 0; i < all.count; i++)
        yoke_buffer_release(all.list[i].buffer); /* the stream keeps the buffer until its last use is complete */
    yk_depth_leave(stream);
    return status;
}
