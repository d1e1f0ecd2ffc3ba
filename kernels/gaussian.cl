/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separable blur of a picture of floats, with 1 channel or with 4 (float4): run the horizontal kernel, then the vertical one.
 * `weights` holds 2 * radius + 1 floats. Edge pixels extend beyond the edge.
 *
 * One work-item for each pixel: x over columns, y over rows, in work-groups of any size. Neighbouring work-items read neighbouring
 * pixels, and the pixels that they share come from the cache.
 * Tolerance: 0
 */

__kernel void gaussian_horizontal(__global const float *restrict source, __global float *restrict target,
                                  __global const float *restrict weights, int width, int height, int radius)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    if (x < width && y < height) {
        __global const float *row = source + (size_t)y * width;
        float sum = 0.0f;

        for (int i = -radius; i <= radius; i++)
            sum = fma(weights[i + radius], row[clamp(x + i, 0, width - 1)], sum);
        target[(size_t)y * width + x] = sum;
    }
}

__kernel void gaussian_vertical(__global const float *restrict source, __global float *restrict target,
                                __global const float *restrict weights, int width, int height, int radius)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int i = -radius; i <= radius; i++)
            sum = fma(weights[i + radius], source[(size_t)clamp(y + i, 0, height - 1) * width + x], sum);
        target[(size_t)y * width + x] = sum;
    }
}

__kernel void gaussian_horizontal4(__global const float4 *restrict source, __global float4 *restrict target,
                                   __global const float *restrict weights, int width, int height, int radius)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    if (x < width && y < height) {
        __global const float4 *row = source + (size_t)y * width;
        float4 sum = (float4)(0.0f);

        for (int i = -radius; i <= radius; i++)
            sum = fma((float4)(weights[i + radius]), row[clamp(x + i, 0, width - 1)], sum);
        target[(size_t)y * width + x] = sum;
    }
}

__kernel void gaussian_vertical4(__global const float4 *restrict source, __global float4 *restrict target,
                                 __global const float *restrict weights, int width, int height, int radius)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    if (x < width && y < height) {
        float4 sum = (float4)(0.0f);

        for (int i = -radius; i <= radius; i++)
            sum = fma((float4)(weights[i + radius]), source[(size_t)clamp(y + i, 0, height - 1) * width + x], sum);
        target[(size_t)y * width + x] = sum;
    }
}
