/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches. Everything is checked against the device and the compiled kernel first, since drivers do not check every launch.
 */
#include "launch/arguments.h"
#include "stream/enqueue.h"

YK_COLD static yoke_status zero_dim(const char *function, const char *what, yoke_dim dim)
{
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s is %u x %u x %u; each dimension must be at least 1", function, what, dim.x,
                   dim.y, dim.z);
}

YK_COLD static yoke_status beyond(const char *function, const char *what, yoke_dim dim, const uint64_t max[3])
{
    return yk_fail(YOKE_E_RANGE, "%s: %s is %u x %u x %u; the device allows %llu x %llu x %llu", function, what, dim.x, dim.y,
                   dim.z, (unsigned long long)max[0], (unsigned long long)max[1], (unsigned long long)max[2]);
}

/* Whether the value is from 1 to `max`. */
YK_HOT bool is_within(uint32_t value, uint64_t max)
{
    return (uint64_t)value - 1 < max;
}

/* The first two dimensions as one number, x in its low half, as callers have passed them. */
YK_HOT uint64_t plane_of(const yoke_dim *dim)
{
    uint64_t plane;
    memcpy(&plane, dim, sizeof plane);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    plane = plane << 32 | plane >> 32;
#endif
    return plane;
}

/* Whether the shape has one dimension, of 1 to `most`. */
YK_HOT bool is_line(const yoke_dim *dim, uint32_t most)
{
    const uint64_t least = (uint64_t)1 << 32 | 1;
    return dim->z == 1 && plane_of(dim) - least < most;
}

YK_HOT bool shape_fits(const yoke_kernel *kernel, const yoke_dim *grid_at, const yoke_dim *block_at)
{
    if (is_line(grid_at, kernel->line_blocks) && is_line(block_at, kernel->line_threads)) /* as in most launches */
        return true;
    const yoke_device_info *device = &kernel->program->device->info;
    yoke_dim grid = *grid_at, block = *block_at;
    return is_within(grid.x, device->max_grid[0]) && is_within(grid.y, device->max_grid[1]) &&
           is_within(grid.z, device->max_grid[2]) && is_within(block.x, device->max_block[0]) &&
           is_within(block.y, device->max_block[1]) && is_within(block.z, device->max_block[2]) &&
           (uint64_t)block.x * block.y <= kernel->info.max_block_threads &&
           (uint64_t)block.x * block.y * block.z <= kernel->info.max_block_threads;
}

/* Report which dimension does not fit. */
YK_COLD static yoke_status shape_fault(const yoke_kernel *kernel, const char *function, yoke_dim grid, yoke_dim block)
{
    const yoke_device_info *device = &kernel->program->device->info;
    if (!grid.x || !grid.y || !grid.z)
        return zero_dim(function, "grid", grid);
    if (!block.x || !block.y || !block.z)
        return zero_dim(function, "block", block);
    if (grid.x > device->max_grid[0] || grid.y > device->max_grid[1] || grid.z > device->max_grid[2])
        return beyond(function, "grid", grid, device->max_grid);
    if (block.x > device->max_block[0] || block.y > device->max_block[1] || block.z > device->max_block[2])
        return beyond(function, "block", block, device->max_block);
    return yk_fail(YOKE_E_RANGE, "%s: block is %u x %u x %u; kernel '%s' allows at most %u threads in a block on this device",
                   function, block.x, block.y, block.z, kernel->name, (unsigned)kernel->info.max_block_threads);
}

/* Where the source requires a block size, the block must have that size. */
YK_COLD static yoke_status check_required_block(const char *function, const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    const uint32_t *required = kernel->info.required_block;
    yoke_dim block = op->u.launch.block;
    if (!required[0] || (block.x == required[0] && block.y == required[1] && block.z == required[2]))
        return YOKE_OK;
    return yk_fail(YOKE_E_RANGE,
                   "%s: block is %u x %u x %u; the source of kernel '%s' requires %u x %u x %u, as the block of yoke_launch",
                   function, block.x, block.y, block.z, kernel->name, required[0], required[1], required[2]);
}

/* All blocks of a cooperative launch have to be on the device at the same time. */
YK_COLD static yoke_status check_blocks(const char *function, const yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    yoke_dim grid = op->u.launch.grid, block = op->u.launch.block;
    uint32_t threads = block.x * block.y * block.z; /* cannot overflow: the block is checked */
    uint64_t plane = (uint64_t)grid.x * grid.y, most = 0;
    yoke_status status = kernel->program->device->backend->cooperative_blocks(kernel, threads, yk_arguments_local_bytes(op), &most);
    if (status < 0 || (plane <= most && plane * grid.z <= most))
        return status;
    return yk_fail(
        YOKE_E_RANGE,
        "%s: grid is %u x %u x %u; of kernel '%s' in blocks of %u threads, %llu blocks fit on the device at the same time",
        function, grid.x, grid.y, grid.z, kernel->name, threads, (unsigned long long)most);
}

static yoke_status launch_in_language(const char *function, yoke_stream *stream, const yk_op *op);

/* For launches with shared memory, with a required block size, or with arguments that fail the fast check. Enqueues a launch that
 * takes several operations. */
