/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cl_khr_command_buffer, revisions 0.9.0 to 0.9.4, declared here because headers have another revision or none: 0.9.5 added a
 * parameter to copies and fills. The functions belong to a platform, so each device has its own table.
 */
#ifndef YK_OPENCL_COMMAND_BUFFER_H
#define YK_OPENCL_COMMAND_BUFFER_H

#include <CL/cl.h>

/* Versions are major << 22 | minor << 12 | patch. */
#define YK_CL_COMMAND_BUFFER_FIRST ((cl_uint)9 << 12)
#define YK_CL_COMMAND_BUFFER_LAST ((cl_uint)9 << 12 | 4)

#define YK_CL_DEVICE_COMMAND_BUFFER_CAPABILITIES 0x12A9
#define YK_CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES 0x12AA
#define YK_CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE 0x4
#define YK_CL_COMMAND_BUFFER_FLAGS 0x1293
#define YK_CL_COMMAND_BUFFER_SIMULTANEOUS_USE 0x1

#define YK_CL_INVALID_COMMAND_BUFFER (-1138)
#define YK_CL_INVALID_SYNC_POINT_WAIT_LIST (-1139)
#define YK_CL_INCOMPATIBLE_COMMAND_QUEUE (-1140)

typedef struct yk_cl_command_buffer_type *yk_cl_command_buffer;
typedef cl_uint yk_cl_sync_point;
typedef cl_ulong yk_cl_properties;

/* The last parameters of every command: its dependencies as sync points, its own sync point, and a handle for an extension that
 * Yoke does not use. */
#define YK_CL_COMMAND_END cl_uint after_count, const yk_cl_sync_point *after, yk_cl_sync_point *point, void **handle

/* A command's `queue` is always NULL: the queue that the command buffer was created with. */
typedef struct yk_cl_command_buffer_table {
    yk_cl_command_buffer(CL_API_CALL *clCreateCommandBufferKHR)(cl_uint count, const cl_command_queue *queues,
                                                                const yk_cl_properties *properties, cl_int *code);
    cl_int(CL_API_CALL *clFinalizeCommandBufferKHR)(yk_cl_command_buffer buffer);
    cl_int(CL_API_CALL *clReleaseCommandBufferKHR)(yk_cl_command_buffer buffer);
    cl_int(CL_API_CALL *clEnqueueCommandBufferKHR)(cl_uint count, cl_command_queue *queues, yk_cl_command_buffer buffer,
                                                   cl_uint after_count, const cl_event *after, cl_event *event);
    cl_int(CL_API_CALL *clCommandNDRangeKernelKHR)(yk_cl_command_buffer buffer, cl_command_queue queue,
                                                   const yk_cl_properties *properties, cl_kernel kernel, cl_uint dimensions,
                                                   const size_t *offset, const size_t *global, const size_t *local,
                                                   YK_CL_COMMAND_END);
    cl_int(CL_API_CALL *clCommandCopyBufferKHR)(yk_cl_command_buffer buffer, cl_command_queue queue, cl_mem source, cl_mem target,
                                                size_t from, size_t to, size_t size, YK_CL_COMMAND_END);
    cl_int(CL_API_CALL *clCommandCopyBufferRectKHR)(yk_cl_command_buffer buffer, cl_command_queue queue, cl_mem source,
                                                    cl_mem target, const size_t *from, const size_t *to, const size_t *region,
                                                    size_t source_row, size_t source_slice, size_t target_row, size_t target_slice,
                                                    YK_CL_COMMAND_END);
    cl_int(CL_API_CALL *clCommandFillBufferKHR)(yk_cl_command_buffer buffer, cl_command_queue queue, cl_mem target,
                                                const void *pattern, size_t pattern_size, size_t offset, size_t size,
                                                YK_CL_COMMAND_END);
} yk_cl_command_buffer_table;

#endif
