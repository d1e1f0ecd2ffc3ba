/* SPDX-License-Identifier: Apache-2.0 */
/* Bad input to images: each call is refused with a status and a record that says what to do, and what was there goes on working. */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Creating ---- */

static void refuse(suite *t, yoke_status status, const char *words, yoke_image_desc desc)
{
    yoke_image *image = (yoke_image *)t;
    if (!CHECK_FAILS(status, words, yoke_image_create(t->device, &desc, &image)))
        tap_diag("%s", words);
    CHECK(image == NULL);
}

static void descriptions(suite *t)
{
    const yoke_image_desc good = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 8, .height = 8 };
    yoke_image_desc desc = good;
    yoke_image *image = NULL;

    if (!needs_images(t))
        return;
#define BAD(status, words, member, value) (desc = good, desc.member = (value), refuse(t, status, words, desc))
    BAD(YOKE_E_INVALID_ARGUMENT, "format|0", format, 0);
    BAD(YOKE_E_INVALID_ARGUMENT, "format|-1", format, -1);
    BAD(YOKE_E_INVALID_ARGUMENT, "format|13", format, 13);
    BAD(YOKE_E_INVALID_ARGUMENT, "channels|3|1, 2 or 4", channels, 3);
    BAD(YOKE_E_INVALID_ARGUMENT, "channels|0", channels, 0);
    BAD(YOKE_E_INVALID_ARGUMENT, "0 x 8|at least 1", width, 0);
    BAD(YOKE_E_INVALID_ARGUMENT, "8 x 0|at least 1", height, 0);
    BAD(YOKE_E_RANGE, "8 x 8 x 1000000000|may have", depth, 1000000000);
    BAD(YOKE_E_RANGE, "may have", width, (size_t)1 << 40);
    BAD(YOKE_E_RANGE, "may have", height, SIZE_MAX);
    BAD(YOKE_E_INVALID_ARGUMENT, "channels|0", size, offsetof(yoke_image_desc, channels)); /* the others are those of the macro */
    BAD(YOKE_E_INVALID_ARGUMENT, "address|9", sampler.address, 9);
    BAD(YOKE_E_INVALID_ARGUMENT, "filter|2", sampler.filter, 2);
    BAD(YOKE_E_INVALID_ARGUMENT, "normalized|7", sampler.normalized, 7);
    BAD(YOKE_E_INVALID_ARGUMENT, "reserved[0]|must be 0", sampler.reserved[0], 1);
    BAD(YOKE_E_INVALID_ARGUMENT, "REPEAT|normalized", sampler.address, YOKE_ADDRESS_REPEAT);
    BAD(YOKE_E_INVALID_ARGUMENT, "MIRROR|normalized", sampler.address, YOKE_ADDRESS_MIRROR);
    desc = good;
    desc.format = YOKE_FORMAT_UINT8;
    desc.sampler.filter = YOKE_FILTER_LINEAR;
    refuse(t, YOKE_E_INVALID_ARGUMENT, "UINT8|filter", desc);
    CHECK_REFUSED("desc|NULL", yoke_image_create(t->device, NULL, &image));
    CHECK_REFUSED("device|NULL", yoke_image_create(NULL, &good, &image));
    CHECK_REFUSED("out_image|NULL", yoke_image_create(t->device, &good, NULL));
    desc = good;
    desc.size = sizeof desc;
    CHECK_OK(yoke_image_create(t->device, &desc, &image));
    yoke_image_release(image);
    suite_works(t);
}

static void no_images(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 8, .height = 8 }, found = YOKE_IMAGE_DESC_INIT;
    yoke_image *image = NULL, *view = NULL, *none = NULL;
    yoke_buffer *buffer = NULL;
    char bytes[256] = "";

    CHECK(yoke_image_retain(NULL) == NULL);
    yoke_image_release(NULL);
    if (!needs_images(t))
        return;
    NEED_OK(yoke_image_create(t->device, &desc, &image));
    NEED_OK(yoke_buffer_create(t->device, 256, &buffer));
    none = (yoke_image *)(void *)buffer;
    CHECK_REFUSED("image|NULL", yoke_image_get_desc(NULL, &found));
    CHECK_REFUSED("not an image|buffer", yoke_image_get_desc(none, &found));
    CHECK_REFUSED("out_desc|NULL", yoke_image_get_desc(image, NULL));
    found.size = 0;
    CHECK_OK(yoke_image_get_desc(image, &found));
    CHECK(found.size == 0 && found.width == desc.width && found.sampler.address == desc.sampler.address);
    found.size = SIZE_MAX;
    CHECK_REFUSED("size|YOKE_IMAGE_DESC_INIT", yoke_image_get_desc(image, &found));
    CHECK_REFUSED("sampler|NULL", yoke_image_create_view(image, NULL, &view));
    CHECK_REFUSED("filter", yoke_image_create_view(image, &(yoke_sampler){ .filter = 5 }, &view));
    CHECK_REFUSED("reserved[12]|must be 0", yoke_image_create_view(image, &(yoke_sampler){ .reserved[12] = 5 }, &view));
    CHECK_REFUSED("not an image|buffer", yoke_image_create_view(none, &desc.sampler, &view));
    CHECK_REFUSED("not an image|buffer", yoke_write_image(t->stream, none, NULL, bytes, 256));
    CHECK_REFUSED("not an image|buffer", yoke_copy_to_image(t->stream, none, NULL, buffer, 0));
    CHECK_REFUSED("not a buffer|image", yoke_copy_to_image(t->stream, image, NULL, (yoke_buffer *)(void *)image, 0));
    CHECK_REFUSED("not a buffer|image", yoke_write(t->stream, (yoke_buffer *)(void *)image, 0, bytes, 4));
    yoke_buffer_release((yoke_buffer *)(void *)image); /* does nothing */
    yoke_image_release(none);                          /* does nothing */
    CHECK_OK(yoke_write_image(t->stream, image, NULL, bytes, 256));
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_image_release(image);
    desc.size = sizeof desc;
    CHECK_REFUSED("released", yoke_image_get_desc(image, &desc));
    image = NULL;
