/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Separable blur of a picture of floats, with 1 channel or with 4 (float4): run the horizontal kernel, then the vertical one.
 * `weights` holds 2 * radius + 1 floats. Edge pixels extend beyond the edge.
 *
 * One thread for each pixel: x over columns, y over rows, in blocks of any size. Neighbouring threads read neighbouring pixels, and
 * the pixels that they share come from the cache. yoke_gaussian_filter of libyoke-ops takes any array, and one pass over memory.
 * Tolerance: 0
 */

static __device__ int clamp_to(int i, int count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

static __device__ float4 add_weighted(float weight, float4 pixel, float4 sum)
{
    sum.x = fmaf(weight, pixel.x, sum.x);
    sum.y = fmaf(weight, pixel.y, sum.y);
    sum.z = fmaf(weight, pixel.z, sum.z);
    sum.w = fmaf(weight, pixel.w, sum.w);
    return sum;
}

extern "C" __global__ void gaussian_horizontal(const float *__restrict__ source, float *__restrict__ target,
                                               const float *__restrict__ weights, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        const float *row = source + (size_t)y * width;
        float sum = 0.0f;

        for (int i = -radius; i <= radius; i++)
            sum = fmaf(weights[i + radius], row[clamp_to(x + i, width)], sum);
        target[(size_t)y * width + x] = sum;
    }
}

extern "C" __global__ void gaussian_vertical(const float *__restrict__ source, float *__restrict__ target,
                                             const float *__restrict__ weights, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        float sum = 0.0f;

        for (int i = -radius; i <= radius; i++)
            sum = fmaf(weights[i + radius], source[(size_t)clamp_to(y + i, height) * width + x], sum);
        target[(size_t)y * width + x] = sum;
    }
}

extern "C" __global__ void gaussian_horizontal4(const float4 *__restrict__ source, float4 *__restrict__ target,
                                                const float *__restrict__ weights, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        const float4 *row = source + (size_t)y * width;
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

        for (int i = -radius; i <= radius; i++)
            sum = add_weighted(weights[i + radius], row[clamp_to(x + i, width)], sum);
        target[(size_t)y * width + x] = sum;
    }
}

extern "C" __global__ void gaussian_vertical4(const float4 *__restrict__ source, float4 *__restrict__ target,
                                              const float *__restrict__ weights, int width, int height, int radius)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

        for (int i = -radius; i <= radius; i++)
            sum = add_weighted(weights[i + radius], source[(size_t)clamp_to(y + i, height) * width + x], sum);
        target[(size_t)y * width + x] = sum;
    }
}
