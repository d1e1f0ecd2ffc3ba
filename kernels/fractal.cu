/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of the Mandelbrot set: width x height pixels of 4 bytes (red, green, blue, alpha), centred on (cx, cy), `scale` apart.
 * It uses only additions, products and fmaf, no library functions, so the picture has the same bytes on every device.
 * Tolerance: 0
 */

/* log2 of a positive normal float, within 0.01 and without a step: the exponent, and a parabola for the rest. */
static __device__ float rough_log2(float value)
{
    const int bits = __float_as_int(value);
    const float rest = __int_as_float((bits & 0x7fffff) | 0x3f800000); /* from 1 to 2 */

    return (float)((bits >> 23) - 127) + fmaf(fmaf(rest, -1.0f / 3.0f, 2.0f), rest, -5.0f / 3.0f);
}

/* From black through blue and white to gold and back, once in 64 steps. */
static __device__ uchar4 colour(float steps)
{
    const float turn = steps * (1.0f / 64.0f);
    const float t = 1.0f - fabsf(fmaf(2.0f, turn - floorf(turn), -1.0f));
    const float s = 1.0f - t;
    const float red = 9.0f * s * t * t * t;
    const float green = 15.0f * s * s * t * t;
    const float blue = 8.5f * s * s * s * t;

    return make_uchar4((unsigned char)fmaf(fminf(red, 1.0f), 255.0f, 0.5f), (unsigned char)fmaf(fminf(green, 1.0f), 255.0f, 0.5f),
                       (unsigned char)fmaf(fminf(blue, 1.0f), 255.0f, 0.5f), 255);
}

/* One thread for each pixel: x over columns, y over rows, in blocks of any size. */
extern "C" __global__ void fractal(uchar4 *__restrict__ pixels, int width, int height, float cx, float cy, float scale,
                                   int iterations)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        const float re = fmaf(fmaf(-0.5f, (float)width, (float)x), scale, cx);
        const float im = fmaf(fmaf(-0.5f, (float)height, (float)y), scale, cy);
        float zre = 0.0f, zim = 0.0f, square = 0.0f;
        int i = 0;

        for (; i < iterations && square < 65536.0f; i++) {
            const float next = fmaf(zre, zre, fmaf(-zim, zim, re));

            zim = fmaf(2.0f * zre, zim, im);
            zre = next;
            square = fmaf(zre, zre, zim * zim);
        }
        /* The steps it took to get 256 away, with the fraction by which the last one overshot, which makes the colours smooth. */
        pixels[(size_t)y * width + x] = square < 65536.0f ? make_uchar4(0, 0, 0, 255)
                                                          : colour((float)i - rough_log2(rough_log2(square) * (1.0f / 16.0f)));
    }
}
