/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: what kernels read through samplers is what the pages promise, in each format, at the edges, between texels and in three
 * dimensions; what they write is there. Copies are in image_copy.c, bad input in image_misuse.c.
 */
#include "image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Formats ---- */

typedef struct format {
    const char *name;
    int32_t format;
    size_t bytes;
    char read; /* 'f', 'i' or 'u' */
} format;

#define FORMAT(name, bytes, read)              \
    {                                          \
#name, YOKE_FORMAT_##name, bytes, read \
    }
static const format formats[] = { FORMAT(UNORM8, 1, 'f'), FORMAT(UNORM16, 2, 'f'), FORMAT(SNORM8, 1, 'f'), FORMAT(SNORM16, 2, 'f'),
                                  FORMAT(UINT8, 1, 'u'),  FORMAT(UINT16, 2, 'u'),  FORMAT(UINT32, 4, 'u'), FORMAT(INT8, 1, 'i'),
                                  FORMAT(INT16, 2, 'i'),  FORMAT(INT32, 4, 'i'),   FORMAT(HALF, 2, 'f'),   FORMAT(FLOAT, 4, 'f') };
enum { FORMATS = sizeof formats / sizeof formats[0], WIDTH = 13, HEIGHT = 7, TEXELS = WIDTH * HEIGHT };

/* What a kernel reads of a channel, as a number. */
static double value_of(const format *f, const void *bytes)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    float real;
    memcpy(&u8, bytes, 1);
    memcpy(&u16, bytes, f->bytes > 1 ? 2 : 1);
    memcpy(&u32, bytes, f->bytes > 2 ? 4 : 1);
    switch (f->format) {
    case YOKE_FORMAT_UNORM8:
        return u8 / 255.0;
    case YOKE_FORMAT_UNORM16:
        return u16 / 65535.0;
    case YOKE_FORMAT_SNORM8:
        return fmax((int8_t)u8 / 127.0, -1);
    case YOKE_FORMAT_SNORM16:
        return fmax((int16_t)u16 / 32767.0, -1);
    case YOKE_FORMAT_UINT8:
        return u8;
    case YOKE_FORMAT_UINT16:
        return u16;
    case YOKE_FORMAT_UINT32:
        return u32;
    case YOKE_FORMAT_INT8:
        return (int8_t)u8;
    case YOKE_FORMAT_INT16:
        return (int16_t)u16;
    case YOKE_FORMAT_INT32:
        return (int32_t)u32;
    case YOKE_FORMAT_HALF:
        return yoke_half_to_float((yoke_half){ u16 });
    default:
        memcpy(&real, bytes, sizeof real);
        return real;
    }
}

/* Channels whose bytes make a finite number. */
static void fill_texels(const format *f, unsigned char *bytes, size_t count)
{
    fill_random(bytes, count * f->bytes, 7);
    for (size_t i = 0; i < count; i++)
        if (f->format == YOKE_FORMAT_HALF || f->format == YOKE_FORMAT_FLOAT) {
            float real = (float)((int)(i * 37 % 401) - 200) / 16;
            yoke_half half = yoke_half_from(real);
            memcpy(bytes + i * f->bytes, f->bytes == 2 ? (void *)&half : (void *)&real, f->bytes);
        }
}

