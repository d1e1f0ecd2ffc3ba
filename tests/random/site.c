/* SPDX-License-Identifier: Apache-2.0 */
#include "site.h"

/* advance: x = 3x + value, and join: x = 5x + y, of bytes, so that neither a launch too many nor two in the wrong order go unseen.
 * append notes an entry in a log: how many, their hash, the entries. append_from marks its entry when it does not find what it
 * should, and leaves what it found in front of the log's last word. */
#define BYTES(global)                                                                                                    \
    "advance(" global "unsigned char *x, unsigned offset, unsigned count, unsigned value)\n{\n    unsigned i = INDEX;\n" \
    "    if (i < count)\n        x[offset + i] = (unsigned char)(3u * x[offset + i] + value);\n}\n"
#define BYTES_JOIN(global)                                                                                                   \
    "join(" global "unsigned char *x, " global "const unsigned char *y, unsigned offset, unsigned from, unsigned count)\n"   \
    "{\n    unsigned i = INDEX;\n    if (i < count)\n        x[offset + i] = (unsigned char)(5u * x[offset + i] + y[from + " \
    "i]);\n}\n"
#define APPEND "{ unsigned n = log[0]; log[2 + n] = entry; log[1] = log[1] * 1664525u + entry; log[0] = n + 1; }\n"
#define FROM "{ if (from[index] != entry) { log[found] = entry; log[found + 1] = from[index]; entry |= 0x80000000u; } " APPEND "}\n"
#define KERNEL_CUDA "extern \"C\" __global__ void "
#define KERNEL_OPENCL "__kernel void "

static const yoke_source source = {
    .size = sizeof(yoke_source),
    .name = "random programs",
    .cuda = "#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)\n" KERNEL_CUDA BYTES("") KERNEL_CUDA BYTES_JOIN("") KERNEL_CUDA
    "append(unsigned *log, unsigned entry)\n" APPEND KERNEL_CUDA
    "append_from(unsigned *log, const unsigned *from, unsigned index, unsigned entry, unsigned found)\n" FROM,
    .opencl = "#define INDEX get_global_id(0)\n" KERNEL_OPENCL BYTES("__global ") KERNEL_OPENCL BYTES_JOIN("__global ")
        KERNEL_OPENCL "append(__global uint *log, uint entry)\n" APPEND KERNEL_OPENCL
                      "append_from(__global uint *log, __global const uint *from, uint index, uint entry, uint found)\n" FROM,
};

/* Drivers compile a kernel when it is launched first. */
static yoke_status launch_once(site *at)
{
    yoke_buffer *buffer = NULL;
    yoke_status status = yoke_buffer_create(at->device, 64, &buffer);

    if (status == YOKE_OK)
        status = yoke_launch_n(at->side, at->advance, 1, YOKE_ARGS(buffer, (uint32_t)0, (uint32_t)1, (uint32_t)1));
    if (status == YOKE_OK)
        status = yoke_stream_wait(at->side);
    yoke_buffer_release(buffer);
    return status;
}

yoke_status site_open(site *at, const char *selector)
{
    yoke_status status = at->device ? YOKE_OK : yoke_device_open(selector, &at->device);

    at->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    if (status == YOKE_OK)
        status = yoke_device_get_info(at->device, &at->info);
    if (status == YOKE_OK)
        status = yoke_stream_create(at->device, NULL, &at->side);
    if (status == YOKE_OK)
        status = yoke_program_build(at->device, &source, &at->program);
    if (status == YOKE_OK)
        status = yoke_kernel_get(at->program, "advance", &at->advance);
    if (status == YOKE_OK)
        status = yoke_kernel_get(at->program, "join", &at->join);
    if (status == YOKE_OK)
        status = yoke_kernel_get(at->program, "append", &at->append);
    if (status == YOKE_OK)
        status = yoke_kernel_get(at->program, "append_from", &at->append_from);
    at->timed = at->info.capabilities >> YOKE_CAP_TIMING & 1;
    return status == YOKE_OK ? launch_once(at) : status;
}

void site_close(site *at)
{
    yoke_program_release(at->program);
    yoke_stream_release(at->side);
    yoke_device_release(at->device);
}

uint32_t draw_from(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    uint32_t mixed = (*state ^ *state >> 16) * 0x45d9f3bu;
    return (mixed ^ mixed >> 16) % below;
}
