/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: everything is checked against the device and the compiled kernel first, so that no driver sees a launch it does not
 * check. */
#include "kernel.h"
#include "enqueue.h"

YK_COLD static yoke_status zero_dim(const char *function, const char *what, yoke_dim dim)
{
    return yk_fail(YOKE_E_INVALID, "%s: %s is %u x %u x %u; each has to be at least 1", function, what, dim.x, dim.y, dim.z);
}

YK_COLD static yoke_status beyond(const char *function, const char *what, yoke_dim dim, const uint64_t max[3])
{
    return yk_fail(YOKE_E_RANGE, "%s: %s is %u x %u x %u; the device allows %llu x %llu x %llu", function, what, dim.x, dim.y,
                   dim.z, (unsigned long long)max[0], (unsigned long long)max[1], (unsigned long long)max[2]);
}

static bool exceeds(yoke_dim dim, const uint64_t max[3])
{
    return dim.x > max[0] || dim.y > max[1] || dim.z > max[2];
}

static yoke_status check_shape(const yoke_kernel *kernel, const char *function, yoke_dim grid, yoke_dim block)
{
    const yoke_device_info *device = &kernel->program->device->info;
    if (!grid.x || !grid.y || !grid.z)
        return zero_dim(function, "grid", grid);
    if (!block.x || !block.y || !block.z)
        return zero_dim(function, "block", block);
    if (exceeds(grid, device->max_grid))
        return beyond(function, "grid", grid, device->max_grid);
    if (exceeds(block, device->max_block))
        return beyond(function, "block", block, device->max_block);
    uint64_t threads = (uint64_t)block.x * block.y; /* both are within 32 bits */
    if (threads > kernel->info.max_block_threads || threads * block.z > kernel->info.max_block_threads)
        return yk_fail(YOKE_E_RANGE, "%s: block is %u x %u x %u; kernel '%s' allows at most %u threads in a block on this device",
                       function, block.x, block.y, block.z, kernel->name, (unsigned)kernel->info.max_block_threads);
    return YOKE_OK;
}

YK_COLD static yoke_status check_shared(const yoke_kernel *kernel, const char *function, size_t shared)
{
    if (shared > kernel->info.max_dynamic_shared)
        return yk_fail(YOKE_E_RANGE, "%s: shared is %zu bytes; kernel '%s' can have at most %llu on this device", function, shared,
                       kernel->name, (unsigned long long)kernel->info.max_dynamic_shared);
    if (!kernel->signature_has_shared || kernel->takes_shared == (shared > 0))
        return YOKE_OK;
    if (kernel->takes_shared)
        return yk_fail(YOKE_E_ARGUMENT, "%s: kernel '%s' takes shared memory, as its last parameter, but shared is 0", function,
                       kernel->name);
    return yk_fail(YOKE_E_ARGUMENT, "%s: shared is %zu, but kernel '%s' has no __local parameter to take it", function, shared,
                   kernel->name);
}

/* Everything but the shape, which op->u.launch has already; then off it goes. */
YK_HOT yoke_status launch(const char *function, yoke_stream *stream, yk_op *op)
{
    const yoke_kernel *kernel = op->u.launch.kernel;
    if (YK_UNLIKELY(kernel->program->device != stream->device))
        return yk_fail(YOKE_E_INVALID, "%s: kernel '%s' was built for another device (%s) than the stream's (%s)", function,
                       kernel->name, kernel->program->device->info.selector, stream->device->info.selector);
    yoke_status status;
    if (YK_UNLIKELY(op->u.launch.shared || kernel->takes_shared) &&
        (status = check_shared(kernel, function, op->u.launch.shared)) < 0)
        return status;
    if (YK_UNLIKELY(!yk_kernel_args_fit(kernel, stream, op->u.launch.args, op->u.launch.count)) &&
        (status = yk_kernel_check_args(kernel, stream, function, op->u.launch.args, op->u.launch.count)) < 0)
        return status;
    return yk_stream_enqueue(stream, op);
}

yoke_status yoke_launch_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                           size_t shared, const yoke_arg *args, size_t count)
{
    static const char function[] = "yoke_launch";
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    yk_op op = { .kind = YK_OP_LAUNCH, .where = where, .u.launch = { kernel, grid, block, shared, args, count } };
    yoke_status status = check_shape(kernel, function, grid, block);
    if (status == YOKE_OK)
        status = launch(function, stream, &op);
    return YK_UNLIKELY(status < 0) ? yk_blame(function, where, status) : status;
}

yoke_status yoke_launch_n_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, size_t n, const yoke_arg *args,
                             size_t count)
{
    static const char function[] = "yoke_launch_n";
    YK_CHECK(stream, YK_STREAM, function, "stream");
    YK_CHECK(kernel, YK_KERNEL, function, "kernel");
    if (YK_UNLIKELY(n == 0))
        return yk_blame(function, where, yk_fail(YOKE_E_INVALID, "%s: n is 0; there is nothing to launch", function));
    size_t block = kernel->automatic_block;
    size_t blocks = (n - 1) / block + 1;
    uint64_t most = kernel->program->device->info.max_grid[0];
    if (YK_UNLIKELY(blocks > most || blocks > UINT32_MAX))
        return yk_blame(function, where,
                        yk_fail(YOKE_E_RANGE, "%s: n is %zu, which takes %zu blocks of %zu threads; the device allows %llu",
                                function, n, blocks, block, (unsigned long long)most));
    yk_op op = { .kind = YK_OP_LAUNCH,
                 .where = where,
                 .u.launch = { kernel, { (uint32_t)blocks, 1, 1 }, { (uint32_t)block, 1, 1 }, 0, args, count } };
    yoke_status status = launch(function, stream, &op);
    return YK_UNLIKELY(status < 0) ? yk_blame(function, where, status) : status;
}
