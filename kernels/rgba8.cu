/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pixels of 4 bytes (red, green, blue, alpha) to float4 from 0 to 1 and back. The floats are premultiplied by alpha, which
 * blending requires: otherwise the colour of invisible pixels would bleed into their neighbours.
 * One thread for each of the n pixels: yoke_launch_n(stream, rgba8_unpack, n, YOKE_ARGS(bytes, pixels, n)).
 * Tolerance: 0
 */

extern "C" __global__ void rgba8_unpack(const uchar4 *__restrict__ bytes, float4 *__restrict__ pixels, int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (unsigned int)n) {
        const uchar4 from = bytes[i];
        const float alpha = from.w * (1.0f / 255.0f);
        const float scale = alpha * (1.0f / 255.0f);

        pixels[i] = make_float4(from.x * scale, from.y * scale, from.z * scale, alpha);
    }
}

/* 0 to 1 into 0 to 255, rounded to the nearest; what is beyond is clamped. */
static __device__ unsigned char to_byte(float value)
{
    return (unsigned char)fmaf(fminf(fmaxf(value, 0.0f), 1.0f), 255.0f, 0.5f);
}

extern "C" __global__ void rgba8_pack(const float4 *__restrict__ pixels, uchar4 *__restrict__ bytes, int n)
{
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < (unsigned int)n) {
        const float4 from = pixels[i];
        const float alpha = from.w > 0.0f ? from.w : 1.0f; /* nothing to divide where nothing is visible */

        bytes[i] = make_uchar4(to_byte(from.x / alpha), to_byte(from.y / alpha), to_byte(from.z / alpha), to_byte(from.w));
    }
}
