/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: texels in two or three dimensions that kernels read through a sampler, and write. In CUDA an image is an array with a
 * texture object and a surface object, in OpenCL an image2d_t or image3d_t with a sampler_t. <yoke/yoke.h> includes this header.
 */
#ifndef YOKE_IMAGE_H
#define YOKE_IMAGE_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Images ------------------------------------------------------------------------------------------------------------- */

/* What a channel of a texel is. A kernel reads normalized channels, halves and floats as float: tex2D<float>, read_imagef. It reads
 * integers as they are: tex2D<int>, read_imagei, read_imageui. */
typedef int32_t yoke_image_format;
enum {
    YOKE_FORMAT_UNORM8 = 1,  /* a byte, read as 0.0 to 1.0 */
    YOKE_FORMAT_UNORM16 = 2, /* 16 bits, read as 0.0 to 1.0 */
    YOKE_FORMAT_SNORM8 = 3,  /* a byte, read as -1.0 to 1.0 */
    YOKE_FORMAT_SNORM16 = 4, /* 16 bits, read as -1.0 to 1.0 */
    YOKE_FORMAT_UINT8 = 5,   /* unsigned integers */
    YOKE_FORMAT_UINT16 = 6,
    YOKE_FORMAT_UINT32 = 7,
    YOKE_FORMAT_INT8 = 8, /* signed integers */
    YOKE_FORMAT_INT16 = 9,
    YOKE_FORMAT_INT32 = 10,
    YOKE_FORMAT_HALF = 11, /* 16 bits, read as float */
    YOKE_FORMAT_FLOAT = 12
};

/* What is read outside of the image, in each dimension. */
typedef int32_t yoke_address_mode;
enum {
    YOKE_ADDRESS_CLAMP = 0,  /* the texel at the edge */
    YOKE_ADDRESS_BORDER = 1, /* 0 in the channels that the image has */
    YOKE_ADDRESS_REPEAT = 2, /* the image again; for normalized coordinates only */
    YOKE_ADDRESS_MIRROR = 3  /* the image again, mirrored; for normalized coordinates only */
};

/* What is read between texels. */
typedef int32_t yoke_filter_mode;
enum {
    YOKE_FILTER_NEAREST = 0, /* the texel that the coordinates lie in */
    YOKE_FILTER_LINEAR = 1   /* between the nearest 4 texels, in 3-D the nearest 8; not for integers */
};

/* How kernels read an image. Zeroed, it clamps and does not filter, and coordinates count texels: texel i is at i + 0.5.
 * Reserved: the words at the end. */
typedef struct yoke_sampler {
    yoke_address_mode address; /* YOKE_ADDRESS_ */
    yoke_filter_mode filter;   /* YOKE_FILTER_ */
    int32_t normalized;        /* 1: coordinates are from 0.0 to 1.0 across the image; 0: they count texels */
    uint32_t reserved[13];     /* 0 */
} yoke_sampler;

/* An image's properties. */
typedef struct yoke_image_desc {
    size_t size;                 /* YOKE_IMAGE_DESC_INIT, or 0: see <yoke/yoke.h> */
    yoke_image_format format;    /* YOKE_FORMAT_ */
    int32_t channels;            /* of a texel: 1, 2 or 4 */
    size_t width, height, depth; /* in texels; a depth of 0 is a 2-D image, any other a 3-D image */
    yoke_sampler sampler;        /* how kernels read it */
} yoke_image_desc;

#define YOKE_IMAGE_DESC_INIT                    \
    {                                           \
        sizeof(yoke_image_desc), 0, 0, 0, 0, 0, \
        {                                       \
            0, 0, 0,                            \
            {                                   \
                0                               \
            }                                   \
        }                                       \
    }

