/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative launches: all blocks are there at the same time and wait for each other; or the device says why it has none. */
#include "suite.h"
#include "stand.h"

#include <stdio.h>
#include <string.h>

/* Each block counts itself, waits until all have, and then notes how many there are. That ends only when all blocks run. */
static const char *const kernels_cuda =
    "extern \"C\" __global__ void meet(unsigned *count, unsigned *out, unsigned k) { extern __shared__ unsigned s[];\n"
    "  if (threadIdx.x == 0) { atomicAdd(count, 1); while (*(volatile unsigned *)count < gridDim.x) { } s[0] = *count; }\n"
    "  __syncthreads(); if (threadIdx.x == blockDim.x - 1) out[blockIdx.x] = s[0] * k; }\n";
static const char *const kernels_opencl =
    "__kernel void meet(__global uint *count, __global uint *out, uint k, __local uint *s) { out[0] = k; }\n";

enum { BLOCKS = 40, THREADS = 64 };

static void all_at_once(suite *t)
{
    uint32_t wanted[BLOCKS], zero = 0, all = BLOCKS;
    guarded count = { 0 }, out = { 0 };
    yoke_kernel *meet = suite_kernel(t, "meet");

    NEED(guarded_create(t, sizeof zero, &count) && guarded_create(t, sizeof wanted, &out));
    NEED(guarded_write(t, &count, &zero));
    if (!suite_can(t, YOKE_CAP_COOPERATIVE)) {
        CHECK_FAILS(YOKE_E_UNSUPPORTED, yoke_device_lacks(t->device, YOKE_CAP_COOPERATIVE),
                    yoke_launch_cooperative(t->stream, meet, YOKE_DIM(1), YOKE_DIM(1), 4, YOKE_ARGS(count.buffer, out.buffer, 1u)));
        CHECK_OK(yoke_stream_wait(t->stream));
        guarded_check(t, &count, &zero);
        goto out;
    }
    for (int i = 0; i < BLOCKS; i++)
        wanted[i] = BLOCKS * 3;
    NEED_OK(
        yoke_launch_cooperative(t->stream, meet, YOKE_DIM(BLOCKS), YOKE_DIM(THREADS), 4, YOKE_ARGS(count.buffer, out.buffer, 3u)));
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &out, wanted);
    guarded_check(t, &count, &all);
out:
    guarded_release(&out);
    guarded_release(&count);
}

/* With an array of the host's, shared memory as an argument, and behind a host function. */
static void held_and_with_arrays(suite *t)
{
    uint32_t out[BLOCKS] = { 0 }, wanted[BLOCKS], zero = 0;
    stand s = STAND_INIT;
    guarded count = { 0 };

    if (!suite_can(t, YOKE_CAP_COOPERATIVE)) {
        suite_skip("no cooperative launches: %s", yoke_device_lacks(t->device, YOKE_CAP_COOPERATIVE));
        return;
    }
    for (int i = 0; i < BLOCKS; i++)
        wanted[i] = BLOCKS * 5;
    NEED(guarded_create(t, sizeof zero, &count) && guarded_write(t, &count, &zero));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_launch_cooperative(t->stream, suite_kernel(t, "meet"), YOKE_DIM(BLOCKS), YOKE_DIM(THREADS), 0,
                                     YOKE_ARGS(count.buffer, yoke_out(out, sizeof out), 5u, yoke_arg_local(4))));
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(out, wanted, sizeof out);
out:
    guarded_release(&count);
}

static void refused(suite *t)
{
    const yoke_dim one = YOKE_DIM(1), none = { 0, 1, 1 };
    uint32_t zero = 0, array[4] = { 0 };
    yoke_kernel *meet = suite_kernel(t, "meet");
    yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
    guarded count = { 0 };

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "stream", yoke_launch_cooperative(NULL, meet, one, one, 4, YOKE_NO_ARGS));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "kernel", yoke_launch_cooperative(t->stream, NULL, one, one, 4, YOKE_NO_ARGS));
    if (!suite_can(t, YOKE_CAP_COOPERATIVE)) {
        suite_skip("no cooperative launches: %s", yoke_device_lacks(t->device, YOKE_CAP_COOPERATIVE));
        return;
    }
    NEED(guarded_create(t, sizeof zero, &count) && guarded_write(t, &count, &zero));
    NEED_OK(yoke_kernel_get_info(meet, &info));
    yoke_buffer *x = count.buffer;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "grid|0", yoke_launch_cooperative(t->stream, meet, none, one, 4, YOKE_ARGS(x, x, 1u)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "block|0", yoke_launch_cooperative(t->stream, meet, one, none, 4, YOKE_ARGS(x, x, 1u)));
    CHECK_FAILS(YOKE_E_RANGE, "meet|same time|1000000",
                yoke_launch_cooperative(t->stream, meet, YOKE_DIM(1000000), YOKE_DIM(64), 4, YOKE_ARGS(x, x, 1u)));
    CHECK_FAILS(YOKE_E_RANGE, "meet|same time",
                yoke_launch_cooperative(t->stream, meet, YOKE_DIM(65535, 65535, 65535), YOKE_DIM(64), 4, YOKE_ARGS(x, x, 1u)));
    CHECK_FAILS(
        YOKE_E_RANGE, "meet|same time", /* shared memory counts, also that of an argument */
        yoke_launch_cooperative(t->stream, meet, YOKE_DIM(t->info.compute_units + 1), YOKE_DIM(64), 0,
                                YOKE_ARGS(x, yoke_out(array, sizeof array), 1u, yoke_arg_local(info.max_dynamic_shared_bytes))));
    CHECK_FAILS(YOKE_E_RANGE, "shared", yoke_launch_cooperative(t->stream, meet, one, one, SIZE_MAX, YOKE_ARGS(x, x, 1u)));
    if (suite_can(t, YOKE_CAP_SIGNATURE))
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "meet|3|2", yoke_launch_cooperative(t->stream, meet, one, one, 4, YOKE_ARGS(x, x)));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &count, &zero);
    suite_works(t);
out:
    guarded_release(&count);
}

int main(void)
{
    static const suite_case cases[] = {
        { "all blocks at once, or the reason why not", all_at_once, false },
        { "held, and with arrays of the host's", held_and_with_arrays, false },
        { "refused", refused, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "cooperative test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
