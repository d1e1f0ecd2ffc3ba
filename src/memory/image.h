/* SPDX-License-Identifier: Apache-2.0 */
/* Images, for the other rooms of src/. */
#ifndef YK_IMAGE_H
#define YK_IMAGE_H

#include "objects/objects.h"

/* Remember that the stream uses the image and its texels, as yk_buffer_used does for a buffer. */
static inline void yk_image_used(yoke_image *image, const yoke_stream *stream)
{
    yk_buffer_used(&image->base, stream);
    yk_buffer_used(image->base.root, stream);
}

/* Check that image and stream belong to one device. */
yoke_status yk_image_check_device(const yoke_image *image, const yoke_stream *stream, const char *function, const char *what);

#endif
