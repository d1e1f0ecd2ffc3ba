/* SPDX-License-Identifier: Apache-2.0 */
/* How the six kernels are launched: see six.h. */
#include "six.h"

#include <string.h>

#include "texts.h"

enum { GRID = 120, BLOCK = 128 }; /* of the kernels whose threads walk over their input */

static uint32_t blocks(int32_t n, int32_t block)
{
    return (uint32_t)((n + block - 1) / block);
}

static void saxpy_sizes(size_t n, size_t bytes[SIX_BUFFERS])
{
    bytes[0] = bytes[1] = n * sizeof(float);
}

static yoke_status saxpy(const six_work *w)
{
    return yoke_launch(w->stream, w->kernel, YOKE_DIM(blocks(w->n, BLOCK)), YOKE_DIM(BLOCK), 0,
                       YOKE_ARGS(w->buffers[0], w->buffers[1], 0.5f, w->n));
}

static void matmul_sizes(size_t n, size_t bytes[SIX_BUFFERS])
{
    bytes[0] = bytes[1] = bytes[2] = n * n * sizeof(float);
}

static yoke_status matmul(const six_work *w)
{
    return yoke_launch(w->stream, w->kernel, YOKE_DIM(blocks(w->n, 64), blocks(w->n, 64)), YOKE_DIM(16, 16), 0,
                       YOKE_ARGS(w->buffers[0], w->buffers[1], w->buffers[2], w->n, w->n, w->n));
}

static void reduce_sizes(size_t n, size_t bytes[SIX_BUFFERS])
{
    bytes[0] = n * sizeof(float);
    bytes[1] = GRID * sizeof(float);
}

static yoke_status reduce(const six_work *w)
{
    return yoke_launch(w->stream, w->kernel, YOKE_DIM(GRID), YOKE_DIM(BLOCK), BLOCK * sizeof(float),
                       YOKE_ARGS(w->buffers[0], w->buffers[1], w->n));
}

static void histogram_sizes(size_t n, size_t bytes[SIX_BUFFERS])
{
    bytes[0] = n;
    bytes[1] = 256 * sizeof(uint32_t);
}

static yoke_status histogram(const six_work *w)
{
    return yoke_launch(w->stream, w->kernel, YOKE_DIM(GRID), YOKE_DIM(BLOCK), 0, YOKE_ARGS(w->buffers[0], w->buffers[1], w->n));
}

static void stencil_sizes(size_t n, size_t bytes[SIX_BUFFERS])
{
    bytes[0] = bytes[1] = n * n * sizeof(float);
}

static yoke_status stencil(const six_work *w)
{
    return yoke_launch(w->stream, w->kernel, YOKE_DIM(blocks(w->n, 32), blocks(w->n, 8)), YOKE_DIM(32, 8), 0,
                       YOKE_ARGS(w->buffers[0], w->buffers[1], 0.2f, w->n, w->n));
}

static void nbody_sizes(size_t n, size_t bytes[SIX_BUFFERS])
{
    bytes[0] = bytes[1] = bytes[2] = n * 4 * sizeof(float);
}

static yoke_status nbody(const six_work *w)
{
    return yoke_launch(w->stream, w->kernel, YOKE_DIM(blocks(w->n, 128)), YOKE_DIM(128), 0,
                       YOKE_ARGS(w->buffers[0], w->buffers[1], w->buffers[2], 0.01f, w->n));
}

const six_kernel six_kernels[SIX_KERNELS] = {
    { "saxpy", "saxpy", saxpy_sizes, 1, 10007, 1 << 25, saxpy },
    { "matmul_tiled", "matmul", matmul_sizes, 2, 131, 4096, matmul },
    { "reduce_sum", "reduce", reduce_sizes, 1, 50021, 1 << 26, reduce },
    { "histogram", NULL, histogram_sizes, 1, 50021, 1 << 27, histogram },
    { "stencil", NULL, stencil_sizes, 1, 131, 8192, stencil },
    { "nbody", NULL, nbody_sizes, 1, 301, 1 << 17, nbody },
};

yoke_source six_one_text(void)
{
    yoke_source source = YOKE_SOURCE_INIT;
    source.name = "six";
    source.text = six_text;
    return source;
}

yoke_status six_twin(const six_kernel *kernel, yoke_source *out_source)
{
    if (kernel->builtin)
        return yoke_source_builtin(kernel->builtin, out_source);
    *out_source = (yoke_source)YOKE_SOURCE_INIT;
    out_source->name = "twins";
    out_source->cuda = six_twins_cuda;
    out_source->opencl = six_twins_opencl;
    return YOKE_OK;
}

void six_fill(const six_kernel *kernel, int buffer, void *bytes, size_t size)
{
    uint32_t state = 12345u + (uint32_t)buffer;
    int is_bytes = strcmp(kernel->name, "histogram") == 0;
    if (is_bytes && buffer > 0) {
        memset(bytes, 0, size);
        return;
    }
    for (size_t i = 0; i < (is_bytes ? size : size / sizeof(float)); i++) {
        state = state * 1664525u + 1013904223u;
        if (is_bytes)
            ((unsigned char *)bytes)[i] = (unsigned char)(state >> 24);
        else
            ((float *)bytes)[i] = (float)(state >> 8) / 16777216.0f;
    }
}