out:
    yoke_image_release(image);
    yoke_buffer_release(buffer);
}

/* ---- Copies ---- */

static void regions(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM16, .channels = 4, .width = 8, .height = 4 };
    yoke_buffer *buffer = NULL, *pinned = NULL, *view = NULL;
    yoke_image *image = NULL;
    char bytes[256] = "";

    if (!needs_images(t))
        return;
    NEED_OK(yoke_image_create(t->device, &desc, &image));
    NEED_OK(yoke_buffer_create(t->device, 256, &buffer));
    NEED_OK(yoke_fill(t->stream, buffer, 0, 256, bytes, 1));
    NEED_OK(yoke_buffer_create_pinned(t->device, 256, &pinned));
    NEED_OK(yoke_buffer_create_const_view(buffer, 0, 256, &view));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "width|0", yoke_write_image(t->stream, image, &(yoke_region){ 0 }, bytes, 0));
    CHECK_FAILS(YOKE_E_RANGE, "9 texels from x = 0|8", yoke_write_image(t->stream, image, &(yoke_region){ .width = 9 }, bytes, 72));
    CHECK_FAILS(YOKE_E_RANGE, "from x = 8", yoke_write_image(t->stream, image, &(yoke_region){ .x = 8, .width = 1 }, bytes, 8));
    CHECK_FAILS(YOKE_E_RANGE, "y = 18446744073709551615",
                yoke_write_image(t->stream, image, &(yoke_region){ .y = SIZE_MAX, .width = 1, .height = 2 }, bytes, 16));
    CHECK_FAILS(YOKE_E_RANGE, "z = 1|1", yoke_read_image(t->stream, bytes, image, &(yoke_region){ .z = 1, .width = 1 }, 8));
    CHECK_FAILS(YOKE_E_RANGE, "255|256 bytes", yoke_write_image(t->stream, image, NULL, bytes, 255));
    CHECK_FAILS(YOKE_E_RANGE, "size is 0|256 bytes", yoke_read_image(t->stream, bytes, image, NULL, 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "source|NULL", yoke_write_image(t->stream, image, NULL, NULL, 256));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "target|NULL", yoke_read_image(t->stream, NULL, image, NULL, 256));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "stream|NULL", yoke_read_image(NULL, bytes, image, NULL, 256));
    CHECK_FAILS(YOKE_E_RANGE, "256 bytes from offset 8", yoke_copy_to_image(t->stream, image, NULL, buffer, 8));
    CHECK_FAILS(YOKE_E_RANGE, "offset", yoke_copy_from_image(t->stream, buffer, SIZE_MAX, image, &(yoke_region){ .width = 1 }));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "byte 3|multiple",
                yoke_copy_from_image(t->stream, buffer, 3, image, &(yoke_region){ .width = 1 }));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_copy_to_image(t->stream, image, NULL, pinned, 0));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "const view", yoke_copy_from_image(t->stream, view, 0, image, NULL));
    CHECK_OK(yoke_copy_to_image(t->stream, image, NULL, view, 0));
    CHECK_OK(yoke_copy_from_image(t->stream, buffer, 0, image, NULL));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_image_release(image);
    yoke_buffer_release(view);
    yoke_buffer_release(buffer);
    yoke_buffer_release(pinned);
}

/* ---- Arguments ---- */

static void arguments(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H };
    yoke_image_desc deep = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = W, .height = H, .depth = D };
    yoke_image *image = NULL, *volume = NULL;
    yoke_buffer *buffer = NULL;
    yoke_kernel *shift, *sample;

    if (!needs_images(t) || !one_channel(t, &desc, &image))
        return;
    NEED(one_channel(t, &deep, &volume));
    NEED_OK(yoke_buffer_create(t->device, 4096, &buffer));
    shift = suite_kernel(t, "shift");
    sample = suite_kernel(t, "sample2");
    NEED(shift && sample);
