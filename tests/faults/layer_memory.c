/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of the layer that are about mapped memory: it counts the unmappings that nobody has waited for. */
#include "layer_program.h"

#include <stdatomic.h>

static const cl_icd_dispatch *next; /* the driver, or another layer */
static atomic_uint unmappings;

static cl_int CL_API_CALL unmap(cl_command_queue queue, cl_mem memory, void *host, cl_uint count, const cl_event *list,
                                cl_event *event)
{
    cl_int code = next->clEnqueueUnmapMemObject(queue, memory, host, count, list, event);
    if (code == CL_SUCCESS)
        atomic_fetch_add(&unmappings, 1);
    return code;
}

/* The test has one queue at a time in which something is unmapped. */
static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    cl_int code = next->clFinish(queue);
    if (code == CL_SUCCESS)
        atomic_store(&unmappings, 0);
    return code;
}

unsigned layer_unmappings(void)
{
    return atomic_load(&unmappings);
}

void layer_take_memory_calls(const cl_icd_dispatch *target, cl_icd_dispatch *table)
{
    next = target;
    table->clEnqueueUnmapMemObject = unmap;
    table->clFinish = finish;
}
