/* SPDX-License-Identifier: Apache-2.0 */
#include "cases.h"

enum { SMALL = 4096, KIB_4 = 4 << 10, MIB_1 = 1 << 20, MIB_64 = 64 << 20 };

MEASURE_RUN(launch, , side->launch(self, batch->count))
MEASURE_RUN(launch_rate, , (side->launch(self, batch->count), side->wait(self, 0)))
MEASURE_RUN(launch_wait, , side->launch_wait(self, batch->count))
MEASURE_RUN(wait_idle, , side->wait(self, 0))
MEASURE_RUN(write, , side->write(self, 0, batch->host, batch->size, batch->count))
MEASURE_RUN(write_wait, , side->write_wait(self, batch->host, batch->size, batch->count))
MEASURE_RUN(read_wait, , side->read_wait(self, batch->host, batch->size, batch->count))
MEASURE_RUN(kernels, , side->kernels(self, batch->count))
MEASURE_RUN(call, , side->call(self, batch->count))
MEASURE_RUN(call_pairs, , side->call_pairs(self, batch->count))
MEASURE_RUN(alloc_free, , side->alloc_free(self, batch->way, batch->size, batch->count))
MEASURE_RUN(alloc_launch_free, , side->alloc_launch_free(self, batch->way, batch->size, batch->count))

/* `count` graphs of `size` kernels, or as many kernels in a stream. */
MEASURE_RUN(in_stream, , (side->launch(self, batch->count *(int)batch->size), side->wait(self, 0)))
MEASURE_RUN(in_graph, , (side->graph_launch(self, batch->count), side->wait(self, 0)))

/* Many at once, since the work of one may be short beside the call and the wait. */
MEASURE_RUN(copy, , {
    for (int i = 0; i < batch->count; i++)
        side->copy(self, batch->size);
    side->wait(self, 0);
})

/* clang-format off */
const measure_case measure_cases[] = {
    { MEASURE_LAUNCH, launch, 0, 0, "launch", "ns", 200, "launch", "launch, the call alone", 100 },
    { MEASURE_LAUNCH, launch_rate, 0, 0, "launch_rate", "ns", 2000, "launch_rate", "one of 1000 launches in a row", 1000 },
    { MEASURE_LAUNCH, launch_wait, 0, 0, "launch_wait", "ns", 100, "launch_wait", "launch and wait", 1 },
    { MEASURE_LAUNCH, wait_idle, 0, 0, NULL, NULL, 0, "wait", "wait for an idle stream", 1 },
    { MEASURE_LAUNCH, write, SMALL, 0, "write_4k", "ns", 100, NULL, NULL, 0 },
    { MEASURE_LAUNCH, write_wait, SMALL, 0, "write_4k_wait", "ns", 100, "write_4k_wait", "write 4 KiB and wait", 1 },
    { MEASURE_LAUNCH, read_wait, SMALL, 0, "read_4k_wait", "ns", 100, "read_4k_wait", "read 4 KiB and wait", 1 },
    { MEASURE_LAUNCH, write_wait, MEASURE_LARGE, 0, "write_256m_wait", "ms", 1, NULL, NULL, 0 },
    { MEASURE_LAUNCH, read_wait, MEASURE_LARGE, 0, "read_256m_wait", "ms", 1, NULL, NULL, 0 },

    { MEASURE_CALL, kernels, 0, 0, "kernel_kernel_wait", "us", 50, "kernels", "kernel, kernel, wait", 1 },
    { MEASURE_CALL, call, 0, 0, "kernel_function_kernel_wait", "us", 50, "call", "kernel, host function, kernel, wait", 1 },
    { MEASURE_CALL, call_pairs, 0, 0, "pair", "us", 1000, NULL, NULL, 0 },

    { MEASURE_GRAPH, in_stream, 100, 0, "stream_#_per_kernel", "ns", 0, "stream_100", "one of 100 kernels in a stream", 1 },
    { MEASURE_GRAPH, in_graph, 100, 0, "graph_#_per_kernel", "ns", 0, "graph_100", "one of 100 kernels in a graph", 1 },

    { MEASURE_ALLOC, alloc_free, KIB_4, MEASURE_PLAIN, "alloc_free_plain_4k", "us", 100,
      "alloc_4k", "4 KiB, made and released", 10 },
    { MEASURE_ALLOC, alloc_free, MIB_1, MEASURE_PLAIN, "alloc_free_plain_1m", "us", 100,
      "alloc_1m", "1 MiB, made and released", 10 },
    { MEASURE_ALLOC, alloc_launch_free, MIB_1, MEASURE_PLAIN, "alloc_launch_free_plain_1m", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, MIB_64, MEASURE_PLAIN, "alloc_free_plain_64m", "us", 100,
      "alloc_64m", "64 MiB, made and released", 10 },
    { MEASURE_ALLOC, alloc_free, KIB_4, MEASURE_PRESENT, "alloc_free_present_4k", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, MIB_1, MEASURE_PRESENT, "alloc_free_present_1m", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, MIB_64, MEASURE_PRESENT, "alloc_free_present_64m", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, KIB_4, MEASURE_ORDERED, "alloc_free_ordered_4k", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, MIB_1, MEASURE_ORDERED, "alloc_free_ordered_1m", "us", 100,
      "alloc_ordered_1m", "1 MiB, in stream order", 10 },
    { MEASURE_ALLOC, alloc_launch_free, MIB_1, MEASURE_ORDERED, "alloc_launch_free_ordered_1m", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, MIB_64, MEASURE_ORDERED, "alloc_free_ordered_64m", "us", 100, NULL, NULL, 0 },
    { MEASURE_ALLOC, alloc_free, MIB_1, MEASURE_PINNED, "alloc_free_pinned_1m", "us", 20,
      "alloc_pinned_1m", "1 MiB, pinned", 10 },

    { MEASURE_COPY, write_wait, 0, MEASURE_PINNED, "pinned_write_#", "GB/s", 0, "write_pinned", "to the device, pinned", 1 },
    { MEASURE_COPY, read_wait, 0, MEASURE_PINNED, "pinned_read_#", "GB/s", 0, "read_pinned", "from the device, pinned", 1 },
    { MEASURE_COPY, write_wait, 0, MEASURE_PLAIN, "pageable_write_#", "GB/s", 0, "write_pageable", "to the device, pageable", 1 },
    { MEASURE_COPY, read_wait, 0, MEASURE_PLAIN, "pageable_read_#", "GB/s", 0, "read_pageable", "from the device, pageable", 1 },
    { MEASURE_COPY, copy, 0, MEASURE_ORDERED, "copy_#", "GB/s", 0, "copy", "within the device", 1 },
};
/* clang-format on */

const size_t measure_case_count = sizeof measure_cases / sizeof measure_cases[0];
