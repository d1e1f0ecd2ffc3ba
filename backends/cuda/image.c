/* SPDX-License-Identifier: Apache-2.0 */
/* Images: an array with a surface object, and texture objects over it. */
#include "driver.h"

static yoke_status lacks(void)
{
    return yk_fail(YOKE_E_UNSUPPORTED, "cuda: no images yet");
}

yoke_status yk_cuda_texels_create(yoke_image *texels)
{
    (void)texels;
    return lacks();
}

void yk_cuda_texels_destroy(yoke_image *texels)
{
    (void)texels;
}

yoke_status yk_cuda_sampler_create(yoke_image *image)
{
    (void)image;
    return lacks();
}

void yk_cuda_sampler_destroy(yoke_image *image)
{
    (void)image;
}

yoke_status yk_cuda_copy_to_image(yoke_stream *stream, const yk_op *op)
{
    (void)stream, (void)op;
    return lacks();
}

yoke_status yk_cuda_copy_from_image(yoke_stream *stream, const yk_op *op)
{
    (void)stream, (void)op;
    return lacks();
}
