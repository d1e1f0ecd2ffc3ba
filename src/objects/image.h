/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of an image. */
#ifndef YK_OBJECTS_IMAGE_H
#define YK_OBJECTS_IMAGE_H

#include "objects/buffer.h"

/* Every format: X(name, bytes of a channel, kind). */
#define YK_FORMATS(X)         \
    X(UNORM8, 1, NORMALIZED)  \
    X(UNORM16, 2, NORMALIZED) \
    X(SNORM8, 1, NORMALIZED)  \
    X(SNORM16, 2, NORMALIZED) \
    X(UINT8, 1, INTEGER)      \
    X(UINT16, 2, INTEGER)     \
    X(UINT32, 4, INTEGER)     \
    X(INT8, 1, INTEGER)       \
    X(INT16, 2, INTEGER)      \
    X(INT32, 4, INTEGER)      \
    X(HALF, 2, FLOATING)      \
    X(FLOAT, 4, FLOATING)

typedef enum yk_format_kind { YK_FORMAT_NONE, YK_FORMAT_NORMALIZED, YK_FORMAT_INTEGER, YK_FORMAT_FLOATING } yk_format_kind;

typedef struct yk_format {
    const char *name;
    unsigned bytes; /* of a channel */
    yk_format_kind kind;
} yk_format;

static const yk_format yk_formats[] = {
#define YK_FORMAT(name, bytes, kind) [YOKE_FORMAT_##name] = { "YOKE_FORMAT_" #name, bytes, YK_FORMAT_##kind },
    YK_FORMATS(YK_FORMAT)
#undef YK_FORMAT
};

/*
 * An image is two objects of this struct: the user's, YK_IMAGE, whose native is what samples, and the texels, YK_TEXELS, which
 * are its root. Both begin like a buffer, because a launch passes them as such: backends, deferred launches and graphs need nothing
 * for images. Neither is ever YK_BUFFER, so no user can pass them where a buffer is expected.
 */
struct yoke_image {
    yoke_buffer base;
    yoke_image_desc desc; /* depth 0: two dimensions */
};

static inline yoke_image *yk_texels_of(const yoke_image *image)
{
    return (yoke_image *)image->base.root;
}

/* Bytes of a texel. */
static inline size_t yk_texel_bytes(const yoke_image_desc *desc)
{
    return (size_t)yk_formats[desc->format].bytes * (size_t)desc->channels;
}

#endif