/* Every texel read by a kernel is what the bytes mean; the bytes come back as they were written. */
static void check_format(suite *t, const format *f, int32_t channels)
{
    const char *names[] = { f->read == 'f'   ? "read_f"
                            : f->read == 'i' ? "read_i"
                                             : "read_u",
                            f->read == 'f'   ? "read_f4"
                            : f->read == 'i' ? "read_i4"
                                             : "read_u4" };
    yoke_image_desc desc = { .format = f->format, .channels = channels, .width = WIDTH, .height = HEIGHT };
    size_t size = (size_t)TEXELS * (size_t)channels * f->bytes;
    unsigned char *bytes = memory_new(size), *back = memory_new(size);
    float *got = memory_new(TEXELS * 4 * sizeof *got);
    yoke_image *image = NULL;
    yoke_buffer *out = NULL;

    yoke_status status = yoke_image_create(t->device, &desc, &image);
    if (status == YOKE_E_UNSUPPORTED && CHECK_TEXT(yoke_error()->text, f->name)) {
        tap_diag("no images of %d channels of %s", (int)channels, f->name);
        goto out;
    }
    NEED_OK(status);
    fill_texels(f, bytes, TEXELS * (size_t)channels);
    NEED_OK(yoke_write_image(t->stream, image, NULL, bytes, size));
    NEED_OK(yoke_read_image(t->stream, back, image, NULL, size));
    NEED_OK(yoke_buffer_create(t->device, TEXELS * 4 * sizeof *got, &out));
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, names[channels > 1]), YOKE_DIM(1, HEIGHT), YOKE_DIM(WIDTH), 0,
                        YOKE_ARGS(image, out, (int32_t)WIDTH, channels)));
    NEED_OK(yoke_read(t->stream, got, out, 0, TEXELS * 4 * sizeof *got));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, bytes, size);
    for (size_t i = 0; i < TEXELS * (size_t)channels; i++) {
        double wanted = value_of(f, bytes + i * f->bytes), found = got[i];
        if (!CHECK(fabs(found - wanted) <= (f->read == 'f' ? 1e-5 * (1 + fabs(wanted)) : 1e-6 * fabs(wanted)))) {
            tap_diag("%s, %d channels, number %zu: %g instead of %g", f->name, (int)channels, i, found, wanted);
            break;
        }
    }
out:
    yoke_image_release(image);
    yoke_buffer_release(out);
    memory_free(bytes);
    memory_free(back);
    memory_free(got);
}

static void all_formats(suite *t)
{
    if (!needs_images(t))
        return;
    for (int i = 0; i < FORMATS; i++)
        for (int32_t channels = 1; channels <= 4; channels *= 2)
            check_format(t, &formats[i], channels);
}

/* ---- Sampling, against the same on the host ---- */

enum { POINTS = 400 };

/* The texel's index in one dimension; -1 for the border. */
static int wrap(int i, int n, int32_t address)
{
    int period = ((i % (2 * n)) + 2 * n) % (2 * n);
    switch (address) {
    case YOKE_ADDRESS_CLAMP:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    case YOKE_ADDRESS_BORDER:
        return i < 0 || i >= n ? -1 : i;
    case YOKE_ADDRESS_REPEAT:
        return (i % n + n) % n;
    default:
        return period < n ? period : 2 * n - 1 - period;
    }
}

static double texel(const float *texels, const int extent[3], int x, int y, int z, int32_t address)
{
    int i = wrap(x, extent[0], address), j = wrap(y, extent[1], address), k = wrap(z, extent[2], address);
    return i < 0 || j < 0 || k < 0 ? 0 : texels[(k * extent[1] + j) * extent[0] + i];
}

static double sampled(const float *texels, const int extent[3], const float at[3], const yoke_sampler *sampler, bool volume)
{
    double p[3], sum = 0;
    for (int i = 0; i < 3; i++)
        p[i] = sampler->normalized ? (double)at[i] * extent[i] : at[i];
    if (!volume)
        p[2] = 0.5;
    if (sampler->filter == YOKE_FILTER_NEAREST)
        return texel(texels, extent, (int)floor(p[0]), (int)floor(p[1]), (int)floor(p[2]), sampler->address);
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int index[3];
        for (int i = 0; i < 3; i++) {
            double low = floor(p[i] - 0.5), part = p[i] - 0.5 - low;
            bool high = corner >> i & 1;
            index[i] = (int)low + high;
            weight *= high ? part : 1 - part;
        }
        if (weight > 0)
            sum += weight * texel(texels, extent, index[0], index[1], index[2], sampler->address);
    }
    return sum;
}

