/* SPDX-License-Identifier: Apache-2.0 */
/* Native sections: a call of a vendor's library in its place in a stream, and the buffers that it uses. */
#include <stdlib.h>

#include <yoke/native.h>

#include "vendor.h"

void yops_section_free(yops_section *section)
{
    if (section && section->end)
        section->end(section);
    for (size_t i = 0; section && i < YOPS_COUNT_OF(section->buffers); i++)
        yoke_buffer_release(section->buffers[i]);
    free(section);
}

static void release(void *user)
{
    yops_section_free(user);
}

/* A stream that has failed needs nothing of this. */
static yoke_status run(yoke_status status, void *native_stream, void *user)
{
    yops_section *section = user;
    return status < 0 ? YOKE_OK : section->run(section, native_stream);
}

yoke_status yops_section_create(const yops_call *call, size_t size, yoke_buffer *const *buffers, size_t count,
                                yoke_status (*section_run)(yops_section *section, void *native_stream), yops_section **out_section)
{
    yops_section *section = calloc(1, size);
    yoke_status status = YOKE_OK;
    *out_section = NULL;
    if (!section)
        return yops_fail(call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for a call of a vendor's library");
    section->run = section_run;
    section->function = call->function;
    for (size_t i = 0; i < count && status == YOKE_OK; i++) {
        yoke_buffer *root = yoke_buffer_get_root(buffers[i], NULL);
        section->buffers[i] = yoke_buffer_retain(root);
        if (root)
            status = yoke_buffer_get_native(root, &section->handles[i]);
    }
    if (status < 0)
        yops_section_free(section);
    else
        *out_section = section;
    return status;
}

yoke_status yops_section_enqueue(const yops_call *call, yops_section *section)
{
    yoke_status status = yoke_native_enqueue_at(call->where, call->stream, run, section, release);
    if (status < 0)
        yops_section_free(section);
    return status;
}