__attribute__((noinline)) static yoke_status check_slow(const char *function, yoke_stream *stream, yk_op *op, bool *out_enqueued)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    bool special = false;
    yoke_status status = check_required_block(function, op);
    if (status == YOKE_OK)
        status = yk_arguments_check_local(function, op);
    if (status < 0 || (op->u.launch.count <= YOKE_MAX_ARGS &&
                       yk_arguments_fit(kernel, stream, op->u.launch.args, op->u.launch.count, kernel->param_count)))
        return status;
    if (yk_arguments_are_mixed(op)) {
        *out_enqueued = true;
        return launch_in_language(function, stream, op);
    }
    status = yk_arguments_check(function, stream, op, &special);
    op->u.launch.touches_host = true; /* which is not known here, so assume it */
    if (status < 0 || !special)
        return status;
    if (op->kind == YK_OP_LAUNCH_COOPERATIVE)
        status = check_blocks(function, op);
    if (status == YOKE_OK)
        status = yk_launch_special(function, stream, op);
    *out_enqueued = true;
    return status;
}

/* Member by member, since an initializer would clear the whole union. */
YK_HOT void fill_in(yk_op *op, yk_op_kind kind, const char *where, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                    size_t shared, const yoke_arg *args, size_t count)
{
    op->kind = kind;
    op->where = where;
    op->end = NULL;
    op->u.launch.kernel = kernel;
    op->u.launch.grid = grid;
    op->u.launch.block = block;
    op->u.launch.shared = shared;
    op->u.launch.shared_arg_bytes = 0;
    op->u.launch.args = args;
    op->u.launch.count = count;
    op->u.launch.touches_host = false;
}

/* Check everything but the shape, which is checked, and enqueue the launch. `kind` is op->kind. */
YK_HOT yoke_status launch(const char *function, yoke_stream *stream, yk_op_kind kind, yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    if (YK_UNLIKELY(kernel->program->device != stream->device))
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "%s: kernel '%s' was built for another device (%s) than the stream's (%s); both must come from one "
                       "yoke_device_open",
                       function, kernel->name, kernel->program->device->info.selector, stream->device->info.selector);
    yoke_status status;
    if (YK_UNLIKELY(op->u.launch.shared) ||
        YK_UNLIKELY(!yk_arguments_fit(kernel, stream, op->u.launch.args, op->u.launch.count, kernel->fast_count))) {
        bool enqueued = false;
        status = check_slow(function, stream, op, &enqueued);
        if (status != YOKE_OK || enqueued)
            return status;
    }
    if (kind == YK_OP_LAUNCH_COOPERATIVE && (status = check_blocks(function, op)) < 0)
        return status;
    return yk_stream_enqueue(stream, kind, op);
}

/* Launch without the arguments that are for another language. */
YK_COLD static yoke_status launch_in_language(const char *function, yoke_stream *stream, const yk_op *op)
{
    yoke_arg args[YOKE_MAX_ARGS];
    yk_op inner = *op;
    inner.u.launch.args = args;
    inner.u.launch.count = yk_arguments_in_language(stream->device->traits.language, op, args);
    return launch(function, stream, op->kind, &inner);
}

yoke_status yoke_launch_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                           size_t shared, const yoke_arg *args, size_t count)
{
    YK_FUNCTION(yoke_launch);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (YK_UNLIKELY(!yk_is_same_process(kernel, YK_KERNEL)))
        return yk_object_fault(kernel, YK_KERNEL, function, "kernel");
    yoke_status status;
    if (YK_UNLIKELY(!shape_fits(kernel, &grid, &block))) {
        status = shape_fault(kernel, function, grid, block);
    } else {
        yk_op op;
        fill_in(&op, YK_OP_LAUNCH, where, kernel, grid, block, shared, args, count);
        status = launch(function, stream, YK_OP_LAUNCH, &op);
    }
    return YK_UNLIKELY(status < 0) ? yk_attribute(function, where, status) : status;
}

yoke_status yoke_launch_n_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, size_t n, const yoke_arg *args,
                             size_t count)
{
    YK_FUNCTION(yoke_launch_n);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    if (YK_UNLIKELY(n == 0))
        return yk_attribute(function, where, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: n is 0; there is nothing to launch", function));
    size_t block = kernel->info.automatic_block;
    size_t blocks = (n - 1) / block + 1;
    uint64_t most = kernel->program->device->info.max_grid[0];
    if (YK_UNLIKELY(blocks > most || blocks > UINT32_MAX))
        return yk_attribute(function, where,
                            yk_fail(YOKE_E_RANGE, "%s: n is %zu, which takes %zu blocks of %zu threads; the device allows %llu",
                                    function, n, blocks, block, (unsigned long long)most));
    yk_op op;
    fill_in(&op, YK_OP_LAUNCH, where, kernel, yoke_dim_make((uint32_t)blocks, 1, 1), yoke_dim_make((uint32_t)block, 1, 1), 0, args,
            count);
    yoke_status status = launch(function, stream, YK_OP_LAUNCH, &op);
    return YK_UNLIKELY(status < 0) ? yk_attribute(function, where, status) : status;
}

yoke_status yoke_launch_cooperative_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                                       size_t shared, const yoke_arg *args, size_t count)
{
    YK_FUNCTION(yoke_launch_cooperative);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    const char *reason = yoke_device_lacks(stream->device, YOKE_CAP_COOPERATIVE);
    yoke_status status;
    if (reason) {
        status = yk_fail(YOKE_E_UNSUPPORTED, "%s: %s does not support cooperative launches: %s", function,
                         stream->device->info.selector, reason);
    } else if (!shape_fits(kernel, &grid, &block)) {
        status = shape_fault(kernel, function, grid, block);
    } else {
        yk_op op;
        fill_in(&op, YK_OP_LAUNCH_COOPERATIVE, where, kernel, grid, block, shared, args, count);
        status = launch(function, stream, YK_OP_LAUNCH_COOPERATIVE, &op);
    }
    return status < 0 ? yk_attribute(function, where, status) : status;
}
