/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pixels of 4 bytes (red, green, blue, alpha) to float4 from 0 to 1 and back. The floats are premultiplied by alpha, which
 * blending requires: otherwise the colour of invisible pixels would bleed into their neighbours.
 * One work-item for each of the n pixels: yoke_launch_n(stream, rgba8_unpack, n, YOKE_ARGS(bytes, pixels, n)).
 * Tolerance: 0
 */

__kernel void rgba8_unpack(__global const uchar4 *restrict bytes, __global float4 *restrict pixels, int n)
{
    const unsigned int i = get_global_id(0);

    if (i < (unsigned int)n) {
        const uchar4 from = bytes[i];
        const float alpha = from.w * (1.0f / 255.0f);
        const float scale = alpha * (1.0f / 255.0f);

        pixels[i] = (float4)(from.x * scale, from.y * scale, from.z * scale, alpha);
    }
}

/* 0 to 1 into 0 to 255, rounded to the nearest; what is beyond is clamped. */
static uchar to_byte(float value)
{
    return (uchar)fma(fmin(fmax(value, 0.0f), 1.0f), 255.0f, 0.5f);
}

__kernel void rgba8_pack(__global const float4 *restrict pixels, __global uchar4 *restrict bytes, int n)
{
    const unsigned int i = get_global_id(0);

    if (i < (unsigned int)n) {
        const float4 from = pixels[i];
        const float alpha = from.w > 0.0f ? from.w : 1.0f; /* nothing to divide where nothing is visible */

        bytes[i] = (uchar4)(to_byte(from.x / alpha), to_byte(from.y / alpha), to_byte(from.z / alpha), to_byte(from.w));
    }
}
