/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA backend as the core sees it. What each slot promises is in src/backend.h; each is a function of the same name here. */
#include "driver.h"

const yk_backend yk_backend_cuda = {
    .name = "cuda",
    .keeps_used_objects = false, /* cuMemFree does not promise to wait for work in flight, nor does unloading a module */
    .device_list = yk_cuda_device_list,
    .device_open = yk_cuda_device_open,
    .device_close = yk_cuda_device_close,
    .device_lacks = yk_cuda_device_lacks,
    .stream_create = yk_cuda_stream_create,
    .stream_destroy = yk_cuda_stream_destroy,
    .stream_wait_event = yk_cuda_stream_wait_event,
    .event_create = yk_cuda_event_create,
    .event_destroy = yk_cuda_event_destroy,
    .event_record = yk_cuda_event_record,
    .event_reset = yk_cuda_event_reset,
    .event_query = yk_cuda_event_query,
    .event_notify = yk_cuda_event_notify,
    .event_elapsed = yk_cuda_event_elapsed,
    .buffer_create = yk_cuda_buffer_create,
    .buffer_destroy = yk_cuda_buffer_destroy,
    .view_create = yk_cuda_view_create,
    .view_destroy = yk_cuda_view_destroy,
    .write = yk_cuda_write,
    .read = yk_cuda_read,
    .copy = yk_cuda_copy,
    .fill = yk_cuda_fill,
    .launch = yk_cuda_launch,
    .program_build = yk_cuda_program_build,
    .program_destroy = yk_cuda_program_destroy,
    .program_kernel_names = yk_cuda_program_kernel_names,
    .kernel_create = yk_cuda_kernel_create,
    .kernel_destroy = yk_cuda_kernel_destroy,
};