/* Allocate an image; its content is undefined. In a launch's arguments yoke_arg_image (or the image itself) is what a kernel reads
 * through the sampler, yoke_arg_surface what it writes. The memory is not cached: create images once, not for each picture.
 * YOKE_E_INVALID_ARGUMENT: a member of desc is unknown or does not fit the others: a filter for integers, REPEAT or MIRROR without
 * normalized coordinates; width or height is 0. YOKE_E_RANGE: larger than the device's images may be; the record has the limits.
 * YOKE_E_UNSUPPORTED: the device lacks YOKE_CAP_IMAGES, or this format. YOKE_E_OUT_OF_DEVICE_MEMORY. */
YOKE_API yoke_status yoke_image_create(yoke_device *device, const yoke_image_desc *desc, yoke_image **out_image);

/* The same texels, read through another sampler. The view keeps the image's memory alive. YOKE_E_INVALID_ARGUMENT: as
 * yoke_image_create. */
YOKE_API yoke_status yoke_image_create_view(yoke_image *image, const yoke_sampler *sampler, yoke_image **out_view);

/* Take another reference, which yoke_image_release releases. NULL for NULL. */
YOKE_API yoke_image *yoke_image_retain(yoke_image *image);
/* Release a reference. Memory that the device still uses is freed when the device is done; the call does not wait for that. */
YOKE_API void yoke_image_release(yoke_image *image);

/* The image's device, borrowed: it lives as long as `image`. NULL for NULL. */
YOKE_API yoke_device *yoke_image_get_device(const yoke_image *image);

/* Get the properties of an image. The caller sets out_desc->size (YOKE_IMAGE_DESC_INIT). YOKE_E_INVALID_ARGUMENT: out_desc is NULL.
 */
YOKE_API yoke_status yoke_image_get_desc(const yoke_image *image, yoke_image_desc *out_desc);

/* ---- Copies ------------------------------------------------------------------------------------------------------------- */

/* These copies have no _sync forms: images are rarely all that a program waits for, and yoke_stream_wait behind them is the same.
 */

/* A part of an image, in texels. A height or depth of 0 counts as 1. Final. */
typedef struct yoke_region {
    size_t x, y, z;              /* the first texel */
    size_t width, height, depth; /* how many */
} yoke_region;

/* Copy texels from a buffer into an image, in the stream's order: row after row, slice after slice, without gaps, from `offset` of
 * the buffer. `region`: NULL is the whole image; read during the call. YOKE_E_INVALID_ARGUMENT: the region's width is 0, image and
 * buffer do not both belong to the stream's device, the buffer is pinned, or offset is not a multiple of a channel's bytes.
 * YOKE_E_RANGE: the region ends past the image, or its texels past the end of the buffer. Or the stream's failure. */
#define yoke_copy_to_image(...) yoke_copy_to_image_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_to_image_at(const char *where, yoke_stream *stream, yoke_image *image, const yoke_region *region,
                                           yoke_buffer *buffer, size_t offset);

/* Copy texels of an image into a buffer. Else as yoke_copy_to_image. */
#define yoke_copy_from_image(...) yoke_copy_from_image_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_copy_from_image_at(const char *where, yoke_stream *stream, yoke_buffer *buffer, size_t offset,
                                             yoke_image *image, const yoke_region *region);

/* Copy texels from host memory into an image, in the stream's order. The copy passes through device memory that the stream takes
 * and releases; a graph keeps it. `size`: the region's bytes, as a check. YOKE_E_INVALID_ARGUMENT: source is NULL. YOKE_E_RANGE:
 * size is another number of bytes than the region has. Else as yoke_copy_to_image and yoke_buffer_create. */
#define yoke_write_image(...) yoke_write_image_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_write_image_at(const char *where, yoke_stream *stream, yoke_image *image, const yoke_region *region,
                                         const void *source, size_t size);

/* Copy texels of an image to host memory. Else as yoke_write_image. */
#define yoke_read_image(...) yoke_read_image_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_read_image_at(const char *where, yoke_stream *stream, void *target, yoke_image *image,
                                        const yoke_region *region, size_t size);

#ifdef __cplusplus
}
#endif

#endif
