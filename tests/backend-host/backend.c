/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the host backend, and the slots for features that it lacks: a pool, images, graphs, program binaries. */
#include "host.h"

const yk_backend yk_backend_host = {
    .name = "host",
#define YK_SLOT(result, name, parameters) .name = yk_host_##name,
#include "backend.def"
};

static yoke_status fail_without(const char *what)
{
    return yk_fail(YOKE_E_UNSUPPORTED, "host: the backend of the tests has no %s", what);
}

/* ---- Programs and kernels ---- */

yoke_status yk_host_program_code(const yoke_program *program, yk_code_kind *out_kind, yk_text *code)
{
    (void)program, (void)out_kind, (void)code;
    return fail_without("code of its own");
}

yoke_status yk_host_program_load(yoke_program *program, yk_code_kind kind, const void *code, size_t size, yk_text *log)
{
    (void)program, (void)kind, (void)code, (void)size, (void)log;
    return fail_without("code of its own");
}

bool yk_host_program_architecture(const char *architecture, yk_language *out_language)
{
    (void)architecture, (void)out_language;
    return false;
}

yoke_status yk_host_program_compile(yoke_program *program, const yoke_source *source, const yk_text *text, const char *architecture,
                                    yk_text *log)
{
    (void)program, (void)source, (void)text, (void)architecture, (void)log;
    return fail_without("compiler of its own");
}

yoke_status yk_host_program_global(const yoke_program *program, const char *name, yoke_buffer *buffer)
{
    (void)program, (void)name, (void)buffer;
    return fail_without("variables");
}

yoke_status yk_host_launch_cooperative(yoke_stream *stream, const yk_op *op)
{
    (void)stream, (void)op;
    return fail_without("cooperative launches");
}

yoke_status yk_host_cooperative_blocks(const yoke_kernel *kernel, uint32_t block_threads, size_t shared, uint64_t *out_most)
{
    (void)kernel, (void)block_threads, (void)shared, (void)out_most;
    return fail_without("cooperative launches");
}

/* ---- Ordered memory ---- */

yoke_status yk_host_buffer_create_ordered(yoke_buffer *buffer, yoke_stream *stream)
{
    (void)buffer, (void)stream;
    return fail_without("pool");
}

void yk_host_pool_limit(const yoke_device *device, uint64_t limit)
{
    (void)device, (void)limit;
}

yoke_status yk_host_pool_cached(const yoke_device *device, uint64_t *out_bytes)
{
    (void)device;
    *out_bytes = 0;
    return YOKE_OK;
}

bool yk_host_pool_trim(const yoke_device *device, uint64_t keep)
{
    (void)device, (void)keep;
    return false;
}

/* ---- Images ---- */

yoke_status yk_host_texels_create(yoke_image *texels)
{
    (void)texels;
    return fail_without("images");
}

void yk_host_texels_destroy(yoke_image *texels)
{
    (void)texels;
}

yoke_status yk_host_sampler_create(yoke_image *image)
{
    (void)image;
    return fail_without("images");
}

void yk_host_sampler_destroy(yoke_image *image)
{
    (void)image;
}

yoke_status yk_host_copy_to_image(yoke_stream *stream, const yk_op *op)
{
    (void)stream, (void)op;
    return fail_without("images");
}

yoke_status yk_host_copy_from_image(yoke_stream *stream, const yk_op *op)
{
    (void)stream, (void)op;
    return fail_without("images");
}

/* ---- Graphs ---- */

bool yk_host_graph_takes(const yk_op *op)
{
    (void)op;
    return false;
}

yoke_status yk_host_graph_create(yk_batch *batch)
{
    (void)batch;
    return fail_without("graphs");
}

void yk_host_graph_destroy(yk_batch *batch)
{
    (void)batch;
}

yoke_status yk_host_graph_update(yk_batch *batch, yk_step *step, const yk_op *op)
{
    (void)batch, (void)step, (void)op;
    return YOKE_E_UNSUPPORTED;
}

yoke_status yk_host_graph_launch(yoke_stream *stream, const yk_batch *batch)
{
    (void)stream, (void)batch;
    return YOKE_E_UNSUPPORTED;
}

yoke_status yk_host_capture_begin(const yoke_device *device, void **out_handle)
{
    (void)device, (void)out_handle;
    return YOKE_E_UNSUPPORTED;
}

yoke_status yk_host_capture_end(const yoke_device *device, void *handle, void **out_captured)
{
    (void)device, (void)handle, (void)out_captured;
    return YOKE_E_UNSUPPORTED;
}

void yk_host_capture_destroy(const yoke_device *device, void *captured)
{
    (void)device, (void)captured;
}