#define FAILS(status, words, kernel, ...) \
    CHECK_FAILS(status, words, yoke_launch(t->stream, kernel, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(__VA_ARGS__)))
    FAILS(YOKE_E_INVALID_ARGUMENT, "the image for parameter 1|shift|NULL", shift, yoke_arg_image(NULL), yoke_arg_surface(image));
    FAILS(YOKE_E_INVALID_ARGUMENT, "not an image|buffer", shift, yoke_arg_image((yoke_image *)(void *)buffer),
          yoke_arg_surface(image));
    FAILS(YOKE_E_INVALID_ARGUMENT, "not a buffer|image", sample, image, (yoke_buffer *)(void *)image, buffer, 1);
    if (suite_can(t, YOKE_CAP_SIGNATURE)) {
        FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 2|writes|yoke_arg_surface", shift, image, image);
        FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 1|takes an image|a buffer", shift, buffer, yoke_arg_surface(image));
        FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 1|takes an image|an integer", shift, 1, yoke_arg_surface(image));
        FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 2|takes a buffer|an image", sample, image, image, buffer, 1);
        FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 3|takes a buffer|an image", sample, image, buffer, yoke_arg_surface(image), 1);
        FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 4|a value|an image", sample, image, buffer, buffer, image);
        FAILS(YOKE_E_KERNEL_ARGUMENT, "takes 4 arguments|3 were", sample, image, buffer, buffer);
        if (strcmp(t->info.backend, "cuda") == 0)
            FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 1|texture|yoke_arg_image", sample, yoke_arg_surface(image), buffer, buffer, 1);
        else
            FAILS(YOKE_E_KERNEL_ARGUMENT, "parameter 1|2 dimensions|has 3", sample, volume, buffer, buffer, 1);
    }
    CHECK_OK(yoke_launch(t->stream, shift, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(image, yoke_arg_surface(image))));
    CHECK_OK(yoke_stream_wait(t->stream));
out:
    yoke_image_release(image);
    yoke_image_release(volume);
    yoke_buffer_release(buffer);
    suite_works(t);
}

/* A sampler of OpenCL's is passed with an image, and a kernel without one cannot be launched. */
static void lone_sampler(suite *t)
{
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program = NULL;
    yoke_kernel *kernel;

    if (yoke_device_get_language(t->device) != YOKE_LANGUAGE_OPENCL) {
        suite_skip("CUDA has no samplers as parameters");
        return;
    }
    if (!needs_images(t))
        return;
    source.opencl = "__kernel void lone(sampler_t s, __global int *x) { x[0] = 1; }\n"
                    "__kernel void fine(__global int *x) { x[0] = 2; }\n";
    NEED_OK(yoke_program_build(t->device, &source, &program));
    for (int i = 0; i < 2; i++)
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "lone|sampler|no image", yoke_kernel_get(program, "lone", &kernel));
    CHECK_OK(yoke_kernel_get(program, "fine", &kernel));
out:
    yoke_program_release(program);
}

/* An image of another opening of the device, or of another device. */
static void other_devices(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 8, .height = 8 };
    yoke_image *image = NULL, *mine = NULL;
    yoke_device *other = NULL;
    yoke_buffer *buffer = NULL;
    char bytes[256] = "";

    if (!needs_images(t))
        return;
    NEED_OK(yoke_image_create(t->device, &desc, &mine));
    if (!suite_open_other(t, &other) && yoke_device_open(t->info.selector, &other) < 0)
        goto out;
    if (other == t->device || !yoke_device_supports(other, YOKE_CAP_IMAGES)) {
        suite_skip("there is no other device with images");
        goto out;
    }
    NEED_OK(yoke_image_create(other, &desc, &image));
    NEED_OK(yoke_buffer_create(other, 256, &buffer));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "image|another device", yoke_write_image(t->stream, image, NULL, bytes, 256));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "buffer|another device", yoke_copy_to_image(t->stream, mine, NULL, buffer, 0));
    CHECK_FAILS(
        YOKE_E_INVALID_ARGUMENT, "image|another device",
        yoke_launch(t->stream, suite_kernel(t, "shift"), YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(image, yoke_arg_surface(mine))));
out:
    yoke_image_release(image);
    yoke_image_release(mine);
    yoke_buffer_release(buffer);
    yoke_device_release(other);
}

int main(void)
{
    static const suite_case cases[] = {
        { "descriptions of images", descriptions, false }, { "what is no image", no_images, false },
        { "regions and sizes of copies", regions, false }, { "arguments of the wrong kind", arguments, false },
        { "a sampler and no image", lone_sampler, false }, { "images of another device", other_devices, false },
    };
    const yoke_source source = { .name = "image", .cuda = image_cuda, .opencl = image_opencl };
    return SUITE_MAIN(cases, &source);
}