/* Coordinates inside, outside and, for a filter, between the texels; never where rounding decides. */
static void make_points(float *points, const int extent[3], const yoke_sampler *sampler)
{
    uint32_t random = 1;
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < 3; j++) {
            random = random * 1664525u + 1013904223u;
            double p = (int)(random >> 16) % (3 * extent[j]) - extent[j];
            p += ((random >> 8 & 7) + 0.5) / 8;
            points[3 * i + j] = (float)(sampler->normalized ? p / extent[j] : p);
        }
}

static bool check_points(const float *texels, const int extent[3], const float *points, const yoke_sampler *sampler, bool volume,
                         const float *got)
{
    /* GPUs have 8 bits for a weight in each dimension; the texels are from 0 to 1 */
    double tolerance = sampler->filter == YOKE_FILTER_LINEAR ? 3.0 / 256 : 1e-6;
    for (int i = 0; i < POINTS; i++) {
        double wanted = sampled(texels, extent, points + 3 * i, sampler, volume);
        if (!CHECK(fabs(got[i] - wanted) <= tolerance)) {
            tap_diag("address %d, filter %d, normalized %d, at %g, %g, %g: %g instead of %g", (int)sampler->address,
                     (int)sampler->filter, (int)sampler->normalized, points[3 * i], points[3 * i + 1], points[3 * i + 2], got[i],
                     wanted);
            return false;
        }
    }
    return true;
}

static void check_sampler(suite *t, const yoke_sampler *sampler, bool volume)
{
    const int extent[3] = { W, H, volume ? D : 1 };
    yoke_image_desc desc = {
        .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H, .depth = volume ? D : 0, .sampler = *sampler
    };
    size_t size = (size_t)(W * H * extent[2]) * sizeof(float);
    float *texels = memory_new(size), *points = memory_new(3 * POINTS * sizeof *points), *got = memory_new(POINTS * sizeof *got);
    yoke_buffer *in = NULL, *out = NULL;
    yoke_image *image = NULL;

    for (size_t i = 0; i < size / sizeof(float); i++)
        texels[i] = (float)(i * 7919 % 1009) / 1009;
    make_points(points, extent, sampler);
    if (!one_channel(t, &desc, &image))
        goto out;
    NEED_OK(yoke_buffer_create(t->device, 3 * POINTS * sizeof *points, &in));
    NEED_OK(yoke_buffer_create(t->device, POINTS * sizeof *got, &out));
    NEED_OK(yoke_write_image(t->stream, image, NULL, texels, size));
    NEED_OK(yoke_write(t->stream, in, 0, points, 3 * POINTS * sizeof *points));
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, volume ? "sample3" : "sample2"), POINTS,
                          YOKE_ARGS(image, in, out, (int32_t)POINTS)));
    NEED_OK(yoke_read(t->stream, got, out, 0, POINTS * sizeof *got));
    NEED_OK(yoke_stream_wait(t->stream));
    check_points(texels, extent, points, sampler, volume, got);
out:
    yoke_image_release(image);
    yoke_buffer_release(in);
    yoke_buffer_release(out);
    memory_free(texels);
    memory_free(points);
    memory_free(got);
}

static void check_samplers(suite *t, int32_t filter, int32_t normalized, bool volume)
{
    if (!needs_images(t))
        return;
    for (int32_t address = 0; address <= (normalized ? YOKE_ADDRESS_MIRROR : YOKE_ADDRESS_BORDER); address++)
        check_sampler(t, &(yoke_sampler){ .address = address, .filter = filter, .normalized = normalized }, volume);
}

static void clamped_reads(suite *t)
{
    check_samplers(t, YOKE_FILTER_NEAREST, 0, false);
}

static void linear_filter(suite *t)
{
    check_samplers(t, YOKE_FILTER_LINEAR, 0, false);
}

static void normalized_coordinates(suite *t)
{
    check_samplers(t, YOKE_FILTER_NEAREST, 1, false);
    check_samplers(t, YOKE_FILTER_LINEAR, 1, false);
}

