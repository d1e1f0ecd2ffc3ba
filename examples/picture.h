/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures with 8 bits for each of red, green and blue, as PNG files. Without HAVE_PNG (and -lpng) nothing is written, and
 * nothing can be read.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>
#include <stdlib.h>

#ifdef HAVE_PNG
#include <png.h>

static inline void picture_write(const char *path, const unsigned char *pixels, int width, int height)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)width, .height = (png_uint_32)height, .format = PNG_FORMAT_RGB
    };

    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        exit(EXIT_FAILURE);
    }
    printf("%s: %d x %d pixels\n", path, width, height);
}

/* The pixels, which the caller frees. */
static inline unsigned char *picture_read(const char *path, int *width, int *height)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    unsigned char *pixels = NULL;

    if (png_image_begin_read_from_file(&image, path)) {
        image.format = PNG_FORMAT_RGB;
        pixels = malloc(PNG_IMAGE_SIZE(image));
        if (pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
            *width = (int)image.width;
            *height = (int)image.height;
            return pixels;
        }
    }
    fprintf(stderr, "%s: %s\n", path, *image.message ? image.message : "too large");
    exit(EXIT_FAILURE);
}
#else
static inline void picture_write(const char *path, const unsigned char *pixels, int width, int height)
{
    (void)pixels;
    printf("%s: %d x %d pixels, not written: built without libpng\n", path, width, height);
}

static inline unsigned char *picture_read(const char *path, int *width, int *height)
{
    *width = *height = 0;
    fprintf(stderr, "%s: cannot be read: built without libpng\n", path);
    exit(EXIT_FAILURE);
}
#endif

/* 0 to 1 as a byte, clamped. */
static inline unsigned char picture_byte(float value)
{
    return (unsigned char)(value <= 0 ? 0 : value >= 1 ? 255 : value * 255 + 0.5f);
}

#endif
