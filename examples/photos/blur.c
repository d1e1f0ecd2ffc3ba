/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blur on the CPU, pixel by pixel: what kernels/rgba8 and yoke_separable_filter do, in the same order and with the same
 * roundings, so that both agree to the last bit.
 */
#include "photos.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void blur_set(blur *b, double sigma)
{
    double sum = 0;

    b->radius = (int)ceil(3 * sigma);
    for (int i = -b->radius; i <= b->radius; i++)
        sum += b->weights[i + b->radius] = exp(-0.5 * i * i / (sigma * sigma));
    for (int i = 0; i <= 2 * b->radius; i++)
        b->weights[i] /= sum;
}

static int within(int i, int count)
{
    return i < 0 ? 0 : i < count ? i : count - 1;
}

static unsigned char to_byte(float value)
{
    return (unsigned char)fmaf(fminf(fmaxf(value, 0.0f), 1.0f), 255.0f, 0.5f);
}

/* The picture blurred along column x only, at row y: 4 floats, premultiplied by alpha. */
static void blur_column(const blur *b, const photo *p, const unsigned char *pixels, int x, int y, float *sum)
{
    for (int c = 0; c < 4; c++)
        sum[c] = 0.0f;
    for (int i = -b->radius; i <= b->radius; i++) {
        const unsigned char *from = pixels + ((size_t)within(y + i, p->height) * (size_t)p->width + (size_t)x) * 4;
        float alpha = (float)from[3] * (1.0f / 255.0f), scale = alpha * (1.0f / 255.0f);
        for (int c = 0; c < 4; c++)
            sum[c] = fmaf((float)b->weights[i + b->radius], c < 3 ? (float)from[c] * scale : alpha, sum[c]);
    }
}

static void blur_pixel(const blur *b, const photo *p, const unsigned char *pixels, int x, int y, unsigned char *out)
{
    float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, column[4];

    for (int i = -b->radius; i <= b->radius; i++) {
        blur_column(b, p, pixels, within(x + i, p->width), y, column);
        for (int c = 0; c < 4; c++)
            sum[c] = fmaf((float)b->weights[i + b->radius], column[c], sum[c]);
    }
    float alpha = sum[3] > 0.0f ? sum[3] : 1.0f;
    for (int c = 0; c < 3; c++)
        out[c] = to_byte(sum[c] / alpha);
    out[3] = to_byte(sum[3]);
}

bool blur_check(const blur *b, photo *p, const unsigned char *before, const unsigned char *after, int tolerance)
{
    uint32_t chance = 12345;

    for (int i = 0; i < SAMPLES; i++) {
        unsigned char expected[4];
        int x = i & 1 ? p->width - 1 : 0, y = i & 2 ? p->height - 1 : 0; /* the corners first, where clamping matters most */

        if (i >= 4) {
            chance = chance * 1664525u + 1013904223u;
            x = (int)((uint64_t)chance * (uint64_t)p->width >> 32);
            chance = chance * 1664525u + 1013904223u;
            y = (int)((uint64_t)chance * (uint64_t)p->height >> 32);
        }
        const unsigned char *got = after + ((size_t)y * (size_t)p->width + (size_t)x) * 4;
        blur_pixel(b, p, before, x, y, expected);
        for (int c = 0; c < (p->opaque ? 3 : 4); c++)
            if (abs(got[c] - expected[c]) > tolerance) {
                photo_fail(p, "the device computed %d for the %s of pixel (%d, %d), the CPU %d", got[c],
                           (const char *[]){ "red", "green", "blue", "alpha" }[c], x, y, expected[c]);
                return false;
            }
    }
    return true;
}
