/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gaussian blur of a PNG file: a filter of libyoke-ops between two of Yoke's own kernels, in a stream: bytes to floats, the blur,
 * floats to bytes. blur [IN.png OUT.png [SIGMA]]; without files it blurs a generated picture into blur.png.
 *
 * A common mistake: a filter over all three axes of the array, which also blurs across the colours.
 */
#include <math.h>
#include <string.h>

#include <png.h>

#include <yoke/ops.h>

#include "example.h"

enum { MOST_RADIUS = 200 };

/* Four bytes per pixel, whatever the format of the file. */
static unsigned char *picture_read(png_image *image, const char *path)
{
    unsigned char *pixels = NULL;

    *image = (png_image){ .version = PNG_IMAGE_VERSION };
    if (png_image_begin_read_from_file(image, path)) {
        image->format = PNG_FORMAT_RGBA;
        pixels = allocate(PNG_IMAGE_SIZE(*image));
        png_image_finish_read(image, NULL, pixels, 0, NULL);
    }
    if (PNG_IMAGE_FAILED(*image)) {
        fprintf(stderr, "%s: %s\n", path, image->message);
        exit(EXIT_FAILURE);
    }
    return pixels;
}

/* Rings that become finer from the centre outwards, on colours that go round: a blur keeps the colours and takes the fine rings. */
static unsigned char *picture_make(png_image *image)
{
    *image = (png_image){ .version = PNG_IMAGE_VERSION, .width = 300, .height = 200, .format = PNG_FORMAT_RGBA };
    unsigned char *pixels = allocate(PNG_IMAGE_SIZE(*image)), *p = pixels;

    for (int y = 0; y < 200; y++)
        for (int x = 0; x < 300; x++) {
            const double right = x - 149.5, down = y - 99.5, angle = atan2(down, right);
            const double ring = 0.5 + 0.5 * cos((right * right + down * down) / 400);
            *p++ = (unsigned char)(255 * ring * (0.6 + 0.4 * cos(angle)));
            *p++ = (unsigned char)(255 * ring * (0.6 + 0.4 * cos(angle - 2.1)));
            *p++ = (unsigned char)(255 * ring * (0.6 + 0.4 * cos(angle + 2.1)));
            *p++ = 255;
        }
    return pixels;
}

/* Compares some pixels with the sum over the whole square around them: the largest difference, out of 255. */
static double check(const unsigned char *in, const unsigned char *out, int width, int height, const float *weights, int radius)
{
    double most = 0;

    for (int sample = 0; sample < 200; sample++) {
        const int x = rand() % width, y = rand() % height;
        double sum[4] = { 0, 0, 0, 0 };
        for (int dy = -radius; dy <= radius; dy++)
            for (int dx = -radius; dx <= radius; dx++) { /* edge pixels extend beyond the edge */
                const int sx = x + dx < 0 ? 0 : x + dx < width ? x + dx : width - 1;
                const int sy = y + dy < 0 ? 0 : y + dy < height ? y + dy : height - 1;
                const unsigned char *p = in + 4 * ((size_t)sy * (size_t)width + (size_t)sx);
                const double w = (double)weights[dx + radius] * weights[dy + radius] * p[3] / 255;
                for (int c = 0; c < 3; c++)
                    sum[c] += w * p[c]; /* colours are weighted by opacity */
                sum[3] += w;
            }
        const unsigned char *p = out + 4 * ((size_t)y * (size_t)width + (size_t)x);
        for (int c = 0; c < 3 && sum[3] > 0.05; c++)
            most = fmax(most, fabs(p[c] - sum[c] / sum[3]));
        most = fmax(most, fabs(p[3] - 255 * sum[3]));
    }
    return most;
}

/* One of Yoke's own kernels. The program is released at the end. */
static yoke_kernel *kernel_of(yoke_device *device, const char *source_name, const char *name, yoke_program **program)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_kernel *kernel;

    YOKE_CHECK(yoke_source_builtin(source_name, &source));
    if (!*program)
        YOKE_CHECK(yoke_program_build(device, &source, program));
    YOKE_CHECK(yoke_kernel_get(*program, name, &kernel));
    return kernel;
}

