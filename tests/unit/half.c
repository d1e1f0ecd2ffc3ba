/* SPDX-License-Identifier: Apache-2.0 */
/* Half precision on the host: every half and bfloat16 there and back, and rounding against arithmetic in double. */
#include <math.h>

#include <yoke/yoke.h>

#include "../tap/tap.h"

/* The value by the formats' definition: a half has 10 bits of fraction and bias 15, a bfloat16 7 bits and bias 127. */
static double value_of(unsigned bits, int fraction_bits, int bias)
{
    unsigned fraction = bits & ((1u << fraction_bits) - 1), exponent = (bits & 0x7fffu) >> fraction_bits;
    double sign = bits & 0x8000u ? -1 : 1;
    if (exponent == (0x7fffu >> fraction_bits))
        return fraction ? (double)NAN : sign * HUGE_VAL;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - bias - fraction_bits);
    return sign * ldexp(fraction + (double)(1u << fraction_bits), (int)exponent - bias - fraction_bits);
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void every_value(void)
{
    unsigned halves = 0, bfloat16s = 0;
    for (unsigned bits = 0; bits < 65536; bits++) {
        yoke_half half = { (uint16_t)bits };
        yoke_bfloat16 bfloat16 = { (uint16_t)bits };
        float f = yoke_half_to_float(half), b = yoke_bfloat16_to_float(bfloat16);
        halves += same(f, value_of(bits, 10, 15)) &&
                  (isnan(f) ? isnan(yoke_half_to_float(yoke_half_from(f))) : yoke_half_from(f).bits == bits);
        bfloat16s += same(b, value_of(bits, 7, 127)) &&
                     (isnan(b) ? isnan(yoke_bfloat16_to_float(yoke_bfloat16_from(b))) : yoke_bfloat16_from(b).bits == bits);
    }
    tap_ok(halves == 65536, "every half is a float, and back the same half (%u)", halves);
    tap_ok(bfloat16s == 65536, "every bfloat16 is a float, and back the same bfloat16 (%u)", bfloat16s);
}

/* Between each two neighbours: a little below the middle, the middle, a little above it. */
static unsigned round_between(unsigned low, double below, double above, uint16_t (*from)(float))
{
    float middle = (float)((below + above) / 2);
    unsigned even = low & 1 ? low + 1 : low;
    return (from(nextafterf(middle, -1)) == low) + (from(middle) == even) + (from(nextafterf(middle, HUGE_VALF)) == low + 1);
}

static uint16_t half_bits(float value)
{
    return yoke_half_from(value).bits;
}

static uint16_t bfloat16_bits(float value)
{
    return yoke_bfloat16_from(value).bits;
}

static void rounding(void)
{
    unsigned halves = 0, bfloat16s = 0;
    for (unsigned low = 0; low < 0x7c00; low++) /* what follows the largest half would be 65536 */
        halves += round_between(low, value_of(low, 10, 15), low == 0x7bff ? 65536 : value_of(low + 1, 10, 15), half_bits);
    for (unsigned low = 0; low < 0x7f7f; low++)
        bfloat16s += round_between(low, value_of(low, 7, 127), value_of(low + 1, 7, 127), bfloat16_bits);
    tap_ok(halves == 3 * 0x7c00, "halves are rounded to the nearest, ties to even (%u)", halves);
    tap_ok(bfloat16s == 3 * 0x7f7f, "bfloat16s are rounded to the nearest, ties to even (%u)", bfloat16s);
    tap_ok(half_bits(HUGE_VALF) == 0x7c00 && half_bits(-HUGE_VALF) == 0xfc00 && half_bits(1e30f) == 0x7c00 &&
               bfloat16_bits(HUGE_VALF) == 0x7f80 && bfloat16_bits(3.4e38f) == 0x7f80,
           "what is too large is infinite");
    tap_ok(half_bits(1e-30f) == 0 && half_bits(-1e-30f) == 0x8000, "what is too small for a half is 0 of its sign");
}

int main(void)
{
    tap_start(60);
    every_value();
    rounding();
    return tap_done();
}
