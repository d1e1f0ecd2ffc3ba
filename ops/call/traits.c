/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What decides between algorithms: facts that the device tells, and two that nothing tells, which go by names. Nothing else in
 * libyoke-ops looks at a name: tests/static/names.sh.
 */
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "call.h"

enum { LLVMPIPE_ROUNDS = 32500 }; /* half of 65000, of 65535: rounds.c; <yoke/fft.h> has the number 65,000 */

const yops_traits *yops_traits_force;

/* Whether the compiler takes PTX between instructions, and -cl-nv-maxrregcount in OpenCL: NVIDIA's does, on either backend. PoCL's,
 * for the same devices, does not, so that a compute capability does not tell. */
static bool takes_ptx(const yoke_device_info *info)
{
    return strcmp(info->backend, "cuda") == 0 || strstr(info->platform, "NVIDIA") != NULL;
}

/* Mesa's driver for CPUs ends the loops of a thread, and says of itself that it is a GPU (22.3): rounds.c. */
static bool ends_loops(const yoke_device_info *info)
{
    return strstr(info->name, "llvmpipe") != NULL;
}

/* Blocks begin in order, and those that run go on, on each GPU that has a compute capability: no query of OpenCL tells of others.
 */
static bool blocks_progress(const yoke_device_info *info)
{
    return info->kind == YOKE_DEVICE_GPU && info->compute_capability > 0;
}

/* What every kernel that works through a tile by a block may count on. Smaller devices (VideoCore IV: 12 threads) take those of
 * CPUs, which a thread runs alone. */
enum { LEAST_THREADS = 256, LEAST_SHARED_BYTES = 32768 };

static bool is_small(const yoke_device_info *info)
{
    return info->max_block_threads < LEAST_THREADS || info->max_shared_bytes < LEAST_SHARED_BYTES;
}

static yoke_status find_traits(const yops_call *call, yops_traits *out_traits)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    yoke_status status = yoke_device_get_info(call->device, &info);
    *out_traits = (yops_traits){ .is_cpu = info.kind == YOKE_DEVICE_CPU || info.kind == YOKE_DEVICE_EMULATOR || is_small(&info),
                                 .most_rounds = ends_loops(&info) ? LLVMPIPE_ROUNDS : 0,
                                 .limits_registers = takes_ptx(&info) && strcmp(info.backend, "opencl") == 0,
                                 .blocks_progress = blocks_progress(&info),
                                 .has_tensor_cores = info.compute_capability >= 80 && takes_ptx(&info),
                                 .compute_units = info.compute_units,
                                 .max_block_threads = (uint32_t)info.max_block_threads,
                                 .max_shared_bytes = info.max_shared_bytes };
    return status;
}

/* The device keeps them: each call asks. Without memory for that, they are found again. */
static yoke_status get_kept_traits(const yops_call *call, yops_traits *out_traits)
{
    static const char key;
    void *kept = NULL;
    if (yops_traits_force) {
        *out_traits = *yops_traits_force;
        return YOKE_OK;
    }
    if (yoke_device_attach(call->device, &key, NULL, NULL, &kept) == YOKE_OK && kept) {
        *out_traits = *(const yops_traits *)kept;
        return YOKE_OK;
    }
    yoke_status status = find_traits(call, out_traits);
    yops_traits *copy = status == YOKE_OK ? malloc(sizeof *copy) : NULL;
    if (!copy)
        return status;
    *copy = *out_traits;
    if (yoke_device_attach(call->device, &key, copy, free, &kept) < 0 || kept != copy)
        free(copy);
    return YOKE_OK;
}

yoke_status yops_get_traits(const yops_call *call, yops_traits *out_traits)
{
    yoke_status status = get_kept_traits(call, out_traits);
    if (yops_rounds_forced)
        out_traits->most_rounds = yops_rounds_forced;
    return status;
}
