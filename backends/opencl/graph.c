/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs. Without command buffers the core gives the operations one by one, and none of this is called. */
#include "driver.h"

bool yk_opencl_graph_takes(const yk_op *op)
{
    (void)op;
    return false;
}

yoke_status yk_opencl_graph_create(yk_segment *segment)
{
    return yk_fail(YOKE_E_UNSUPPORTED, "opencl: %s has no command buffers", segment->device->info.selector);
}

void yk_opencl_graph_destroy(yk_segment *segment)
{
    (void)segment;
}

yoke_status yk_opencl_graph_change(yk_segment *segment, yk_step *step, const yk_op *op)
{
    (void)step;
    (void)op;
    return yk_opencl_graph_create(segment);
}

yoke_status yk_opencl_graph_launch(yoke_stream *stream, const yk_segment *segment)
{
    (void)stream;
    return yk_opencl_graph_create((yk_segment *)(uintptr_t)segment);
}