static void volumes(suite *t)
{
    check_samplers(t, YOKE_FILTER_NEAREST, 0, true);
    check_samplers(t, YOKE_FILTER_LINEAR, 0, true);
    check_samplers(t, YOKE_FILTER_LINEAR, 1, true);
}

/* ---- Writing ---- */

/* A kernel writes each texel, and another, or the host, reads it. */
static void check_writes(suite *t, bool volume, int32_t channels)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = channels, .width = W, .height = H, .depth = volume ? D : 0 };
    size_t count = W * H * (volume ? D : 1) * (size_t)channels, size = count * sizeof(float);
    float *got = memory_new(size);
    yoke_image *image = NULL;
    const char *name = volume ? "paint3" : channels == 4 ? "paint2x4" : "paint2";

    if (!one_channel(t, &desc, &image))
        goto out;
    NEED_OK(yoke_launch(t->stream, suite_kernel(t, name), YOKE_DIM(1, H, volume ? D : 1), YOKE_DIM(W), 0,
                        YOKE_ARGS(yoke_arg_surface(image), (int32_t)W, (int32_t)H)));
    NEED_OK(yoke_read_image(t->stream, got, image, NULL, size));
    NEED_OK(yoke_stream_wait(t->stream));
    for (size_t i = 0; i < count; i++)
        if (!CHECK(got[i] == (float)(i / (size_t)channels) + (float)(i % (size_t)channels) / 4)) {
            tap_diag("%s: number %zu is %g", name, i, got[i]);
            break;
        }
out:
    yoke_image_release(image);
    memory_free(got);
}

static void writes(suite *t)
{
    if (!needs_images(t))
        return;
    check_writes(t, false, 1);
    check_writes(t, false, 4);
    if (suite_kernel_there(t, "paint3"))
        check_writes(t, true, 1);
}

/* One kernel writes what the next one reads, in one stream, for a while. */
static void ping_pong(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H };
    float texels[W * H], got[W * H];
    yoke_image *image[2] = { NULL, NULL };
    enum { ROUNDS = 21 };

    if (!needs_images(t))
        return;
    for (int i = 0; i < W * H; i++)
        texels[i] = (float)i;
    if (!one_channel(t, &desc, &image[0]) || !one_channel(t, &desc, &image[1]))
        goto out;
    NEED_OK(yoke_write_image(t->stream, image[0], NULL, texels, sizeof texels));
    for (int i = 0; i < ROUNDS; i++)
        NEED_OK(yoke_launch(t->stream, suite_kernel(t, "shift"), YOKE_DIM(1, H), YOKE_DIM(W), 0,
                            YOKE_ARGS(image[i & 1], yoke_arg_surface(image[1 - (i & 1)]))));
    NEED_OK(yoke_read_image(t->stream, got, image[ROUNDS & 1], NULL, sizeof got));
    NEED_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < W * H; i++) { /* each round takes the texel to the left */
        int x = i % W - ROUNDS;
        if (!CHECK(got[i] == texels[i / W * W + (x < 0 ? 0 : x)]))
            break;
    }
out:
    yoke_image_release(image[0]);
    yoke_image_release(image[1]);
}

/* ---- Arguments ---- */

