/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL backend's table. OpenCL drivers keep buffers, programs and kernels alive while commands use them, and queues while
 * they have commands, so everything may be released at any time.
 */
#include "driver.h"

const yk_backend yk_backend_opencl = {
    .name = "opencl",
    .keeps_used_objects = true,
    .records_with_operations = true,
    .device_list = yk_opencl_device_list,
    .device_open = yk_opencl_device_open,
    .device_close = yk_opencl_device_close,
    .device_lacks = yk_opencl_device_lacks,
    .stream_create = yk_opencl_stream_create,
    .stream_destroy = yk_opencl_stream_destroy,
    .stream_renew = yk_opencl_stream_renew,
    .stream_finish = yk_opencl_stream_finish,
    .stream_native_enter = yk_opencl_stream_native_enter,
    .stream_native_leave = yk_opencl_stream_native_leave,
    .stream_wait_event = yk_opencl_stream_wait_event,
    .event_create = yk_opencl_event_create,
    .event_destroy = yk_opencl_event_destroy,
    .event_record = yk_opencl_event_record,
    .event_reset = yk_opencl_event_reset,
    .event_query = yk_opencl_event_query,
    .event_notify = yk_opencl_event_notify,
    .event_elapsed = yk_opencl_event_elapsed,
    .buffer_create = yk_opencl_buffer_create,
    .buffer_destroy = yk_opencl_buffer_destroy,
    .view_create = yk_opencl_view_create,
    .view_destroy = yk_opencl_view_destroy,
    .write = yk_opencl_write,
    .read = yk_opencl_read,
    .copy = yk_opencl_copy,
    .fill = yk_opencl_fill,
    .launch = yk_opencl_launch,
    .program_build = yk_opencl_program_build,
    .program_destroy = yk_opencl_program_destroy,
    .program_kernel_names = yk_opencl_program_kernel_names,
    .kernel_create = yk_opencl_kernel_create,
    .kernel_destroy = yk_opencl_kernel_destroy,
};
