/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of the Mandelbrot set: width x height pixels of 4 bytes (red, green, blue, alpha), centred on (cx, cy), `scale` apart.
 * It uses only additions, products and fma, no library functions, so the picture has the same bytes on every device.
 * Tolerance: 0
 */

/* log2 of a positive normal float, within 0.01 and without a step: the exponent, and a parabola for the rest. */
static float rough_log2(float value)
{
    const int bits = as_int(value);
    const float rest = as_float((bits & 0x7fffff) | 0x3f800000); /* from 1 to 2 */

    return (float)((bits >> 23) - 127) + fma(fma(rest, -1.0f / 3.0f, 2.0f), rest, -5.0f / 3.0f);
}

/* From black through blue and white to gold and back, once in 64 steps. */
static uchar4 colour(float steps)
{
    const float turn = steps * (1.0f / 64.0f);
    const float t = 1.0f - fabs(fma(2.0f, turn - floor(turn), -1.0f));
    const float s = 1.0f - t;
    const float red = 9.0f * s * t * t * t;
    const float green = 15.0f * s * s * t * t;
    const float blue = 8.5f * s * s * s * t;

    return (uchar4)((uchar)fma(fmin(red, 1.0f), 255.0f, 0.5f), (uchar)fma(fmin(green, 1.0f), 255.0f, 0.5f),
                    (uchar)fma(fmin(blue, 1.0f), 255.0f, 0.5f), 255);
}

/* One work-item for each pixel: x over columns, y over rows, in work-groups of any size. */
__kernel void fractal(__global uchar4 *restrict pixels, int width, int height, float cx, float cy, float scale, int iterations)
{
    const int x = get_global_id(0);
    const int y = get_global_id(1);

    if (x < width && y < height) {
        const float re = fma(fma(-0.5f, (float)width, (float)x), scale, cx);
        const float im = fma(fma(-0.5f, (float)height, (float)y), scale, cy);
        float zre = 0.0f, zim = 0.0f, square = 0.0f;
        int i = 0;

        for (; i < iterations && square < 65536.0f; i++) {
            const float next = fma(zre, zre, fma(-zim, zim, re));

            zim = fma(2.0f * zre, zim, im);
            zre = next;
            square = fma(zre, zre, zim * zim);
        }
        /* The steps it took to get 256 away, with the fraction by which the last one overshot, which makes the colours smooth. */
        pixels[(size_t)y * width + x] = square < 65536.0f ? (uchar4)(0, 0, 0, 255)
                                                          : colour((float)i - rough_log2(rough_log2(square) * (1.0f / 16.0f)));
    }
}
