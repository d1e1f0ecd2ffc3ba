/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs about images share: kernels as CUDA C++ and as OpenCL C, and what a device may lack. */
#ifndef IMAGE_H
#define IMAGE_H

#include "suite.h"

#include <string.h>

/* Every channel of every texel as a number; a block is a row. */
#define READ_CUDA(name, scalar, type)                                                                                 \
    "extern \"C\" __global__ void read_" name "(cudaTextureObject_t image, float *out, int width, int channels)\n"    \
    "{ int x = threadIdx.x, y = blockIdx.y; out[y * width + x] = tex2D<" scalar ">(image, x + 0.5f, y + 0.5f); }\n"   \
    "extern \"C\" __global__ void read_" name "4(cudaTextureObject_t image, float *out, int width, int channels)\n"   \
    "{ int x = threadIdx.x, y = blockIdx.y; float *to = out + (y * width + x) * channels;\n"                          \
    "  if (channels == 2) { " type "2 v = tex2D<" type "2>(image, x + 0.5f, y + 0.5f); to[0] = v.x; to[1] = v.y; }\n" \
    "  else { " type "4 v = tex2D<" type "4>(image, x + 0.5f, y + 0.5f);\n"                                           \
    "         to[0] = v.x; to[1] = v.y; to[2] = v.z; to[3] = v.w; } }\n"
#define READ_OPENCL(name, function)                                                                                        \
    "__kernel void read_" name "(read_only image2d_t image, sampler_t s, __global float *out, int width, int channels)\n"  \
    "{ int x = get_local_id(0), y = get_group_id(1);\n"                                                                    \
    "  out[y * width + x] = " function "(image, s, (float2)(x + 0.5f, y + 0.5f)).x; }\n"                                   \
    "__kernel void read_" name "4(read_only image2d_t image, sampler_t s, __global float *out, int width, int channels)\n" \
    "{ int x = get_local_id(0), y = get_group_id(1); __global float *to = out + (y * width + x) * channels;\n"             \
    "  float4 v = convert_float4(" function "(image, s, (float2)(x + 0.5f, y + 0.5f)));\n"                                 \
    "  to[0] = v.x; to[1] = v.y; if (channels == 4) { to[2] = v.z; to[3] = v.w; } }\n"

/* Points of three coordinates each. */
#define SAMPLE_CUDA                                                                                             \
    "extern \"C\" __global__ void sample2(cudaTextureObject_t image, const float *points, float *out, int n)\n" \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                        \
    "  if (i < n) out[i] = tex2D<float>(image, points[3 * i], points[3 * i + 1]); }\n"                          \
    "extern \"C\" __global__ void sample3(cudaTextureObject_t image, const float *points, float *out, int n)\n" \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                        \
    "  if (i < n) out[i] = tex3D<float>(image, points[3 * i], points[3 * i + 1], points[3 * i + 2]); }\n"
#define SAMPLE_OPENCL                                                                                                           \
    "__kernel void sample2(read_only image2d_t image, sampler_t s, __global const float *points, __global float *out, int n)\n" \
    "{ int i = get_global_id(0); if (i < n) out[i] = read_imagef(image, s, vload2(0, points + 3 * i)).x; }\n"                   \
    "__kernel void sample3(read_only image3d_t image, sampler_t s, __global const float *points, __global float *out, int n)\n" \
    "{ int i = get_global_id(0); if (i < n) out[i] = read_imagef(image, s, (float4)(vload3(0, points + 3 * i), 0)).x; }\n"

/* The texel's index, and a quarter more in each further channel. */
#define PAINT_CUDA                                                                               \
    "extern \"C\" __global__ void paint2(cudaSurfaceObject_t image, int w, int h)\n"             \
    "{ int x = threadIdx.x, y = blockIdx.y; surf2Dwrite<float>(y * w + x, image, x * 4, y); }\n" \
    "extern \"C\" __global__ void paint2x4(cudaSurfaceObject_t image, int w, int h)\n"           \
    "{ int x = threadIdx.x, y = blockIdx.y; float v = y * w + x;\n"                              \
    "  surf2Dwrite(make_float4(v, v + 0.25f, v + 0.5f, v + 0.75f), image, x * 16, y); }\n"       \
    "extern \"C\" __global__ void paint3(cudaSurfaceObject_t image, int w, int h)\n"             \
    "{ int x = threadIdx.x, y = blockIdx.y, z = blockIdx.z; surf3Dwrite<float>((z * h + y) * w + x, image, x * 4, y, z); }\n"
#define PAINT_OPENCL                                                                                              \
    "__kernel void paint2(write_only image2d_t image, int w, int h)\n"                                            \
    "{ int x = get_local_id(0), y = get_group_id(1); write_imagef(image, (int2)(x, y), (float4)(y * w + x)); }\n" \
    "__kernel void paint2x4(write_only image2d_t image, int w, int h)\n"                                          \
    "{ int x = get_local_id(0), y = get_group_id(1);\n"                                                           \
    "  write_imagef(image, (int2)(x, y), (float)(y * w + x) + (float4)(0, 0.25f, 0.5f, 0.75f)); }\n"              \
    "#ifdef cl_khr_3d_image_writes\n#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"                   \
    "__kernel void paint3(write_only image3d_t image, int w, int h)\n"                                            \
    "{ int x = get_local_id(0), y = get_group_id(1), z = get_group_id(2);\n"                                      \
    "  write_imagef(image, (int4)(x, y, z, 0), (float4)((z * h + y) * w + x)); }\n#endif\n"