/* The samplers of OpenCL may stand anywhere, and in the text; one list of arguments serves all of these kernels. */
static void samplers_anywhere(suite *t)
{
    static const char *const names[] = { "two_images", "sampler_first", "sampler_last", "sampler_in_text" };
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H };
    yoke_image *image[2] = { NULL, NULL };
    yoke_buffer *out = NULL;
    float texels[2][W * H], got = 0;

    if (!needs_images(t))
        return;
    for (int i = 0; i < W * H; i++) {
        texels[0][i] = (float)i;
        texels[1][i] = (float)(1000 * i);
    }
    NEED_OK(yoke_buffer_create(t->device, sizeof got, &out));
    for (int i = 0; i < 2; i++) {
        NEED(one_channel(t, &desc, &image[i]));
        NEED_OK(yoke_write_image(t->stream, image[i], NULL, texels[i], sizeof texels[i]));
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        yoke_kernel *kernel = suite_kernel(t, names[i]);
        yoke_kernel_info info = YOKE_KERNEL_INFO_INIT;
        yoke_param_info param = YOKE_PARAM_INFO_INIT;
        NEED_OK(yoke_kernel_get_info(kernel, &info));
        if (suite_can(t, YOKE_CAP_SIGNATURE)) {
            CHECK(info.parameters == 4);
            CHECK_OK(yoke_kernel_get_param(kernel, 2, &param));
            CHECK(param.kind == YOKE_PARAM_IMAGE && param.read_only == 1);
            CHECK_FAILS(YOKE_E_RANGE, "4", yoke_kernel_get_param(kernel, 4, &param));
        }
        NEED_OK(yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(image[0], 3.5f, image[1], out)));
        NEED_OK(yoke_read_sync(t->stream, &got, out, 0, sizeof got));
        if (!CHECK(got == texels[0][W + 3] + texels[1][2 * W + 3]))
            tap_diag("%s: %g", names[i], got);
    }
out:
    yoke_image_release(image[0]);
    yoke_image_release(image[1]);
    yoke_buffer_release(out);
}

/* The same texels through another sampler, also when the image itself is gone. */
static void views(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = 2, .height = 1 }, found = YOKE_IMAGE_DESC_INIT;
    const float texels[2] = { 0, 1 }, points[3] = { 1, 0.5f, 0 };
    yoke_image *image = NULL, *view = NULL;
    yoke_buffer *in = NULL, *out = NULL;
    float got[2] = { -1, -1 };

    if (!needs_images(t) || !one_channel(t, &desc, &image))
        return;
    NEED_OK(yoke_image_create_view(image, &(yoke_sampler){ .filter = YOKE_FILTER_LINEAR }, &view));
    CHECK_OK(yoke_image_get_desc(view, &found));
    CHECK(yoke_image_get_device(view) == t->device);
    CHECK(found.width == 2 && found.height == 1 && found.depth == 0 && found.format == YOKE_FORMAT_FLOAT && found.channels == 1 &&
          found.sampler.filter == YOKE_FILTER_LINEAR);
    NEED_OK(yoke_buffer_create(t->device, sizeof points, &in));
    NEED_OK(yoke_buffer_create(t->device, sizeof got, &out));
    NEED_OK(yoke_write_image(t->stream, image, NULL, texels, sizeof texels));
    NEED_OK(yoke_write(t->stream, in, 0, points, sizeof points));
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "sample2"), 1, YOKE_ARGS(image, in, out, (int32_t)1)));
    NEED_OK(yoke_read(t->stream, &got[0], out, 0, sizeof got[0]));
    yoke_image_release(image); /* in use, and the view needs its texels */
    image = NULL;
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "sample2"), 1, YOKE_ARGS(view, in, out, (int32_t)1)));
    NEED_OK(yoke_read(t->stream, &got[1], out, 0, sizeof got[1]));
    yoke_image_release(view); /* in use */
    view = NULL;
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(got[0] == 1 && got[1] == 0.5f);
out:
    yoke_image_release(image);
    yoke_image_release(view);
    yoke_buffer_release(in);
    yoke_buffer_release(out);
}

int main(void)
{
    static const suite_case cases[] = {
        { "every format, read by kernels", all_formats, false },
        { "clamped reads, and a border", clamped_reads, false },
        { "a linear filter", linear_filter, false },
        { "normalized coordinates", normalized_coordinates, false },
        { "volumes", volumes, false },
        { "kernels write images", writes, false },
        { "a kernel reads what another wrote", ping_pong, false },
        { "samplers anywhere among the parameters", samplers_anywhere, false },
        { "views with another sampler", views, false },
    };
    const yoke_source source = { .name = "image", .cuda = image_cuda, .opencl = image_opencl };
    return SUITE_MAIN(cases, &source);
}