/* Replaces the picture by the blurred picture. */
static void blur(yoke_device *device, unsigned char *pixels, int width, int height, double sigma)
{
    const int n = width * height;
    const size_t count = (size_t)n;
    const int64_t shape[] = { height, width, 4 };
    yoke_filter_options options = YOKE_FILTER_OPTIONS_INIT;
    yoke_program *rgba8 = NULL;
    yoke_kernel *unpack = kernel_of(device, "rgba8", "rgba8_unpack", &rgba8);
    yoke_kernel *pack = kernel_of(device, "rgba8", "rgba8_pack", &rgba8);
    yoke_stream *stream;
    yoke_buffer *bytes;
    yoke_array a, b;

    options.boundary = YOKE_BOUNDARY_NEAREST; /* edge pixels extend beyond the edge */
    options.truncate = 3;
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_buffer_create(device, 4 * count, &bytes));
    YOKE_CHECK(yoke_array_create(device, YOKE_F32, 3, shape, &a));
    YOKE_CHECK(yoke_array_create(device, YOKE_F32, 3, shape, &b));
    YOKE_CHECK(yoke_write(stream, bytes, 0, pixels, 4 * count));
    YOKE_CHECK(yoke_launch_n(stream, unpack, count, YOKE_ARGS(bytes, a.buffer, n)));
    YOKE_CHECK(yoke_gaussian_filter(stream, &b, &a, (const double[]){ sigma, sigma }, YOKE_AXES(0, 1), &options));
    YOKE_CHECK(yoke_launch_n(stream, pack, count, YOKE_ARGS(b.buffer, bytes, n)));
    YOKE_CHECK(yoke_read(stream, pixels, bytes, 0, 4 * count));
    YOKE_CHECK(yoke_stream_wait(stream));
    yoke_buffer_release(b.buffer);
    yoke_buffer_release(a.buffer);
    yoke_buffer_release(bytes);
    yoke_stream_release(stream);
    yoke_program_release(rgba8);
}

int main(int argc, char **argv)
{
    const char *path = argc > 2 ? argv[2] : "blur.png";
    const double sigma = argc > 3 ? atof(argv[3]) : 3;
    const int radius = (int)(3 * sigma + 0.5); /* as the filter's */
    float weights[2 * MOST_RADIUS + 1];
    double sum = 0;
    png_image image;
    yoke_device *device;

    if (argc == 2 || argc > 4 || !(sigma > 0) || radius > MOST_RADIUS)
        return fprintf(stderr, "usage: blur [IN.png OUT.png [SIGMA]], with a sigma above 0 and up to %d\n", MOST_RADIUS / 3), 2;
    for (int i = -radius; i <= radius; i++)
        sum += exp(-i * i / (2 * sigma * sigma));
    for (int i = -radius; i <= radius; i++)
        weights[i + radius] = (float)(exp(-i * i / (2 * sigma * sigma)) / sum);

    unsigned char *before = argc > 2 ? picture_read(&image, argv[1]) : picture_make(&image);
    const int width = (int)image.width, height = (int)image.height;
    unsigned char *after = allocate(PNG_IMAGE_SIZE(image));
    memcpy(after, before, PNG_IMAGE_SIZE(image));
    YOKE_CHECK(yoke_device_open(NULL, &device));
    blur(device, after, width, height, sigma);
    const double error = check(before, after, width, height, weights, radius);
    printf("blur: %d x %d pixels, sigma %g, off by %.2f of 255 at most: %s\n", width, height, sigma, error,
           error < 1 ? "right" : "wrong");

    if (!png_image_write_to_file(&image, path, 0, after, 0, NULL))
        return fprintf(stderr, "%s: %s\n", path, image.message), EXIT_FAILURE;
    printf("blur: written to %s\n", path);
    yoke_device_release(device);
    free(after);
    free(before);
    return !(error < 1);
}
