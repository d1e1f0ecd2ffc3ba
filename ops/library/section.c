/* SPDX-License-Identifier: Apache-2.0 */
/* Native sections: a call of a vendor's library in its place in a stream, and the buffers that it uses. */
#include <stdlib.h>

#include <yoke/native.h>

#include "library.h"

static void release(void *user)
{
    yops_section *section = user;
    if (section->end)
        section->end(section);
    free(section);
}

/* A stream that has failed needs nothing of this. */
static yoke_status run(yoke_status status, void *native_stream, void *user)
{
    yops_section *section = user;
    return status < 0 ? YOKE_OK : section->run(section, native_stream);
}

yoke_status yops_section_create(const yops_call *call, size_t size,
                                yoke_status (*section_run)(yops_section *section, void *native_stream), yops_section **out_section)
{
    *out_section = calloc(1, size);
    if (!*out_section)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a call of a vendor's library");
    (*out_section)->run = section_run;
    (*out_section)->function = call->function;
    return YOKE_OK;
}

yoke_status yops_section_enqueue(const yops_call *call, yops_section *section, yoke_buffer *const *buffers, size_t count)
{
    yoke_status status =
        yoke_native_enqueue_with_buffers_at(call->where, call->stream, run, section, release, buffers, count, section->handles);
    if (status < 0)
        release(section);
    return status;
}
