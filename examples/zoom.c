/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture enlarged by the device's linear filter: one image is read through a sampler, with coordinates from 0 to 1, another is
 * written. zoom [FACTOR]
 *
 * A common mistake: to read texel 3 at 3.0, which lies between texel 2 and texel 3. Its centre is at 3.5.
 */
#include "example.h"

#include <math.h>

enum { WIDTH = 64, HEIGHT = 48 };

/* In CUDA the sampler is part of the texture object; in OpenCL it is a parameter, but not an argument of the launch. */
static const yoke_source source = {
    .name = "zoom",
    .cuda = "__global__ void zoom(cudaTextureObject_t from, cudaSurfaceObject_t to, int width, int height)\n"
            "{\n"
            "    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
            "    if (x < width && y < height)\n"
            "        surf2Dwrite(tex2D<float>(from, (x + 0.5f) / width, (y + 0.5f) / height), to, x * (int)sizeof(float), y);\n"
            "}\n",
    .opencl = "__kernel void zoom(read_only image2d_t from, sampler_t sampler, write_only image2d_t to, int width, int height)\n"
              "{\n"
              "    int x = get_global_id(0), y = get_global_id(1);\n"
              "    if (x < width && y < height)\n"
              "        write_imagef(to, (int2)(x, y),\n"
              "                     read_imagef(from, sampler, (float2)((x + 0.5f) / width, (y + 0.5f) / height)));\n"
              "}\n",
};

static float texel(const float *picture, int x, int y)
{
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return picture[y * WIDTH + x];
}

/* The same on the host. A GPU's filter has 8 bits for its weights, so the results differ in the third digit. */
static float filtered(const float *picture, float x, float y)
{
    float left = floorf(x - 0.5f), top = floorf(y - 0.5f), u = x - 0.5f - left, v = y - 0.5f - top;
    int i = (int)left, j = (int)top;

    return (1 - v) * ((1 - u) * texel(picture, i, j) + u * texel(picture, i + 1, j)) +
           v * ((1 - u) * texel(picture, i, j + 1) + u * texel(picture, i + 1, j + 1));
}

int main(int argc, char **argv)
{
    const int factor = number(argc, argv, 1, 5, 64), width = factor * WIDTH, height = factor * HEIGHT;
    const size_t size = WIDTH * HEIGHT * sizeof(float), zoomed_size = (size_t)width * (size_t)height * sizeof(float);
    const yoke_image_desc small = {
        .format = YOKE_FORMAT_FLOAT,
        .channels = 1,
        .width = WIDTH,
        .height = HEIGHT,
        .sampler = { .address = YOKE_ADDRESS_CLAMP, .filter = YOKE_FILTER_LINEAR, .normalized = 1 },
    };
    const yoke_image_desc large = { .format = YOKE_FORMAT_FLOAT, .channels = 1, .width = (size_t)width, .height = (size_t)height };
    float *picture = allocate(size), *zoomed = allocate(zoomed_size);
    const yoke_dim block = YOKE_DIM(16, 8), grid = YOKE_DIM((width + 15) / 16, (height + 7) / 8);
    yoke_device *device;
    yoke_stream *stream;
    yoke_program *program;
    yoke_kernel *zoom;
    yoke_image *from, *to;
    int wrong = 0;

    for (int i = 0; i < WIDTH * HEIGHT; i++)
        picture[i] = 0.5f + 0.5f * sinf((float)i * 0.7f);
    YOKE_CHECK(yoke_device_open(NULL, &device));
    if (!yoke_device_supports(device, YOKE_CAP_IMAGES)) {
        printf("zoom: no images: %s\n", yoke_device_lacks(device, YOKE_CAP_IMAGES));
        return 0;
    }
    YOKE_CHECK(yoke_stream_create(device, NULL, &stream));
    YOKE_CHECK(yoke_program_build(device, &source, &program));
    YOKE_CHECK(yoke_kernel_get(program, "zoom", &zoom));
    YOKE_CHECK(yoke_image_create(device, &small, &from));
    YOKE_CHECK(yoke_image_create(device, &large, &to));
    YOKE_CHECK(yoke_write_image(stream, from, NULL, picture, size));
    YOKE_CHECK(yoke_launch(stream, zoom, grid, block, 0, YOKE_ARGS(from, yoke_arg_surface(to), width, height)));
    YOKE_CHECK(yoke_read_image(stream, zoomed, to, NULL, zoomed_size));
    YOKE_CHECK(yoke_stream_wait(stream));

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            wrong += fabsf(zoomed[y * width + x] -
                           filtered(picture, ((float)x + 0.5f) / (float)factor, ((float)y + 0.5f) / (float)factor)) > 0.01f;
    printf("zoom: %d x %d texels enlarged to %d x %d, %d wrong\n", WIDTH, HEIGHT, width, height, wrong);
    yoke_image_release(to);
    yoke_image_release(from);
    yoke_program_release(program);
    yoke_stream_release(stream);
    yoke_device_release(device);
    free(zoomed);
    free(picture);
    return wrong != 0;
}