/* Each texel is the one to its left. */
#define SHIFT_CUDA                                                                           \
    "extern \"C\" __global__ void shift(cudaTextureObject_t from, cudaSurfaceObject_t to)\n" \
    "{ int x = threadIdx.x, y = blockIdx.y; surf2Dwrite(tex2D<float>(from, x - 0.5f, y + 0.5f), to, x * 4, y); }\n"
#define SHIFT_OPENCL                                                                        \
    "__kernel void shift(read_only image2d_t from, sampler_t s, write_only image2d_t to)\n" \
    "{ int x = get_local_id(0), y = get_group_id(1);\n"                                     \
    "  write_imagef(to, (int2)(x, y), read_imagef(from, s, (float2)(x - 0.5f, y + 0.5f))); }\n"

/* A texel of each of two images, whose samplers stand in other places in OpenCL. */
#define TWO_CUDA(name)                                                                                           \
    "extern \"C\" __global__ void " name "(cudaTextureObject_t a, float x, cudaTextureObject_t b, float *out)\n" \
    "{ out[0] = tex2D<float>(a, x, 1.5f) + tex2D<float>(b, x, 2.5f); }\n"
#define TWO_OPENCL(name, first, second, third, p, q)                                                                             \
    "__kernel void " name "(" first "read_only image2d_t a, " second "float x, read_only image2d_t b, __global float *out" third \
    ")\n"                                                                                                                        \
    "{ out[0] = read_imagef(a, " p ", (float2)(x, 1.5f)).x + read_imagef(b, " q ", (float2)(x, 2.5f)).x; }\n"

#define IMAGE_CUDA                                                                                              \
    READ_CUDA("f", "float", "float")                                                                            \
    READ_CUDA("i", "int", "int")                                                                                \
    READ_CUDA("u", "unsigned", "uint")                                                                          \
    SAMPLE_CUDA PAINT_CUDA SHIFT_CUDA TWO_CUDA("two_images") TWO_CUDA("sampler_first") TWO_CUDA("sampler_last") \
        TWO_CUDA("sampler_in_text")
#define IMAGE_OPENCL                                                                                                              \
    "#ifdef __IMAGE_SUPPORT__\n" READ_OPENCL("f", "read_imagef") READ_OPENCL("i", "read_imagei") READ_OPENCL("u", "read_imageui") \
        SAMPLE_OPENCL PAINT_OPENCL SHIFT_OPENCL TWO_OPENCL("two_images", "", "sampler_t s, ", ", sampler_t u", "s", "u")          \
            TWO_OPENCL("sampler_first", "sampler_t s, ", "", "", "s", "s")                                                        \
                TWO_OPENCL("sampler_last", "", "", ", sampler_t s", "s",                                                          \
                           "s") "__constant sampler_t in_text = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "       \
                                "CLK_FILTER_NEAREST;\n" TWO_OPENCL(                                                               \
                                    "sampler_in_text", "", "", "", "in_text",                                                     \
                                    "in_text") "#else\n__kernel void none(__global int *x) { x[0] = 1; }\n#endif\n"

/* Both texts. */
static const char image_cuda[] = IMAGE_CUDA, image_opencl[] = IMAGE_OPENCL;

enum { W = 16, H = 8, D = 4 }; /* of most images */

/* Whether the device has images; else the case is skipped, and creating one says why there are none. */
static inline bool needs_images(suite *t)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 1, .height = 1 };
    yoke_image *image = NULL;

    if (suite_can(t, YOKE_CAP_IMAGES))
        return true;
    CHECK_FAILS(YOKE_E_UNSUPPORTED, yoke_device_lacks(t->device, YOKE_CAP_IMAGES), yoke_image_create(t->device, &desc, &image));
    CHECK(image == NULL);
    suite_skip("%s", yoke_device_lacks(t->device, YOKE_CAP_IMAGES));
    return false;
}

/* An image that a device may lack the format of: then the case ends with a skip. */
static inline bool one_channel(suite *t, const yoke_image_desc *desc, yoke_image **out_image)
{
    yoke_status status = yoke_image_create(t->device, desc, out_image);
    if (status == YOKE_E_UNSUPPORTED && CHECK_TEXT(yoke_error()->text, "YOKE_FORMAT_"))
        suite_skip("%s", yoke_error()->text);
    else
        CHECK_OK(status);
    return status == YOKE_OK;
}

/* Whether the program has a kernel that some devices cannot compile. */
static inline bool suite_kernel_there(const suite *t, const char *name)
{
    for (size_t i = 0; i < yoke_program_get_kernel_count(t->program); i++)
        if (strcmp(yoke_program_get_kernel_name(t->program, i), name) == 0)
            return true;
    return false;
}

#endif
